// Ladder TV: boards of the newest matches, one after the other, at the pace of people, with all hands open.
// @ts-check

import { computed } from "./computed.js";
import { Scores, sentence } from "./news.js";
import { Table, setText } from "./table.js";
import { chosen, estimated, reasons } from "./why.js";
import { filled, make, wordsIn } from "./words.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").Mistake} Mistake */
/** @typedef {import("./shapes").TvBoard} TvBoard */

const CARD_MS = 1100;
const TRICK_MS = 2000;
const MISTAKE_MS = 4500;
const RESULT_MS = 6000;
const RETRY_MS = 30_000;
const MAX_SEEN = 30;
/** Points below which tenths are said: in hearts a costly decision may cost less than half a point. */
const FEW = 10;
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

class LadderTv extends HTMLElement {
  static observedAttributes = ["hidden"];
  /** @type {number[]} */
  #seen = [];
  /** @type {Deal | null} */
  #deal = null;
  /** Those of the deal, as far as they are known, by the numbers of their steps. @type {Map<number, Mistake>} */
  #mistakes = new Map();
  #at = 0;
  #timer = 0;
  #isOn = false;
  #isPaused = CALM.matches;
  /** @type {IntersectionObserver | null} */
  #observer = null;

  connectedCallback() {
    this.words = wordsIn(this);
    for (const button of this.querySelectorAll("button")) {
      button.addEventListener("click", () => (button.dataset.do === "next" ? this.#next() : this.#turn()));
    }
    // What is not in view costs nothing: neither the deal nor the pace.
    this.#observer = new IntersectionObserver(([entry]) => this.#look(entry.isIntersecting));
    this.#observer.observe(this);
  }

  disconnectedCallback() {
    this.#observer?.disconnect();
    clearTimeout(this.#timer);
  }

  attributeChangedCallback() {
    this.#later(0);
  }

  /** @param {boolean} isOn */
  #look(isOn) {
    this.#isOn = isOn;
    this.#later(0);
  }

  /** @param {string} name @returns {HTMLElement} */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part="${name}"]`));
  }

  #turn() {
    this.#isPaused = !this.#isPaused;
    this.#later(0);
  }

  /** @param {number} ms */
  #later(ms) {
    clearTimeout(this.#timer);
    const button = this.#part("pause");
    if (!this.words || !button) {
      return;
    }
    button.setAttribute("aria-pressed", String(this.#isPaused));
    if (this.#isOn && !this.hidden && (!this.#isPaused || !this.#deal)) {
      this.#timer = window.setTimeout(() => this.#step(), ms);
    }
  }

  async #step() {
    if (document.hidden) {
      this.#later(CARD_MS);
    } else if (!this.#deal || this.#at + 1 >= this.#deal.moments.length) {
      await this.#next();
    } else {
      this.#show(this.#at + 1);
    }
  }

  /** Go to the next board; one that is not available is tried again later. */
  async #next() {
    clearTimeout(this.#timer);
    try {
      const first = this.dataset.first && !this.#seen.length ? `&first=${this.dataset.first}` : "";
      const { board, is_estimating } = await (await fetch(`/api/v1/tv?seen=${this.#seen.join(",")}${first}`)).json();
      if (!board) {
        this.hidden = true; // there is nothing to watch
        return;
      }
      const place = `/matches/${board.match}/boards/${board.board}/rotations/${board.rotation}`;
      const response = await fetch(`/api/v1${place}`);
      if (!response.ok) {
        throw new Error(String(response.status));
      }
      const deal = await response.json();
      this.#begin(board, deal);
      if (is_estimating) {
        void this.#estimate(deal, `/api/v1${place}/mistakes`);
      }
    } catch {
      this.#later(RETRY_MS);
    }
    this.#seen = this.#seen.slice(-MAX_SEEN);
  }

