// The matches that are being played: the server sends this part of the page anew whenever it changes.
// @ts-check

import { SharedStream } from "./shared_stream.mjs";

const ADDRESS = "/live/rows";
const POLL_MS = 2000;

class RunningMatches extends HTMLElement {
  /** @type {SharedStream | null} */
  source = null;

  timer = 0;

  connectedCallback() {
    const source = new SharedStream(ADDRESS);
    source.onmessage = (data) => this.#show(JSON.parse(data));
    source.onfull = () => {
      source.close();
      this.timer = window.setTimeout(() => this.#ask(), POLL_MS);
    };
    this.source = source;
  }

  disconnectedCallback() {
    this.source?.close();
    clearTimeout(this.timer);
  }

  /** Where there is no room for a stream: ask for the list, and then for a stream again. */
  async #ask() {
    const response = await fetch(ADDRESS).catch(() => null);
    if (response?.ok) {
      this.#show(await response.text());
    }
    if (this.isConnected) {
      this.connectedCallback();
    }
  }

  /** Replace what is shown; a link that has the focus keeps it. @param {string} html */
  #show(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const focused = document.activeElement;
    const address = focused instanceof HTMLAnchorElement && this.contains(focused) ? focused.href : "";
    this.replaceChildren(...page.body.childNodes);
    [...this.querySelectorAll("a")].find((link) => link.href === address)?.focus();
  }
}

customElements.define("running-matches", RunningMatches);
