// A record in the browser: unpacked, read line by line, and its deals played again when they are wanted.
// @ts-check

import { Differs, LINE_BYTES, MAX_PLAYERS, lines } from "./chain.mjs";
import { dealOf, played } from "./deal_replay.js";
import { CARDS, sha256 } from "./deals.mjs";
import { named } from "./score.js";
import { wasAsked } from "./steps.js";
import { sanitize } from "./words.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").Place} Place */
/** @typedef {import("./shapes").Fault} Fault */

/** The most bytes of a file, and unpacked of a record that is shown here; the longest matches have 45 MB. */
export const MAX_FILE_BYTES = 128 * 1024 ** 2;
const FIXED = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 40, 0, 0x50, 0x50, 36, 0];
const HEADER_BYTES = FIXED.length + 36;
const TAIL_BYTES = 8;
const MAX_STEPS = 100;
const LONGEST_NAME = 100;
const LONGEST_WORDS = 500;

/** How a file can be read from its beginning, as often as need be. @param {Uint8Array} file */
export function opener(file) {
  if (FIXED.every((byte, place) => file[place] === byte)) {
    return () => members(file);
  }
  if (file[0] === 0x1f && file[1] === 0x8b) {
    return () => unpacked(file, "gzip");
  }
  return () => [file];
}

/** The lines of a record as Pigpen packs it: each of them is a gzip member. @param {Uint8Array} file */
async function* members(file) {
  let number = 0;
  for (let begin = 0; begin < file.length; ) {
    number += 1;
    const body = begin + HEADER_BYTES;
    if (!FIXED.every((byte, place) => file[begin + place] === byte || begin + place >= file.length)) {
      throw new Differs("it is not packed as Pigpen packs a line", number);
    }
    const length = new DataView(file.buffer, file.byteOffset).getUint32(Math.min(begin + FIXED.length, file.length - 4), true);
    if (body + length > file.length || length > LINE_BYTES + 1024) {
      throw new Differs("the file is cut off in the middle of it", number);
    }
    const packed = file.subarray(body, body + length);
    const hash = await sha256(packed);
    if (hash.some((byte, place) => byte !== file[body - hash.length + place])) {
      throw new Differs("its bytes in the file have been changed", number);
    }
    yield* unpacked(packed.subarray(0, -TAIL_BYTES), "deflate-raw", number);
    begin = body + length;
  }
}

/** @param {Uint8Array} packed @param {CompressionFormat} format @param {number} [number] Of the line. */
async function* unpacked(packed, format, number = 0) {
  const stream = new Blob([/** @type {BlobPart} */ (packed)]).stream().pipeThrough(new DecompressionStream(format));
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield value;
    }
  } catch (error) {
    throw error instanceof Differs ? error : new Differs("it cannot be unpacked", number);
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** A match as its file describes it. */
export class RecordFile {
  /** @param {any} match The first line. */
  constructor(match) {
    this.match = match;
    /** @type {{place: Place, bytes: Uint8Array, decisions: number[]}[]} In the order of boards and tables. */
    this.deals = [];
    /** @type {Fault[]} */
    this.faults = [];
    this.finished = false;
  }

  /**
   * Read a record, finished or not.
   * @param {() => AsyncIterable<Uint8Array> | Iterable<Uint8Array>} open
   * @throws {Differs} If it is none.
   */
  static async read(open) {
    const utf8 = new TextDecoder();
    /** @type {RecordFile | null} */
    let found = null;
    /** @type {Map<number, number[]>} */
    const decisions = new Map();
    let number = 0;
    let size = 0;
    for await (const bytes of lines(open())) {
      number += 1;
      size += bytes.length;
      if (size > MAX_FILE_BYTES) {
        throw new Differs(`a record of more than ${MAX_FILE_BYTES} bytes is not shown here`, number);
      }
      try {
        const line = JSON.parse(utf8.decode(bytes));
        if (found === null) {
          found = new RecordFile(checkedMatch(line));
        } else {
          found.#take(line, bytes, decisions);
        }
      } catch (error) {
        throw error instanceof Differs ? error : new Differs("it is no line of a record", number);
      }
    }
    if (!found?.deals.length) {
      throw new Differs("it holds no deal", number);
    }
    const order = (/** @type {Place} */ one, /** @type {Place} */ other) => one.board - other.board || one.rotation - other.rotation;
    found.deals.sort((one, other) => order(one.place, other.place));
    found.faults.sort((one, other) => order(one, other) || one.step - other.step);
    return found;
  }

  /** @param {any} line @param {Uint8Array} bytes @param {Map<number, number[]>} decisions */
  #take(line, bytes, decisions) {
    if (line.type === "result") {
      this.finished = true;
      return;
    }
    checkDeal(line, this.match);
    // People count from 1, records from 0.
    const place = { board: (line.board ?? line.deal) + 1, rotation: (line.board === undefined ? 0 : line.rotation) + 1 };
    const count = decisions.get(place.rotation) ?? Array(this.match.bots.length).fill(0);
    decisions.set(place.rotation, count);
    this.deals.push({ place, bytes, decisions: [...count] });
    line.steps.forEach((/** @type {any} */ step, /** @type {number} */ index) => {
      const bot = line.seats?.[step.seat] ?? step.seat;
      count[bot] += Number(wasAsked(step.by));
      if (step.why !== undefined) {
        this.faults.push({ ...place, step: index + 1, bot });
      }
    });
  }

  /** @param {Place | null} place Null: the first one. */
  find(place) {
    const found = this.deals.findIndex((deal) => deal.place.board === place?.board && deal.place.rotation === place?.rotation);
    return Math.max(0, found);
  }

  /** Play a deal again. @param {Place | null} place @param {number | null} seat @returns {Deal} */
  deal(place, seat) {
    const index = this.find(place);
    const { bytes, decisions, place: here } = this.deals[index];
    const line = JSON.parse(new TextDecoder().decode(bytes));
    const { rules, bots, format } = this.match;
    const order = line.seats ?? bots.map((/** @type {string} */ _, /** @type {number} */ seat) => seat);
    line.steps.forEach((/** @type {any} */ step) => {
      step.why = step.why && sanitize(step.why).slice(0, LONGEST_WORDS);
    });
    const names = order.map((/** @type {number} */ bot) => sanitize(bots[bot]).slice(0, LONGEST_NAME));
    return {
      ...dealOf(rules, line.deal, names, kindsAt(this.match, order), seat),
      ...played(this.match, line, seat, decisions),
      match: null,
      format,
      place: here,
      boards: line.board !== undefined,
      previous: this.deals[index - 1]?.place ?? null,
      next: this.deals[index + 1]?.place ?? null,
      faults: seat === null ? this.faults : [],
      numbers: order,
    };
  }
}

