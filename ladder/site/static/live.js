// A match while it is played: its events come as server-sent events, or, where streams fail, by asking again and again.
// @ts-check

import { rankOf, sign } from "./cards.js";
import { SharedStream } from "./shared_stream.mjs";
import { make } from "./words.js";

const POLL_MS = 2000;
const FAILURES = 3;

/** The deal under way in one rotation; numbers in events count from 0. @typedef {{deal: number, seats: number[], totals: number[], plays: Play[], scores: number[] | null}} Table */
/** @typedef {{seat: number, card: string}} Play */

class LiveMatch extends HTMLElement {
  /** By number. @type {string[]} */
  bots = [];
  /** @type {Map<number, Table>} */
  tables = new Map();
  /** @type {Map<number, HTMLElement>} */
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
      this.tables.clear();
      this.deals = event.deals ?? null;
      this.done = 0;
      this.points.fill(0);
    } else if (event.type === "deal") {
      this.tables.set(event.table, { deal: event.deal, seats: event.seats, totals: event.totals, plays: [], scores: null });
    } else if (event.type === "play") {
      this.tables.get(event.table)?.plays.push({ seat: event.seat, card: event.card });
    } else if (event.type === "scored") {
      this.score(event);
    } else if (event.type === "gap") {
      this.say(this.dataset.gap ?? "");
    } else if (event.type === "end") {
      this.say(this.dataset.over ?? "");
      for (const part of document.querySelectorAll("ladder-tv[hidden], .live-over[hidden]")) part.removeAttribute("hidden");
    }
    if ("table" in event) this.redraw(event.table);
  }

  /** @param {any} event */
  score(event) {
    const table = this.tables.get(event.table);
    this.done += 1;
    if (!table) return;
    table.scores = event.scores;
    table.totals = event.totals;
    table.seats.forEach((bot, seat) => (this.points[bot] += event.scores[seat]));
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
    const table = this.tables.get(number);
    if (!table) return;
    const players = table.seats.length;
    const full = Math.floor(table.plays.length / players) * players;
    const trick = table.plays.length > full ? table.plays.slice(full) : table.plays.slice(-players);
    const next = table.plays.length > full && !table.scores ? (trick[trick.length - 1].seat + 1) % players : -1;
    const title = make("h2", "", this.nameOf(number, table.deal));
    const seats = table.seats.map((bot, seat) => this.seat(bot, seat === next, trick.find((play) => play.seat === seat)));
    const section = make("section", "live-table", title, ...seats);
    if (table.scores) section.append(make("p", "", table.scores.map((score) => String(score).replace("-", "−")).join(" · ")));
    const before = this.drawn.get(number);
    if (before) before.replaceWith(section);
    else this.querySelector(".live-tables")?.append(section);
    this.drawn.set(number, section);
  }

  /** What people call a deal; they count from 1. @param {number} rotation From 0. @param {number} deal From 0. */
  nameOf(rotation, deal) {
    return (this.dataset.place ?? "").replace("{deal}", String(deal + 1)).replace("{rotation}", String(rotation + 1));
  }

  /** @param {number} bot @param {boolean} isNext @param {Play | undefined} play */
  seat(bot, isNext, play) {
    const row = make("div", isNext ? "live-seat on" : "live-seat", make("b", "", this.bots[bot]));
    if (play) row.append(make("span", `live-card suit-${play.card[1]}`, rankOf(play.card), sign(play.card[1])));
    return row;
  }
}

customElements.define("live-match", LiveMatch);
