// What lies between two states: states may be left out on the way, but each card is shown.
// @ts-check

import { cardsOf, height } from "./cards.js";

/** @typedef {import("./shapes").PersonState} PersonState */
/** @typedef {import("./shapes").TableMoment} TableMoment */
/** @typedef {import("./shapes").TableSeat} TableSeat */

/**
 * The states to show after *before*, of which the last is *next*.
 * @param {PersonState | null} before @param {PersonState} next @returns {PersonState[]}
 */
export function between(before, next) {
  const from = before?.moment;
  const to = next.moment;
  if (!from || !to || !next.deal || before?.deal?.number !== next.deal.number) {
    return [next];
  }
  const frames = [];
  let now = from;
  for (const play of missing(from, to, next)) {
    now = after(now, play.leader, play.card, play.isNew, next);
    frames.push({ ...next, moment: now, question: null, result: null, over: null });
  }
  return [...frames.slice(0, -1), next];
}

/**
 * The cards played from one moment to the other, as far as they are known.
 * @param {TableMoment} from @param {TableMoment} to @param {PersonState} next
 */
function missing(from, to, next) {
  const [old, late] = [cardsOf(from.cards), cardsOf(to.cards)];
  const plays = (/** @type {number} */ leader, /** @type {string[]} */ cards, /** @type {number} */ done) =>
    cards.slice(done).map((card, place) => ({ leader, card, isNew: done + place === 0 }));
  if (to.leader === null) {
    return [];
  }
  if (from.trick === to.trick) {
    return plays(to.leader, late, old.length);
  }
  const last = next.last_trick;
  if (from.trick + 1 !== to.trick || (!from.complete && from.trick && (to.complete || !last))) {
    return [];
  }
  const rest = from.complete || !last || !from.trick ? [] : plays(last.leader, cardsOf(last.cards), old.length);
  return [...rest, ...plays(to.leader, late, 0)];
}

/**
 * The moment after one more card.
 * @param {TableMoment} now @param {number} leader @param {string} card @param {boolean} isNew Whether it is a lead.
 * @param {PersonState} next @returns {TableMoment}
 */
function after(now, leader, card, isNew, next) {
  const players = now.seats.length;
  const cards = [...(isNew ? [] : cardsOf(now.cards)), card];
  const seat = (leader + cards.length - 1) % players;
  const complete = cards.length === players;
  const winning = (leader + best(cards)) % players;
  const seats = now.seats.map((viewed, place) => ({
    ...(place === seat ? without(viewed, card) : viewed),
    asked: !complete && place === (seat + 1) % players,
    legal: "",
  }));
  if (complete && next.last_trick && next.last_trick.cards === cards.join(" ")) {
    seats[winning].points += next.last_trick.points;
  }
  const step = { ...NO_STEP, seat, action: card };
  return { ...now, steps: [step], trick: now.trick + Number(isNew), leader, cards: cards.join(" "), winning, complete, seats };
}

/** @type {import("./shapes").TableStep} */
const NO_STEP = {
  number: null, seat: 0, kind: "play", action: "", by: "", why: "",
  took_ms: null, cpu_ms: null, unasked_ms: null, decision: null, printed: "",
};

/** The place of the card that wins. @param {string[]} cards */
function best(cards) {
  const rank = (/** @type {string} */ card) => (card[1] === cards[0][1] ? height(card) : -1);
  return cards.reduce((found, card, place) => (rank(card) > rank(cards[found]) ? place : found), 0);
}

/** @param {TableSeat} viewed @param {string} card @returns {TableSeat} */
function without(viewed, card) {
  const hand = cardsOf(viewed.hand);
  return hand.includes(card)
    ? { ...viewed, hand: hand.filter((each) => each !== card).join(" ") }
    : { ...viewed, unknown: Math.max(0, viewed.unknown - 1) };
}
