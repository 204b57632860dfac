// How much time is left until a moment, by the reader's clock.
// @ts-check

const MINUTE_MS = 60_000;

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
    const words = (this.dataset.words ?? "").replace("{hours}", String(Math.floor(minutes / 60)));
    this.textContent = Number.isNaN(minutes) ? "" : ` (${words.replace("{minutes}", String(minutes % 60))})`;
  }
}

customElements.define("time-left", TimeLeft);
