// The steps of a recorded deal: which belong to one moment, who decided them, and how long that took.
// @ts-check

/** @typedef {import("./shapes").TableStep} TableStep */

const KINDS = /** @type {const} */ (["pass", "expose", "play", "moon"]);
const UNASKED = new Set(["forced", "takeover", "away"]);

/** Whether the bot, or the person, was asked for an action; as referee/records/steps.py. @param {string} by */
export function wasAsked(by) {
  return !UNASKED.has(by);
}

/** @param {any} step */
export function kindOf(step) {
  return KINDS.find((kind) => step?.[kind] !== undefined);
}

/** The steps of each moment. @param {any[]} steps @returns {any[][]} */
export function grouped(steps) {
  /** @type {any[][]} */
  const found = [];
  for (const step of steps) {
    const last = found.at(-1);
    const kind = kindOf(step);
    if (last && (kind === "pass" || kind === "expose") && kindOf(last[0]) === kind) {
      last.push(step);
    } else {
      found.push([step]);
    }
  }
  return found;
}

/** Reads steps, and counts the decisions of each bot. */
export class StepReader {
  /** @param {any} line @param {number | null} seat @param {number[]} decisions */
  constructor(line, seat, decisions) {
    this.line = line;
    this.seat = seat;
    this.decisions = decisions;
    this.done = 0;
  }

  /** @param {any[]} steps @returns {TableStep[]} */
  read(steps) {
    return steps.map((step) => this.#read(step)).filter((step) => step !== null);
  }

  /** @param {any} step @returns {TableStep | null} */
  #read(step) {
    const place = this.done++;
    const bot = this.line.seats?.[step.seat] ?? step.seat;
    const asked = wasAsked(step.by);
    this.decisions[bot] += Number(asked);
    const isOpen = this.seat === null || this.seat === step.seat;
    const kind = kindOf(step) ?? "play";
    if (!isOpen && kind !== "play") {
      return null;
    }
    return {
      number: this.seat === null ? place + 1 : null,
      seat: step.seat,
      kind,
      action: step[kind],
      by: isOpen ? step.by : "",
      why: isOpen ? step.why ?? "" : "",
      took_ms: isOpen ? this.line.took_ms?.[place] ?? null : null,
      cpu_ms: isOpen ? this.line.cpu_ms?.[place] ?? null : null,
      unasked_ms: isOpen ? this.line.unasked_ms?.[place] ?? null : null,
      decision: isOpen && asked ? this.decisions[bot] : null,
      printed: "",
    };
  }
}
