// What is wanted now, in a sentence.
// @ts-check

import { cardsOf } from "./cards.js";
import { listed, southOf, spoken } from "./table.js";

/** @typedef {import("./play_choice.js").Choice} Choice */
/** @typedef {import("./shapes").PersonState} PersonState */
/** @typedef {import("./words.js").Words} Words */

/**
 * @param {PersonState | null} state @param {Choice | null} choice @param {{isLost: boolean, isSent: boolean}} connection
 * @param {Words} words
 */
export function prompt(state, choice, connection, words) {
  if (state?.status === "paused" && !connection.isLost) {
    return state.reason || words("status-paused");
  }
  if (connection.isLost) {
    return words("lost");
  }
  if (!state) {
    return words("sent");
  }
  if (state.status !== "playing") {
    return state.reason || words(`status-${state.status}`);
  }
  if (state.away) {
    return words(state.waits ? "status-paused" : "you-are-away");
  }
  if (connection.isSent) {
    return words("sent");
  }
  return choice ? question(state, choice, words) : waiting(state, words);
}

/**
 * Where the game is.
 * @param {import("./shapes").TableDeal} deal @param {import("./shapes").TableMoment} moment @param {Words} words
 */
export function place(deal, moment, words) {
  const number = words("deal-number", { number: deal.number + 1 });
  if (moment.trick) {
    return `${number} · ${words("trick", { number: moment.trick, count: deal.hand_size })}`;
  }
  const who = deal.bots[(southOf(deal) + deal.pass_offset) % deal.players];
  return deal.pass_offset ? `${number} · ${words("passing-to", { count: deal.pass_count, who })}` : number;
}

/** @param {PersonState} state @param {Choice} choice @param {Words} words */
function question(state, choice, words) {
  const { kind, count, pass_to } = choice.question;
  if (kind === "pass") {
    const key = choice.isReady ? "pass-ready" : "pass-choose";
    return words(key, { count, who: state.deal?.bots[pass_to ?? 0] ?? "" });
  }
  if (kind !== "play") {
    return words(`${kind}-choose`);
  }
  if (choice.raised) {
    return words("tap-again");
  }
  const { moment } = state;
  const led = moment && !moment.complete ? cardsOf(moment.cards)[0] : undefined;
  if (!led) {
    return words("you-are-to-lead");
  }
  const follows = cardsOf(choice.question.legal).every((card) => card[1] === led[1]);
  return words(follows ? "follow" : "play-any", { suit: words(`suit-${led[1]}`) });
}

/** @param {PersonState} state @param {Words} words */
function waiting(state, words) {
  const { deal, moment } = state;
  if (!deal || !moment || moment.phase === "over") {
    return "";
  }
  const seat = moment.seats.findIndex((viewed) => viewed.asked);
  if (moment.phase === "pass" || moment.phase === "expose") {
    return words(`others-${moment.phase}`);
  }
  return seat < 0 || seat === deal.seat ? "" : words("is-to-decide", { who: deal.bots[seat] });
}

/** Why a card may not be played. @param {string} card @param {import("./shapes").PersonBar} barred @param {Words} words */
export function whyBarred(card, { bar, names }, words) {
  const named = names.map((name) => (name.length > 2 ? words(`suit-${name[0].toUpperCase()}`) : spoken(name, words)));
  const values = { card: spoken(card, words), suit: words(`suit-${card[1]}`), what: listed(named, words) };
  return words(`bar-${bar.replaceAll(" ", "-")}`, values);
}
