// The presenter's page: results come without leaving the full screen. Without this script each one is a page of its own.
// @ts-check

class PresentResults extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", (event) => {
      if (event.target instanceof Element && event.target.closest("[data-do=full]")) {
        void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
      }
    });
    this.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#release(/** @type {HTMLFormElement} */ (event.target));
    });
    document.addEventListener("fullscreenchange", () => this.#offer());
    this.#offer();
  }

  /** Offer the full screen where the browser has one. */
  #offer() {
    const button = this.querySelector("[data-do=full]");
    if (button instanceof HTMLElement) {
      button.hidden = !document.fullscreenEnabled;
      button.setAttribute("aria-pressed", String(document.fullscreenElement !== null));
    }
  }

  /** Release the next result, and show the page that answers. @param {HTMLFormElement} form */
  async #release(form) {
    const button = form.querySelector("button");
    const alert = /** @type {HTMLElement | null} */ (this.querySelector("[role=alert]"));
    if (!button || !alert) {
      return;
    }
    button.disabled = true; // Enter once more would send it twice
    alert.hidden = true;
    const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    /** @type {[Response, string] | null} */
    const answer = await fetch(form.action, { method: "POST", body })
      .then(async (response) => /** @type {[Response, string]} */ ([response, await response.text()]))
      .catch(() => null);
    if (!answer) {
      // A page that is loaded again would be lost as well. The form names its result, so it can be sent once more.
      button.disabled = false;
      alert.hidden = false;
      button.focus({ preventScroll: true });
      return;
    }
    const [response, text] = answer;
    const found = new DOMParser().parseFromString(text, "text/html").querySelector("present-results");
    if (!response.ok || !found) {
      location.reload(); // the server says what is the matter
      return;
    }
    this.replaceChildren(...found.children);
    history.replaceState(null, "", response.url);
    this.#offer();
    /** @type {HTMLElement | null} */ (this.querySelector("[autofocus]"))?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

customElements.define("present-results", PresentResults);
