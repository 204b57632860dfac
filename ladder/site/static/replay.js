// The replayer: shows a deal card by card. The page brings its controls and words; see templates/replayer.html.
// @ts-check

import { Scores, decisions, sentence } from "./news.js";
import { GivenAway } from "./given_away.js";
import { Mistakes } from "./mistakes.js";
import { RESULT, faultAfter, isSame, momentOf, nameOf, siteSource, stopsOf } from "./places.js";
import { ReplayControls } from "./replay_controls.js";
import { Keys } from "./replay_keys.js";
import { Table, setText } from "./table.js";
import { Why } from "./why.js";
import { wordsIn } from "./words.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").Place} Place */
/** @typedef {import("./deal_source").DealSource} Source */

const ADDRESS_MS = 200;
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

export class DealReplayer extends HTMLElement {
  /** @type {Source | null} */
  source = null;
  /** All hands. @type {Deal | null} */
  deal = null;
  /** What is shown of it: all hands, or what one seat knew. @type {Deal | null} */
  shown = null;
  /** The seat that was asked for last; null: all hands. @type {number | null} */
  wanted = null;
  at = 0;
  #stepped = 0;
  #named = 0;
  #naming = 0;

  connectedCallback() {
    if (this.source) {
      return;
    }
    this.words = wordsIn(this);
    this.felt = this.#part("felt");
    this.why = new Why(this.#part("why"), this.words);
    this.mistakes = new Mistakes(this.words, (sentence) => setText(this.#part("news"), sentence));
    this.givenAway = new GivenAway(this.#part("given"), this.words);
    this.keys = new Keys(this);
    this.controls = new ReplayControls(this, /** @type {(name: string) => any} */ ((name) => this.#part(name)));
    const src = this.getAttribute("src");
    if (src) {
      this.#open(src);
    }
  }

  disconnectedCallback() {
    this.pause();
    clearTimeout(this.#naming);
    this.keys?.close();
  }

  /** @param {string} name @returns {HTMLElement} */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part="${name}"]`));
  }

  /** Show a deal of the ladder's. @param {string} src Its address in the API. */
  async #open(src) {
    this.source = siteSource(src, this.dataset.match ?? "");
    const wanted = location.hash.slice(1);
    this.#takeAddresses(wanted);
    await this.load(null, wanted);
    addEventListener("hashchange", () => {
      this.goTo(location.hash.slice(1));
      this.scrollIntoView({ behavior: CALM.matches ? "auto" : "smooth" });
    });
  }

  /** Addresses of cards are places in the text below, as long as there is no table. @param {string} hash */
  #takeAddresses(hash) {
    for (const place of document.querySelectorAll(".tricks [id]")) {
      place.removeAttribute("id");
    }
    if (hash) {
      requestAnimationFrame(() => scrollTo(0, 0));
    }
  }

  /** Load a deal. @param {Place | null} place Null: the one that the source is about. @param {string} hash As in the address. */
  async load(place, hash = "") {
    try {
      const deal = await /** @type {Source} */ (this.source).load(place, null);
      this.deal = this.shown = deal;
      this.view = this.wanted = null;
      this.givenAway?.clear();
      this.#seat();
      this.hidden = false;
      this.dispatchEvent(new CustomEvent("deal", { detail: deal, bubbles: true }));
      this.goTo(hash);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    this.hidden = false;
    setText(this.#part("news"), /** @type {Error} */ (error).message);
  }

  /** Make the table anew. */
  #seat() {
    const deal = /** @type {Deal} */ (this.shown);
    this.table = new Table(/** @type {HTMLElement} */ (this.felt), deal, this.words ?? String);
    this.scores = new Scores(this.#part("scores"), deal, this.words ?? String);
    const scrub = /** @type {HTMLInputElement} */ (this.#part("scrub"));
    scrub.max = String(deal.moments.length - 1);
    const chooser = /** @type {HTMLSelectElement} */ (this.#part("view"));
    if (chooser.dataset.bots !== deal.bots.join("\0")) {
      chooser.dataset.bots = deal.bots.join("\0");
      const seats = deal.bots.map((bot, seat) => new Option(bot, String(seat)));
      chooser.replaceChildren(chooser.options[0], ...seats);
    }
    chooser.value = this.view === null || this.view === undefined ? "" : String(this.view);
    this.#part("previous-deal").toggleAttribute("disabled", !deal.previous);
    this.#part("next-deal").toggleAttribute("disabled", !deal.next);
    for (const name of ["previous-mistake", "next-mistake", "show-given"]) {
      this.#part(name).hidden = !this.source?.mistakes(deal);
    }
  }

  /** Look from another seat. @param {number | null} seat Null: all hands are open. */
  async look(seat) {
    const whole = /** @type {Deal} */ (this.deal);
    this.wanted = seat;
    try {
      const found = seat === null ? whole : await /** @type {Source} */ (this.source).load(whole.place, seat);
      if (this.deal === whole && this.wanted === seat) {
        this.view = seat;
        this.shown = found;
        this.#seat();
        this.go(this.at, false);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Go to the moment that an address names. @param {string} hash A number of steps, or `result`. */
  goTo(hash) {
    const deal = /** @type {Deal} */ (this.deal);
    this.go(momentOf(deal, hash), false);
  }

  /** Show a moment. @param {number} place @param {boolean} [flies] Whether the card just played may fly. */
  go(place, flies = true) {
    const { deal, shown } = this;
    if (!deal || !shown || !this.table || !this.words) {
      return;
    }
    const now = performance.now();
    const isNext = place === this.at + 1 && now - this.#stepped > 2 * 90;
    this.#stepped = now;
    this.at = Math.max(0, Math.min(place, shown.moments.length - 1));
    const moment = shown.moments[this.at];
    this.table.show(moment, flies && isNext && !CALM.matches);
    this.scores?.show(moment);
    setText(this.#part("news"), sentence(shown, this.at, this.words));
    this.#part("decisions").replaceChildren(...decisions(shown, moment, this.words));
    this.givenAway?.at(deal.moments[this.at].after ?? 0);
    this.why?.offer(this.source?.asks(deal, this.at) ?? []);
    const analysis = /** @type {HTMLAnchorElement | null} */ (this.querySelector("a.analyse"));
    if (analysis) {
      analysis.hash = String(deal.moments[this.at].after ?? 0);
    }
    const scrub = /** @type {HTMLInputElement} */ (this.#part("scrub"));
    scrub.value = String(this.at);
    scrub.setAttribute("aria-valuetext", this.words("place", { number: this.at, count: shown.moments.length - 1 }));
    this.#address();
    this.dispatchEvent(new CustomEvent("moment", { bubbles: true }));
  }

  /** Name the moment in the address: at once, or soon where one step follows the other; browsers refuse too many. */
  #address() {
    const wait = this.#named + ADDRESS_MS - performance.now();
    clearTimeout(this.#naming);
    if (wait > 0) {
      this.#naming = window.setTimeout(() => this.#address(), wait);
      return;
    }
    const deal = /** @type {Deal} */ (this.deal);
    const hash = /** @type {Source} */ (this.source).hash(deal, nameOf(deal, this.at));
    if (location.hash.slice(1) !== hash) {
      this.#named = performance.now();
      history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    }
  }

  /** Go to another deal. @param {Place | null} place @param {string} [hash] */
  async travel(place, hash = "") {
    if (place && !this.source?.leave?.(place, hash)) {
      await this.load(place, hash);
    }
  }

  // What keys and buttons do: as in `pigpen replay`.

  forward() {
    const deal = /** @type {Deal} */ (this.deal);
    return this.at + 1 < deal.moments.length ? this.go(this.at + 1) : this.travel(deal.next);
  }

  back() {
    return this.at ? this.go(this.at - 1) : this.travel(/** @type {Deal} */ (this.deal).previous, RESULT);
  }

  nextTrick() {
    const stop = stopsOf(/** @type {Deal} */ (this.deal)).find((place) => place > this.at);
    return stop === undefined ? this.travel(/** @type {Deal} */ (this.deal).next) : this.go(stop);
  }

  previousTrick() {
    const stop = stopsOf(/** @type {Deal} */ (this.deal)).findLast((place) => place < this.at);
    return stop === undefined ? this.travel(/** @type {Deal} */ (this.deal).previous, RESULT) : this.go(stop);
  }

  first() {
    this.go(0);
  }

  last() {
    this.go(Infinity);
  }

  nextDeal() {
    return this.travel(/** @type {Deal} */ (this.deal).next);
  }

  previousDeal() {
    return this.travel(/** @type {Deal} */ (this.deal).previous);
  }

  /** Go to the next fault of a bot: from a seat, of the bot that sits there. */
  nextFault() {
    const deal = /** @type {Deal} */ (this.deal);
    const bot = typeof this.view === "number" ? deal.numbers[this.view] : null;
    const found = faultAfter(deal, this.at, bot);
    if (!found) {
      setText(this.#part("news"), this.words?.("no-fault") ?? "");
      return undefined;
    }
    return isSame(found, deal.place) ? this.goTo(String(found.step)) : this.travel(found, String(found.step));
  }

  /** Go to the next decision of the deal that cost points by estimate; from a seat, of that seat. */
  async nextMistake() {
    await this.#toMistake((mistakes, done) => mistakes.find(({ step }) => step > done));
  }

  /** Go to the one before it. */
  async previousMistake() {
    await this.#toMistake((mistakes, done) => mistakes.findLast(({ step }) => step < done));
  }

  /** Show what each seat has given away, over the deal. */
  async showGiven() {
    await this.#mistakes();
  }

  /** The mistakes of the deal, which are shown as a chart, too; null: there are none yet. */
  async #mistakes() {
    const deal = /** @type {Deal} */ (this.deal);
    const found = await this.mistakes?.of(deal, this.source?.mistakes(deal) ?? null);
    if (!found || deal !== this.deal) {
      return null;
    }
    this.givenAway?.show(deal, found);
    this.givenAway?.at(deal.moments[this.at].after ?? 0);
    setText(this.#part("news"), sentence(/** @type {Deal} */ (this.shown), this.at, this.words ?? String));
    return found;
  }

  /** @param {(mistakes: import("./shapes").Mistake[], done: number) => import("./shapes").Mistake | undefined} choose */
  async #toMistake(choose) {
    const found = await this.#mistakes();
    if (!found) {
      return;
    }
    const done = this.deal?.moments[this.at].after ?? 0;
    const next = choose(found.filter(({ seat }) => typeof this.view !== "number" || seat === this.view), done);
    if (!next) {
      setText(this.#part("news"), this.words?.("no-mistake") ?? "");
      return;
    }
    this.goTo(String(next.step));
    const cost = this.words?.("mistake", { cost: next.cost.toFixed(1), error: next.cost_error.toFixed(1) });
    this.#part("news").append(` ${cost}`);
  }

  nextView() {
    const { players } = /** @type {Deal} */ (this.deal);
    const after = typeof this.wanted === "number" ? this.wanted + 1 : 0;
    return this.look(after < players ? after : null);
  }

  help() {
    const dialog = /** @type {HTMLDialogElement} */ (this.#part("help"));
    return dialog.open ? dialog.close() : dialog.showModal();
  }

  quit() {
    const back = this.dataset.match;
    if (back) {
      location.assign(back);
    }
  }

  play() {
    this.controls?.turn();
  }

  pause() {
    this.controls?.halt();
  }
}

customElements.define("deal-replayer", DealReplayer);
