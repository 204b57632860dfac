// The replayer's buttons and choices, and playing by itself.
// @ts-check

import { keep, kept } from "./kept.js";

/** @typedef {import("./replay.js").DealReplayer} DealReplayer */

const CARD_MS = 900;
const REST_MS = 900;
const COLOURS = "pigpen-colours";
const FELT = "pigpen-felt";

export class ReplayControls {
  #timer = 0;

  /** @param {DealReplayer} replayer @param {(name: string) => any} part Gives one of its elements. */
  constructor(replayer, part) {
    this.replayer = replayer;
    this.button = /** @type {HTMLElement} */ (part("play"));
    this.speed = /** @type {HTMLSelectElement} */ (part("speed"));
    for (const button of replayer.querySelectorAll("button[data-do]")) {
      const does = /** @type {HTMLElement} */ (button).dataset.do ?? "";
      button.addEventListener("click", () => replayer.keys?.act(does));
    }
    const scrub = /** @type {HTMLInputElement} */ (part("scrub"));
    scrub.addEventListener("input", () => replayer.go(Number(scrub.value), false));
    const view = /** @type {HTMLSelectElement} */ (part("view"));
    view.addEventListener("change", () => replayer.look(view.value === "" ? null : Number(view.value)));
    rememberColours(/** @type {HTMLInputElement} */ (part("colours")));
    showFelt();
  }

  /** Play, or halt. */
  turn() {
    if (this.#timer) {
      this.halt();
    } else {
      this.#playOn();
    }
  }

  halt() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.button.setAttribute("aria-pressed", "false");
  }

  #playOn() {
    const { deal, at } = this.replayer;
    const rests = deal?.moments[at].complete;
    const wait = (CARD_MS + (rests ? REST_MS : 0)) / (Number(this.speed.value) || 1);
    this.button.setAttribute("aria-pressed", "true");
    this.#timer = window.setTimeout(() => this.#next(), wait);
  }

  async #next() {
    const { deal, at } = this.replayer;
    if (deal && at + 1 < deal.moments.length) {
      this.replayer.go(at + 1);
    } else if (deal?.next && !this.replayer.dataset.match) {
      await this.replayer.load(deal.next);
    } else {
      this.halt();
    }
    if (this.#timer) {
      this.#playOn();
    }
  }
}

/** Two colours instead of four, if the reader wants that. @param {HTMLInputElement} box */
export function rememberColours(box) {
  box.checked = kept(COLOURS) === "2";
  box.addEventListener("change", () => showDeck(box.checked ? "2" : "4"));
  showDeck();
}

/** Let a person choose the deck and the felt. @param {HTMLSelectElement} deck @param {HTMLSelectElement} felt */
export function rememberTable(deck, felt) {
  deck.value = kept(COLOURS) ?? "4";
  felt.value = kept(FELT) ?? "";
  deck.addEventListener("change", () => showDeck(deck.value));
  felt.addEventListener("change", () => showFelt(felt.value));
  showDeck();
  showFelt();
}

/** Show the deck of two or of four colours, and keep it; without a number the one that is kept. @param {string} [colours] */
function showDeck(colours) {
  if (colours) {
    keep(COLOURS, colours);
  }
  document.documentElement.toggleAttribute("data-two-colours", (colours ?? kept(COLOURS)) === "2");
}

/** Show a felt, and keep it; without a name the one that is kept. @param {string} [name] Empty: the green one. */
export function showFelt(name) {
  if (name !== undefined) {
    keep(FELT, name);
  }
  document.documentElement.dataset.felt = name ?? kept(FELT) ?? "";
}
