// A board to play and to replay: draws it, edits it, marks broken rules, walks through explained steps.
//
// It knows nothing of deduction: steps come with the payload, which player_data.py makes, or from a kernel. Cells and
// states are as player_rules.js says.

import { SHADED, UNKNOWN, UNSHADED, beside, fits, judge, read, rooms, write } from "./player_rules.js";

const CELL = 20; // units of the drawing
const SHAPES = new Set(["svg", "g", "rect", "circle", "path", "text", "defs", "pattern"]);
// Where a Tapa clue's runs stand, by how many they are: the size of each and their middles, in cells.
const RING = [
  [0.62, [0.5, 0.5]],
  [0.48, [0.3, 0.3], [0.7, 0.7]],
  [0.42, [0.26, 0.3], [0.74, 0.3], [0.5, 0.72]],
  [0.36, [0.5, 0.23], [0.22, 0.5], [0.78, 0.5], [0.5, 0.77]],
];
let mounted = 0;

// An element with attributes, listeners (functions) and children; strings become text, never markup.
export function make(tag, attributes = {}, ...children) {
  const shape = SHAPES.has(tag);
  const one = shape ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") one.addEventListener(name, value);
    else one.setAttribute(name, value);
  }
  one.append(...children);
  return one;
}

export const button = (text, click, label = text) =>
  make("button", { type: "button", click, "aria-label": label }, text);

const place = (cell, cols) => [cell % cols, Math.floor(cell / cols)];
const name = (cell, cols) => `r${Math.floor(cell / cols) + 1}c${(cell % cols) + 1}`;

function outline(cells, cols, inset) {
  const side = CELL - 2 * inset;
  return [...cells].map((cell) => place(cell, cols).map((at) => at * CELL + inset))
    .map(([x, y]) => `M${x} ${y}h${side}v${side}h${-side}z`).join("");
}

const walled = (pairs, cols) => pairs.map(([a, b]) => {
  const [x, y] = place(b, cols);
  return `M${x * CELL} ${y * CELL}${b === a + cols ? "h" : "v"}${CELL}`;
}).join("");

const written = (x, y, size, text, anchor = "middle") => make("text",
  { x: x * CELL, y: y * CELL, "font-size": size * CELL, style: `text-anchor: ${anchor}`, "aria-hidden": "true" }, text);

// A tube's stretch through its cell, from edge to edge; the last ends inside the cell.
function stretch(tube, at, cols) {
  const [x, y] = place(tube[at], cols), towards = (cell) => place(cell, cols).map((to, axis) => to - [x, y][axis]);
  const before = at ? towards(tube[at - 1]) : [0, 0];
  const after = at < tube.length - 1 ? towards(tube[at + 1]) : before.map((step) => -0.6 * step);
  const [start, middle, end] = [before, [0, 0], after]
    .map(([right, down]) => `${(x + 0.5 + right / 2) * CELL} ${(y + 0.5 + down / 2) * CELL}`);
  return make("path", { class: "tube", d: `M${start}L${middle}L${end}` });
}

// All that stands in a cell: its clue's numbers, its stretch of a tube, its dot (shown where it is unshaded).
function contents({ puzzle, cols }, cell, clue, tube) {
  const [x, y] = place(cell, cols), circle = (kind, r, aside = 0) =>
    make("circle", { class: kind, cx: (x + 0.5 + aside) * CELL, cy: (y + 0.5 + aside) * CELL, r: r * CELL });
  const inside = [make("rect", { x: x * CELL, y: y * CELL, width: CELL, height: CELL })];
  if (tube) inside.push(stretch(tube, tube.indexOf(cell), cols));
  if (tube?.[0] === cell) inside.push(circle("bulb", 0.375));
  if (clue === undefined || puzzle === "heyawake") inside.push(circle("dot", 0.13, clue === undefined ? 0 : 0.25));
  if (Array.isArray(clue)) {
    const [size, ...places] = RING[clue.length - 1];
    clue.forEach((run, at) => inside.push(written(x + places[at][0], y + places[at][1], size, run)));
  } else if (clue !== undefined) {
    const size = 0.5 * Math.min(1, 2.6 / clue.length), middle = puzzle === "araf";
    inside.push(written(x + (middle ? 0.5 : 0.12), y + 0.5, size, clue, middle ? "middle" : "start"));
  }
  return inside;
}

