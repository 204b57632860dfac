// What a person is about to answer: the card taken up, cards to pass, faces, the moon.
// @ts-check

import { cardsOf } from "./cards.js";

/** @typedef {import("./shapes").PersonQuestion} PersonQuestion */
/** @typedef {"up" | "down"} Face */
/** What a press leads to: an answer, or something to say. @typedef {{answer?: string, say?: string, card?: string}} Outcome */

export class Choice {
  /** The card taken up; the next tap plays it. */
  raised = "";
  /** To pass, in the order of choosing. @type {string[]} */
  cards = [];
  /** To expose. @type {Map<string, Face>} */
  faces = new Map();

  /** @param {PersonQuestion} question */
  constructor(question) {
    this.question = question;
    this.legal = new Set(cardsOf(question.legal));
  }

  /** Whether it can be answered with what is chosen. */
  get isReady() {
    const { kind, count } = this.question;
    return kind === "expose" || (kind === "pass" && this.cards.length === count) || (kind === "play" && !!this.raised);
  }

  /** Whether a card cannot be chosen now. @param {string} card */
  isBarred(card) {
    return this.question.kind !== "moon" && !this.legal.has(card);
  }

  /** Whether a card is chosen. @param {string} card */
  has(card) {
    return this.raised === card || this.cards.includes(card) || this.faces.has(card);
  }

  /**
   * Press a card.
   * @param {string} card @param {boolean} plays Whether one press is enough to play it.
   * @returns {Outcome} `say` is the key of a sentence, or the sentence itself in `why`.
   */
  press(card, plays) {
    const { kind } = this.question;
    if (this.isBarred(card)) {
      return { say: kind === "play" ? "may-not-play" : "may-not-expose", card };
    }
    if (kind === "pass") {
      return this.#toggle(card);
    }
    if (kind === "expose") {
      this.turn(card, this.#nextFace(card));
    } else if (kind === "play") {
      if (plays || this.raised === card) {
        return { answer: card };
      }
      this.raised = card;
    }
    return {};
  }

  /** @param {string} card @returns {Outcome} */
  #toggle(card) {
    if (this.cards.includes(card)) {
      this.cards = this.cards.filter((each) => each !== card);
    } else if (this.cards.length < this.question.count) {
      this.cards.push(card);
    } else {
      return { say: "enough", card };
    }
    return {};
  }

  /** @param {string} card @returns {Face | undefined} */
  #nextFace(card) {
    const faces = this.question.faces;
    const face = this.faces.get(card);
    return faces[face ? faces.indexOf(face) + 1 : 0];
  }

  /** Lay a card to expose that way, or not at all. @param {string} card @param {Face | undefined} face */
  turn(card, face) {
    if (face) {
      this.faces.set(card, face);
    } else {
      this.faces.delete(card);
    }
  }

  /** The answer that is chosen, as in a record. */
  answer() {
    if (this.question.kind === "expose") {
      return [...this.faces].map(([card, face]) => card + (face === "down" ? "*" : "")).join(" ");
    }
    return this.question.kind === "pass" ? this.cards.join(" ") : this.raised;
  }
}
