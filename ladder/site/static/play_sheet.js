// The score sheet, deal by deal, and the chart of the totals.
// @ts-check

import { southOf } from "./table.js";
import { make, scored, toned } from "./words.js";

/** @typedef {import("./shapes").TableDeal} TableDeal */
/** @typedef {import("./shapes").SheetRow} SheetRow */
/** @typedef {import("./words.js").Words} Words */
/** A column: its name, and the seat whose points it has. @typedef {{name: string, seat: number, isMine: boolean}} Column */

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, RIGHT, EDGE] = [300, 170, 46, 12, 12];

export class Sheet {
  #key = "";

  /** @param {HTMLElement} place @param {Words} words */
  constructor(place, words) {
    this.place = place;
    this.words = words;
  }

  /** @param {TableDeal} deal @param {SheetRow[]} rows */
  show(deal, rows) {
    const key = `${deal.bots.join("\0")} ${rows.length} ${rows.at(-1)?.totals}`;
    if (key === this.#key) {
      return;
    }
    this.#key = key;
    const columns = columnsOf(deal, this.words);
    this.place.replaceChildren(
      rows.length ? this.#table(deal, columns, rows) : make("p", "soft", this.words("no-deal-yet")),
      ...(rows.length > 1 ? [chart(deal, columns, rows, this.words("totals-chart"))] : []),
    );
  }

  /** @param {TableDeal} deal @param {Column[]} columns @param {SheetRow[]} rows */
  #table(deal, columns, rows) {
    const heads = columns.map((column, place) => {
      const head = cell("th", column.isMine ? "num mine" : "num", column.name);
      head.prepend(sample(place));
      return head;
    });
    const table = make("table", "score-sheet", make("thead", "", make("tr", "", cell("th", "", this.words("deal")), ...heads)));
    const lines = rows.map((row) => {
      const scores = columns.map(({ seat, isMine }) => {
        const total = make("small", "", scored(row.totals[seat], deal));
        const score = make("span", toned(row.scores[seat], deal), scored(row.scores[seat], deal));
        return make("td", isMine ? "num mine" : "num", score, total);
      });
      return make("tr", "", cell("th", "num", String(row.deal + 1)), ...scores);
    });
    const totals = columns.map(({ seat, isMine }) => make("td", isMine ? "num mine" : "num", scored(rows.at(-1)?.totals[seat] ?? 0, deal)));
    const foot = make("tfoot", "", make("tr", "", cell("th", "", this.words("total")), ...totals));
    table.append(make("tbody", "", ...lines), foot);
    table.style.setProperty("--columns", String(columns.length));
    const wide = make("div", "wide", table);
    wide.tabIndex = 0;
    wide.setAttribute("role", "region");
    wide.setAttribute("aria-label", this.words("score-sheet"));
    return wide;
  }
}

/** Partners share a column. @param {TableDeal} deal @param {Words} words @returns {Column[]} */
export function columnsOf(deal, words) {
  const seats = Array.from({ length: deal.partners ? 2 : deal.players }, (_, place) => (southOf(deal) + place) % deal.players);
  const name = (/** @type {number} */ seat) => (seat === deal.seat ? words("you") : deal.bots[seat]);
  return seats.map((seat) => ({
    name: deal.partners ? `${name(seat)} + ${name((seat + 2) % deal.players)}` : name(seat),
    seat,
    isMine: seat === deal.seat,
  }));
}

/** @param {string} name @param {string} className @param {string} text */
function cell(name, className, text) {
  const element = make(name, className, text);
  element.setAttribute("scope", name === "th" && className.startsWith("num") && /^\d+$/.test(text) ? "row" : "col");
  return element;
}

/** @param {string} name @param {Record<string, string | number>} attributes @param {...(Node | string)} inside */
function svg(name, attributes, ...inside) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, String(value));
  }
  element.append(...inside);
  return element;
}

/** How a column's line is drawn. @param {number} place */
function sample(place) {
  const line = svg("line", { x1: 1, x2: 21, y1: 5, y2: 5, class: `total t${place}` });
  return svg("svg", { viewBox: "0 0 22 10", class: "line-sample", "aria-hidden": "true" }, line);
}

/** The totals after each deal, a line for each column. @param {TableDeal} deal @param {Column[]} columns @param {SheetRow[]} rows @param {string} label */
export function chart(deal, columns, rows, label) {
  const all = rows.flatMap((row) => columns.map(({ seat }) => row.totals[seat]));
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
  const x = (/** @type {number} */ deal) => LEFT + ((WIDTH - LEFT - RIGHT) * deal) / rows.length;
  const y = (/** @type {number} */ points) => EDGE + ((HEIGHT - 2 * EDGE) * (high - points)) / (high - low || 1);
  const grid = ticks(low, high).flatMap((points) => [
    svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(points), y2: y(points), class: points ? "grid" : "grid zero" }),
    svg("text", { x: LEFT - 6, y: y(points) + 4, "text-anchor": "end" }, scored(points, deal)),
  ]);
  const lines = columns.map(({ seat }, place) => {
    const points = [0, ...rows.map((row) => row.totals[seat])].map((total, deal) => `${x(deal).toFixed(1)},${y(total).toFixed(1)}`);
    return svg("polyline", { points: points.join(" "), class: `total t${place}` });
  });
  const end = columns.map(({ seat }, place) =>
    svg("circle", { cx: x(rows.length), cy: y(rows.at(-1)?.totals[seat] ?? 0), r: 3, class: `end t${place}` }),
  );
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart totals", role: "img", "aria-label": label }, ...grid, ...lines.reverse(), ...end);
}

/** Round numbers between two. @param {number} low @param {number} high */
function ticks(low, high) {
  const rough = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
  const found = [];
  for (let each = Math.ceil(low / step) * step; each <= high; each += step) {
    found.push(each);
  }
  return found;
}
