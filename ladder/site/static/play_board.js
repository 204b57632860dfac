// The felt of a person's table: the seats, the trick until it is taken away, the last trick, the own hand.
// @ts-check

import { cardsOf } from "./cards.js";
import { cards } from "./news.js";
import { TRICK_MS } from "./play_queue.js";
import { sweep } from "./play_sweep.js";
import { Table } from "./table.js";
import { make } from "./words.js";

/** @typedef {import("./play_hand.js").Hand} Hand */
/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").Moment} Moment */
/** @typedef {import("./shapes").PersonDeal} PersonDeal */
/** @typedef {import("./shapes").PersonTrick} PersonTrick */
/** @typedef {import("./words.js").Words} Words */

const FRESH_TRICKS = 2;

export class Board {
  /** Whether the last trick is shown. */
  isLast = false;
  /** @type {Table | null} */
  #table = null;
  /** @type {HTMLElement[]} */
  #tags = [];
  /** @type {Moment | null} */
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

  /** The person has chosen a card to play: what it was passed is no longer new. @param {PersonDeal} deal */
  settle(deal) {
    this.#led = deal.number;
  }

  close() {
    clearTimeout(this.#sweeping);
  }

  /** Show a moment. @param {PersonDeal} deal @param {Moment} moment @param {boolean} flies @param {number} speed */
  show(deal, moment, flies, speed) {
    clearTimeout(this.#sweeping);
    const table = this.#seat(deal);
    const own = moment.seats[deal.seat];
    this.isLast = false;
    this.felt.classList.remove("past");
    this.#moment = moment;
    this.hand.fresh = new Set(moment.trick <= FRESH_TRICKS && this.#led !== deal.number ? cardsOf(own.received) : []);
    table.show({ ...moment, result: false }, flies);
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
        table.show({ ...moment, cards: "", complete: false, winning: null, result: false, steps: [] }, false);
      }
    };
    if (moves) {
      sweep(table.seats.map((seat) => seat.spot), table.seats[moment.winning].title, done);
    } else {
      done();
    }
  }

  /** Show the last trick, or the table as it is. @param {PersonTrick | null} last */
  showLast(last) {
    const moment = this.#moment;
    if (moment && this.#table) {
      const shown = last ? { ...moment, leader: last.leader, cards: last.cards, winning: last.winner, complete: true } : moment;
      this.#table.show({ ...shown, result: false, steps: [] }, false);
      this.isLast = !!last;
      this.felt.classList.toggle("past", this.isLast);
      this.sweep(false);
    }
  }

  /** The table of a deal. @param {PersonDeal} deal */
  #seat(deal) {
    const key = `${deal.number} ${deal.seat} ${deal.bots.join("\0")}`;
    if (this.#table && key === this.#seated) {
      return this.#table;
    }
    this.#seated = key;
    this.#table = new Table(this.felt, asWhole(deal), deal.seat, this.words);
    this.felt.classList.add("mine");
    const own = this.#table.seats[deal.seat];
    own.lay = (nodes) => this.hand.lay(own.hand, nodes);
    own.element.classList.add("own");
    this.#tags = this.#table.seats.map((seat) => seat.element.appendChild(make("p", "tags")));
    this.felt.append(this.ask);
    return this.#table;
  }

  /** Who is a partner, and who has exposed what. @param {PersonDeal} deal @param {Moment} moment */
  #tag(deal, moment) {
    moment.seats.forEach((viewed, seat) => {
      const isPartner = deal.partners && seat !== deal.seat && (seat + deal.seat) % 2 === 0;
      const tags = isPartner ? [make("span", "partner", this.words("partner"))] : [];
      if (viewed.exposed) {
        tags.push(make("span", "shown", this.words("shows"), " ", ...cards(viewed.exposed, this.words)));
      }
      this.#tags[seat].replaceChildren(...tags);
    });
  }
}

/**
 * A deal as tables want it, which knows no more than the person.
 * @param {PersonDeal} deal @param {import("./shapes").PersonSheetRow | null} [result] @returns {Deal}
 */
export function asWhole(deal, result = null) {
  const place = { board: deal.number + 1, rotation: 1 };
  const rest = { match: null, format: "", place, boards: false, previous: null, next: null };
  const totals = { scores: result?.scores ?? deal.totals_before, totals: result?.totals ?? deal.totals_before };
  return { ...deal, ...rest, ...totals, faults: [], numbers: [], people: [], hands: [], moments: [], tricks: [] };
}
