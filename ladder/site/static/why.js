// "Ask why": what each choice of a decision was worth, by a model that knew what the seat knew.
// @ts-check

import { cards } from "./news.js";
import { make, signed } from "./words.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").Moment} Moment */
/** @typedef {import("./shapes").Why} Answer */
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
    this.answer.replaceChildren(make("p", "soft", this.words("why-wait")));
    let shown;
    try {
      const response = await fetch(url, { headers: { Accept: "application/json" } });
      const found = await response.json();
      shown = response.ok ? this.#shown(found) : [make("p", "bad", String(found.detail ?? response.statusText))];
    } catch {
      shown = [make("p", "bad", this.words("why-failed"))];
    }
    if (mine === this.asked) {
      this.answer.replaceChildren(...shown);
    }
  }

  /** @param {Answer} why */
  #shown(why) {
    const head = make("tr", "", ...["why-choice", "why-behind", "why-points", "why-as-dealt"].map((key) => {
      const cell = make("th", key === "why-choice" ? "" : "num", this.words(key));
      cell.setAttribute("scope", "col");
      return cell;
    }));
    const rows = why.choices.map((choice) => {
      const name = make("th", "", ...this.#choice(choice.choice));
      name.setAttribute("scope", "row");
      if (choice.chosen) {
        name.append(" ", make("span", "tag", this.words("why-chosen")));
      }
      if (choice.house.length) {
        name.append(make("small", "soft", choice.house.join(", ")));
      }
      const numbers = [
        `${(-choice.behind).toFixed(1).replace("-", "−")} ± ${choice.behind_error.toFixed(1)}`,
        choice.points.toFixed(1).replace("-", "−"),
        signed(Math.round(choice.as_dealt)),
      ];
      return make("tr", choice.chosen ? "chosen" : "", name, ...numbers.map((text) => make("td", "num", text)));
    });
    const table = make("table", "", make("thead", "", head), make("tbody", "", ...rows));
    const opinion = this.words("why-opinion", { deals: why.deals });
    const wide = make("div", "wide", table);
    wide.tabIndex = 0;
    wide.setAttribute("role", "region");
    wide.setAttribute("aria-label", this.words("why-choice"));
    return [wide, make("p", "note", opinion)];
  }

  /** @param {string} choice @returns {(string | Node)[]} */
  #choice(choice) {
    if (choice === "subtract" || choice === "add") {
      return [this.words(`choice-${choice}`)];
    }
    const named = cards(choice, this.words);
    return named.length ? named : [this.words("nothing")];
  }
}
