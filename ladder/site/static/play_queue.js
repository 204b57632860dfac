// States that have come, shown one after the other at a pace that people can follow.
// @ts-check

import { between } from "./play_frames.js";

/** @typedef {import("./shapes").PersonState} PersonState */

const CARD_MS = 450;
export const TRICK_MS = 1000;
const MAX_COMING = 40;

export class Queue {
  /** @type {PersonState[]} */
  #coming = [];
  #due = 0;
  #timer = 0;
  /** The last one that has come. @type {PersonState | null} */
  newest = null;
  /** How many times as fast; Infinity: at once. */
  speed = 1;
  /** What is shown, as `key` tells it. */
  shown = "";

  /** @param {(state: PersonState, isCalm: boolean) => void} show It is told whether nothing is to move. */
  constructor(show) {
    this.show = show;
  }

  get isBusy() {
    return this.#coming.length > 0;
  }

  /** @param {PersonState} state */
  push(state) {
    this.#coming.push(...between(this.newest, state));
    this.newest = state;
    if (document.hidden || this.#coming.length > MAX_COMING) {
      this.hurry();
    } else {
      this.#advance();
    }
  }

  /** Show all that has come at once. */
  hurry() {
    clearTimeout(this.#timer);
    const coming = this.#coming;
    this.#coming = [];
    this.#due = 0;
    for (const state of coming) {
      this.#shows(state, true);
    }
  }

  close() {
    clearTimeout(this.#timer);
    this.#coming = [];
  }

  #advance() {
    clearTimeout(this.#timer);
    while (this.#coming.length) {
      const wait = this.#due - performance.now();
      if (wait > 0 && (key(this.#coming[0]) !== this.shown || this.#coming[0].result)) {
        this.#timer = window.setTimeout(() => this.#advance(), wait);
        return;
      }
      this.#shows(/** @type {PersonState} */ (this.#coming.shift()), false);
    }
  }

  /** @param {PersonState} state @param {boolean} isCalm */
  #shows(state, isCalm) {
    const isStill = key(state) === this.shown || !state.moment; // no one waits to see that the table is about to begin
    const pause = isStill ? 0 : (state.moment?.complete ? TRICK_MS : CARD_MS) / this.speed;
    this.shown = key(state);
    this.#due = Math.max(this.#due, performance.now() + pause);
    this.show(state, isCalm);
  }
}

/** What makes two states look alike. @param {PersonState} state */
function key(state) {
  const { moment, deal } = state;
  return moment && deal ? `${deal.number} ${moment.trick} ${moment.cards} ${moment.phase}` : state.status;
}
