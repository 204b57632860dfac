// The page that shows a record from the reader's own disk: nothing of it is sent anywhere.
// @ts-check

import { MAX_FILE_BYTES, RecordFile, opener } from "./record.js";
import { DealReplayer } from "./replay.js";
import { VerifyRecord } from "./verify.js";
import { sanitize, make, wordsIn } from "./words.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").Place} Place */

const WHOLE = /^boards\/(\d{1,6})\/(\d)(?:\/(\d{1,3}|result))?$/;

/** @param {RecordFile} record */
const hasBoards = (record) => record.match.format.startsWith("board");

class ReplayFile extends HTMLElement {
  /** @type {RecordFile | null} */
  record = null;

  connectedCallback() {
    this.words = wordsIn(this);
    this.input = /** @type {HTMLInputElement} */ (this.querySelector("input[type=file]"));
    this.status = /** @type {HTMLElement} */ (this.querySelector("[role=status]"));
    this.chooser = /** @type {HTMLSelectElement} */ (this.querySelector("select.deals"));
    this.shown = /** @type {HTMLElement} */ (this.querySelector(".shown"));
    this.input.addEventListener("change", () => this.#open(this.input?.files?.[0]));
    this.chooser.addEventListener("change", () => this.#choose());
    this.addEventListener("deal", (event) => this.#follow(/** @type {CustomEvent<Deal>} */ (event).detail));
    const held = /** @type {HTMLScriptElement | null} */ (this.querySelector("script[data-name]"));
    if (held) {
      const bytes = Uint8Array.from(atob(held.text), (letter) => letter.charCodeAt(0));
      this.#take(bytes, held.dataset.name ?? "");
      return;
    }
    /** @type {HTMLElement} */ (this.querySelector(".drop")).hidden = false;
    for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
      document.addEventListener(name, (event) => this.#drag(/** @type {DragEvent} */ (event)));
    }
  }

  /** @param {DragEvent} event */
  #drag(event) {
    event.preventDefault();
    this.classList.toggle("over", event.type === "dragenter" || event.type === "dragover");
    if (event.type === "drop") {
      this.#open(event.dataTransfer?.files[0]);
    }
  }

  get #replayer() {
    return /** @type {DealReplayer} */ (this.querySelector("deal-replayer"));
  }

  /** @param {File | undefined} file */
  async #open(file) {
    const { words = String } = this;
    if (!file) {
      return;
    }
    this.#say(words("reading", { name: sanitize(file.name) }));
    try {
      if (file.size > MAX_FILE_BYTES) {
        throw new Error(words("too-large", { most: MAX_FILE_BYTES / 1024 ** 2 }));
      }
      await this.#take(new Uint8Array(await file.arrayBuffer()), file.name);
    } catch (error) {
      this.#refuse(error, file.name);
    }
  }

  /** @param {Uint8Array} bytes @param {string} name */
  async #take(bytes, name) {
    try {
      this.record = await RecordFile.read(opener(bytes));
      this.#show(this.record, bytes, name);
    } catch (error) {
      this.#refuse(error, name);
    }
  }

  /** @param {unknown} error @param {string} name */
  #refuse(error, name) {
    const { words = String } = this;
    const { message, line = 0 } = /** @type {Error & {line?: number}} */ (error);
    const what = sanitize(message).slice(0, 300);
    this.#say(words("no-record", { name: sanitize(name), line, what }), true);
  }

  /** @param {RecordFile} record @param {Uint8Array} bytes @param {string} name */
  #show(record, bytes, name) {
    const { words = String } = this;
    this.#say(words(record.finished ? "shown" : "shown-unfinished", {
      name: sanitize(name), title: record.match.rules.title, count: record.deals.length,
    }));
    this.#list(record);
    /** @type {VerifyRecord} */ (this.querySelector("verify-record")).take(bytes);
    this.#replayer.source = {
      load: async (place, seat) => {
        const found = record.deals[record.find(place)].place;
        try {
          return record.deal(place, seat);
        } catch {
          throw new Error(words("bad-deal", { place: this.#nameOf(record, found) }));
        }
      },
      hash: (deal, after) => `boards/${deal.place.board}/${deal.place.rotation}${after && `/${after}`}`,
      asks: () => [],
      mistakes: () => null,
    };
    /** @type {HTMLElement} */ (this.shown).hidden = false;
    const wanted = WHOLE.exec(location.hash.slice(1));
    this.#replayer.load(wanted && { board: Number(wanted[1]), rotation: Number(wanted[2]) }, wanted?.[3]);
  }

  /** @param {RecordFile} record */
  #list(record) {
    const { words = String } = this;
    const groups = new Map();
    for (const { place } of record.deals) {
      const option = new Option(this.#nameOf(record, place), `${place.board}/${place.rotation}`);
      if (!hasBoards(record)) {
        groups.set(option.value, option);
        continue;
      }
      const label = words("board", { number: place.board });
      const group = groups.get(place.board) ?? Object.assign(make("optgroup"), { label });
      group.append(option);
      groups.set(place.board, group);
    }
    this.chooser?.replaceChildren(...groups.values());
  }

  /** What people call a deal. @param {RecordFile} record @param {Place} place */
  #nameOf(record, place) {
    const { words = String } = this;
    const [board, rotation] = [place.board, place.rotation];
    return hasBoards(record) ? words("place", { board, rotation }) : words("deal", { number: board });
  }

  #choose() {
    const [board, rotation] = (this.chooser?.value ?? "1/1").split("/").map(Number);
    this.#replayer.pause();
    this.#replayer.load({ board, rotation });
  }

  /** @param {Deal} deal */
  #follow(deal) {
    if (this.chooser) {
      this.chooser.value = `${deal.place.board}/${deal.place.rotation}`;
    }
  }

  /** @param {string} words @param {boolean} [isBad] */
  #say(words, isBad = false) {
    if (this.status) {
      this.status.textContent = words;
      this.status.className = isBad ? "bad" : "soft";
    }
  }
}

customElements.define("replay-file", ReplayFile);
