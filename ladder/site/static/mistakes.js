// The mistakes of a deal: asked for once, when a reader wants to go to the first one.
// @ts-check

import { computed, progress } from "./computed.js";
import { answerOf } from "./costliest.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").Mistake} Mistake */
/** @typedef {import("./words.js").Words} Words */

export class Mistakes {
  /** @type {Map<Deal, Mistake[]>} */
  #found = new Map();
  /** The deal that is being looked at. @type {Deal | null} */
  #asked = null;

  /** @param {Words} words @param {(sentence: string) => void} report */
  constructor(words, report) {
    this.words = words;
    this.report = report;
  }

  /** Those of a deal, in order; null: none can be given, or they are on their way. @param {Deal} deal @param {string | null} src */
  async of(deal, src) {
    const known = this.#found.get(deal);
    if (known || !src || this.#asked === deal) {
      return known ?? null;
    }
    this.#asked = deal;
    this.report(this.words("why-wait"));
    const response = await computed(
      () => fetch(src).catch(() => null),
      () => this.#asked === deal,
      (computing) => this.report(progress(computing, this.words)),
    );
    const found = await answerOf(response, this.words);
    this.#asked = null;
    if (typeof found === "string") {
      this.report(found);
      return null;
    }
    this.#found.set(deal, found.mistakes);
    return /** @type {Mistake[]} */ (found.mistakes);
  }
}