/** What sits in each seat. @param {any} match @param {number[]} order @returns {("person" | "bot")[]} */
function kindsAt({ people }, order) {
  const numbers = new Set(Array.isArray(people) ? people.map((each) => each?.bot) : []);
  return order.map((bot) => (numbers.has(bot) ? "person" : "bot"));
}

/** @param {boolean} holds */
function need(holds) {
  if (!holds) {
    throw new Error("misshapen");
  }
}

/** @param {unknown} list @param {number} length @param {(each: any) => boolean} [holds] */
function needList(list, length, holds = () => true) {
  need(Array.isArray(list) && list.length === length && list.every(holds));
}

/** @param {any} each */
const isText = (each) => typeof each === "string";

/** @param {any} line */
function checkedMatch(line) {
  const { rules } = line;
  need(line.type === "match" && Number.isInteger(rules.players) && rules.players >= 2 && rules.players <= MAX_PLAYERS);
  need(isText(rules.name) && isText(rules.title) && isText(line.format) && typeof rules.scoring.points === "object");
  needList(line.bots, rules.players, isText);
  rules.name = sanitize(rules.name).slice(0, LONGEST_NAME);
  rules.title = sanitize(rules.title).slice(0, LONGEST_NAME);
  return line;
}

/** @param {any} line @param {any} match */
function checkDeal(line, match) {
  const players = match.rules.players;
  const size = Math.floor((CARDS.length - new Set(named(match.rules.removed ?? [])).size) / players);
  const isNumber = (/** @type {any} */ each) => Number.isSafeInteger(each);
  const isSeat = (/** @type {any} */ each) => isNumber(each) && each >= 0 && each < players;
  need(line.type === "deal" && isNumber(line.deal) && line.deal >= 0);
  need(line.board === undefined || (isNumber(line.board) && line.board >= 0 && isSeat(line.rotation)));
  needList(line.seats ?? line.hands, players, line.seats ? isSeat : isText);
  needList(line.hands, players, (hand) => isText(hand) && hand.split(" ").length === size);
  const cards = line.hands.flatMap((/** @type {string} */ hand) => hand.split(" "));
  need(new Set(cards).size === players * size && cards.every((/** @type {string} */ card) => CARDS.includes(card)));
  needList(line.scores, players, isNumber);
  needList(line.totals, players, isNumber);
  need(Array.isArray(line.steps) && line.steps.length <= MAX_STEPS);
  for (const step of line.steps) {
    need(isSeat(step.seat) && isText(step.by) && (step.why === undefined || isText(step.why)));
    need(["pass", "expose", "play", "moon"].filter((kind) => isText(step[kind])).length === 1);
  }
  for (const times of [line.took_ms, line.cpu_ms, line.unasked_ms]) {
    need(times === undefined || (Array.isArray(times) && times.every((time) => time === null || Number.isFinite(time))));
  }
}
