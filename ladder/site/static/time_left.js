// How much time is left until a moment, by the reader's clock: in days if there are many, and a word once it is past.
// @ts-check

const MINUTE_MS = 60_000, MINUTES_A_DAY = 24 * 60, MANY_DAYS = 3;

class TimeLeft extends HTMLElement {
  #timer = 0;

  connectedCallback() {
    this.#show();
    this.#timer = window.setInterval(() => this.#show(), MINUTE_MS / 2);
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }

  #show() {
    const minutes = Math.max(0, Math.ceil((Date.parse(this.dataset.until ?? "") - Date.now()) / MINUTE_MS));
    this.textContent = Number.isNaN(minutes) ? "" : ` (${this.#words(minutes)})`;
  }

  /** @param {number} minutes */
  #words(minutes) {
    const { words = "", days, passed } = this.dataset;
    if (passed !== undefined && minutes === 0) return passed;
    if (days !== undefined && minutes >= MANY_DAYS * MINUTES_A_DAY) {
      return days.replace("{days}", String(Math.floor(minutes / MINUTES_A_DAY)));
    }
    return words.replace("{hours}", String(Math.floor(minutes / 60))).replace("{minutes}", String(minutes % 60));
  }
}

customElements.define("time-left", TimeLeft);
