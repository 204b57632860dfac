// A deal as its steps make it, in the browser: of a record that is played again, or of a match that is being played.
// It gives what the API gives for a match of the ladder.
// @ts-check

import { height } from "./cards.js";
import { CARDS } from "./deals.mjs";
import { cardPoints, named, valuesOf } from "./score.js";
import { StepReader, grouped, kindOf } from "./steps.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").TableSeat} TableSeat */
/** @typedef {import("./shapes").TableStep} TableStep */
/** @typedef {import("./shapes").TableMoment} TableMoment */

const OFFSETS = { left: () => 1, right: (/** @type {number} */ n) => n - 1, across: (/** @type {number} */ n) => n >> 1 };

/** How many seats clockwise cards travel. @param {any} rules @param {number} deal */
export function passOffset(rules, deal) {
  const directions = rules.passing?.directions ?? [];
  const direction = directions[deal % (directions.length || 1)];
  return OFFSETS[/** @type {keyof typeof OFFSETS} */ (direction)]?.(rules.players) ?? 0;
}

/** @param {Iterable<string>} cards */
function canonical(cards) {
  const there = new Set(cards);
  return CARDS.filter((card) => there.has(card)).join(" ");
}

/** Cards dealt to each seat. @param {any} rules */
function handSize(rules) {
  return Math.floor((CARDS.length - named(rules.removed ?? []).length) / rules.players);
}

/**
 * The part that stays for a whole deal.
 * @param {any} rules As in a record. @param {number} number Of the deal. @param {string[]} bots By seat.
 * @param {("person" | "house" | "bot")[]} kinds By seat. @param {number | null} seat As in the API.
 * @returns {import("./shapes").TableDeal}
 */
export function dealOf(rules, number, bots, kinds, seat) {
  return {
    number,
    variant: rules.name,
    title: rules.title,
    players: rules.players,
    hand_size: handSize(rules),
    low_is_better: rules.scoring.better === "low",
    partners: rules.partners === true,
    pass_offset: passOffset(rules, number),
    pass_count: rules.passing?.cards ?? 0,
    face_up: rules.exposing?.face_up ?? 0,
    face_down: rules.exposing?.face_down ?? 0,
    moon_others: rules.moon?.others ?? 0,
    moon_instead: rules.moon?.instead ?? null,
    seat,
    bots,
    kinds,
  };
}

/** As the seat of `PlayedDeal`: what all can see, and no hand. */
export const PUBLIC = -1;

/** The cards and their owners while a deal is played. */
export class PlayedDeal {
  /**
   * @param {any} rules @param {number} number Of the deal. @param {string[] | null} hands By seat; null: none is known.
   * @param {number | null} seat Whose knowledge is shown; null: all hands; `PUBLIC`: what all can see.
   * @param {number[]} totals Before the deal, by seat.
   */
  constructor(rules, number, hands, seat, totals) {
    this.rules = rules;
    this.seat = seat;
    this.totals = totals;
    this.n = rules.players;
    this.offset = passOffset(rules, number);
    this.isKnown = hands !== null;
    const unknown = Array.from({ length: handSize(rules) }, (_, place) => String(place)).join(" ");
    /** Where no hand is known, numbers stand for the cards. @type {Set<string>[]} */
    this.hands = (hands ?? Array(rules.players).fill(unknown)).map((hand) => new Set(hand.split(" ")));
    /** @type {string[][]} */
    this.passed = Array.from({ length: this.n }, () => []);
    /** @type {{seat: number, card: string, down: boolean}[]} */
    this.exposures = [];
    /** @type {{seat: number, card: string}[]} */
    this.plays = [];
    /** @type {Set<string>} */
    this.played = new Set();
    this.taken = Array.from({ length: this.n }, () => /** @type {Set<string>} */ (new Set()));
    this.voids = Array.from({ length: this.n }, () => /** @type {Set<string>} */ (new Set()));
    this.choice = "subtract";
    this.counted = new Set([...valuesOf(rules).keys(), rules.scoring.doubler?.card]);
  }