// Draws a board into an element, to be played. `more(player)` gives further elements for its panel; the player that it
// gets, which is also returned and the element's `player`, holds what they and a measurement need.
export function mount(element, payload, more = () => []) {
  const { puzzle, rows, cols, draw } = payload, count = rows * cols, cuts = puzzle === "araf";
  const clues = new Map(draw.clues), tubeOf = new Map();
  for (const tube of draw.tubes ?? []) for (const cell of tube) tubeOf.set(cell, tube);
  const past = [], future = [];
  let state = new Int8Array(cuts ? 2 * count : count);
  let replay = { base: state, steps: Object.values(payload.steps ?? {})[0] ?? [], at: 0 };
  // What is told in words, what of it is lit on the board, values that a chain assumes, mistakes that were found.
  let told = null, lit = null, ghosts = new Map(), mistakes = [], active = 0, frame = 0, drag = null;

  const groups = Array.from({ length: count }, (_, cell) =>
    make("g", { role: "gridcell", tabindex: -1, "data-cell": cell },
      ...contents(payload, cell, clues.get(cell), tubeOf.get(cell))));
  const over = (kind, d = "") => make("path", { class: `over ${kind}`, d });
  const set = over("set"), broken = over("broken"), cursor = over("cursor");
  const walls = over("walls", walled(draw.walls ?? [], cols)), hatch = `holdstill-hatch-${++mounted}`;
  broken.setAttribute("style", `fill: url(#${hatch})`);
  const grid = [...Array(cols).keys()].map((x) => `M${x * CELL} 0v${rows * CELL}`)
    .concat([...Array(rows).keys()].map((y) => `M0 ${y * CELL}h${cols * CELL}`)).join("");
  const head = draw.row_counts ? CELL : 0, size = [cols * CELL + head + 4, rows * CELL + head + 4];
  const counts = [...(draw.row_counts ?? []).map((number, y) => [number, -0.5, y + 0.5]),
    ...(draw.col_counts ?? []).map((number, x) => [number, x + 0.5, -0.5])].filter(([number]) => number !== null);
  const title = `${puzzle}, ${rows} rows, ${cols} columns`, view = `${-head - 2} ${-head - 2} ${size.join(" ")}`;
  const svg = make("svg", { class: puzzle, role: "grid", tabindex: -1, "aria-label": title, viewBox: view,
    style: `max-width: ${Math.max(2.2 * size[0], 150)}px` },
  make("defs", {}, make("pattern", { id: hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse" },
    make("path", { class: "hatch", d: "M-1 1L1 -1M0 6L6 0M5 7L7 5" }))),
  ...Array.from({ length: rows }, (_, y) => make("g", { role: "row" }, ...groups.slice(y * cols, (y + 1) * cols))),
  over("lines", grid), walls, over("walls", `M0 0h${cols * CELL}v${rows * CELL}h${-cols * CELL}z`),
  ...counts.map(([number, x, y]) => written(x, y, 0.5, number)), broken, set, cursor);

  // What a screen reader says of a cell.
  function heard(cell, tags) {
    const clue = clues.get(cell), tube = tubeOf.get(cell), words = [name(cell, cols)];
    if (clue !== undefined) words.push(`clue ${[clue].flat().join(" ")}`);
    if (tube) words.push(tube[0] === cell ? "bulb" : `${tube.indexOf(cell) + 1} of ${tube.length} from the bulb`);
    if (draw.row_counts) {
      const [column, row] = [draw.col_counts[cell % cols], draw.row_counts[Math.floor(cell / cols)]];
      words.push(`row count ${row ?? "none"}, column count ${column ?? "none"}`);
    }
    if (!cuts) words.push(["unknown", "unshaded", "shaded"][state[cell]]);
    else for (const [near, wall] of beside(payload, cell)) if (state[wall]) words.push(`wall to ${name(near, cols)}`);
    return words.concat(tags).join(", ");
  }

  const names = (cells) => [...cells].sort((a, b) => a - b).slice(0, 6).map((cell) => name(cell, cols)).join(" ")
    + (cells.length > 6 ? ` and ${cells.length - 6} more` : "");
  const shown = [];
  function redraw() {
    frame = 0;
    const found = judge(payload, state), bad = found.broken.flatMap(({ cells }) => cells);
    const right = cuts ? rooms(payload, state).filter((room) => room.numbers.length === 2 && fits(room)) : [];
    const done = right.flatMap(({ cells }) => cells);
    const tags = Object.entries({ done, place: lit?.places, reason: lit?.reason, set: lit?.cells, bad, mistakes })
      .map(([tag, cells]) => [tag, new Set(cells)]);
    const said = { done: "its room fits", place: "place of the rule", reason: "reason", set: "step",
      bad: "breaks a rule", mistakes: "mistake" };
    for (let cell = 0; cell < count; cell++) {
      const mine = tags.filter(([, cells]) => cells.has(cell)).map(([tag]) => tag), ghost = ghosts.get(cell);
      const look = ["cell", cuts ? "" : `v${state[cell]}`, ghost ? `g${ghost}` : "", ...mine].join(" ");
      const key = cuts ? look + beside(payload, cell).map(([, wall]) => state[wall]) : look;
      if (shown[cell] === key) continue;
      shown[cell] = key;
      groups[cell].setAttribute("class", look);
      groups[cell].setAttribute("aria-label", heard(cell, mine.map((tag) => said[tag])));
    }
    if (cuts) walls.setAttribute("d", walled(write(payload, state), cols));
    broken.setAttribute("d", outline(new Set([...bad, ...mistakes]), cols, 1));
    set.setAttribute("d", outline(lit?.cells ?? [], cols, 2));
    const places = found.broken.slice(0, 2).map(({ words, cells }) => `${words}: ${names(cells)}`).join("; ");
    const rest = found.broken.length > 2 ? `; and ${found.broken.length - 2} more` : "";
    const text = found.solved ? "Solved." : places && `Broken: ${places}${rest}.`;
    if (status.textContent !== text) status.textContent = text;
    const last = replay.steps.length;
    counter.textContent = `Step ${replay.at} of ${last}`;
    [slider.max, slider.value, steps.hidden] = [last, replay.at, !last];
    slider.setAttribute("aria-valuetext", `${counter.textContent}: ${told?.text ?? ""}`);
    [undoing.disabled, redoing.disabled, back.disabled, next.disabled] =
      [!past.length, !future.length, !replay.at, replay.at >= last];
  }
  // However many edits come in a frame, it is drawn once.
  const later = () => { frame ||= requestAnimationFrame(redraw); };

  // --- edits: states are kept whole, and none is ever changed
  function become(target) {
    mistakes = [];
    if (target.some((value, at) => value !== state[at])) {
      past.push(state);
      if (past.length > 10000) past.shift();
      future.length = 0;
      state = target;
    }
    later();
  }
  function move(from, to) {
    if (!from.length) return;
    to.push(state);
    state = from.pop();
    mistakes = [];
    tell(null);
  }
  function play(edit) {
    const target = state.slice();
    edit(target);
    tell(null);
    become(target);
  }
  const toggle = (wall) => play((target) => { target[wall] ^= 1; });

  // The cells become a room: walls all round, none inside. A step on one cell of Araf names no room: none is so small.
  function paint(target, cells) {
    const room = new Set(cells.length > 1 ? cells : []);
    for (const cell of room) for (const [near, wall] of beside(payload, cell)) target[wall] = room.has(near) ? 0 : 1;
  }

  // Open, shaded, unshaded by 2; the other way round by 1.
  function cycle(cell, by) {
    const value = (state[cell] + by) % 3, tube = tubeOf.get(cell);
    if (!tube) return play((target) => { target[cell] = value; });
    // A tube fills up to the cell, or sinks to it where it is filled above; else it empties or opens from the cell on.
    const at = tube.indexOf(cell), fill = value === SHADED || (by === 2 && state[tube[at + 1]] === SHADED);
    return play((target) => tube.forEach((one, depth) => {
      if (depth <= at) target[one] = fill ? SHADED : depth < at ? target[one] : value;
      else if (!fill || target[one] === SHADED) target[one] = fill ? UNKNOWN : value;
    }));
  }

  // The wall of a cell that a click is nearest to.
  function nearest(cell, { clientX, clientY }) {
    const box = groups[cell].firstChild.getBoundingClientRect();
    const x = (clientX - box.x) / box.width, y = (clientY - box.y) / box.height;
    const gap = (near) => (near === cell - cols ? y : near === cell + cols ? 1 - y : near < cell ? x : 1 - x);
    return beside(payload, cell).sort(([one], [other]) => gap(one) - gap(other))[0][1];
  }

  const listen = (kind, react) => svg.addEventListener(kind, (event) => {
    const cell = event.target.closest(".cell")?.dataset.cell;
    if (cell !== undefined) react(event, Number(cell));
  });
  listen("click", (event, cell) => {
    if (!cuts) cycle(cell, 2);
    else if (!(drag?.size > 1) && count > 1) toggle(nearest(cell, event));
  });
  if (cuts) {
    listen("pointerdown", (event, cell) => { drag = new Set([cell]); });
    svg.addEventListener("pointermove", (event) => {
      const under = event.buttons ? document.elementFromPoint(event.clientX, event.clientY)?.closest(".cell") : null;
      if (!drag || !svg.contains(under) || drag.has(Number(under.dataset.cell))) return;
      lit = { cells: [...drag.add(Number(under.dataset.cell))] };
      later();
    });
    svg.addEventListener("pointerup", () => { if (drag?.size > 1) play((target) => paint(target, [...drag])); });
  } else {
    listen("contextmenu", (event, cell) => {
      event.preventDefault();
      cycle(cell, 1);
    });
  }
  listen("focusin", (event, cell) => {
    groups[active].setAttribute("tabindex", -1);
    groups[cell].setAttribute("tabindex", 0);
    cursor.setAttribute("d", outline([cell], cols, 0));
    active = cell;
  });
  listen("keydown", (event, cell) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, shiftKey } = event, row = cell - (cell % cols);
    const to = { ArrowUp: cell - cols, ArrowDown: cell + cols, ArrowLeft: cell - 1, ArrowRight: cell + 1 }[key];
    const [near, wall] = beside(payload, cell).find(([one]) => one === to) ?? [];
    if (near !== undefined && cuts && shiftKey) toggle(wall);
    else if (near !== undefined) groups[near].focus();
    else if (key === "Home") groups[row].focus();
    else if (key === "End") groups[row + cols - 1].focus();
    else if (key === " " || key === "Enter") cuts || cycle(cell, shiftKey ? 1 : 2);
    else if (key === "Backspace" || key === "Delete") cuts || play((target) => { target[cell] = UNKNOWN; });
    else if (to === undefined) return;
    event.preventDefault();
  });

  // --- steps
  function go(at) {
    const target = replay.base.slice();
    replay.at = Math.max(0, Math.min(at, replay.steps.length));
    for (const { cells, value } of replay.steps.slice(0, replay.at)) {
      if (cuts) paint(target, cells);
      else for (const cell of cells) target[cell] = value;
    }
    become(target);
    tell(replay.steps[replay.at - 1] ?? null);
  }
  // Other steps, to be walked from the present state on.
  function walk(list, at) {
    replay = { base: state, steps: list, at };
    go(at);
  }
  // Says a step and lights it; its chain, if it has one, folds open, and each link lights up. A message is a step too.
  function tell(step) {
    [lit, ghosts] = [step, new Map()];
    later();
    if (step === told) return;
    told = step;
    words.replaceChildren(make("p", {}, step?.text ?? ""), ...folded(step?.chain));
  }
  // A link may have a chain of its own: a room that Araf's `ration` strikes off has.
  function folded(chain = []) {
    if (!chain.length) return [];
    const assumed = chain[0].rule === "assumption";
    const title = make("summary", {}, assumed ? "The opposite, followed to a contradiction" : "What leads to it");
    const links = chain.map((link, at) =>
      make("li", {}, button(link.text, () => follow(chain, at)), ...folded(link.chain)));
    return [make("details", {}, title, make("ol", {}, ...links))];
  }
  function follow(chain, at) {
    lit = chain[at];
    const assumed = chain.slice(0, at + 1).flatMap(({ cells, value }) => cells.map((cell) => [cell, value]));
    ghosts = new Map(cuts ? [] : assumed);
    later();
  }

  // --- the panel
  const undo = () => move(past, future), redo = () => move(future, past);
  const undoing = button("Undo", undo), redoing = button("Redo", redo);
  const status = make("p", { class: "status", role: "status" });
  const words = make("div", { class: "words", "aria-live": "polite" });
  const back = button("Back", () => go(replay.at - 1), "Step back");
  const next = button("Next step", () => go(replay.at + 1));
  const slider = make("input", { type: "range", min: 0, "aria-label": "Step", input: () => go(Number(slider.value)) });
  const counter = make("span");
  const group = (label, ...inside) => make("div", { role: "group", "aria-label": label }, ...inside);
  const steps = group("Explained steps", back, next, counter, slider);
  const how = cuts ? "Click beside a line: a wall. Drag over cells: a room. Keys: arrows; Shift+arrow for a wall."
    : `Click: ${draw.tubes ? "fill to here" : "shaded"}, unshaded, open. Keys: arrows, Space; Shift+Space goes back.`;
  const player = { payload, go, walk, tell, names, timeClick };
  Object.defineProperties(player, {
    state: { get: () => write(payload, state), set: (sent) => become(read(payload, sent)) },
    mistakes: { set: (cells) => { mistakes = cells; later(); } },
  });
  const keys = (event) => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.target.matches("textarea") || !["z", "y"].includes(key)) return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo();
    else undo();
  };
  const restart = button("Start again", () => play((target) => target.fill(0)));
  const panel = make("div", { class: "panel" }, group("Edits", undoing, redoing, restart), status, steps, words,
    ...more(player), make("p", {}, how));
  if (/^https:\/\//.test(payload.url)) panel.append(make("a", { href: payload.url, rel: "noopener" }, "Its address"));

  // Milliseconds from a click on a cell to a board that is drawn and laid out again.
  function timeClick(cell) {
    const start = performance.now();
    groups[cell].dispatchEvent(new MouseEvent("click", { bubbles: true }));
    redraw();
    svg.getBoundingClientRect();
    return performance.now() - start;
  }

  groups[0].setAttribute("tabindex", 0);
  redraw();
  // JupyterLab would take arrows and Space for itself.
  const quiet = { "data-lm-suppress-shortcuts": "true" };
  element.replaceChildren(make("div", { class: "holdstill", keydown: keys, ...quiet }, svg, panel));
  element.player = player;
  return player;
}
