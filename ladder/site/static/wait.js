// A part of a page that waits: for people at a table, or for what is being computed. The page is asked for again every
// few seconds, until that part is gone from it; then the whole page is loaded again.
// @ts-check

const LOOK_MS = 2000;

class WaitingPart extends HTMLElement {
  timer = 0;

  /** Whether a refusal is what it has waited for. */
  mayFail = false;

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
      const response = await fetch(location.pathname + location.search, { cache: "no-store" });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const there = page.querySelector(this.localName);
      const isGone = response.status === 404; // the table, or one's chair there
      if (!there && (response.ok || isGone || (this.mayFail && response.status < 500))) {
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

  /** The server's last answer. */
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

customElements.define("waiting-table", WaitingPart);

class BeingComputed extends WaitingPart {
  mayFail = true;
}

customElements.define("being-computed", BeingComputed);
