// "Ask why": what each choice of a decision was worth, by a model that knew what the seat knew.
// @ts-check

import { computed, progress } from "./computed.js";
import { cards } from "./news.js";
import { setText } from "./table.js";
import { make, signed } from "./words.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").Moment} Moment */
/**
 * A choice of a hint, or of a decision that was made.
 * @typedef {import("./shapes").EstimatedChoice & Partial<import("./shapes").Choice>} Choice
 */
/** @typedef {Pick<import("./shapes").Hint, "deals" | "legal" | "search"> & {choices: readonly Choice[]}} Estimate */
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

  /**
   * Offer a button for each decision of a moment.
   * @param {Deal} deal @param {Moment} moment As all hands show it. @param {(step: number) => string | null} address
   */
  offer(deal, moment, address) {
    this.asked += 1;
    const offered = moment.steps.flatMap((step) => {
      const url = step.by === "forced" || step.number === null ? null : address(step.number);
      return url ? [this.#button(deal.bots[step.seat], url)] : [];
    });
    if (this.ask.firstChild || offered.length) {
      this.ask.replaceChildren(...offered);
    }
    if (this.answer.firstChild) {
      this.answer.replaceChildren();
    }
    this.section.hidden = !offered.length;
  }

  /** @param {string} who @param {string} url */
  #button(who, url) {
    const button = make("button", "", this.words("ask-why", { who }));
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
      shown = response.ok ? estimated(found, this.words) : [make("p", "bad", String(found.detail ?? response.statusText))];
    } catch {
      shown = [make("p", "bad", this.words("why-failed"))];
    }
    if (mine === this.asked) {
      this.answer.replaceChildren(...shown);
    }
  }
}

/** A table of the choices and what they are worth. @param {Estimate} found @param {Words} words */
export function estimated(found, words) {
  const isDone = found.choices.some((choice) => choice.as_dealt !== undefined);
  const head = make("tr", "", ...["why-choice", "why-behind", "why-points", ...(isDone ? ["why-as-dealt"] : [])].map((key) => {
    const cell = make("th", key === "why-choice" ? "" : "num", words(key));
    cell.setAttribute("scope", "col");
    return cell;
  }));
  const table = make("table", "", make("thead", "", head), make("tbody", "", ...found.choices.map((each) => row(each, words))));
  const wide = make("div", "wide", table);
  wide.tabIndex = 0;
  wide.setAttribute("role", "region");
  wide.setAttribute("aria-label", words("why-choice"));
  return [wide, make("p", "note", words(found.search === "tree" ? "why-opinion-tree" : "why-opinion", { deals: found.deals }))];
}

/** @param {Choice} choice @param {Words} words */
function row(choice, words) {
  const name = make("th", "", ...chosen(choice.choice, words));
  name.setAttribute("scope", "row");
  if (choice.chosen) {
    name.append(" ", make("span", "tag", words("why-chosen")));
  }
  if (choice.house.length) {
    name.append(make("small", "soft", choice.house.join(", ")));
  }
  const numbers = [
    `${(-choice.behind).toFixed(1).replace("-", "−")} ± ${choice.behind_error.toFixed(1)}`,
    choice.points.toFixed(1).replace("-", "−"),
    ...(choice.as_dealt === undefined ? [] : [signed(Math.round(choice.as_dealt))]),
  ];
  return make("tr", choice.chosen ? "chosen" : "", name, ...numbers.map((text) => make("td", "num", text)));
}

/** What is chosen, in cards or words. @param {string} choice @param {Words} words @returns {(string | Node)[]} */
export function chosen(choice, words) {
  if (choice === "subtract" || choice === "add") {
    return [words(`choice-${choice}`)];
  }
  const named = cards(choice, words);
  return named.length ? named : [words("nothing")];
}