  /** @param {TvBoard} board @param {Deal} deal */
  #begin(board, deal) {
    this.#seen = [...this.#seen.filter((match) => match !== board.match), board.match];
    this.#deal = deal;
    const name = this.words?.(deal.boards ? "tv-board" : "tv-deal", { match: board.match, board: board.board }) ?? "";
    const link = /** @type {HTMLAnchorElement} */ (this.#part("link"));
    setText(link, name);
    link.href = `/m/${board.match}/boards/${board.board}/${board.rotation}`;
    const key = `variant-${board.variant}`;
    const variant = this.words?.(key) ?? key;
    setText(this.#part("variant"), variant === key ? deal.title : variant);
    this.table = new Table(this.#part("felt"), deal, this.words ?? String);
    this.scores = new Scores(this.#part("scores"), deal, this.words ?? String);
    this.#part("screen").hidden = false;
    this.#mistakes = new Map();
    this.#part("worth").replaceChildren();
    this.#show(0);
  }

  /** Ask what the costly decisions of a deal were worth; where none can be given, none are shown. @param {Deal} deal @param {string} url */
  async #estimate(deal, url) {
    const response = await computed(
      () => fetch(url, { headers: { Accept: "application/json" } }).catch(() => null),
      () => this.#deal === deal && this.isConnected && !this.hidden,
      () => {},
    );
    if (response?.status === 200 && this.#deal === deal) {
      const found = /** @type {import("./shapes").Mistakes} */ (await response.json());
      this.#mistakes = new Map(found.mistakes.map((each) => [each.step, each]));
    }
  }

  /** @param {number} place */
  #show(place) {
    const deal = /** @type {Deal} */ (this.#deal);
    const moment = deal.moments[place];
    this.#at = place;
    this.table?.show(moment, !CALM.matches);
    this.scores?.show(moment);
    setText(this.#part("news"), sentence(deal, place, this.words ?? String));
    const mistake = moment.steps.map((step) => this.#mistakes.get(step.number ?? 0)).find(Boolean);
    if (mistake) {
      this.#worth(deal, mistake, moment.steps[0].kind === "play");
    }
    this.#later(moment.scores ? RESULT_MS : mistake ? MISTAKE_MS : moment.complete ? TRICK_MS : CARD_MS);
  }

  /** Say in words what a costly decision gives away; the figures of all choices are behind *more*. @param {Deal} deal @param {Mistake} mistake @param {boolean} isPlay */
  #worth(deal, mistake, isPlay) {
    const words = this.words ?? String;
    const more = document.createElement("details");
    const cost = words("costliest-cost", { cost: mistake.cost.toFixed(1), error: mistake.cost_error.toFixed(1) });
    const found = { ...mistake, low_is_better: deal.low_is_better };
    const figures = [...reasons(found, words), ...estimated(found, words)];
    more.append(make("summary", "", words("tv-more")), make("p", "soft", cost), ...figures);
    more.addEventListener("toggle", () => {
      if (more.open && !this.#isPaused) {
        this.#turn(); // who reads figures has the time for it
      }
    });
    this.#part("worth").replaceChildren(make("p", "sentence", ...inWords(deal.bots[mistake.seat], mistake, isPlay, words)), more);
  }
}

/** What the best choice of a decision keeps, and what was chosen. @param {string} who @param {Mistake} mistake @param {boolean} isPlay Whether a card was played. @param {import("./words.js").Words} words @returns {(string | Node)[]} */
function inWords(who, mistake, isPlay, words) {
  const best = mistake.choices.reduce((one, other) => (other.behind < one.behind ? other : one));
  const done = mistake.choices.find((each) => each.chosen) ?? best;
  const key = isPlay ? "tv-keeps" : "tv-better";
  const named = { best: chosen(best.choice, words), done: chosen(done.choice, words) };
  const points = mistake.cost < FEW ? mistake.cost.toFixed(1) : Math.round(mistake.cost);
  return filled(key, { who, points }, named, words);
}

customElements.define("ladder-tv", LadderTv);
