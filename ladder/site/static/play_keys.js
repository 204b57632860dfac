// The keys of the table: those of `pigpen play human` (docs/people.md).
// @ts-check

/** @typedef {import("./play.js").PersonTable} PersonTable */
/** @typedef {import("./play_deeds.js").Deeds} Deeds */

/** @type {Record<string, (deeds: Deeds) => void>} */
const KEYS = {
  ArrowRight: (deeds) => deeds.table.hand.step(1),
  ArrowLeft: (deeds) => deeds.table.hand.step(-1),
  ArrowDown: (deeds) => deeds.table.hand.stepSuit(1),
  ArrowUp: (deeds) => deeds.table.hand.stepSuit(-1),
  c: (deeds) => deeds.table.hand.jump("C"),
  d: (deeds) => deeds.table.hand.jump("D"),
  h: (deeds) => deeds.table.hand.jump("H"),
  s: (deeds) => deeds.table.hand.jump("S"),
  Enter: (deeds) => deeds.enter(),
  " ": (deeds) => deeds.skip(),
  n: (deeds) => deeds.exposeNone(),
  l: (deeds) => deeds.showLast(),
  r: (deeds) => deeds.claim(),
  t: (deeds) => deeds.toSheet(),
  w: (deeds) => deeds.askWhy(),
  u: (deeds) => deeds.takeBack(),
  a: (deeds) => deeds.leave(),
  b: (deeds) => deeds.comeBack(),
  "?": (deeds) => deeds.help(),
};

/** Listen to keys. @param {PersonTable} table @param {Deeds} deeds @returns {() => void} Stops that. */
export function listen(table, deeds) {
  const press = (/** @type {KeyboardEvent} */ event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    const does = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!does || event.ctrlKey || event.altKey || event.metaKey || isTaken(table, event.key, target)) {
      return;
    }
    event.preventDefault();
    does(deeds);
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
