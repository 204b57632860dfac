// The recipe of deals.md and the chain of records.md a second time, in JavaScript (Node.js 18 or newer, no packages).
//
//     node docs/deals.mjs match.jsonl
//
// checks that the cards and seats of a finished record follow from its seed, the seed from its commitment, and that the
// chain holds. It knows nothing of the games; `pigpen verify` checks the rest.

import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const SUITS = ["clubs", "diamonds", "hearts", "spades"];
const RANKS = [..."23456789TJQKA"];
const CARDS = SUITS.flatMap((suit) => RANKS.map((rank) => rank + suit[0].toUpperCase()));
const MOST_LISTED = 6;
const MOST_BYTES = 512 * 1024 ** 2;
const MOST_LINES = 100_000;
const LINE_BYTES = 1024 ** 2;
const MOST_PLAYERS = 8;

/** The seed that `--seed TEXT` means. */
export function seedFrom(text) {
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, "hex") : sha256(Buffer.from(text, "utf8"));
}

/** The hands of deal number k, each in canonical order. */
export function hands(rules, seed, k) {
  const removed = new Set((rules.removed ?? []).flatMap((name) => cardsNamed(name)));
  const deck = CARDS.filter((card) => !removed.has(card));
  const dealt = Array.from({ length: rules.players }, () => []);
  shuffle("deal", seed, k, deck).forEach((card, place) => {
    dealt[Number((BigInt(place) + BigInt(k)) % BigInt(rules.players))].push(card);
  });
  return dealt.map((hand) => hand.sort((one, other) => CARDS.indexOf(one) - CARDS.indexOf(other)).join(" "));
}

/** The number of the bot in each seat of a board in one of its rotations. */
export function seats(rules, seed, board, rotation) {
  const order = circularOrder(rules, seed, board);
  return order.map((_, seat) => order[(seat + rotation) % order.length]);
}

/** The random number of a bot in deal k; on boards its rotation belongs to it. */
export function botNumber(seed, k, seat, ...rotation) {
  return digest("bot", seed, k, seat, ...rotation).readBigUInt64BE();
}

function circularOrder(rules, seed, board) {
  const others = Array.from({ length: rules.players - 1 }, (_, place) => place + 1);
  if (rules.players > MOST_LISTED) {
    return [0, ...shuffle("seating", seed, board, others)];
  }
  const possible = permutations(others).map((rest) => [0, ...rest]);
  const orders = shuffle("seating", seed, 0, rules.partners ? possible.filter((order) => order[2] === 2) : possible);
  return orders[board % orders.length];
}

/** All orders of things, the lowest first if the things are in order. */
function permutations(things) {
  if (things.length < 2) {
    return [things];
  }
  return things.flatMap((thing, place) =>
    permutations(things.filter((_, other) => other !== place)).map((rest) => [thing, ...rest]),
  );
}

function shuffle(tag, seed, number, things) {
  const order = [...things];
  const stream = bytes(tag, seed, number);
  for (let last = order.length - 1; last > 0; last--) {
    const other = below(last + 1, stream);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

function below(bound, stream) {
  for (;;) {
    const byte = stream.next().value;
    if (byte < 256 - (256 % bound)) {
      return byte % bound;
    }
  }
}

function* bytes(tag, seed, number) {
  for (let block = 0; ; block++) {
    yield* digest(tag, seed, number, block);
  }
}

function digest(tag, seed, ...numbers) {
  return sha256(Buffer.concat([Buffer.from(`pigpen/1/${tag}`), seed, ...numbers.map(eightBytes)]));
}

function eightBytes(number) {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(number));
  return buffer;
}

function sha256(...parts) {
  return createHash("sha256").update(Buffer.concat(parts)).digest();
}

function cardsNamed(name) {
  const suit = SUITS.indexOf(name.toLowerCase());
  return suit < 0 ? [name.toUpperCase()] : CARDS.slice(13 * suit, 13 * suit + 13);
}

/** The lines of a record as text; an error if the chain does not hold. */
function unchained(content) {
  let before = "";
  return lines(content).map((line, place) => {
    const cut = line.lastIndexOf(',"chain":"');
    const own = line.slice(cut + 10, -2);
    const hash = sha256(Buffer.from(before), Buffer.from(`${line.slice(0, cut)}}`)).toString("hex");
    expect(own, hash, `the chain of line ${place + 1}`);
    before = own;
    return line;
  });
}

/** The lines of a record as text; an error if there are more of them than a record can have, or one is too long. */
function lines(content) {
  const found = [];
  for (let begin = 0, end = 0; begin < content.length; begin = end + 1) {
    end = content.indexOf("\n", begin);
    end = end < 0 ? content.length : end;
    if (found.length === MOST_LINES) {
      throw new Error(`line ${MOST_LINES + 1}: a record has at most ${MOST_LINES} lines`);
    }
    if (end - begin >= LINE_BYTES) {
      throw new Error(`line ${found.length + 1}: it is longer than ${LINE_BYTES} bytes`);
    }
    found.push(content.toString("utf8", begin, end));
  }
  return found;
}

/** What stands in the file, unpacked. */
function read(path) {
  if (statSync(path).size > MOST_BYTES) {
    throw new Error(`a record has at most ${MOST_BYTES} bytes`);
  }
  const content = readFileSync(path);
  try {
    return content[0] === 0x1f ? gunzipSync(content, { maxOutputLength: MOST_BYTES }) : content;
  } catch (error) {
    const isBomb = error.code === "ERR_BUFFER_TOO_LARGE";
    throw isBomb ? new Error(`a record has at most ${MOST_BYTES} bytes, unpacked`) : error;
  }
}

/** A text without what makes a terminal do things. */
function harmless(text) {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
}

function expect(found, wanted, what) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`${what} is ${JSON.stringify(found)}, but should be ${JSON.stringify(wanted)}`);
  }
}

function check(path) {
  const deals = unchained(read(path));
  const result = JSON.parse(deals.pop() ?? "null");
  const first = JSON.parse(deals.shift() ?? "null");
  expect(result?.type, "result", "the last line");
  const seed = Buffer.from(result.seed, "hex");
  expect(seed.length, 32, "the number of bytes in the seed");
  if (!(first?.rules?.players >= 2 && first.rules.players <= MOST_PLAYERS)) {
    throw new Error(`the number of players is not one from 2 to ${MOST_PLAYERS}`);
  }
  expect(first.commitment, sha256(seed).toString("hex"), "the commitment");
  for (const text of deals) {
    const line = JSON.parse(text);
    const where = line.board === undefined ? `deal ${line.deal}` : `board ${line.board}, rotation ${line.rotation}`;
    expect(line.hands, hands(first.rules, seed, line.deal), `${where}: hands`);
    if (line.board !== undefined) {
      expect(line.seats, seats(first.rules, seed, line.board, line.rotation), `${where}: seats`);
    }
  }
  return deals.length;
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  for (const path of argv.slice(2)) {
    try {
      console.log(harmless(`${path}: ${check(path)} deals follow from the seed`));
    } catch (error) {
      console.error(harmless(`${path}: ${error.message}`));
      process.exitCode = 1;
    }
  }
}
