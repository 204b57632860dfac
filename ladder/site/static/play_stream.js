// The table's states come as server-sent events, or, where streams fail, by asking again and again; answers are posted.
// @ts-check

import { SharedStream } from "./shared_stream.mjs";

/** @typedef {import("./shapes").PersonState} PersonState */
/** What became of a post: a sentence if it was refused. @typedef {{sent: boolean, why: string}} Sent */

const POLL_MS = 1000;
const AGAIN_MS = 1000;
const FAILURES = 3;
/** What says the opposite of each other. */
const KINDS = { here: "place", away: "place", ready: "ready", reads: "help", plays: "help" };

export class Stream {
  /** @type {SharedStream | null} */
  #source = null;
  #failures = 0;
  #timer = 0;
  #newest = -1;
  #isClosed = false;
  /** What was sent last of where the person is, and of the end of a deal. @type {Map<string, object>} */
  #saying = new Map();

  /**
   * @param {string} base The table's address. @param {(state: PersonState) => void} take
   * @param {(isLost: boolean) => void} lost
   */
  constructor(base, take, lost) {
    this.base = base;
    this.take = take;
    this.lost = lost;
    this.wake = () => this.#wake();
  }

  open() {
    this.#isClosed = false;
    addEventListener("online", this.wake);
    addEventListener("pageshow", this.wake);
    document.addEventListener("visibilitychange", this.wake);
    this.#follow();
  }

  close() {
    this.#isClosed = true;
    removeEventListener("online", this.wake);
    removeEventListener("pageshow", this.wake);
    document.removeEventListener("visibilitychange", this.wake);
    this.#source?.close();
    clearTimeout(this.#timer);
  }

  #follow() {
    clearTimeout(this.#timer);
    this.#source?.close();
    const source = new SharedStream(`${this.base}/stream`, null, true);
    this.#source = source;
    source.onopen = () => {
      this.#newest = -1;
    };
    source.onmessage = (data) => {
      this.#failures = 0;
      this.lost(false);
      this.#hear(JSON.parse(data));
    };
    source.onstop = () => this.close();
    source.onfull = () => this.#retry();
    source.onlost = () => {
      this.lost(true);
      if (++this.#failures >= FAILURES || source.isClosed) {
        this.#retry();
      }
    };
  }

  /** Ask for the state by itself, and open a stream again when that works. */
  #retry() {
    this.#source?.close();
    this.#source = null;
    clearTimeout(this.#timer);
    if (!this.#isClosed) {
      this.#timer = window.setTimeout(() => this.#poll(), POLL_MS);
    }
  }

  async #poll() {
    const answers = await this.look();
    this.lost(!answers);
    if (answers && this.#failures < FAILURES) {
      this.#follow();
    } else {
      this.#retry();
    }
  }

  /** Ask once how the table stands; says whether the site answers. */
  async look() {
    try {
      const response = await fetch(`${this.base}/state`, { cache: "no-store" });
      if (response.ok) {
        this.#hear(await response.json());
      }
      return response.ok;
    } catch {
      return false;
    }
  }

  /** The network is there again, or the page is looked at again. */
  #wake() {
    if (document.visibilityState === "visible" && !this.#isClosed) {
      this.#failures = 0;
      if (this.#source?.isOpen) {
        this.look();
      } else {
        this.#follow();
      }
    }
  }

  /** @param {PersonState} state */
  #hear(state) {
    if (state.number > this.#newest) {
      this.#newest = state.number;
      this.take(state);
    }
  }

  /**
   * Answer a question; sent again until the site has taken it: it takes each answer once.
   * @param {number} decision @param {string} action As in a record. @param {() => boolean} isOpen
   * @returns {Promise<Sent>}
   */
  async answer(decision, action, isOpen) {
    while (isOpen()) {
      const response = await this.post("answer", { decision, action });
      if (response?.status === 409) {
        this.#hear(await response.json().catch(() => ({ number: -1 })));
        return { sent: false, why: "" };
      }
      if (response && response.status < 500) {
        return { sent: response.ok, why: response.ok ? "" : await detail(response) };
      }
      this.lost(true);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
    return { sent: false, why: "" };
  }

  /**
   * Say where the person is; sent again until the site has received it, or until the opposite is sent.
   * @param {"here" | "away" | "ready" | "reads" | "plays"} state @param {number} [deal]
   */
  async presence(state, deal) {
    const kind = KINDS[state];
    const mine = {};
    this.#saying.set(kind, mine);
    while (this.#saying.get(kind) === mine && !this.#isClosed) {
      const response = await this.post("presence", deal === undefined ? { state } : { state, deal });
      if (response && response.status < 500) {
        return;
      }
      this.lost(true);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  /** @param {string} what @param {object} body @returns {Promise<Response | null>} Null: the site does not answer. */
  async post(what, body) {
    try {
      return await fetch(`${this.base}/${what}`, {
        method: "POST",
        headers: { Accept: "application/json", "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    } catch {
      return null;
    }
  }
}

/** @param {Response} response */
async function detail(response) {
  const body = await response.json().catch(() => ({}));
  return String(body.detail ?? body.reason ?? response.status);
}
