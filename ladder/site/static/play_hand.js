// A person's own hand: each card a button, suit by suit; the arrow keys go from one to the next.
// @ts-check

import { SUITS, order } from "./cards.js";
import { arrange, spoken } from "./table.js";
import { make } from "./words.js";

/** @typedef {import("./play_choice.js").Choice} Choice */
/** @typedef {import("./shapes").TableSeat} TableSeat */
/** @typedef {import("./words.js").Words} Words */

const IN_ORDER = [...SUITS].reverse();

export class Hand {
  /** @type {Map<string, HTMLButtonElement>} */
  #buttons = new Map();
  /** @type {Map<string, HTMLElement>} */
  #suits = new Map();
  /** What is held, as it is shown. @type {string[]} */
  cards = [];
  /** @type {Choice | null} */
  choice = null;
  /** Cards that the person was just passed. @type {Set<string>} */
  fresh = new Set();
  /** The card that the keys are on. */
  cursor = "";

  /** @param {Words} words @param {(card: string, isKey: boolean) => void} press */
  constructor(words, press) {
    this.words = words;
    this.press = press;
  }

  /** Put cards into the element that a table has for them. @param {HTMLElement} place @param {HTMLElement[]} cards */
  lay(place, cards) {
    const had = document.activeElement instanceof HTMLElement ? (document.activeElement.dataset.pick ?? "") : "";
    const at = this.cards.indexOf(had);
    this.cards = cards.map((node) => node.dataset.card ?? "").sort((one, other) => order(one) - order(other));
    cards.forEach((node) => this.#button(node.dataset.card ?? "").replaceChildren(node));
    const suits = IN_ORDER.filter((suit) => this.cards.some((card) => card[1] === suit));
    arrange(place, suits.map((suit) => this.#suit(suit)));
    place.style.setProperty("--n", String(this.cards.length));
    if (!this.cards.includes(this.cursor)) {
      this.cursor = this.cards[Math.max(0, Math.min(at, this.cards.length - 1))] ?? "";
    }
    if (had && this.cursor && at >= 0 && document.activeElement === document.body) {
      this.#buttons.get(this.cursor)?.focus();
    }
    this.mark();
  }

  /** @param {string} suit */
  #suit(suit) {
    let group = this.#suits.get(suit);
    if (!group) {
      group = make("div", "suit");
      group.setAttribute("role", "group");
      this.#suits.set(suit, group);
    }
    const those = this.cards.filter((card) => card[1] === suit);
    group.setAttribute("aria-label", this.words("suit-held", { suit: this.words(`suit-${suit}`), count: those.length }));
    arrange(group, those.map((card) => this.#button(card)));
    return group;
  }

  /** @param {string} card */
  #button(card) {
    let button = this.#buttons.get(card);
    if (!button) {
      button = /** @type {HTMLButtonElement} */ (make("button", "pick"));
      button.type = "button";
      button.dataset.pick = card;
      button.addEventListener("click", (event) => this.press(card, event.detail === 0));
      button.addEventListener("focus", () => this.#stand(card));
      this.#buttons.set(card, button);
    }
    return button;
  }

  /** Mark what may be chosen, and what is. */
  mark() {
    for (const card of this.cards) {
      const button = this.#button(card);
      const isBarred = this.choice?.isBarred(card) ?? false;
      const isChosen = this.choice?.has(card) ?? false;
      const face = this.choice?.faces.get(card);
      button.classList.toggle("barred", isBarred);
      button.classList.toggle("free", !!this.choice && !isBarred && this.choice.question.kind !== "moon");
      button.classList.toggle("chosen", isChosen);
      button.firstElementChild?.classList.toggle("fresh", this.fresh.has(card));
      button.toggleAttribute("aria-disabled", false);
      if (isBarred || !this.choice) {
        button.setAttribute("aria-disabled", "true");
      }
      if (this.choice && this.choice.question.kind !== "play") {
        button.setAttribute("aria-pressed", String(isChosen));
      } else {
        button.removeAttribute("aria-pressed");
      }
      button.tabIndex = card === this.cursor ? 0 : -1;
      button.setAttribute("aria-label", this.#label(card, face));
    }
  }

  /** @param {string} card @param {"up" | "down" | undefined} face */
  #label(card, face) {
    const node = this.#button(card).firstElementChild;
    const more = [];
    if (face) {
      more.push(this.words(face === "down" ? "lies-down" : "lies-up"));
    } else if (node?.classList.contains("exposed")) {
      more.push(this.words(node.classList.contains("down") ? "lies-down" : "lies-up"));
    }
    if (this.fresh.has(card)) {
      more.push(this.words("just-received"));
    }
    return [spoken(card, this.words), ...more].join(", ");
  }

  /** @param {string} card */
  #stand(card) {
    this.cursor = card;
    for (const each of this.cards) {
      this.#button(each).tabIndex = each === card ? 0 : -1;
    }
  }

  /** Put the keys on a card. @param {string | undefined} card */
  focus(card = this.cursor) {
    if (card) {
      this.#button(card).focus();
    }
  }

  /** Whether the keys are on a card. */
  get isHeld() {
    return document.activeElement instanceof HTMLElement && document.activeElement.matches(".pick");
  }

  /** Begin with the first card that may be chosen, unless the keys are on a card already. */
  aim() {
    if (!this.isHeld) {
      this.cursor = this.cards.find((card) => !this.choice?.isBarred(card)) ?? this.cursor;
      this.mark();
    }
  }

  /** Go to the next card, or the one before; first of all to the hand. @param {1 | -1} way */
  step(way) {
    if (!this.isHeld) {
      this.focus();
      return;
    }
    const at = this.cards.indexOf(this.cursor);
    this.focus(this.cards[(at + way + this.cards.length) % this.cards.length]);
  }

  /** Go to the suit before or behind, to a card in about the same place. @param {1 | -1} way */
  stepSuit(way) {
    if (!this.isHeld) {
      this.focus();
      return;
    }
    const suits = [...new Set(this.cards.map((card) => card[1]))];
    const place = suits.indexOf(this.cursor[1]);
    if (suits.length < 2) {
      this.step(way);
      return;
    }
    const those = this.#of(suits[(place + way + suits.length) % suits.length]);
    this.focus(those[Math.min(this.#of(this.cursor[1]).indexOf(this.cursor), those.length - 1)]);
  }

  /** Go to the next card of a suit; to one that may be chosen if there is any. @param {string} suit */
  jump(suit) {
    const all = this.#of(suit);
    const open = all.filter((card) => !this.choice?.isBarred(card));
    const those = open.length ? open : all;
    if (those.length) {
      this.focus(those[(those.indexOf(this.cursor) + 1) % those.length]);
    }
  }

  /** @param {string} suit */
  #of(suit) {
    return this.cards.filter((card) => card[1] === suit);
  }
}
