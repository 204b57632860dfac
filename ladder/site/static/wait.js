// A table that waits for people: the page is asked for again every few seconds, until the table begins.
// @ts-check

const LOOK_MS = 2000;

class WaitingTable extends HTMLElement {
  timer = 0;

  connectedCallback() {
    this.#offerCopies();
    this.#later();
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
  }

  #later() {
    this.timer = window.setTimeout(() => this.#look(), LOOK_MS);
  }

  async #look() {
    try {
      const response = await fetch(location.pathname, { cache: "no-store" });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const there = page.querySelector("waiting-table");
      if (response.ok && !there) {
        location.reload();
        return;
      }
      if (there && there.innerHTML !== this.shown && !this.contains(document.activeElement)) {
        this.replaceChildren(...there.childNodes);
        this.#offerCopies();
      }
    } catch {
      // the network is away: look again
    }
    this.#later();
  }

  /** What the server said last. */
  shown = "";

  #offerCopies() {
    this.shown = this.innerHTML;
    if (!navigator.clipboard) {
      return;
    }
    for (const button of this.querySelectorAll("button")) {
      button.hidden = false;
      button.onclick = async () => {
        const field = this.querySelector(`#${button.dataset.copy}`);
        if (field instanceof HTMLInputElement) {
          await navigator.clipboard.writeText(field.value);
          button.textContent = this.dataset.copied ?? "";
        }
      };
    }
  }
}

customElements.define("waiting-table", WaitingTable);
