// A table of people, watched: each state is shown for a moment, the newest ones at once if many have come.
// @ts-check

import { Table } from "./table.js";
import { make, signed, wordsIn } from "./words.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").WatchState} WatchState */

const CARD_MS = 450;
const TRICK_MS = 1000;
const MOST = 12;

class WatchedTable extends HTMLElement {
  /** @type {WatchState[]} */
  coming = [];
  timer = 0;
  /** @type {EventSource | null} */
  source = null;
  /** @type {Table | null} */
  table = null;
  dealt = "";

  connectedCallback() {
    this.words = wordsIn(this);
    this.source = new EventSource(this.dataset.stream ?? "");
    this.source.onmessage = (message) => this.take(JSON.parse(message.data));
    this.source.onerror = () => this.say(this.dataset.lost ?? "");
    this.source.addEventListener("stop", () => this.source?.close());
  }

  disconnectedCallback() {
    this.source?.close();
    clearTimeout(this.timer);
  }

  /** @param {WatchState} state */
  take(state) {
    this.coming.push(state);
    if (document.hidden || this.coming.length > MOST) {
      this.coming.splice(0, this.coming.length - 1);
    }
    if (!this.timer) {
      this.next();
    }
  }

  next() {
    const state = this.coming.shift();
    this.timer = 0;
    if (state) {
      this.show(state);
      this.timer = window.setTimeout(() => this.next(), state.moment?.complete ? TRICK_MS : CARD_MS);
    }
  }

  /** @param {WatchState} state */
  show(state) {
    const { deal, moment } = state;
    if (deal && moment && this.words) {
      const felt = this.piece("felt");
      const key = `${deal.number} ${moment.result}`;
      if (key !== this.dealt) {
        const scores = state.sheet.at(-1)?.scores ?? [];
        this.table = new Table(felt, /** @type {Deal} */ (/** @type {unknown} */ ({ ...deal, scores })), deal.seat, this.words);
        this.dealt = key;
        felt.hidden = false;
      }
      this.table?.show(moment, !matchMedia("(prefers-reduced-motion: reduce)").matches);
      this.say(`${this.dataset.deal} ${deal.number + 1}`);
    }
    const rows = state.sheet.map((row) =>
      make("tr", "", make("th", "num", String(row.deal + 1)), ...row.scores.map((score) => make("td", "num", signed(score)))),
    );
    this.piece("sheet").replaceChildren(...rows);
    if (state.is_over) {
      this.say((state.reason ? this.dataset.ended : this.dataset.over) ?? "");
    }
  }

  /** @param {string} text */
  say(text) {
    this.piece("state").textContent = text;
  }

  /** @param {string} name @returns {HTMLElement} */
  piece(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part=${name}]`));
  }
}

customElements.define("watched-table", WatchedTable);
