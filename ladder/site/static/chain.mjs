// The lines of a record, their chain (docs/records.md), and what follows from its seed.
//
// One implementation for browsers and for Node.js, as deals.mjs is.
// @ts-check

import { fromHex, hands, hex, seats, sha256 } from "./deals.mjs";

/** @typedef {import("./deals.mjs").Rules} Rules */
/** @typedef {() => AsyncIterable<Uint8Array> | Iterable<Uint8Array>} Open Opens the unpacked record from its beginning. */

export const MAX_BYTES = 512 * 1024 ** 2;
export const MAX_LINES = 100_000;
export const LINE_BYTES = 1024 ** 2;
export const MAX_PLAYERS = 8;
const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const OPENING = 123;
const CLOSING = 125;
const UNDO = "take the file as it was written, or undo that with dos2unix";

const text = new TextEncoder();
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** What is wrong with a record, and the number of the line, from 1; 0 where it is none in particular. */
export class Differs extends Error {
  /** @param {string} message @param {number} line */
  constructor(message, line = 0) {
    super(message);
    this.line = line;
  }
}

/**
 * The lines of a record as bytes, without their line feeds; an error if there are more than a record can have, or one is
 * too long.
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} chunks
 */
export async function* lines(chunks) {
  let rest = new Uint8Array(0);
  let count = 0;
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_BYTES) {
      throw new Differs(`a record has at most ${MAX_BYTES} bytes, unpacked`, count + 1);
    }
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      yield line(joined(rest, chunk.subarray(begin, end)), ++count);
      rest = rest.subarray(0, 0);
      begin = end + 1;
    }
    rest = joined(rest, chunk.subarray(begin));
    if (rest.length) {
      line(rest, count + 1);
    }
  }
  if (rest.length) {
    yield line(rest, count + 1);
  }
}

/** @param {Uint8Array} found @param {number} number */
function line(found, number) {
  if (number > MAX_LINES) {
    throw new Differs(`line ${number}: a record has at most ${MAX_LINES} lines`, number);
  }
  if (found.length >= LINE_BYTES) {
    throw new Differs(`line ${number}: it is longer than ${LINE_BYTES} bytes`, number);
  }
  const why = altered(found, number);
  if (why) {
    throw new Differs(`line ${number}: ${why}`, number);
  }
  return found;
}

/** What an editor or a transfer has done to a record, by one of its lines. @param {Uint8Array} found @param {number} number */
function altered(found, number) {
  const begins = (/** @type {number[]} */ ...bytes) => number === 1 && bytes.every((byte, place) => found[place] === byte);
  if (begins(0xff, 0xfe) || begins(0xfe, 0xff)) {
    return `the file has been saved as UTF-16, and a record is UTF-8; ${UNDO}`;
  }
  if (begins(0xef, 0xbb, 0xbf, OPENING)) {
    return `the file begins with a byte order mark (BOM), and a record has none; ${UNDO}`;
  }
  if (found.at(-2) === CLOSING && found.at(-1) === RETURN) {
    return `the file has Windows line ends (CR LF), and a record has LF; ${UNDO}`;
  }
  return found.some((byte) => byte > SPACE) ? "" : "it is blank, and a record has no blank lines; remove it";
}

/** @param {Uint8Array} one @param {Uint8Array} other */
function joined(one, other) {
  if (!one.length) {
    return other.slice();
  }
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** @param {unknown} found @param {unknown} wanted @param {string} what @param {number} number */
function expect(found, wanted, what, number) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Differs(`${what} is ${JSON.stringify(found)}, but should be ${JSON.stringify(wanted)}`, number);
  }
}

const CHAIN = text.encode(',"chain":"');
const CHAIN_BYTES = 75;

/**
 * The chain of a line, if it is right.
 * @param {Uint8Array} bytes @param {string} before The chain of the line before. @param {number} number
 */
