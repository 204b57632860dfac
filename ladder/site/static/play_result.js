// The end of a deal, its points card by card, and the end of the game.
// @ts-check

import { showCostliest } from "./costliest.js";
import { cards } from "./news.js";
import { outcomeShown } from "./play_outcome.js";
import { faceOf, southOf } from "./table.js";
import { better, make, scored, toned } from "./words.js";

/** @typedef {import("./shapes").PersonState} PersonState */
/** @typedef {import("./shapes").TableDeal} TableDeal */
/** @typedef {import("./shapes").PersonPoints} PersonPoints */
/** @typedef {import("./shapes").PersonResult} PersonResult */
/** @typedef {import("./words.js").Words} Words */

export class Results {
  #key = "";

  /** @param {HTMLElement} place @param {string} base The table's address. @param {Words} words @param {() => void} goOn */
  constructor(place, base, words, goOn) {
    this.place = place;
    this.base = base;
    this.words = words;
    this.goOn = goOn;
  }

  /** Show how a deal or the game ended; says whether there is anything to show. @param {PersonState} state */
  show(state) {
    const { deal, result, over } = state;
    const key = result ? `deal ${result.deal}` : over ? `over ${over.verify} ${over.compare}` : state.status === "ended" ? "ended" : "";
    if (key !== this.#key) {
      this.#key = key;
      this.place.hidden = !key;
      if (deal && result) {
        this.place.replaceChildren(...this.#deal(deal, result));
      } else if (deal && over) {
        this.place.replaceChildren(...this.#game(deal, over));
      } else if (key) {
        const title = this.#title(this.words("status-ended"));
        this.place.replaceChildren(title, make("p", "", state.reason), this.#links([["result", this.base], ["again", "/play"]]));
      }
    }
    return !!key;
  }

  /** @param {TableDeal} deal @param {PersonResult} result */
  #deal(deal, result) {
    const title = this.#title(this.words("end-of-deal", { number: result.deal + 1 }));
    const outcome = make("p", "outcome", ...outcomeShown(deal, result, this.words), make("small", "soft", ` ${better(deal, this.words)}`));
    const best = bestOf(deal, result.scores);
    const rows = seatsOf(deal).map((seat) => this.#seat(deal, result, seat, result.scores[seat] === best));
    const go = make("button", "main go-on", this.words("go-on"));
    go.setAttribute("type", "button");
    go.addEventListener("click", this.goOn);
    return [make("div", "end-head", title, go), outcome, make("div", "explained", ...rows), this.#costliest(deal, result.deal)];
  }

  /** Where the costliest decisions will be. @param {TableDeal} deal @param {number | null} number Of the deal; null: of all deals. */
  #costliest(deal, number) {
    const place = make("div", "costliest");
    showCostliest(place, { base: this.base, deal: number, names: deal.bots }, this.words);
    return place;
  }

  /** @param {TableDeal} deal @param {PersonResult} result @param {number} seat @param {boolean} isBest */
  #seat(deal, result, seat, isBest) {
    const name = make("h3", "", make("span", "name", ...this.#faced(deal, seat)), make("b", `num ${toned(result.scores[seat], deal)}`, scored(result.scores[seat], deal)));
    const total = make("p", "note", this.words("total-now", { points: scored(result.totals[seat], deal) }));
    const shown = result.parts[seat].filter((part) => part.points || !["card", "alone"].includes(part.reason));
    const parts = shown.map((part) => this.#part(deal, part));
    const list = parts.length ? make("ul", "parts", ...parts) : make("p", "soft", this.words("nothing-counts"));
    const section = make("section", `points-of${seat === deal.seat ? " mine" : ""}${isBest ? " best" : ""}`, name, list, total);
    section.setAttribute("aria-label", this.#name(deal, seat));
    return section;
  }

  /** @param {TableDeal} deal @param {PersonPoints} part */
  #part(deal, part) {
    const key = `part-${part.reason.replaceAll(" ", "-")}`;
    const text = this.words(key, { points: scored(part.points, deal), factor: part.factor });
    const times = part.factor !== 1 && part.reason !== "doubler" ? [make("span", "times", `×${part.factor}`)] : [];
    return make("li", "", ...cards(part.card, this.words), text, ...times);
  }

  /** @param {TableDeal} deal @param {import("./shapes").PersonOver} over */
  #game(deal, over) {
    const title = this.#title(this.words("game-over"));
    const seats = seatsOf(deal);
    const sign = deal.low_is_better ? 1 : -1;
    const sorted = [...seats].sort((one, other) => sign * (over.totals[one] - over.totals[other]));
    const rows = sorted.map((seat) => {
      const place = 1 + seats.filter((each) => sign * over.totals[each] < sign * over.totals[seat]).length;
      const row = make("li", seat === deal.seat ? "mine" : "", make("span", "place", String(place)), make("span", "name", ...this.#faced(deal, seat)));
      row.append(make("b", "num", scored(over.totals[seat], deal)));
      return row;
    });
    const again = /** @type {HTMLElement | null} */ (this.place.closest("person-table")?.querySelector("form.again")?.cloneNode(true) ?? null);
    again?.toggleAttribute("hidden", false);
    const own = make("p", "place-of", this.words("your-place", { place: over.place, count: deal.players }), make("small", "soft", ` ${better(deal, this.words)}`));
    const shown = [title, own, make("ol", "final", ...rows)];
    if (!over.verify) {
      return shown; // the table has ended, and the ladder does not know it yet: at its address is still the table
    }
    const links = this.#links([["compare", over.compare], ["result", this.base], ["verify", over.verify], ...(again ? [] : [["again", "/play"]])]);
    if (again) {
      links.prepend(again);
    }
    return [...shown, links, this.#costliest(deal, null)];
  }

  /** Where to go from here; what has no address is left out. @param {string[][]} links */
  #links(links) {
    const found = links.filter(([, address]) => address).map(([key, address], place) => {
      const link = document.createElement("a");
      return Object.assign(link, { href: address, className: place ? "button" : "button main", textContent: this.words(`link-${key}`) });
    });
    return make("div", "bar", ...found);
  }

  /** @param {string} text */
  #title(text) {
    const title = make("h2", "", text);
    title.tabIndex = -1;
    return title;
  }

  /** A name behind its face, if it has one. @param {TableDeal} deal @param {number} seat @returns {(string | Node)[]} */
  #faced(deal, seat) {
    const face = seat === deal.seat ? null : faceOf(deal.bots[seat]);
    return face ? [face, ` ${this.#name(deal, seat)}`] : [this.#name(deal, seat)];
  }

  /** @param {TableDeal} deal @param {number} seat */
  #name(deal, seat) {
    return seat === deal.seat ? this.words("you") : deal.bots[seat];
  }
}

/** The person first, then clockwise. @param {TableDeal} deal */
function seatsOf(deal) {
  return deal.bots.map((_, place) => (southOf(deal) + place) % deal.players);
}

/** @param {TableDeal} deal @param {number[]} scores */
function bestOf(deal, scores) {
  return deal.low_is_better ? Math.min(...scores) : Math.max(...scores);
}
