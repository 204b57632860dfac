// A match while it is played: its events come as server-sent events, or, where streams fail, by asking again and again.
// @ts-check

import { PUBLIC, PlayedDeal, dealOf } from "./deal_replay.js";
import { SharedStream } from "./shared_stream.mjs";
import { Table } from "./table.js";
import { make, wordsIn } from "./words.js";

/** @typedef {import("./shapes").TableMoment} TableMoment */

const POLL_MS = 2000;
const FAILURES = 3;
const NO_SEAT = -1;

/** The deal under way in one rotation, as its events describe it; numbers in events count from 0. */
class Rotation {
  /** @type {number[] | null} */
  #scores = null;
  /** Whether no event was lost: a card that is missing would shift the tricks, so the table then stays as it was. */
  isWhole = true;
  /** Kind of the question before the first card. */
  #asks = "play";

  /** @param {any} rules As in a record. @param {any} begun The event. */
  constructor(rules, begun) {
    this.rules = rules;
    this.deal = begun.deal;
    this.seats = /** @type {number[]} */ (begun.seats);
    this.totals = /** @type {number[]} */ (begun.totals);
    this.isOpen = !!begun.hands;
    this.played = new PlayedDeal(rules, begun.deal, begun.hands ?? null, begun.hands ? null : PUBLIC, begun.totals);
    this.#asks = this.played.offset ? "pass" : rules.exposing ? "expose" : "play";
  }

  /** @param {any} event */
  take(event) {
    if (event.type === "scored") {
      this.#scores = event.scores;
      this.totals = event.totals;
    } else if (!this.isWhole) {
      return;
    } else if (event.type === "play") {
      if (event.down) this.played.show(event.seat, event.card);
      this.played.apply([{ seat: event.seat, play: event.card }]);
    } else if (event.type === "passed") {
      this.#asks = this.rules.exposing ? "expose" : "play";
      if (event.cards) {
        this.played.apply(event.cards.map((/** @type {string} */ pass, /** @type {number} */ seat) => ({ seat, pass })));
      }
    } else if (event.type === "exposed") {
      this.#asks = "play";
      this.played.apply(event.cards.map((/** @type {string} */ expose, /** @type {number} */ seat) => ({ seat, expose })));
      if (!this.isOpen) {
        event.hidden.forEach((/** @type {number} */ count, /** @type {number} */ seat) => this.played.hide(seat, count));
      }
    }
  }

