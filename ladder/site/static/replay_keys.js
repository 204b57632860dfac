// The keys of the replayer: those of `pigpen replay` (ladder/cli/replay/replay_viewer.py), `a` to play, `m` and `M` to mistakes,
// `c` for the chart of what was given away.
// @ts-check

/** @typedef {import("./replay.js").DealReplayer} DealReplayer */

/** @type {Record<string, string>} */
const KEYS = {
  ArrowRight: "forward", l: "forward", " ": "forward", Enter: "forward",
  ArrowLeft: "back", h: "back", Backspace: "back",
  ArrowDown: "nextTrick", j: "nextTrick", PageDown: "nextTrick",
  ArrowUp: "previousTrick", k: "previousTrick", PageUp: "previousTrick",
  "]": "nextDeal", n: "nextDeal",
  "[": "previousDeal", p: "previousDeal",
  Home: "first", g: "first",
  End: "last", G: "last",
  f: "nextFault", m: "nextMistake", M: "previousMistake", c: "showGiven", v: "nextView", a: "play", "?": "help", q: "quit",
};
const STAYS = new Set(["play", "help", "nextView", "showGiven"]);

export class Keys {
  /** @param {DealReplayer} replayer */
  constructor(replayer) {
    this.replayer = replayer;
    this.listen = (/** @type {KeyboardEvent} */ event) => this.#press(event);
    document.addEventListener("keydown", this.listen);
  }

  close() {
    document.removeEventListener("keydown", this.listen);
  }

  /** @param {string} what The name of one of the replayer's ways to move. */
  act(what) {
    if (!this.replayer.deal) {
      return;
    }
    if (!STAYS.has(what)) {
      this.replayer.pause();
    }
    const way = /** @type {keyof DealReplayer} */ (what);
    /** @type {() => unknown} */ (this.replayer[way]).call(this.replayer);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const target = event.target instanceof Element ? event.target : document.body;
    const what = KEYS[event.key];
    const isOutside = target !== document.body && !this.replayer.contains(target);
    const types = target.matches("select, textarea, input:not([type=range], [type=checkbox])");
    const presses = (event.key === " " || event.key === "Enter") && target.closest("button, a, summary, input");
    if (!what || event.ctrlKey || event.altKey || event.metaKey || isOutside || types || presses) {
      return;
    }
    if (target.closest("dialog[open]") && what !== "help") {
      return;
    }
    event.preventDefault();
    this.act(what);
  }
}
