// From a seed to the cards and seats: docs/deals.md. The chain of a record is in chain.mjs.
//
// One implementation for browsers, where pages verify records with it, and for Node.js: see docs/deals.mjs.
// It knows nothing of the games.
// @ts-check

/** @typedef {{players: number, partners?: boolean, removed?: string[]}} Rules */

const SUITS = ["clubs", "diamonds", "hearts", "spades"];
const RANKS = [..."23456789TJQKA"];
/** The names of all cards in canonical order. */
export const CARDS = SUITS.flatMap((suit) => RANKS.map((rank) => rank + suit[0].toUpperCase()));
const MAX_LISTED = 6;

const text = new TextEncoder();

/** The seed that `--seed TEXT` means. @param {string} words @returns {Promise<Uint8Array>} */
export async function seedFrom(words) {
  return /^[0-9a-f]{64}$/i.test(words) ? fromHex(words) : sha256(text.encode(words));
}

/** The hands of deal number k, each in canonical order. @param {Rules} rules @param {Uint8Array} seed @param {number} k */
export async function hands(rules, seed, k) {
  const removed = new Set((rules.removed ?? []).flatMap((name) => cardsNamed(name)));
  const deck = CARDS.filter((card) => !removed.has(card));
  /** @type {string[][]} */
  const dealt = Array.from({ length: rules.players }, () => []);
  (await shuffle("deal", seed, k, deck)).forEach((card, place) => {
    dealt[Number((BigInt(place) + BigInt(k)) % BigInt(rules.players))].push(card);
  });
  return dealt.map((hand) => hand.sort((one, other) => CARDS.indexOf(one) - CARDS.indexOf(other)).join(" "));
}

/**
 * The number of the bot in each seat of a board in one of its rotations.
 * @param {Rules} rules @param {Uint8Array} seed @param {number} board @param {number} rotation
 */
export async function seats(rules, seed, board, rotation) {
  const order = await circularOrder(rules, seed, board);
  return order.map((_, seat) => order[(seat + rotation) % order.length]);
}

/**
 * The random number of a bot in deal k; on boards its rotation belongs to it.
 * @param {Uint8Array} seed @param {number} k @param {number} seat @param {number[]} rotation
 */
export async function botNumber(seed, k, seat, ...rotation) {
  const bytes = await digest("bot", seed, k, seat, ...rotation);
  return new DataView(bytes.buffer).getBigUint64(0);
}

/** @param {Rules} rules @param {Uint8Array} seed @param {number} board */
async function circularOrder(rules, seed, board) {
  const others = Array.from({ length: rules.players - 1 }, (_, place) => place + 1);
  if (rules.players > MAX_LISTED) {
    return [0, ...(await shuffle("seating", seed, board, others))];
  }
  const possible = permutations(others).map((rest) => [0, ...rest]);
  const listed = rules.partners ? possible.filter((order) => order[2] === 2) : possible;
  const orders = await shuffle("seating", seed, 0, listed);
  return orders[board % orders.length];
}

/** All orders of things, the lowest first if the things are in order. @param {number[]} things @returns {number[][]} */
function permutations(things) {
  if (things.length < 2) {
    return [things];
  }
  return things.flatMap((thing, place) =>
    permutations(things.filter((_, other) => other !== place)).map((rest) => [thing, ...rest]),
  );
}

/** @template T @param {string} tag @param {Uint8Array} seed @param {number} number @param {T[]} things */
async function shuffle(tag, seed, number, things) {
  const order = [...things];
  const stream = bytes(tag, seed, number);
  for (let last = order.length - 1; last > 0; last--) {
    const bound = last + 1;
    let byte;
    do {
      byte = (await stream.next()).value ?? 0;
    } while (byte >= 256 - (256 % bound));
    const other = byte % bound;
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

/** @param {string} tag @param {Uint8Array} seed @param {number} number */
async function* bytes(tag, seed, number) {
  for (let block = 0; ; block++) {
    yield* await digest(tag, seed, number, block);
  }
}

/** @param {string} tag @param {Uint8Array} seed @param {(number | bigint)[]} numbers */
function digest(tag, seed, ...numbers) {
  const parts = new DataView(new ArrayBuffer(8 * numbers.length));
  numbers.forEach((number, place) => parts.setBigUint64(8 * place, BigInt(number)));
  return sha256(text.encode(`pigpen/1/${tag}`), seed, new Uint8Array(parts.buffer));
}

/** @param {Uint8Array[]} parts @returns {Promise<Uint8Array>} */
export async function sha256(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", whole));
}

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} digits */
export function fromHex(digits) {
  return Uint8Array.from(digits.match(/[0-9a-f]{2}/gi) ?? [], (pair) => parseInt(pair, 16));
}

/** @param {string} name */
function cardsNamed(name) {
  const suit = SUITS.indexOf(name.toLowerCase());
  return suit < 0 ? [name.toUpperCase()] : CARDS.slice(13 * suit, 13 * suit + 13);
}
