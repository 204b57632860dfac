// What stops the game for a while: the lesson on exposing before the first table, and the dialogs of help and settings.
// @ts-check

import { keep, kept } from "./kept.js";

const KNOWN = "pigpen-exposing-known";

export class Lesson {
  /**
   * @param {HTMLElement | null} section What explains exposing; null where no card may be exposed.
   * @param {NodeListOf<HTMLDialogElement>} dialogs @param {(isOpen: boolean) => void} changed Told when reading begins and ends.
   * @param {() => void} done Called when the table is to be shown.
   */
  constructor(section, dialogs, changed, done) {
    this.section = section;
    this.dialogs = dialogs;
    this.changed = changed;
    this.done = done;
    this.isReading = false;
    section?.querySelector("[data-lesson=known]")?.addEventListener("click", () => this.#close(true));
    section?.querySelector("[data-lesson=later]")?.addEventListener("click", () => this.#close(false));
    for (const dialog of dialogs) {
      new MutationObserver(() => this.#note()).observe(dialog, { attributeFilter: ["open"] });
    }
  }

  /** Whether the lesson stands in the place of the table. */
  get isShown() {
    return !!this.section && !this.section.hidden;
  }

  /** Begin with the lesson if this browser has not had it. */
  begin() {
    if (this.section && kept(KNOWN) !== "1") {
      this.section.hidden = false;
      this.section.querySelector("h2")?.focus();
    }
    this.#note();
  }

  /** @param {boolean} isKnown */
  #close(isKnown) {
    if (this.section) {
      this.section.hidden = true;
    }
    if (isKnown) {
      keep(KNOWN, "1");
    }
    this.#note();
    this.done();
  }

  #note() {
    const isReading = this.isShown || [...this.dialogs].some((dialog) => dialog.open);
    if (isReading !== this.isReading) {
      this.isReading = isReading;
      this.changed(isReading);
    }
  }
}
