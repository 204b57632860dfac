// The felt of a person's table: the seats, the trick until it is taken away, the last trick, the own hand.
// @ts-check

import { cardsOf } from "./cards.js";
import { cards } from "./news.js";
import { TRICK_MS } from "./play_queue.js";
import { sweep } from "./play_sweep.js";
import { Table, southOf } from "./table.js";
import { make } from "./words.js";

/** @typedef {import("./play_hand.js").Hand} Hand */
/** @typedef {import("./shapes").TableMoment} TableMoment */
/** @typedef {import("./shapes").TableDeal} TableDeal */
/** @typedef {import("./shapes").TableTrick} TableTrick */
/** @typedef {import("./words.js").Words} Words */

const FRESH_TRICKS = 2;

export class Board {
  /** Whether the last trick is shown. */
  isLast = false;
  /** @type {Table | null} */
  #table = null;
  /** @type {HTMLElement[]} */
  #tags = [];
  /** @type {TableMoment | null} */
  #moment = null;
  #seated = "";
  /** The deal in which the person has chosen a card to play. */
  #led = -1;
  #sweeping = 0;

  /** @param {HTMLElement} felt @param {HTMLElement} ask What stands over the hand. @param {Hand} hand @param {Words} words */
  constructor(felt, ask, hand, words) {
    this.felt = felt;
    this.ask = ask;
    this.hand = hand;
    this.words = words;
  }

  /** The person has chosen a card to play: what it was passed is no longer new. @param {TableDeal} deal */
  settle(deal) {
    this.#led = deal.number;
  }

  close() {
    clearTimeout(this.#sweeping);
  }

  /** Show a moment. @param {TableDeal} deal @param {TableMoment} moment @param {boolean} flies @param {number} speed */
  show(deal, moment, flies, speed) {
    clearTimeout(this.#sweeping);
    const table = this.#seat(deal);
    const own = moment.seats[southOf(deal)];
    this.isLast = false;
    this.felt.classList.remove("past");
    this.#moment = moment;
    this.hand.fresh = new Set(moment.trick <= FRESH_TRICKS && this.#led !== deal.number ? cardsOf(own.received) : []);
    table.show({ ...moment, scores: null }, flies);
    this.#tag(deal, moment);
    if (moment.complete && moment.phase !== "over") {
      this.#sweeping = window.setTimeout(() => this.sweep(flies), speed === Infinity ? 0 : TRICK_MS / speed);
    }
  }

  /** Take the trick off the table. @param {boolean} moves */
  sweep(moves) {
    const moment = this.#moment;
    const table = this.#table;
    clearTimeout(this.#sweeping);
    if (!table || !moment?.complete || moment.winning === null || moment.phase === "over" || this.isLast) {
      return;
    }
    const done = () => {
      if (this.#moment === moment && !this.isLast) {
        table.show({ ...moment, cards: "", complete: false, winning: null, scores: null, steps: [] }, false);
      }
    };
    if (moves) {
      sweep(table.seats.map((seat) => seat.spot), table.seats[moment.winning].title, done);
    } else {
      done();
    }
  }

  /** Show the last trick, or the table as it is. @param {TableTrick | null} last */
  showLast(last) {
    const moment = this.#moment;
    if (moment && this.#table) {
      const shown = last ? { ...moment, leader: last.leader, cards: last.cards, winning: last.winner, complete: true } : moment;
      this.#table.show({ ...shown, scores: null, steps: [] }, false);
      this.isLast = !!last;
      this.felt.classList.toggle("past", this.isLast);
      this.sweep(false);
    }
  }

  /** The table of a deal. @param {TableDeal} deal */
  #seat(deal) {
    const key = `${deal.number} ${deal.seat} ${deal.bots.join("\0")}`;
    if (this.#table && key === this.#seated) {
      return this.#table;
    }
    this.#seated = key;
    this.#table = new Table(this.felt, deal, this.words);
    this.felt.classList.add("mine");
    const own = this.#table.seats[southOf(deal)];
    own.lay = (nodes) => this.hand.lay(own.hand, nodes);
    own.element.classList.add("own");
    this.#tags = this.#table.seats.map((seat) => seat.element.appendChild(make("p", "tags")));
    this.felt.append(this.ask);
    return this.#table;
  }

  /** Who is a partner, and who has exposed what. @param {TableDeal} deal @param {TableMoment} moment */
  #tag(deal, moment) {
    moment.seats.forEach((viewed, seat) => {
      const isPartner = deal.partners && seat !== deal.seat && (seat + southOf(deal)) % 2 === 0;
      const tags = isPartner ? [make("span", "partner", this.words("partner"))] : [];
      if (viewed.exposed) {
        tags.push(make("span", "shown", this.words("shows"), " ", ...cards(viewed.exposed, this.words)));
      }
      this.#tags[seat].replaceChildren(...tags);
    });
  }
}
