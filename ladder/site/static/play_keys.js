// The keys of the table: those of `pigpen play human` (docs/people.md).
// @ts-check

/** @typedef {import("./play.js").PersonTable} PersonTable */
/** @typedef {import("./play_actions.js").Actions} Actions */

/** @type {Record<string, (actions: Actions) => void>} */
const KEYS = {
  ArrowRight: (actions) => actions.table.hand.step(1),
  ArrowLeft: (actions) => actions.table.hand.step(-1),
  ArrowDown: (actions) => actions.table.hand.stepSuit(1),
  ArrowUp: (actions) => actions.table.hand.stepSuit(-1),
  c: (actions) => actions.table.hand.jump("C"),
  d: (actions) => actions.table.hand.jump("D"),
  h: (actions) => actions.table.hand.jump("H"),
  s: (actions) => actions.table.hand.jump("S"),
  Enter: (actions) => actions.enter(),
  " ": (actions) => actions.skip(),
  n: (actions) => actions.exposeNone(),
  l: (actions) => actions.showLast(),
  r: (actions) => actions.claim(),
  t: (actions) => actions.toSheet(),
  w: (actions) => actions.askWhy(),
  u: (actions) => actions.takeBack(),
  a: (actions) => actions.leave(),
  b: (actions) => actions.comeBack(),
  "?": (actions) => actions.help(),
};

/** Listen to keys. @param {PersonTable} table @param {Actions} actions @returns {() => void} Stops that. */
export function listen(table, actions) {
  const press = (/** @type {KeyboardEvent} */ event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    const does = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!does || event.ctrlKey || event.altKey || event.metaKey || isTaken(table, event.key, target)) {
      return;
    }
    event.preventDefault();
    does(actions);
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

/** Whether a key means something else where it is pressed. @param {PersonTable} table @param {string} key @param {Element} target */
function isTaken(table, key, target) {
  const isOutside = target !== document.body && !table.contains(target);
  const isCard = target.matches(".pick");
  const presses = (key === " " || key === "Enter") && !!target.closest("button, a, summary, input, select");
  const moves = key.startsWith("Arrow") && target.matches("input, select, [tabindex='0']:not(.pick)");
  const isCovered = table.lesson.isShown || (!!document.querySelector("dialog[open]") && key !== "?");
  return isOutside || isCovered || moves || (presses && !(isCard && key === "Enter")) || target.matches("select, textarea");
}
