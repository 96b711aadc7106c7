// The page of the shelf: a player a puzzle, with a list of its boards.

import { button, make, mount } from "./player.js";
import { judge, read } from "./player_rules.js";

const shelf = JSON.parse(document.getElementById("shelf").textContent);
for (const [puzzle, boards] of Object.entries(shelf)) {
  const element = make("div");
  const title = ({ rows, cols, steps }, at) => `${at + 1}. ${rows}x${cols}, ${Object.keys(steps)[0]}`;
  const options = boards.map((board, at) => make("option", { value: at }, title(board, at)));
  const show = () => mount(element, boards[list.value]);
  const list = make("select", { "aria-label": `Board of ${puzzle}`, change: show }, ...options);
  const turn = (by) => () => {
    list.value = (Number(list.value) + by + boards.length) % boards.length;
    show();
  };
  const choice = make("p", { class: "shelf" }, button("Previous", turn(-1), "Previous board"), list,
    button("Next", turn(1), "Next board"));
  document.getElementById(`shelf-${puzzle}`).replaceChildren(choice, element);
  show();
}

globalThis.holdstill = { judge, mount, read }; // for the console, and for tests
