// What each seat of a deal has given away by estimate, over the deal: a chart whose marks lead to the mistakes, and a table.
// @ts-check

import { svg } from "./cards.js";
import { make } from "./words.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").Mistake} Mistake */
/** @typedef {import("./words.js").Words} Words */

const WIDTH = 600;
const HEIGHT = 150;
const EDGE = 8;

export class GivenAway {
  #now = svg("line", { class: "mark", y1: 0, y2: HEIGHT });
  #steps = 1;

  /** @param {HTMLElement} place @param {Words} words */
  constructor(place, words) {
    this.place = place;
    this.words = words;
  }

  /** Forget the deal that was shown. */
  clear() {
    this.place.hidden = true;
  }

  /** Show the mistakes of a deal. @param {Deal} deal @param {Mistake[]} mistakes In the order of the deal. */
  show(deal, mistakes) {
    this.#steps = Math.max(1, deal.moments.at(-1)?.after ?? 1);
    const totals = deal.bots.map((_, seat) => sum(mistakes.filter((each) => each.seat === seat)));
    const most = Math.max(1, ...totals);
    const chart = svg("svg", { class: "chart given", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group" });
    chart.setAttribute("aria-label", this.words("given-away"));
    chart.append(svg("line", { class: "grid", x1: 0, x2: WIDTH, y1: HEIGHT - EDGE, y2: HEIGHT - EDGE }), this.#now);
    deal.bots.forEach((bot, seat) => {
      const own = mistakes.filter((each) => each.seat === seat);
      chart.append(...this.#course(bot, seat, own, most));
    });
    const rows = deal.bots.map((bot, seat) => {
      const cells = [make("th", "wrap", keyOf(seat), " ", bot), make("td", "num", totals[seat].toFixed(1))];
      cells[0].setAttribute("scope", "row");
      return make("tr", "", ...cells);
    });
    const table = make("table", "", make("caption", "", this.words("given-away")), make("tbody", "", ...rows));
    this.place.replaceChildren(chart, table);
    this.place.hidden = false;
  }

  /** Mark where the replay is. @param {number} done Steps that have been done. */
  at(done) {
    const x = String(this.#across(done));
    this.#now.setAttribute("x1", x);
    this.#now.setAttribute("x2", x);
  }

  /** @param {number} step */
  #across(step) {
    return EDGE + (step / this.#steps) * (WIDTH - 2 * EDGE);
  }

  /** @param {string} bot @param {number} seat @param {Mistake[]} own @param {number} most */
  #course(bot, seat, own, most) {
    let total = 0;
    const up = (/** @type {number} */ points) => HEIGHT - EDGE - (points / most) * (HEIGHT - 2 * EDGE);
    const points = [`${this.#across(0)},${up(0)}`];
    const marks = own.map((each) => {
      const x = this.#across(each.step);
      points.push(`${x},${up(total)}`);
      total += each.cost;
      points.push(`${x},${up(total)}`);
      const link = svg("a", { href: `#${each.step}` });
      const cost = this.words("mistake", { cost: each.cost.toFixed(1), error: each.cost_error.toFixed(1) });
      link.setAttribute("aria-label", `${bot}: ${cost}`);
      link.append(svg("circle", { class: `c${seat}`, cx: x, cy: up(total), r: 6 }));
      return link;
    });
    points.push(`${WIDTH - EDGE},${up(total)}`);
    return [svg("polyline", { class: `line c${seat}`, points: points.join(" ") }), ...marks];
  }
}

/** @param {Mistake[]} mistakes */
function sum(mistakes) {
  return mistakes.reduce((total, each) => total + each.cost, 0);
}

/** The colour of a seat's line. @param {number} seat */
function keyOf(seat) {
  const key = svg("svg", { class: "chart key", viewBox: "0 0 20 10", "aria-hidden": "true" });
  key.append(svg("line", { class: `line c${seat}`, x1: 0, x2: 20, y1: 5, y2: 5 }));
  return key;
}
