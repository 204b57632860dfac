// What decisions are worth: asked before one plays, and taken back, in practice.
// @ts-check

import { cardsOf } from "./cards.js";
import { computed, progress } from "./computed.js";
import { answerOf } from "./costliest.js";
import { listed, setText, spoken } from "./table.js";
import { estimated, reasons } from "./why.js";
import { make } from "./words.js";

/** @typedef {import("./play_stream.js").Stream} Stream */
/** @typedef {import("./shapes").PersonState} PersonState */
/** @typedef {import("./words.js").Words} Words */

export class Practice {
  /** The decision that was asked about, or -1. */
  #asked = -1;

  /**
   * @param {HTMLElement} place Where estimates are shown.
   * @param {Stream} stream @param {Words} words @param {(sentence: string) => void} remark
   */
  constructor(place, stream, words, remark) {
    this.place = place;
    this.stream = stream;
    this.words = words;
    this.remark = remark;
  }

  /** Forget what is no longer asked. @param {PersonState} state */
  show(state) {
    if (this.#asked >= 0 && state.question?.decision !== this.#asked) {
      this.#asked = -1;
      this.place.hidden = true;
      this.place.replaceChildren();
    }
  }

  /** Ask what each choice of the open question is worth. @param {PersonState | null} state */
  async ask(state) {
    const decision = state?.question?.decision;
    if (decision === undefined) {
      return;
    }
    this.#asked = decision;
    this.place.hidden = false;
    const status = make("p", "soft", this.words("why-wait"));
    this.place.replaceChildren(status);
    const response = await computed(
      () => this.stream.post("why", { decision }),
      () => this.#asked === decision,
      (computing) => setText(status, progress(computing, this.words)),
    );
    const found = await answerOf(response, this.words);
    if (this.#asked !== decision) {
      return;
    }
    if (typeof found === "string" || found.decision !== decision) {
      this.place.hidden = true;
      this.remark(typeof found === "string" ? found : this.words("why-failed"));
    } else {
      this.place.replaceChildren(...reasons(found, this.words, true), ...estimated(found, this.words));
      this.remark(this.words("why-best", { what: this.#nameOf(found.choices[0].choice) }));
    }
  }

  /** Take the last decision back. */
  async back() {
    const found = await answerOf(await this.stream.post("back", {}), this.words, true);
    if (typeof found === "string") {
      this.remark(found);
    }
  }

  /** A choice in words. @param {string} choice */
  #nameOf(choice) {
    if (choice === "subtract" || choice === "add") {
      return this.words(`choice-${choice}`);
    }
    const named = cardsOf(choice).map((card) => spoken(card, this.words) + (card.endsWith("*") ? ` (${this.words("down")})` : ""));
    return named.length ? listed(named, this.words) : this.words("nothing");
  }
}
