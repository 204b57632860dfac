// The keys of the table: those of `pigpen play human` (docs/people.md).
// @ts-check

/** @typedef {import("./play.js").PersonTable} PersonTable */

/** @type {Record<string, (table: PersonTable) => void>} */
const KEYS = {
  ArrowRight: (table) => table.hand.step(1),
  ArrowLeft: (table) => table.hand.step(-1),
  ArrowDown: (table) => table.hand.stepSuit(1),
  ArrowUp: (table) => table.hand.stepSuit(-1),
  c: (table) => table.hand.jump("C"),
  d: (table) => table.hand.jump("D"),
  h: (table) => table.hand.jump("H"),
  s: (table) => table.hand.jump("S"),
  Enter: (table) => table.enter(),
  " ": (table) => table.skip(),
  n: (table) => table.exposeNone(),
  l: (table) => table.showLast(),
  r: (table) => table.claim(),
  t: (table) => table.toSheet(),
  w: (table) => table.askWhy(),
  u: (table) => table.takeBack(),
  a: (table) => table.leave(),
  b: (table) => table.comeBack(),
  "?": (table) => table.help(),
};

/** Listen to keys. @param {PersonTable} table @returns {() => void} Stops that. */
export function listen(table) {
  const press = (/** @type {KeyboardEvent} */ event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    const does = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!does || event.ctrlKey || event.altKey || event.metaKey || isTaken(table, event.key, target)) {
      return;
    }
    event.preventDefault();
    does(table);
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

/** Whether a key means something else where it is pressed. @param {PersonTable} table @param {string} key @param {Element} target */
function isTaken(table, key, target) {
  const isElsewhere = target !== document.body && !table.contains(target);
  const isCard = target.matches(".pick");
  const presses = (key === " " || key === "Enter") && !!target.closest("button, a, summary, input, select");
  const moves = key.startsWith("Arrow") && target.matches("input, select, [tabindex='0']:not(.pick)");
  const isCovered = !!document.querySelector("dialog[open]") && key !== "?";
  return isElsewhere || isCovered || moves || (presses && !(isCard && key === "Enter")) || target.matches("select, textarea");
}
