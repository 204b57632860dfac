// "Ask why": what each choice of a decision was worth, by a model that knew what the seat knew.
// @ts-check

import { svg } from "./cards.js";
import { computed, progress } from "./computed.js";
import { cards } from "./news.js";
import { setText } from "./table.js";
import { filled, make, scored } from "./words.js";

/**
 * A choice of a hint, or of a decision that was made.
 * @typedef {import("./shapes").EstimatedChoice & Partial<import("./shapes").Choice>} Choice
 */
/** @typedef {import("./shapes").Reason} Reason */
/** @typedef {Pick<import("./shapes").Hint, "deals" | "legal" | "low_is_better" | "partners" | "search"> & {choices: readonly Choice[]}} Estimate */
/** @typedef {import("./words.js").Words} Words */

export class Why {
  /** @param {HTMLElement} section With the places `.ask` and `.answer`. @param {Words} words */
  constructor(section, words) {
    this.section = section;
    this.words = words;
    this.ask = /** @type {HTMLElement} */ (section.querySelector(".ask"));
    this.answer = /** @type {HTMLElement} */ (section.querySelector(".answer"));
    this.asked = 0;
  }

  /** Offer a button for each decision. @param {import("./deal_source").Asked[]} asks */
  offer(asks) {
    this.asked += 1;
    if (this.ask.firstChild || asks.length) {
      this.ask.replaceChildren(...asks.map((each) => this.#button(each)));
    }
    if (this.answer.firstChild) {
      this.answer.replaceChildren();
    }
    this.section.hidden = !asks.length;
  }

  /** @param {import("./deal_source").Asked} asked */
  #button({ key, who, url }) {
    const button = make("button", "", this.words(key, { who }));
    button.setAttribute("type", "button");
    button.addEventListener("click", () => this.#fetch(url));
    return button;
  }

  /** @param {string} url */
  async #fetch(url) {
    const mine = ++this.asked;
    const status = make("p", "soft", this.words("why-wait"));
    this.answer.replaceChildren(status);
    let shown;
    try {
      const response = await computed(
        () => fetch(url, { headers: { Accept: "application/json" } }),
        () => mine === this.asked,
        (computing) => setText(status, progress(computing, this.words)),
      );
      const found = await response.json();
      shown = response.ok ? [...reasons(found, this.words), ...estimated(found, this.words)] : [make("p", "bad", String(found.detail ?? response.statusText))];
    } catch {
      shown = [make("p", "bad", this.words("why-failed"))];
    }
    if (mine === this.asked) {
      this.answer.replaceChildren(this.#closing(), ...shown);
    }
  }

  /** A button that puts the answer away: on a narrow screen it lies over the table. */
  #closing() {
    const button = make("button", "close", "×");
    button.setAttribute("type", "button");
    button.setAttribute("aria-label", this.words("why-close"));
    button.addEventListener("click", () => this.answer.replaceChildren());
    return button;
  }
}

/**
 * Why the choice that was made, or else the best one that is clearly worse, is behind the best choice; nothing if none is.
 * @param {Estimate} found @param {Words} words @param {boolean} [isYours] Whether it is the reader's own decision.
 */
export function reasons(found, words, isYours = false) {
  const given = found.choices.filter((each) => each.reasons.length);
  const other = given.find((each) => each.chosen) ?? given[0];
  if (!other) {
    return [];
  }
  const who = words(`whose-${isYours ? (found.partners ? "your-side" : "you") : found.partners ? "side" : "seat"}`);
  const named = { best: chosen(found.choices[0].choice, words), done: chosen(other.choice, words) };
  const figures = { points: other.behind.toFixed(1), error: other.behind_error.toFixed(1) };
  const items = other.reasons.map((each) => make("li", "", points(each), " ", make("span", "", ...inWords(each, who, named, words))));
  return [make("p", "reason-head", ...filled("reason-better", figures, named, words)), make("ul", "reasons", ...items)];
}

/** The points that a reason accounts for. @param {Reason} reason */
function points(reason) {
  return make("b", "num", reason.points === null ? "" : `${reason.points > 0 ? "+" : ""}${signed(reason.points)}`);
}

/** @param {Reason} reason @param {string} who @param {{best: (string | Node)[], done: (string | Node)[]}} named @param {Words} words */
function inWords(reason, who, named, words) {
  const suit = reason.suit === null ? "" : words(`suit-${reason.suit[0].toUpperCase()}`);
  if (reason.kind === "void") {
    const { best, done } = reason.after ? named : { best: named.done, done: named.best };
    return filled("reason-void", { what: suit }, { best, done }, words);
  }
  const figure = (/** @type {number} */ value) => (reason.kind === "points" ? signed(value) : `${Math.round(100 * value)} %`);
  const rest = reason.without === null ? [suit] : filled("reason-without", { suit }, { card: cards(reason.without, words) }, words);
  const what = suit ? rest : cards(reason.cards.join(" "), words);
  const values = { who, after: figure(reason.after), after_best: figure(reason.after_best) };
  return filled(`reason-${reason.kind}`, values, { what, ...named }, words);
}

/** @param {number} value */
function signed(value) {
  return value.toFixed(1).replace(/^-(0\.0)$/, "$1").replace("-", "−");
}

/** A table of the choices: how far each is behind the best. @param {Estimate} found @param {Words} words */
export function estimated(found, words) {
  const head = make("tr", "", ...["why-choice", "why-behind"].map((key) => {
    const cell = make("th", "", words(key));
    cell.setAttribute("scope", "col");
    return cell;
  }));
  const most = Math.max(...found.choices.map((each) => each.behind + each.behind_error), 1e-9);
  const rows = found.choices.map((each) => row(each, most, found, words));
  const table = make("table", "estimate", make("thead", "", head), make("tbody", "", ...rows));
  return [table, make("p", "note", words(found.search === "tree" ? "why-opinion-tree" : "why-opinion", { deals: found.deals }))];
}

/** @param {Choice} choice @param {number} most Points from one end of the scale to the other. @param {Estimate} found @param {Words} words */
function row(choice, most, found, words) {
  const name = make("th", "", ...chosen(choice.choice, words));
  name.setAttribute("scope", "row");
  if (choice.chosen) {
    name.append(" ", make("span", "tag", words("why-chosen")));
  }
  if (choice.house.length) {
    name.append(make("small", "soft", choice.house.join(", ")));
  }
  const others = [[words("why-points"), choice.points.toFixed(1).replace("-", "−")]];
  if (choice.as_dealt !== undefined) {
    others.push([words("why-as-dealt"), scored(Math.round(choice.as_dealt), found)]);
  }
  const figures = make("span", "num", `${(-choice.behind).toFixed(1).replace("-", "−")} ± ${choice.behind_error.toFixed(1)}`);
  const worth = make("td", "", bar(choice, most), figures, make("small", "", others.map((pair) => pair.join(" ")).join(" · ")));
  const isUnsure = choice.behind > 0 && choice.behind <= choice.behind_error;
  return make("tr", `${choice.chosen ? "chosen" : ""} ${isUnsure ? "unsure" : ""}`.trim(), name, worth);
}

/** A bar as long as a choice is behind, and a line over its 95 % interval. @param {Choice} choice @param {number} most */
function bar(choice, most) {
  const at = (/** @type {number} */ points) => Math.min(100, Math.max(0, (100 * points) / most));
  const drawn = svg("svg", { viewBox: "0 0 100 12", preserveAspectRatio: "none", class: "behind", "aria-hidden": "true" });
  const [from, to] = [at(choice.behind - choice.behind_error), at(choice.behind + choice.behind_error)];
  drawn.append(svg("rect", { x: "0", y: "2", width: String(at(choice.behind)), height: "8" }), svg("path", { d: `M${from} 6H${to}M${from} 3v6M${to} 3v6` }));
  return drawn;
}

/** What is chosen, in cards or words. @param {string} choice @param {Words} words @returns {(string | Node)[]} */
export function chosen(choice, words) {
  if (choice === "subtract" || choice === "add") {
    return [words(`choice-${choice}`)];
  }
  const named = cards(choice, words);
  return named.length ? named : [words("nothing")];
}
