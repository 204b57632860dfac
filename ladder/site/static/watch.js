// A table of people, watched: each state is shown for a moment, the newest ones at once if many have come.
// @ts-check

import { showFelt } from "./replay_controls.js";
import { SharedStream } from "./shared_stream.mjs";
import { Table } from "./table.js";
import { make, named, scored, toned, wordsIn } from "./words.js";

/** @typedef {import("./shapes").TableShown} TableShown */

const CARD_MS = 450;
const TRICK_MS = 1000;
const MAX_COMING = 12;
const POLL_MS = 2000;

class WatchedTable extends HTMLElement {
  /** @type {TableShown[]} */
  coming = [];
  timer = 0;
  polling = 0;
  newest = -1;
  /** @type {SharedStream | null} */
  source = null;
  /** @type {Table | null} */
  table = null;
  dealt = -1;

  connectedCallback() {
    this.words = wordsIn(this);
    showFelt();
    this.follow();
  }

  disconnectedCallback() {
    this.source?.close();
    clearTimeout(this.timer);
    clearTimeout(this.polling);
  }

  follow() {
    const source = new SharedStream(this.dataset.stream ?? "");
    this.source = source;
    source.onopen = () => (this.newest = -1);
    source.onmessage = (data) => this.take(JSON.parse(data));
    source.onfull = () => this.poll();
    source.onlost = () => {
      this.say(this.dataset.lost ?? "");
      if (source.isClosed) this.poll();
    };
  }

  /** Ask once how the table stands, and try to follow it again. */
  async poll() {
    try {
      const response = document.hidden ? null : await fetch(this.dataset.state ?? "", { cache: "no-store" });
      if (response?.ok) this.take(await response.json());
    } catch {
      this.say(this.dataset.lost ?? "");
    }
    this.polling = window.setTimeout(() => this.follow(), POLL_MS);
  }

  /** @param {TableShown} state */
  take(state) {
    if (state.number <= this.newest) return;
    this.newest = state.number;
    this.coming.push(state);
    if (document.hidden || this.coming.length > MAX_COMING) {
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

  /** @param {TableShown} state */
  show(state) {
    const { deal, moment } = state;
    if (deal && this.words) {
      deal.bots = named(deal.bots, this.words);
    }
    if (deal && moment && this.words) {
      const felt = this.piece("felt");
      if (deal.number !== this.dealt) {
        this.table = new Table(felt, deal, this.words);
        this.dealt = deal.number;
        felt.hidden = false;
      }
      this.table?.show(moment, !matchMedia("(prefers-reduced-motion: reduce)").matches);
      this.say(`${this.dataset.deal} ${deal.number + 1}`);
    }
    const rows = (deal ? state.sheet : []).map((row) => {
      const rules = /** @type {NonNullable<typeof deal>} */ (deal);
      const scores = row.scores.map((score) => make("td", `num ${toned(score, rules)}`, scored(score, rules)));
      return make("tr", "", make("th", "num", String(row.deal + 1)), ...scores);
    });
    this.piece("sheet").replaceChildren(...rows);
    if (state.status === "over" || state.status === "ended") {
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
