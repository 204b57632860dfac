// Tells a person who looks at another tab or program that the table waits for them.
// @ts-check

/** @typedef {import("./words.js").Words} Words */

export class Turn {
  /** Whether notifications are wanted. */
  notifies = false;
  #asked = "";
  /** @type {Notification | null} */
  #shown = null;

  /** @param {string} table What the table is called. @param {Words} words */
  constructor(table, words) {
    this.table = table;
    this.words = words;
    this.title = document.title;
    this.look = () => this.#look();
    document.addEventListener("visibilitychange", this.look);
  }

  /** @param {string} asked What is asked, as a text that differs for each question; empty: nothing is. */
  show(asked) {
    if (asked === this.#asked) {
      return;
    }
    this.#asked = asked;
    document.title = asked ? `▸ ${this.words("your-turn")} · ${this.title}` : this.title;
    this.#shown?.close();
    this.#shown = null;
    if (asked && this.notifies && document.hidden && mayNotify()) {
      const shown = new Notification(this.words("your-turn"), { body: this.table, tag: location.pathname });
      this.#shown = shown;
      shown.onclick = () => {
        window.focus();
        shown.close();
      };
    }
  }

  close() {
    document.removeEventListener("visibilitychange", this.look);
    document.title = this.title;
    this.#shown?.close();
  }

  #look() {
    if (!document.hidden) {
      this.#shown?.close();
    }
  }
}

/** Whether this browser can notify at all. */
export function canNotify() {
  return "Notification" in window && isSecureContext;
}

/** Whether the person has allowed it. */
export function mayNotify() {
  return canNotify() && Notification.permission === "granted";
}
