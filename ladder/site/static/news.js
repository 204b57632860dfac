// What has just happened, in words.
// @ts-check

import { cardsOf, rankOf, sign } from "./cards.js";
import { setText, spoken } from "./table.js";
import { better, make, short, scored, toned } from "./words.js";

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").TableMoment} TableMoment */
/** @typedef {import("./shapes").TableStep} TableStep */
/** @typedef {import("./words.js").Words} Words */

const WORTH_A_WORD = 5;
const DEFAULT = "default:";

/** Cards with the signs of their suits. @param {string} names @param {Words} words */
export function cards(names, words) {
  return cardsOf(names).map((name) => {
    const element = make("span", `inline suit-${name[1]}`, rankOf(name), sign(name[1]), name.endsWith("*") ? "*" : "");
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", spoken(name, words));
    return element;
  });
}

/** A sentence about a moment. @param {Deal} deal @param {number} place @param {Words} words */
export function sentence(deal, place, words) {
  const moment = deal.moments[place];
  const step = moment.steps[0];
  if (place === 0) {
    return words("dealt");
  }
  if (moment.scores) {
    return words("over");
  }
  if (step?.kind === "play") {
    return played(deal, place, step, words);
  }
  if (step?.kind === "moon") {
    return words(`moon-${step.action}`, { who: deal.bots[step.seat] });
  }
  return sealed(deal, place, words);
}

/** @param {Deal} deal @param {number} place @param {TableStep} step @param {Words} words */
function played(deal, place, step, words) {
  const moment = deal.moments[place];
  const isLead = cardsOf(moment.cards).length === 1;
  const text = words(isLead ? "leads" : "plays", { who: deal.bots[step.seat], card: spoken(step.action, words) });
  if (!moment.complete || moment.winning === null) {
    return text;
  }
  const gain = moment.seats[moment.winning].points - deal.moments[place - 1].seats[moment.winning].points;
  return `${text} ${words("takes", { who: deal.bots[moment.winning], points: scored(gain, deal) })}`;
}

/** @param {Deal} deal @param {number} place @param {Words} words */
function sealed(deal, place, words) {
  if (deal.moments[place - 1].phase === "pass") {
    return words("passed", { count: deal.pass_count });
  }
  const shown = deal.moments[place].seats.flatMap((viewed, seat) => {
    const known = cardsOf(viewed.exposed).map((name) => spoken(name, words) + (name.endsWith("*") ? ` (${words("down")})` : ""));
    if (viewed.hidden) {
      known.push(words("face-down", { count: viewed.hidden }));
    }
    return known.length ? [`${deal.bots[seat]}: ${known.join(", ")}`] : [];
  });
  return shown.length ? words("exposed", { what: shown.join("; ") }) : words("none-exposed");
}

/**
 * Who decided each step of a moment, and how long that took.
 * @param {Deal} deal @param {TableMoment} moment @param {Words} words
 */
export function decisions(deal, moment, words) {
  return moment.steps.filter((step) => step.by).map((step) => {
    const item = make("li", "", make("strong", "", deal.bots[step.seat]), " ", ...action(step, words));
    item.append(make("span", "soft", ` ${by(deal, step, words)}${times(step, words)}`));
    if (step.why) {
      item.append(make("p", "bad fault", words("fault", { verdict: words(`verdict-${step.by.replace(DEFAULT, "")}`), why: step.why })));
    }
    if (step.printed) {
      const output = make("pre", "", step.printed);
      output.tabIndex = 0;
      item.append(make("p", "soft", words("printed")), output);
    }
    return item;
  });
}

/** @param {TableStep} step @param {Words} words @returns {(string | Node)[]} */
function action(step, words) {
  if (step.kind === "moon") {
    return [words(`choice-${step.action}`)];
  }
  const named = cards(step.action, words);
  return named.length ? named : [words("nothing")];
}

/** @param {Deal} deal @param {TableStep} step @param {Words} words */
function by(deal, step, words) {
  if (step.by.startsWith(DEFAULT)) {
    return words("by-default");
  }
  if (step.by === "bot" && deal.kinds[step.seat] === "person") {
    return words("by-person");
  }
  return words(`by-${step.by}`);
}

/** @param {TableStep} step @param {Words} words */
function times(step, words) {
  const parts = [];
  if (step.decision !== null) {
    parts.push(words("decision", { number: step.decision }));
  }
  if (step.decision !== null && step.took_ms !== null) {
    parts.push(words("took", { time: short(step.took_ms) }));
  }
  if (step.cpu_ms !== null) {
    parts.push(words("cpu", { time: short(step.cpu_ms) }));
  }
  if ((step.unasked_ms ?? 0) > WORTH_A_WORD) {
    parts.push(words("unasked", { time: short(step.unasked_ms ?? 0) }));
  }
  return parts.length ? ` · ${parts.join(" · ")}` : "";
}

/** The scores beside the table: made once for a deal, then only numbers change. */
export class Scores {
  /** @param {HTMLElement} body @param {import("./shapes").TableDeal} deal @param {Words} words */
  constructor(body, deal, words) {
    this.deal = deal;
    const caption = body.closest("table")?.caption;
    caption?.querySelector("small")?.remove();
    caption?.append(make("small", "", ` ${better(deal, words)}`));
    this.rows = deal.bots.map((bot) => {
      const name = make("th", "", bot);
      name.setAttribute("scope", "row");
      return { name, points: make("td", "num"), total: make("td", "num") };
    });
    body.replaceChildren(...this.rows.map((row) => make("tr", "", row.name, row.points, row.total)));
  }

  /** @param {TableMoment} moment */
  show(moment) {
    this.rows.forEach((row, seat) => {
      const points = moment.scores ? moment.scores[seat] : moment.seats[seat].points;
      setText(row.points, scored(points, this.deal));
      row.points.className = `num ${toned(points, this.deal)}`;
      setText(row.total, scored(moment.totals[seat], this.deal));
    });
  }
}