  /** The trick on the table, or the one just completed. */
  trick() {
    const begin = Math.floor((this.plays.length - 1) / this.n) * this.n;
    return this.plays.length ? this.plays.slice(begin) : [];
  }

  /** The play that wins the trick so far. */
  winning() {
    const trick = this.trick();
    const following = trick.filter((play) => play.card[1] === trick[0].card[1]);
    return following.reduce((best, play) => (height(play.card) > height(best.card) ? play : best), following[0]);
  }

  /** @param {any[]} steps Those of one moment. */
  apply(steps) {
    for (const step of steps) {
      const cards = (step.pass ?? step.expose ?? step.play ?? "").split(" ").filter(Boolean);
      if (step.moon !== undefined) {
        this.choice = step.moon;
      }
      for (const word of cards) {
        this.#take(step, word.replace("*", ""), word.endsWith("*"));
      }
    }
    for (const [seat, cards] of this.passed.entries()) {
      if (steps[0].pass !== undefined) {
        cards.forEach((card) => this.hands[(seat + this.offset) % this.n].add(card));
      }
    }
  }

  /** @param {any} step @param {string} card @param {boolean} down */
  #take(step, card, down) {
    const held = this.isKnown ? card : [...this.hands[step.seat]][0];
    if (!this.hands[step.seat]?.has(held)) {
      throw new Error(`${step.seat} ${card}`);
    }
    if (step.expose !== undefined) {
      this.exposures.push({ seat: step.seat, card, down });
      return;
    }
    this.hands[step.seat].delete(held);
    if (step.pass !== undefined) {
      this.passed[step.seat].push(card);
      return;
    }
    this.plays.push({ seat: step.seat, card });
    this.played.add(card);
    const trick = this.trick();
    if (trick[0].card[1] !== card[1]) {
      this.voids[step.seat].add(trick[0].card[1]);
    }
    if (trick.length === this.n) {
      trick.forEach((play) => this.taken[this.winning().seat].add(play.card));
    }
  }

  /** Whether every card has been played. */
  get isOver() {
    return this.plays.length === this.n * handSize(this.rules);
  }

  /** Cards were put face down of which only the number is known. @param {number} seat @param {number} count */
  hide(seat, count) {
    for (let each = 0; each < count; each++) {
      this.exposures.push({ seat, card: "", down: true });
    }
  }

  /** A card is played that was put face down. @param {number} seat @param {string} card */
  show(seat, card) {
    const hidden = this.exposures.find((each) => each.seat === seat && each.down && !each.card);
    if (hidden) hidden.card = card;
  }

  /** The table as it is. @param {TableStep[]} steps @param {any[]} next The steps to come. @param {number | null} after @returns {TableMoment} */
  moment(steps, next, after) {
    const trick = this.trick();
    const kind = kindOf(next[0]);
    return {
      after,
      steps,
      phase: kind ?? "over",
      trick: Math.ceil(this.plays.length / this.n),
      leader: trick[0]?.seat ?? null,
      cards: trick.map((play) => play.card).join(" "),
      winning: this.winning()?.seat ?? null,
      complete: trick.length === this.n,
      seats: this.seats(!kind, next),
      scores: null,
      totals: this.totals,
    };
  }

  /** Exposed cards that are known from where one looks. */
  known() {
    return this.exposures.filter(
      (shown) => this.seat === null || shown.seat === this.seat || !shown.down || this.played.has(shown.card),
    );
  }

  /** @param {boolean} over @param {any[]} asked The steps to come next. @returns {TableSeat[]} */
  seats(over, asked) {
    const known = over ? this.exposures : this.known();
    const exposed = new Map(known.map((shown) => [shown.card, shown.down]));
    const points = cardPoints(this.rules, this.taken, exposed, over ? this.choice : "subtract");
    return this.hands.map((_, seat) => this.#viewedSeat(seat, points[seat], asked));
  }

  /** @param {number} seat @param {number} points @param {any[]} asked @returns {TableSeat} */
  #viewedSeat(seat, points, asked) {
    const isOpen = this.seat === null || this.seat === seat;
    const shown = this.known().filter((each) => each.seat === seat);
    const hand = isOpen ? [...this.hands[seat]] : this.#guessed(seat, shown);
    const mayKnow = (/** @type {number} */ owner) => this.seat === null || this.seat === owner || this.seat === this.#to(owner);
    const isPublic = asked.length && (asked[0].play !== undefined || asked[0].moon !== undefined);
    const giver = (seat - this.offset + this.n) % this.n;
    return {
      asked: asked.some((step) => step.seat === seat) && (isOpen || Boolean(isPublic)),
      hand: canonical(hand),
      unknown: this.hands[seat].size - hand.length,
      legal: "",
      exposed: shown.sort((a, b) => CARDS.indexOf(a.card) - CARDS.indexOf(b.card)).map((each) => each.card + (each.down ? "*" : "")).join(" "),
      hidden: isOpen ? 0 : this.exposures.filter((each) => each.seat === seat && each.down && !this.played.has(each.card)).length,
      voids: [..."CDHS"].filter((suit) => this.voids[seat].has(suit)).join(""),
      passed: mayKnow(seat) ? canonical(this.passed[seat]) : "",
      received: this.offset && mayKnow(giver) ? canonical(this.passed[giver]) : "",
      taken: canonical([...this.taken[seat]].filter((card) => this.counted.has(card))),
      points,
    };
  }

  /** @param {number} seat */
  #to(seat) {
    return (seat + this.offset) % this.n;
  }

  /** Cards that another seat is known to hold. @param {number} seat @param {{card: string}[]} shown */
  #guessed(seat, shown) {
    const hasGiven = this.seat !== null && this.seat !== PUBLIC && this.offset && this.#to(this.seat) === seat;
    const given = hasGiven ? this.passed[/** @type {number} */ (this.seat)] : [];
    return [...new Set([...given, ...shown.map((each) => each.card)])].filter((card) => !this.played.has(card));
  }
}

