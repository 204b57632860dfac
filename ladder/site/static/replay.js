// The replayer: shows a deal card by card. The page brings its controls and words; see templates/replayer.html.
// @ts-check

import { Keys } from "./replay_keys.js";
import { Scores, decisions, sentence } from "./news.js";
import { Table, setText } from "./table.js";
import { Why } from "./why.js";
import { wordsIn } from "./words.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").Place} Place */
/** @typedef {import("./shapes").Source} Source */

const RESULT = "result";
const CARD_MS = 900;
const REST_MS = 900;
const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const COLOURS = "pigpen-colours";

/** @param {Place | null} one @param {Place} other */
function isSame(one, other) {
  return one?.board === other.board && one?.table === other.table;
}

export class DealReplayer extends HTMLElement {
  /** @type {Source | null} */
  source = null;
  /** All hands. @type {Deal | null} */
  deal = null;
  /** What is shown of it: all hands, or what one seat knew. @type {Deal | null} */
  shown = null;
  at = 0;
  #timer = 0;
  #stepped = 0;

  connectedCallback() {
    if (this.source) {
      return;
    }
    this.words = wordsIn(this);
    this.felt = this.#part("felt");
    this.why = new Why(this.#part("why"), this.words);
    this.keys = new Keys(this);
    this.#controls();
    const src = this.getAttribute("src");
    if (src) {
      this.#open(src);
    }
  }

  disconnectedCallback() {
    this.pause();
    this.keys?.close();
  }

  /** @param {string} name @returns {HTMLElement} */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part="${name}"]`));
  }

  /** Show a deal of the ladder's. @param {string} src Its address in the API. */
  async #open(src) {
    this.source = {
      load: async (_, seat) => {
        const response = await fetch(seat === null ? src : `${src}?seat=${seat}`);
        if (!response.ok) {
          throw new Error((await response.json()).detail);
        }
        return response.json();
      },
      leave: (place, hash) => {
        location.assign(`${this.dataset.match}/${place.board}/${place.table}${hash && `#${hash}`}`);
        return true;
      },
      hash: (_, after) => after,
      why: (_, step) => `${src}/steps/${step}/why`,
    };
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
      this.view = null;
      this.#seat(0);
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

  /** Make the table anew. @param {number} south */
  #seat(south) {
    const deal = /** @type {Deal} */ (this.shown);
    this.table = new Table(/** @type {HTMLElement} */ (this.felt), deal, south, this.words ?? String);
    this.scores = new Scores(this.#part("scores"), deal);
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
  }

  /** Look from another seat. @param {number | null} seat Null: all hands are open. */
  async look(seat) {
    try {
      const whole = /** @type {Deal} */ (this.deal);
      const found = seat === null ? whole : await /** @type {Source} */ (this.source).load(whole.place, seat);
      if (this.deal === whole) {
        this.view = seat;
        this.shown = found;
        this.#seat(seat ?? 0);
        this.go(this.at, false);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Go to the moment that an address names. @param {string} hash A number of steps, or `result`. */
  goTo(hash) {
    const deal = /** @type {Deal} */ (this.deal);
    const steps = /^\d{1,3}$/.test(hash) ? Number(hash) : 0;
    const found = deal.moments.findIndex((moment) => (moment.after ?? 0) >= steps);
    this.go(hash === RESULT || found < 0 ? deal.moments.length - 1 : found, false);
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
    this.why?.offer(deal, deal.moments[this.at], (step) => this.source?.why(deal, step) ?? null);
    const scrub = /** @type {HTMLInputElement} */ (this.#part("scrub"));
    scrub.value = String(this.at);
    scrub.setAttribute("aria-valuetext", this.words("place", { number: this.at, count: shown.moments.length - 1 }));
    this.#address();
  }

  #address() {
    const deal = /** @type {Deal} */ (this.deal);
    const moment = deal.moments[this.at];
    const after = moment.result ? RESULT : this.at ? String(moment.after) : "";
    const hash = /** @type {Source} */ (this.source).hash(deal, after);
    if (location.hash.slice(1) !== hash) {
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

  /** The places worth a halt: those before the first card, each full trick, the result. */
  #stops() {
    const { moments } = /** @type {Deal} */ (this.deal);
    return moments.flatMap((moment, place) =>
      !moment.trick || (moment.complete && moment.steps[0]?.kind === "play") || moment.result ? [place] : [],
    );
  }

  nextTrick() {
    const stop = this.#stops().find((place) => place > this.at);
    return stop === undefined ? this.travel(/** @type {Deal} */ (this.deal).next) : this.go(stop);
  }

  previousTrick() {
    const stop = this.#stops().findLast((place) => place < this.at);
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
    const done = deal.moments[this.at].after ?? 0;
    const here = (/** @type {Place} */ place) => isSame(place, deal.place);
    const later = (/** @type {import("./shapes").Fault} */ fault) =>
      here(fault)
        ? fault.step > done
        : fault.board > deal.place.board || (fault.board === deal.place.board && fault.table > deal.place.table);
    const found = deal.faults.find((fault) => later(fault) && (bot === null || fault.bot === bot));
    if (!found) {
      setText(this.#part("news"), this.words?.("no-fault") ?? "");
      return undefined;
    }
    return here(found) ? this.goTo(String(found.step)) : this.travel(found, String(found.step));
  }

  nextView() {
    const { players } = /** @type {Deal} */ (this.deal);
    const after = typeof this.view === "number" ? this.view + 1 : 0;
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
    return this.#timer ? this.pause() : this.#playOn();
  }

  pause() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#part("play")?.setAttribute("aria-pressed", "false");
  }

  #playOn() {
    const deal = /** @type {Deal} */ (this.deal);
    const speed = Number(/** @type {HTMLSelectElement} */ (this.#part("speed")).value) || 1;
    const moment = deal.moments[this.at];
    const wait = (CARD_MS + (moment.complete ? REST_MS : 0)) / speed;
    this.#part("play").setAttribute("aria-pressed", "true");
    this.#timer = window.setTimeout(async () => {
      if (this.at + 1 < deal.moments.length) {
        this.go(this.at + 1);
      } else if (deal.next && !this.dataset.match) {
        await this.load(deal.next);
      } else {
        this.pause();
        return;
      }
      this.#playOn();
    }, wait);
  }

  #controls() {
    for (const button of this.querySelectorAll("button[data-do]")) {
      button.addEventListener("click", () => this.keys?.act(/** @type {HTMLElement} */ (button).dataset.do ?? ""));
    }
    const scrub = /** @type {HTMLInputElement} */ (this.#part("scrub"));
    scrub.addEventListener("input", () => this.go(Number(scrub.value), false));
    const chooser = /** @type {HTMLSelectElement} */ (this.#part("view"));
    chooser.addEventListener("change", () => this.look(chooser.value === "" ? null : Number(chooser.value)));
    const colours = /** @type {HTMLInputElement} */ (this.#part("colours"));
    colours.checked = localStorage.getItem(COLOURS) === "2";
    const apply = () => document.documentElement.toggleAttribute("data-two-colours", colours.checked);
    colours.addEventListener("change", () => {
      localStorage.setItem(COLOURS, colours.checked ? "2" : "4");
      apply();
    });
    apply();
  }
}

customElements.define("deal-replayer", DealReplayer);
