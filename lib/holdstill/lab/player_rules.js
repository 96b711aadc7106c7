// A grid judged by its puzzle's rules, in the page: what is broken for good, and what is solved. No deduction.
//
// player_data.py makes payloads. A cell is row * cols + col, a value 0 unknown, 1 unshaded, 2 shaded. On Araf a state
// holds walls instead: at 2 * cell the one to the right of the cell, at 2 * cell + 1 the one below it.

export const UNKNOWN = 0, UNSHADED = 1, SHADED = 2;

// The cells beside a cell, each with the index of the wall between.
export function beside({ rows, cols }, cell) {
  const x = cell % cols, near = [];
  if (cell >= cols) near.push([cell - cols, 2 * (cell - cols) + 1]);
  if (x > 0) near.push([cell - 1, 2 * (cell - 1)]);
  if (x < cols - 1) near.push([cell + 1, 2 * cell]);
  if (cell < (rows - 1) * cols) near.push([cell + cols, 2 * cell + 1]);
  return near;
}

// The connected pieces of the cells that are inside, from each to its neighbours where no wall stands.
function pieces(payload, inside, walled = () => false) {
  const seen = new Uint8Array(payload.rows * payload.cols), found = [];
  for (let start = 0; start < seen.length; start++) {
    if (seen[start] || !inside(start)) continue;
    const piece = [start];
    seen[start] = 1;
    for (const cell of piece) {
      for (const [near, wall] of beside(payload, cell)) {
        if (seen[near] || !inside(near) || walled(wall)) continue;
        seen[near] = 1;
        piece.push(near);
      }
    }
    found.push(piece);
  }
  return found;
}

// The pieces that Araf's walls cut the grid into, each with its numbers and the walls that end inside it.
export function rooms(payload, state) {
  const number = new Map(payload.draw.clues);
  return pieces(payload, () => true, (wall) => state[wall]).map((cells) => {
    const room = new Set(cells), numbers = cells.filter((cell) => number.has(cell)).map((cell) => number.get(cell));
    const stray = cells.flatMap((cell) => beside(payload, cell)
      .filter(([near, wall]) => near > cell && state[wall] && room.has(near)).map(([near]) => [cell, near]));
    return { cells, numbers, stray };
  });
}

// Does a room's size lie strictly between its two numbers? A "?" is any number.
export function fits({ cells, numbers }) {
  const size = cells.length, [least, most] = numbers.map(Number).sort((a, b) => a - b);
  if (numbers.includes("?")) return numbers.every((number) => Number(number) !== size);
  return least < size && size < most;
}

// By kind of rule: the cells of each place where a state breaks it for good, whatever is filled in later. In a final
// state, where nothing is open, that is each place where it is broken.
const CHECKS = {
  clause: (rule, state) => rule.lists
    .filter((list) => list.every((literal) => state[literal >> 1] === 2 - (literal & 1)))
    .map((list) => list.map((literal) => literal >> 1)),
  count: (rule, state) => rule.lists.filter((list, at) => {
    const held = [0, 0, 0];
    for (const cell of list) held[state[cell]]++;
    return held[SHADED] > rule.high[at] || held[SHADED] + held[UNKNOWN] < rule.low[at];
  }),
  table: (rule, state) => rule.lists.filter((list, at) => {
    const bits = (holds) => list.reduce((mask, cell, bit) => mask | (holds(state[cell]) << bit), 0);
    const shaded = bits((value) => value === SHADED), known = bits((value) => value !== UNKNOWN);
    return !rule.tables[rule.table[at]].some((pattern) => (pattern & known) === shaded);
  }),
  connected: (rule, state, payload) => pieces(payload, (cell) => state[cell] !== 3 - rule.value)
    .map((piece) => piece.filter((cell) => state[cell] === rule.value))
    .filter((piece) => piece.length)
    .sort((one, other) => other.length - one.length)
    .slice(1),
  // A piece of two numbers is a room, which walls cut no further; one of four or more may still be cut.
  whole: (rule, state, payload) =>
    rooms(payload, state).flatMap(({ numbers, stray }) => (numbers.length === 2 ? stray : [])),
  two: (rule, state, payload, final) => rooms(payload, state)
    .filter(({ numbers: { length } }) => length !== 2 && (final || length % 2 || !length)).map(({ cells }) => cells),
  size: (rule, state, payload) => rooms(payload, state)
    .filter((room) => room.numbers.length === 2 && !fits(room)).map(({ cells }) => cells),
};

// What a state breaks for good, and whether it is an answer. Open cells count as unshaded for that once one is shaded.
export function judge(payload, state) {
  const find = (state, final) => payload.rules.flatMap((rule) =>
    CHECKS[rule.kind](rule, state, payload, final).map((cells) => ({ rule: rule.name, words: rule.words, cells })));
  const broken = find(state, false), cuts = payload.puzzle === "araf";
  const begun = cuts || state.includes(SHADED) || !state.includes(UNKNOWN);
  const closed = cuts ? state : state.map((value) => value || UNSHADED);
  return { broken, solved: begun && !broken.length && !find(closed, true).length };
}

// A state from and to what is sent: a list of values, or for Araf of pairs of cells with a wall between.
export function read(payload, sent) {
  if (payload.puzzle !== "araf") return Int8Array.from(sent);
  const state = new Int8Array(2 * payload.rows * payload.cols);
  for (const [a, b] of sent) state[beside(payload, a).find(([near]) => near === b)[1]] = 1;
  return state;
}

export function write({ puzzle, cols }, state) {
  if (puzzle !== "araf") return [...state];
  return [...state.keys()].filter((at) => state[at]).map((at) => [at >> 1, (at >> 1) + (at % 2 ? cols : 1)]);
}
