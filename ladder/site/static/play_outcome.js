// What the end of a deal means for the person, in one sentence: what they took, what that was worth, and their place.
// @ts-check

import { cards } from "./news.js";
import { southOf, spoken } from "./table.js";
import { scored } from "./words.js";

/** @typedef {import("./shapes").PersonPoints} PersonPoints */
/** @typedef {import("./shapes").PersonResult} PersonResult */
/** @typedef {import("./shapes").TableDeal} TableDeal */
/** @typedef {import("./words.js").Words} Words */

const SUITS = "SHDC";
/** More cards of a suit than these are counted, not named. */
const MAX_NAMED = 2;
/** Stands around the name of a card until it is drawn; names of players hold no such character. */
const MARK = "\u0001";

/**
 * The sentence for screen readers and the log.
 * @param {TableDeal} deal @param {PersonResult} result @param {Words} words
 */
export function outcome(deal, result, words) {
  return sentence(deal, result, words, (card) => words("the-card", { card: spoken(card, words) }));
}

/** The same with drawn cards. @param {TableDeal} deal @param {PersonResult} result @param {Words} words @returns {(string | Node)[]} */
export function outcomeShown(deal, result, words) {
  const parts = sentence(deal, result, words, (card) => MARK + card + MARK).split(MARK);
  return parts.flatMap((part, place) => /** @type {(string | Node)[]} */ (place % 2 ? cards(part, words) : [part]));
}

/** @param {TableDeal} deal @param {PersonResult} result @param {Words} words @param {(card: string) => string} name */
function sentence(deal, result, words, name) {
  const me = southOf(deal);
  const points = worth(result.scores[me], deal, words);
  const values = { points, place: placed(deal, result, words) };
  if (result.shooter !== null) {
    return words(result.shooter === me ? "outcome-moon" : "outcome-moon-of", { ...values, who: deal.bots[result.shooter] });
  }
  const own = taken(result.parts[me], words, name);
  if (deal.partners) {
    const others = taken(result.parts[(me + 2) % deal.players], words, name);
    return words("outcome-partners", { ...values, cards: own || words("nothing"), others: others || words("nothing") });
  }
  return own ? words("outcome", { ...values, cards: own }) : words("outcome-nothing", values);
}

/** Points of the person, and whether they are good for it. @param {number} points @param {TableDeal} deal @param {Words} words */
function worth(points, deal, words) {
  const key = !points ? "worth-none" : points > 0 === deal.low_is_better ? "worth-against" : "worth-for";
  return words(Math.abs(points) === 1 ? `${key}-1` : key, { points: scored(points, deal) });
}

/** The cards that count, which a seat has taken. @param {readonly PersonPoints[]} parts @param {Words} words @param {(card: string) => string} name */
function taken(parts, words, name) {
  const counted = parts.filter((part) => part.card && (part.points || part.reason !== "card")).map((part) => part.card);
  const found = [...SUITS].flatMap((suit) => {
    const those = counted.filter((card) => card[1] === suit);
    if (those.length > MAX_NAMED) {
      return [words("outcome-suit", { count: those.length, suit: words(`suit-${suit}`) })];
    }
    return those.map((card) => (words(`nick-${card}`) === `nick-${card}` ? name(card) : words(`nick-${card}`)));
  });
  const last = found.pop() ?? "";
  return found.length ? words("list-last", { one: found.reduce((one, other) => words("list", { one, other })), other: last }) : last;
}

/** The place of the person in the deal, or of its side. @param {TableDeal} deal @param {PersonResult} result @param {Words} words */
function placed(deal, { scores }, words) {
  const me = southOf(deal);
  const ahead = (/** @type {number} */ seat) => (deal.low_is_better ? scores[me] - scores[seat] : scores[seat] - scores[me]);
  if (deal.partners) {
    const other = ahead((me + 1) % deal.players);
    return words(other > 0 ? "side-lost" : other < 0 ? "side-won" : "side-level");
  }
  const others = deal.bots.map((_, seat) => seat).filter((seat) => seat !== me);
  const place = 1 + others.filter((seat) => ahead(seat) > 0).length;
  const level = others.filter((seat) => !ahead(seat));
  if (level.length === others.length) {
    return words("place-all");
  }
  const named = words(place === deal.players ? "place-last" : `place-${place}`);
  const who = level.map((seat) => deal.bots[seat]);
  return who.length ? words("place-level", { place: named, who: who.reduce((one, other) => words("list", { one, other })) }) : named;
}