async function chainOf(bytes, before, number) {
  const cut = bytes.length - CHAIN_BYTES - 1;
  if (cut < 0 || CHAIN.some((byte, place) => bytes[cut + place] !== byte)) {
    throw new Differs(`line ${number} does not end in its chain`, number);
  }
  const own = utf8.decode(bytes.subarray(cut + CHAIN.length, -2));
  const hash = hex(await sha256(text.encode(before), bytes.subarray(0, cut), text.encode("}")));
  expect(own, hash, `the chain of line ${number}`, number);
  return own;
}

/**
 * Check that the chain holds, that the seed is the one committed to, and that cards and seats follow from it.
 * @param {Open} open
 * @param {(done: number, lines: number) => void} [progress] Told now and then how many lines are checked.
 * @returns {Promise<{lines: number, deals: number, last: string}>} How much there was, and the last link of the chain.
 * @throws {Differs}
 */
export async function verified(open, progress = () => undefined) {
  const { first, end, count, chain } = await survey(open());
  const result = parsed(end, count);
  expect(result?.type, "result", "the last line", count);
  const seed = fromHex(String(result.seed));
  expect(seed.length, 32, "the number of bytes in the seed", count);
  const match = parsed(first, 1);
  if (!(match?.rules?.players >= 2 && match.rules.players <= MAX_PLAYERS)) {
    throw new Differs(`the number of players is not one from 2 to ${MAX_PLAYERS}`, 1);
  }
  expect(match.commitment, hex(await sha256(seed)), "the commitment", 1);
  const board = /^board:(\d+):(\d+)$/.exec(String(match.format));
  let number = 0;
  for await (const bytes of lines(open())) {
    number += 1;
    if (number > 1 && number < count) {
      const deal = parsed(utf8.decode(bytes), number);
      await checkDeal(match.rules, seed, deal, number);
      if (board) {
        expect([deal.board, deal.rotation], board.slice(1).map(Number), "the board and its rotation", number);
      }
    }
    if (number % 64 === 0) {
      progress(number, count);
    }
  }
  return { lines: count, deals: count - 2, last: chain };
}

/**
 * Check the chain, and find the first and the last line; a line that is too large is reported before one that is wrong.
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} chunks
 */
async function survey(chunks) {
  /** @type {unknown} */
  let wrong;
  let first = "";
  let end = "";
  let chain = "";
  let count = 0;
  for await (const bytes of lines(chunks)) {
    count += 1;
    if (wrong) {
      continue;
    }
    try {
      chain = await chainOf(bytes, chain, count);
    } catch (error) {
      wrong = error;
    }
    end = utf8.decode(bytes);
    first = first || end;
  }
  if (wrong) {
    throw wrong;
  }
  return { first: count > 1 ? first : undefined, end: count ? end : undefined, count, chain };
}

/** @param {Rules} rules @param {Uint8Array} seed @param {any} deal @param {number} number */
async function checkDeal(rules, seed, deal, number) {
  const hasBoards = deal.board !== undefined;
  const where = hasBoards ? `board ${deal.board + 1}, rotation ${deal.rotation + 1}` : `deal ${deal.deal + 1}`;
  for (const each of hasBoards ? [deal.deal, deal.board, deal.rotation] : [deal.deal]) {
    if (!Number.isSafeInteger(each) || each < 0) {
      throw new Differs(`${where}: its number is none`, number);
    }
  }
  expect(deal.board ?? deal.deal, deal.deal, `${where}: the number of the board`, number);
  expect(deal.hands, await hands(rules, seed, deal.deal), `${where}: hands`, number);
  if (hasBoards) {
    expect(deal.seats, await seats(rules, seed, deal.board, deal.rotation), `${where}: seats`, number);
  }
}

/** @param {string | undefined} words @param {number} number */
function parsed(words, number) {
  try {
    return JSON.parse(words ?? "null");
  } catch (error) {
    throw new Differs(/** @type {Error} */ (error).message, number);
  }
}
