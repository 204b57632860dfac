// The question that is open for a person, and the answer on its way: nothing counts before the server has taken it.
// @ts-check

import { cardsOf } from "./cards.js";
import { Choice } from "./play_choice.js";

/** @typedef {import("./play_stream.js").Stream} Stream */
/** @typedef {import("./shapes").PersonQuestion} PersonQuestion */
/** @typedef {import("./shapes").PersonState} PersonState */

/** When time is up, by `performance.now()`. @param {number | null} left Seconds; null: the clock has stopped. */
function endOf(left) {
  return left === null ? null : performance.now() + left * 1000;
}

export class Answers {
  /** What the person is about to answer. @type {Choice | null} */
  choice = null;
  /** The question that is shown, answered or not. @type {PersonQuestion | null} */
  #question = null;
  /** The decision of the newest question that has come. */
  #newest = -1;
  /** The decision whose answer is on its way or has been taken. */
  #answered = -1;
  /** The notice with which the table last began again. */
  #began = 0;
  /** The number of the newest state when that answer had been taken; one after it that asks again means it. */
  #settled = Infinity;
  /** The number of the newest state. */
  #received = -1;
  /** The deal of which the rest is played. */
  #claimed = -1;
  /** When the default is played for a decision. @type {Map<number, number | null>} */
  #until = new Map();

  /** @param {Stream} stream @param {(why: string) => void} changed Called with a sentence where an answer was refused. */
  constructor(stream, changed) {
    this.stream = stream;
    this.changed = changed;
  }

  /** Whether an answer is on its way. */
  get isSent() {
    return !!this.#question && this.#question.decision === this.#answered;
  }

  /** When the default is played, by `performance.now()`; null: there is no clock. */
  get until() {
    return this.choice ? (this.#until.get(this.choice.question.decision) ?? null) : null;
  }

  /** Whether the rest of a deal is being played. @param {PersonState | null} state */
  isClaimed(state) {
    return !!state?.deal && state.deal.number === this.#claimed;
  }

  /** Note when time is up, as soon as a state has come. @param {PersonState} state */
  note(state) {
    this.#newest = state.question?.decision ?? -1;
    this.#received = state.number;
    if (state.question) {
      this.#until = new Map([[this.#newest, endOf(state.question.left)]]);
    }
  }

  /** A state is shown; says whether its question is a new one. @param {PersonState} state */
  show({ question, number, notices }) {
    const began = notices.findLast(({ kind }) => kind === "resumed" || kind === "taken_back")?.number ?? 0;
    if (began > this.#began) {
      this.#began = began;
      this.#answered = this.#claimed = -1; // a decision may be asked for once more
      this.choice = null;
    }
    this.#question = question;
    if (question?.decision === this.#answered) {
      if (number <= this.#settled) {
        return false;
      }
      this.#answered = -1; // lost when the site had to start again
    }
    const isNew = question?.decision !== this.choice?.question.decision;
    if (isNew) {
      this.choice = question ? new Choice(question) : null;
    }
    return isNew && !!question;
  }

  /** @param {string} action As in a record. */
  async send(action) {
    const decision = this.choice?.question.decision;
    if (decision === undefined) {
      return;
    }
    this.#answered = decision;
    this.#settled = Infinity;
    this.choice = null;
    this.changed("");
    const { sent, why } = await this.stream.answer(decision, action, () => this.#newest === decision);
    if (sent && this.#answered === decision) {
      this.#settled = this.#received;
    } else if (why && this.#answered === decision) {
      this.#answered = -1;
      this.choice = this.#question ? new Choice(this.#question) : null;
      this.changed(why);
    }
  }

  /** Play the rest of this deal. @param {PersonState} state */
  claim(state) {
    this.#claimed = state.deal?.number ?? -1;
    this.playOn(state);
  }

  /** Play on by itself if the rest is being played, as long as no points remain. @param {PersonState} state */
  playOn(state) {
    const question = this.choice?.question;
    if (question?.claim && question.kind === "play" && this.isClaimed(state)) {
      this.send(cardsOf(question.legal)[0]);
    }
  }
}
