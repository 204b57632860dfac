// Phrases that people at the table send to each other at the end of a deal.
// @ts-check

import { noticed } from "./play_log.js";
import { make } from "./words.js";

/** @typedef {import("./shapes").PersonState} PersonState */
/** @typedef {import("./words.js").Words} Words */

const SHOWN = 3;

export class Say {
  showsPhrases = true;
  #numbers = "";

  /**
   * @param {HTMLElement} place @param {import("./play_stream.js").Stream} stream @param {Words} words
   * @param {(sentence: string) => void} refused Takes the reason if a phrase was refused.
   */
  constructor(place, stream, words, refused) {
    this.place = place;
    this.list = /** @type {HTMLElement} */ (place.querySelector("[data-part=phrases]"));
    this.words = words;
    for (const button of place.querySelectorAll("button")) {
      button.addEventListener("click", async () => {
        const response = await stream.post("say", { phrase: button.dataset.say });
        if (response && !response.ok) {
          refused(words(response.status === 409 ? "say-later" : "say-less"));
        }
      });
    }
  }

  /** @param {PersonState} state */
  show(state) {
    const people = state.deal?.kinds.filter((kind) => kind === "person").length ?? 0;
    this.place.hidden = people < 2 || !(state.result || state.over);
    const phrases = this.showsPhrases ? state.notices.filter((notice) => notice.kind === "phrase").slice(-SHOWN) : [];
    const numbers = phrases.map((notice) => notice.number).join(" ");
    if (numbers !== this.#numbers) {
      this.#numbers = numbers;
      this.list.replaceChildren(...phrases.map((notice) => make("li", "", noticed(notice, this.words))));
    }
  }
}
