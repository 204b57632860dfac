// The first meeting with exposing: what it is worth, until the person has read it or has answered.
// @ts-check

import { keep, kept } from "./kept.js";

const KNOWN = "pigpen-exposing-known";

export class FirstExposing {
  /** @param {HTMLElement | null} section What explains it; null where no card may be exposed. */
  constructor(section) {
    this.section = section;
    section?.querySelector("button")?.addEventListener("click", () => this.#learn());
  }

  /** Show it while the person is asked for the first time. @param {string | undefined} kind Of the open question. */
  show(kind) {
    if (!this.section) {
      return;
    }
    const wasShown = !this.section.hidden;
    if (kind === "expose") {
      this.section.hidden = kept(KNOWN) === "1";
    } else if (wasShown) {
      this.#learn();
    }
  }

  #learn() {
    if (this.section) {
      this.section.hidden = true;
    }
    keep(KNOWN, "1");
  }
}
