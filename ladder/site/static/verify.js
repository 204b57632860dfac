// "Verify here": the reader's own browser checks a record, so that no reader need trust the site.
// @ts-check

import { Differs, verified } from "./chain.mjs";
import { MAX_FILE_BYTES, opener } from "./record.js";
import { sanitize, wordsIn } from "./words.js";

const LONGEST = 400;

export class VerifyRecord extends HTMLElement {
  /** A record that is here already. @type {Uint8Array | null} */
  file = null;

  connectedCallback() {
    this.words = wordsIn(this);
    this.button = /** @type {HTMLButtonElement} */ (this.querySelector("button"));
    this.status = /** @type {HTMLElement} */ (this.querySelector("[role=status]"));
    this.button.hidden = false;
    this.button.addEventListener("click", () => this.verify());
  }

  /** Forget what was found; another record is here. @param {Uint8Array} file */
  take(file) {
    this.file = file;
    this.#say("", "");
  }

  /** Check the record, and say what was found. */
  async verify() {
    const { words = String, button } = this;
    if (button) {
      button.disabled = true;
    }
    this.#say("soft", words("wait"));
    try {
      if (!globalThis.crypto?.subtle) {
        throw new Differs(words("no-crypto"));
      }
      const file = this.file ?? (await this.#fetched());
      const found = await verified(opener(file), (done, all) => this.#say("soft", words("progress", { done, all })));
      this.#say("good", words("holds", { deals: found.deals, lines: found.lines, chain: found.last }));
    } catch (error) {
      const { message, line = 0 } = /** @type {Differs} */ (error);
      const what = sanitize(message).slice(0, LONGEST);
      this.#say("bad", line ? words("differs", { line, what }) : words("fails", { what }));
    } finally {
      if (button) {
        button.disabled = false;
      }
    }
  }

  async #fetched() {
    const response = await fetch(this.getAttribute("src") ?? "");
    if (!response.ok) {
      const problem = await response.json().catch(() => ({}));
      throw new Differs(String(problem.detail ?? response.statusText));
    }
    const file = new Uint8Array(await response.arrayBuffer());
    if (file.length > MAX_FILE_BYTES) {
      throw new Differs(`a file of more than ${MAX_FILE_BYTES} bytes is not read here`);
    }
    return file;
  }

  /** @param {string} className @param {string} words */
  #say(className, words) {
    const { status } = this;
    if (status) {
      status.className = className;
      status.textContent = words;
    }
  }
}

customElements.define("verify-record", VerifyRecord);