/**
 * Play a deal again.
 * @param {any} match The first line. @param {any} line The deal's. @param {number | null} seat As in the API.
 * @param {number[]} decisions How many each bot had been asked for at this table before.
 * @returns {Pick<Deal, "moments" | "tricks" | "hands">}
 * @throws {Error} If that cannot be.
 */
export function played(match, line, seat, decisions) {
  const before = line.totals.map((/** @type {number} */ total, /** @type {number} */ seat) => total - line.scores[seat]);
  const table = new PlayedDeal(match.rules, line.deal, line.hands, seat, before);
  const groups = grouped(line.steps);
  const reader = new StepReader(line, seat, [...decisions]);
  /** @type {TableMoment[]} */
  const made = [];
  groups.unshift([]);
  groups.forEach((group, place) => {
    if (group.length) {
      table.apply(group);
    }
    made.push(table.moment(reader.read(group), groups[place + 1] ?? [], seat === null ? reader.done : null));
  });
  if (!table.isOver) {
    throw new Error("the deal is not whole");
  }
  made.push({ ...made[made.length - 1], steps: [], scores: line.scores, totals: line.totals });
  return {
    moments: made,
    tricks: tricks(made),
    hands: line.hands.map((/** @type {string} */ hand, /** @type {number} */ each) => (seat === null || seat === each ? hand : "")),
  };
}

/** @param {TableMoment[]} made */
function tricks(made) {
  const found = [];
  for (let place = 1; place < made.length; place++) {
    const [then, now] = [made[place - 1], made[place]];
    if (now.complete && now.cards !== then.cards && now.winning !== null && now.leader !== null) {
      const points = now.seats[now.winning].points - then.seats[now.winning].points;
      found.push({ number: now.trick, leader: now.leader, cards: now.cards, winner: now.winning, points, ends: place });
    }
  }
  return found;
}