  /** The table as it is. @returns {TableMoment} */
  moment() {
    const { played } = this;
    const trick = played.trick();
    const turn = trick.length === played.n ? played.winning().seat : (trick[0]?.seat + trick.length) % played.n;
    const step = trick.length ? { seat: turn, play: "" } : { seat: NO_SEAT, [this.#asks]: "" };
    const next = this.#scores || played.isOver ? [] : [step];
    return { ...played.moment([], next, null), scores: this.#scores, totals: this.totals };
  }
}

class LiveMatch extends HTMLElement {
  /** By number. @type {string[]} */
  bots = [];
  /** @type {Map<number, Rotation>} */
  rotations = new Map();
  /** The drawing of each rotation, and the deal that it is of. @type {Map<number, {of: Rotation, table: Table, section: HTMLElement}>} */
  drawn = new Map();
  /** @type {number[]} */
  points = [];
  done = 0;
  /** @type {number | null} */
  deals = null;
  /** Of the last event that was seen. */
  mark = "";
  failures = 0;
  /** Rotations to draw again. @type {Set<number>} */
  changed = new Set();
  frame = 0;
  /** @type {number | undefined} */
  timer;
  /** @type {SharedStream | null} */
  source = null;

  connectedCallback() {
    this.bots = JSON.parse(this.dataset.bots ?? "[]");
    this.rules = JSON.parse(this.dataset.rules ?? "null");
    this.words = wordsIn(this);
    this.points = this.bots.map(() => 0);
    this.follow();
  }

  disconnectedCallback() {
    this.source?.close();
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
  }

  follow() {
    const source = new SharedStream(`/api/v1/live/${this.dataset.match}/stream`, this.mark);
    this.source = source;
    source.onmessage = (data, id) => {
      this.failures = 0;
      this.mark = id;
      this.take(JSON.parse(data));
    };
    source.onfull = () => this.poll();
    source.onlost = () => {
      this.say(this.dataset.lost ?? "");
      if (++this.failures < FAILURES && !source.isClosed) return;
      source.close();
      this.poll();
    };
  }

  async poll() {
    try {
      if (document.hidden) throw new Error("the page is hidden");
      const address = `/api/v1/live/${this.dataset.match}/events?after=${encodeURIComponent(this.mark)}`;
      const page = await (await fetch(address)).json();
      for (const event of page.events) {
        this.mark = `${page.attempt}-${event.id}`;
        this.take(JSON.parse(event.line));
      }
      if (page.ended) return;
    } catch {
      if (!document.hidden) this.say(this.dataset.lost ?? "");
    }
    this.timer = window.setTimeout(() => (this.failures < FAILURES ? this.follow() : this.poll()), POLL_MS);
  }

  /** @param {any} event */
  take(event) {
    if (event.type === "match") {
      this.rotations.clear();
      this.deals = event.deals ?? null;
      this.done = 0;
      this.points.fill(0);
    } else if (event.type === "deal") {
      this.rotations.set(event.table, new Rotation(this.rules, event));
    } else if (event.type === "scored") {
      this.score(event);
    } else if (event.type === "gap") {
      this.say(this.dataset.gap ?? "");
      for (const each of this.rotations.values()) each.isWhole = false;
    } else if (event.type === "end") {
      this.say(this.dataset.over ?? "");
      for (const part of document.querySelectorAll("ladder-tv[hidden], .live-over[hidden]")) part.removeAttribute("hidden");
    }
    const rotation = this.rotations.get(event.table);
    if (rotation && rotation.deal === event.deal) {
      rotation.take(event);
      this.redraw(event.table);
    }
  }

  /** @param {any} event */
  score(event) {
    const rotation = this.rotations.get(event.table);
    this.done += 1;
    if (!rotation) return;
    rotation.seats.forEach((bot, seat) => (this.points[bot] += event.scores[seat]));
    const cells = this.querySelectorAll(".live-points td");
    this.points.forEach((points, bot) => (cells[bot].textContent = String(points).replace("-", "−")));
    this.say(this.deals ? `${this.done} / ${this.deals}` : String(this.done));
  }

  /** @param {string} words */
  say(words) {
    const state = this.querySelector(".live-state");
    if (state) state.textContent = words;
  }

  /**
   * Draw what has changed once for each picture on the screen: bots play hundreds of cards a second.
   * @param {number} number
   */
  redraw(number) {
    this.changed.add(number);
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      for (const each of this.changed) this.draw(each);
      this.changed.clear();
    });
  }

  /** @param {number} number */
  draw(number) {
    const rotation = this.rotations.get(number);
    if (!rotation) return;
    let drawn = this.drawn.get(number);
    if (drawn?.of !== rotation) {
      const names = rotation.seats.map((bot) => this.bots[bot]);
      const felt = make("div", "felt");
      const title = make("h2", "", this.nameOf(number, rotation.deal));
      const section = make("section", "live-table", title, make("div", "stage", felt));
      const deal = dealOf(this.rules, rotation.deal, names, names.map(() => /** @type {const} */ ("bot")), null);
      if (drawn) drawn.section.replaceWith(section);
      else this.querySelector(".live-tables")?.append(section);
      drawn = { of: rotation, table: new Table(felt, deal, this.words ?? String), section };
      this.drawn.set(number, drawn);
    }
    drawn.table.show(rotation.moment(), false);
  }

  /** What people call a deal; they count from 1. @param {number} rotation From 0. @param {number} deal From 0. */
  nameOf(rotation, deal) {
    return (this.dataset.place ?? "").replace("{deal}", String(deal + 1)).replace("{rotation}", String(rotation + 1));
  }
}

customElements.define("live-match", LiveMatch);
