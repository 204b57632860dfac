// The analysis board: a deal that the reader plays for all seats; each position has an address.
// @ts-check

import { cardsOf, order } from "./cards.js";
import { cards } from "./news.js";
import { RESULT } from "./places.js";
import { DealReplayer } from "./replay.js";
import { spoken } from "./table.js";
import { make, wordsIn } from "./words.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").TableMoment} TableMoment */
/** @typedef {import("./deal_source").Asked} Asked */

const NOTHING = "-";
const BETWEEN = "_";

/** What has been done up to a moment, as addresses have it. @param {Deal} deal @param {number} place @returns {string[]} */
function movesUpTo(deal, place) {
  return deal.moments.slice(0, place + 1).flatMap(({ steps }) => steps.map((step) => wordOf(step.action)));
}

/** An action as addresses have it. @param {string} action As a record has it. */
function wordOf(action) {
  return action.replaceAll(" ", "") || NOTHING;
}

class AnalysisBoard extends HTMLElement {
  connectedCallback() {
    this.words = wordsIn(this);
    this.base = this.dataset.base ?? "";
    this.query = new URLSearchParams(this.dataset.query);
    this.replayer = /** @type {DealReplayer} */ (this.querySelector("deal-replayer"));
    this.panel = /** @type {HTMLElement} */ (this.querySelector(".moves"));
    this.address = /** @type {HTMLInputElement | null} */ (this.querySelector("copy-line input"));
    this.study = /** @type {HTMLAnchorElement | null} */ (this.querySelector("a.study"));
    this.querySelector(".by-text")?.remove();
    this.replayer.querySelector(".news")?.after(this.panel);
    this.replayer.source = {
      load: (_, seat) => this.#load(seat),
      hash: (_, after) => after || "0",
      asks: (deal, at) => this.#asks(deal, at),
      mistakes: () => null,
    };
    this.addEventListener("moment", () => this.#choices());
    this.addEventListener("click", (event) => this.#onCard(/** @type {Element} */ (event.target)));
    addEventListener("popstate", () => this.#return());
    this.replayer.load(null, location.hash.slice(1) || RESULT);
  }

  /** @param {number | null} seat @returns {Promise<Deal>} */
  async #load(seat) {
    const query = new URLSearchParams(this.query);
    if (seat !== null) {
      query.set("seat", String(seat));
    }
    const response = await fetch(`${this.base}/deal?${query}`);
    const found = await response.json();
    if (!response.ok) {
      throw new Error(String(found.detail ?? response.statusText));
    }
    return found;
  }

  /** The decisions that are to be made at a moment. @param {Deal} deal @param {number} at @returns {Asked[]} */
  #asks(deal, at) {
    const query = this.#queryAt(deal, at);
    return deal.moments[at].seats.flatMap((viewed, seat) => {
      const isOpen = viewed.asked && !deal.moments[at].scores && (cardsOf(viewed.legal).length > 1 || deal.moments[at].phase !== "play");
      query.set("seat", String(seat));
      return isOpen ? [{ key: "ask-worth", who: deal.bots[seat], url: `${this.base}/worth?${query}` }] : [];
    });
  }

  /** The address's query for a moment. @param {Deal} deal @param {number} at @param {string[]} [further] Moves from there. */
  #queryAt(deal, at, further = []) {
    const query = new URLSearchParams(this.query);
    query.set("moves", [...movesUpTo(deal, at), ...further].join(BETWEEN));
    return query;
  }

