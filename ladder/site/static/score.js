// What captured cards are worth, by the fields of the rules in a record: as sdk/pigpen/rules/scoring.py has it.
// @ts-check

import { CARDS } from "./deals.mjs";

/** @typedef {Map<string, boolean>} Exposed Every exposed card, and whether it lies face down. */

/** The cards that names of cards and of suits mean. @param {string[]} names */
export function named(names) {
  return names.flatMap((name) =>
    name.length > 2 ? CARDS.filter((card) => card[1] === name[0].toUpperCase()) : [name.toUpperCase()],
  );
}

/** Points of each scoring card; a card's own entry goes before its suit's. @param {any} rules */
export function valuesOf(rules) {
  /** @type {Map<string, number>} */
  const values = new Map();
  const entries = Object.entries(rules.scoring.points).sort(([one], [other]) => other.length - one.length);
  for (const [name, points] of entries) {
    for (const card of named([name])) {
      values.set(card, Number(points));
    }
  }
  return values;
}

/**
 * Points of each seat for the cards that it took.
 * @param {any} rules @param {Set<string>[]} taken By seat. @param {Exposed} exposed @param {string} [choice] Of the shooter.
 */
export function cardPoints(rules, taken, exposed, choice = "subtract") {
  const count = new Count(rules, exposed);
  const moon = rules.moon;
  const wanted = moon ? named(moon.cards).filter((card) => !count.removed.has(card)) : [];
  const shooter = wanted.length ? taken.findIndex((cards) => wanted.every((card) => cards.has(card))) : -1;
  const points = taken.map((cards, seat) => (seat === shooter ? count.shot(cards, new Set(wanted)) : count.own(cards)));
  if (shooter < 0) {
    return points;
  }
  if (moon.instead !== undefined && choice === "subtract") {
    points[shooter] += moon.instead;
    return points;
  }
  const flat = moon.others * (moon.others_doubled ? count.factor(taken[shooter]) : 1);
  return points.map((own, seat) => (seat === shooter ? own : own + flat));
}

class Count {
  /** @param {any} rules @param {Exposed} exposed */
  constructor(rules, exposed) {
    this.rules = rules;
    this.removed = new Set(named(rules.removed ?? []));
    this.values = valuesOf(rules);
    /** @type {Map<string, number>} */
    this.weights = new Map();
    for (const [card, multiplied] of Object.entries(rules.exposing?.cards ?? {})) {
      if (exposed.has(card)) {
        const factor = exposed.get(card) ? rules.exposing.face_down : rules.exposing.face_up;
        for (const each of named(/** @type {string[]} */ (multiplied))) {
          this.weights.set(each, this.weight(each) * factor);
        }
      }
    }
  }

  /** @param {string} card */
  weight(card) {
    return this.weights.get(card) ?? 1;
  }

  /** @param {Iterable<string>} cards */
  total(cards) {
    return [...cards].reduce((sum, card) => sum + (this.values.get(card) ?? 0) * this.weight(card), 0);
  }

  /** What the doubler, if it was taken, makes of its taker's points. @param {Set<string>} cards */
  factor(cards) {
    const doubler = this.rules.scoring.doubler;
    return doubler && cards.has(doubler.card) ? doubler.factor * this.weight(doubler.card) : 1;
  }

  /** @param {Set<string>} cards */
  own(cards) {
    const doubler = this.rules.scoring.doubler;
    if (doubler && cards.has(doubler.card) && ![...cards].some((card) => this.values.has(card))) {
      return (doubler.alone ?? 0) * this.weight(doubler.card);
    }
    return this.total(cards) * this.factor(cards);
  }

  /** The points of who shot the moon for its own cards. @param {Set<string>} cards @param {Set<string>} wanted */
  shot(cards, wanted) {
    const moon = this.rules.moon;
    const pig = moon.pig ?? "QS";
    const isApart = !wanted.has(pig) && cards.has(pig);
    const others = [...cards].filter((card) => !wanted.has(card) && card !== pig);
    const signs = { flip: -1, void: 0, keep: 1 };
    const sign = signs[/** @type {"flip" | "void" | "keep"} */ (moon.pig_when_moon)] ?? 1;
    let points = this.total(others) + (isApart ? sign * this.total([pig]) : 0);
    if (moon.shooter === "negate") {
      points -= this.total(wanted);
    }
    return points * this.factor(cards);
  }
}
