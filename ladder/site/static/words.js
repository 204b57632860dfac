// The words of an element: the server writes them into a <template>, in the reader's language.
// @ts-check

/** @typedef {(key: string, values?: Record<string, string | number>) => string} Words */

/** @param {ParentNode} root @returns {Words} */
export function wordsIn(root) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const template of root.querySelectorAll("template.words")) {
    for (const each of /** @type {HTMLTemplateElement} */ (template).content.querySelectorAll("[data-key]")) {
      found.set(/** @type {HTMLElement} */ (each).dataset.key ?? "", (each.textContent ?? "").trim());
    }
  }
  return (key, values = {}) => (found.get(key) ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/**
 * A sentence with elements in it.
 * @param {string} key @param {Record<string, string | number>} values @param {Record<string, (string | Node)[]>} elements By the names that they stand for.
 * @param {Words} words @returns {(string | Node)[]}
 */
export function filled(key, values, elements, words) {
  const names = Object.keys(elements);
  const marks = Object.fromEntries(names.map((name, place) => [name, String.fromCharCode(place + 1)]));
  const text = words(key, { ...values, ...marks });
  return text.split(/([\u0001-\u0008])/).flatMap((part) => (/^[\u0001-\u0008]$/.test(part) ? copies(elements[names[part.charCodeAt(0) - 1]]) : part ? [part] : []));
}

/** Elements may stand in several sentences; a space is between two. @param {(string | Node)[]} parts @returns {(string | Node)[]} */
function copies(parts) {
  return parts.flatMap((part, place) => (typeof part === "string" ? [part] : [place ? " " : "", part.cloneNode(true)]));
}

/**
 * Points that a player has taken or scored: with a plus only where more of them are better.
 * @param {number} points @param {{low_is_better: boolean}} rules
 */
export function scored(points, { low_is_better }) {
  return points > 0 ? (low_is_better ? String(points) : `+${points}`) : points < 0 ? `−${-points}` : "0";
}

/**
 * The class of points: whether they are good or bad for the player who scored them; empty: neither.
 * @param {number} points @param {{low_is_better: boolean}} rules
 */
export function toned(points, { low_is_better }) {
  return !points ? "" : points > 0 === low_is_better ? "bad" : "good";
}

/** Which points are better, in a sentence. @param {{low_is_better: boolean}} rules @param {Words} words */
export function better({ low_is_better }, words) {
  return words(low_is_better ? "fewer-better" : "more-better");
}

/** Milliseconds, with few digits. @param {number} ms */
export function short(ms) {
  return ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

/** Names of players at a table with people: guests are called so in the reader's language. @param {string[]} names @param {Words} words */
export function named(names, words) {
  return names.map((name) => {
    const found = /^guest(?:#(\d+))?$/.exec(name);
    return found ? words(found[1] ? "guest-number" : "guest", { number: found[1] ?? "" }) : name;
  });
}

/** Words of strangers without what makes a page or a terminal do things. @param {string} text */
export function sanitize(text) {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
}

/**
 * An element with a class and a text or children.
 * @param {string} name @param {string} [className] @param {...(string | Node)} inside
 */
export function make(name, className = "", ...inside) {
  const element = document.createElement(name);
  if (className) {
    element.className = className;
  }
  element.append(...inside);
  return element;
}