  /** Show what may be done at the moment that is shown. */
  #choices() {
    const { deal, at } = /** @type {DealReplayer} */ (this.replayer);
    const panel = /** @type {HTMLElement} */ (this.panel);
    for (const card of this.querySelectorAll(".card.chosen")) {
      card.classList.remove("chosen");
    }
    if (!deal) {
      return;
    }
    const moment = deal.moments[at];
    const asked = moment.scores ? [] : moment.seats.flatMap((viewed, seat) => (viewed.asked ? [seat] : []));
    panel.hidden = !asked.length;
    const isSealed = moment.phase === "pass" || moment.phase === "expose";
    panel.replaceChildren(...asked.map((seat) => this.#choicesOf(deal, moment, seat)));
    if (isSealed && asked.length) {
      const button = make("button", "main", this.#word("done"));
      button.setAttribute("type", "button");
      button.addEventListener("click", () => this.#move(asked.map((seat) => this.#chosenBy(seat))));
      panel.append(button);
      this.#allowDone();
    }
    const query = decoded(this.#queryAt(deal, at));
    if (this.address) {
      this.address.value = `${location.origin}${location.pathname}?${query}`;
    }
    if (this.study) {
      this.study.href = `${this.base}/study?${query}`;
    }
  }

  /** @param {string} key @param {Record<string, string | number>} [values] */
  #word(key, values) {
    return this.words?.(key, values) ?? key;
  }

  /** @param {Deal} deal @param {TableMoment} moment @param {number} seat */
  #choicesOf(deal, moment, seat) {
    const set = make("fieldset", "", make("legend", "", this.#word(`to-${moment.phase}`, { who: deal.bots[seat] })));
    set.dataset.seat = String(seat);
    if (moment.phase === "moon") {
      set.append(...["subtract", "add"].map((word) => this.#button(word, [this.#word(`choice-${word}`)])));
      return set;
    }
    const has = moment.phase === "expose" && deal.face_down > 0 ? ["", "*"] : [""];
    for (const name of cardsOf(moment.seats[seat].legal).sort((one, other) => order(one) - order(other))) {
      set.append(...has.map((star) => this.#button(name + star, cards(name + star, this.words ?? String), name, star)));
    }
    return set;
  }

  /** @param {string} word @param {(string | Node)[]} shown @param {string} [card] @param {string} [star] */
  #button(word, shown, card = "", star = "") {
    const button = make("button", "", ...shown);
    button.setAttribute("type", "button");
    button.dataset.word = word;
    if (card) {
      const name = spoken(card, this.words ?? String);
      button.setAttribute("aria-label", star ? this.#word("and-down", { card: name }) : name);
    }
    const phase = this.replayer?.deal?.moments[this.replayer.at].phase;
    const isSealed = phase === "pass" || phase === "expose";
    if (isSealed) {
      button.setAttribute("aria-pressed", "false");
    }
    button.addEventListener("click", () => (isSealed ? this.#turn(button) : this.#move([word])));
    return button;
  }

  /** Choose a card, or not; it is exposed face up or face down. @param {HTMLElement} button */
  #turn(button) {
    const isChosen = button.getAttribute("aria-pressed") === "true";
    const card = (button.dataset.word ?? "").slice(0, 2);
    for (const other of button.parentElement?.querySelectorAll(`[data-word^="${card}"]`) ?? []) {
      other.setAttribute("aria-pressed", String(other === button && !isChosen));
    }
    this.querySelector(`.hand [data-card="${card}"]`)?.classList.toggle("chosen", !isChosen);
    this.#allowDone();
  }

  /** @param {number} seat */
  #chosenBy(seat) {
    const pressed = this.panel?.querySelectorAll(`[data-seat="${seat}"] [aria-pressed="true"]`) ?? [];
    const words = [...pressed].map((each) => /** @type {HTMLElement} */ (each).dataset.word ?? "");
    return wordOf(words.sort((one, other) => order(other) - order(one)).join(" "));
  }

  /** Cards are passed when each seat has chosen as many as it must. */
  #allowDone() {
    const { deal, at } = /** @type {DealReplayer} */ (this.replayer);
    const done = this.panel?.querySelector("button.main");
    if (deal && done && deal.moments[at].phase === "pass") {
      const sets = [...(this.panel?.querySelectorAll("fieldset") ?? [])];
      const are = sets.every((set) => set.querySelectorAll('[aria-pressed="true"]').length === deal.pass_count);
      done.toggleAttribute("disabled", !are);
    }
  }

  /** A card of a hand does what its button does. @param {Element} target */
  #onCard(target) {
    const card = /** @type {HTMLElement | null} */ (target.closest(".hand .card[data-card]"));
    const button = card && /** @type {HTMLElement | null} */ (this.panel?.querySelector(`[data-word="${card.dataset.card}"]`));
    button?.click();
  }

  /** Make some moves at the moment that is shown; what came after it is left. @param {string[]} moves */
  async #move(moves) {
    const { deal, at } = /** @type {DealReplayer} */ (this.replayer);
    if (!deal) {
      return;
    }
    this.query = this.#queryAt(deal, at, moves);
    history.pushState(null, "", `${location.pathname}?${decoded(this.query)}`);
    await this.replayer?.load(null, String((deal.moments[at].after ?? 0) + moves.length));
  }

  /** Show the position of the address again: the reader has gone back. */
  async #return() {
    const query = new URLSearchParams(location.search);
    if (query.toString() !== this.query?.toString()) {
      this.query = query;
      await this.replayer?.load(null, location.hash.slice(1) || RESULT);
    } else {
      this.replayer?.goTo(location.hash.slice(1) || RESULT);
    }
  }
}

/** A query as people read it: a star needs no escape. @param {URLSearchParams} query */
function decoded(query) {
  return query.toString().replaceAll("%2A", "*");
}

customElements.define("analysis-board", AnalysisBoard);
