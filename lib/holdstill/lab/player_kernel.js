// The player in a notebook: what its panel asks the kernel, and the widget (anywidget's `render`).

import { button, make, mount } from "./player.js";

// The elements by which a player asks its kernel. `ask(kind, params)` promises an answer; `open` mounts a payload.
function kernelPanel(player, ask, open) {
  const { payload } = player;
  const options = (names) => names.map((one) => make("option", { value: one }, one));
  const labelled = (text, field) => make("label", {}, `${text} `, field);
  const number = (value, limits) => make("input", { type: "number", value, ...limits });
  const wants = (text, kind, params, use, label) => button(text, async () => {
    player.tell({ text: "..." });
    try {
      use(await ask(kind, params()));
    } catch (error) {
      player.tell({ text: String(error.message).slice(0, 300) });
    }
  }, label);

  const rung = make("select", {}, ...options(payload.rungs)), level = make("select", {}, ...options(payload.rungs));
  const relevel = () => level.replaceChildren(...options(payload.puzzles[puzzle.value]));
  const puzzle = make("select", { change: relevel }, ...options(Object.keys(payload.puzzles)));
  const size = number(payload.rows, { min: 1, max: 64 }), seed = number(1, { min: 0 });
  const text = make("textarea", { rows: 2, spellcheck: "false", "aria-label": "An address, or a board as JSON" });
  puzzle.value = payload.puzzle;

  const here = () => ({ state: player.state }), byRung = () => ({ ...here(), rung: rung.value });
  const another = () =>
    ({ puzzle: puzzle.value, level: level.value, size: Number(size.value), seed: Number(seed.value) });
  const hinted = (answer) => {
    player.walk(answer.step ? [answer.step] : [], 0);
    player.tell(answer.step ?? { text: answer.text });
  };
  const finished = ({ steps }) => player.walk(steps, steps.length);
  const checked = ({ wrong = [], broken = [] }) => {
    const said = broken.map((one) => one.text).concat(wrong.length ? [`mistakes: ${player.names(wrong)}`] : []);
    player.tell({ text: said.join("; ") || "No mistake found." });
    player.mistakes = wrong;
  };
  const counted = ({ answers }) => player.tell({ text: answers === null ? "Not known within a second."
    : `Answers from here: ${["none", "one", "two or more"][answers]}.` });
  const copied = ({ url, board }) => {
    text.value = url ?? board;
    text.select();
    navigator.clipboard?.writeText(text.value).catch(() => {}); // a browser may refuse; the text stands there selected
    player.tell({ text: "The board's address is below." });
  };
  return [make("div", { role: "group", "aria-label": "Ask" }, labelled("Rung", rung),
    wants("Hint", "hint", byRung, hinted), wants("Finish", "finish", byRung, finished),
    wants("Check", "check", () => ({ ...here(), answer: false }), checked, "Check against the rules"),
    wants("Check the answer", "check", () => ({ ...here(), answer: true }), checked),
    wants("How many answers", "count", here, counted)),
  make("details", {}, make("summary", {}, "Another board"),
    labelled("Puzzle", puzzle), labelled("Level", level), labelled("Size", size), labelled("Seed", seed),
    wants("New board", "board", another, (answer) => open(answer.payload)), text,
    wants("Open", "paste", () => ({ text: text.value }), (answer) => open(answer.payload)),
    wants("Copy address", "copy", () => ({}), copied))];
}

// The kernel answers a message under the number that it was sent with, to every view of the widget.
let sent = 0;
export default {
  render({ model, el }) {
    const waiting = new Map();
    const ask = (kind, params) => new Promise((done, failed) => {
      waiting.set(++sent, { done, failed });
      model.send({ ...params, id: sent, kind });
    });
    const answered = ({ id, error, ...answer }) => {
      const { done, failed } = waiting.get(id) ?? {};
      waiting.delete(id);
      if (error === undefined) done?.(answer);
      else failed?.(new Error(error));
    };
    const open = (payload) => mount(el, payload, (player) => kernelPanel(player, ask, open));
    // Another view asked for another board: this one would ask about a board that is off the table.
    const changed = () => waiting.size || open(model.get("payload"));
    model.on("msg:custom", answered);
    model.on("change:payload", changed);
    open(model.get("payload"));
    return () => {
      model.off("msg:custom", answered);
      model.off("change:payload", changed);
    };
  },
};
