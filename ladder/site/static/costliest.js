// A person's costliest decisions, drawn as their tricks: of a deal at its end, and of a whole game.
// @ts-check

import { cardElement, cardsOf } from "./cards.js";
import { computed, progress } from "./computed.js";
import { setText, spoken } from "./table.js";
import { chosen, estimated, reasons } from "./why.js";
import { make, named, wordsIn } from "./words.js";

/** @typedef {import("./shapes").Costliest} Costliest */
/** @typedef {import("./shapes").Why} Why */
/** @typedef {import("./words.js").Words} Words */
/** What they are of. `deal`: its number; null: the whole game. `names`: of the players, by seat. @typedef {{base: string, deal: number | null, names: readonly string[]}} Asked */

const NONE = /^(subtract|add)?$/;

/**
 * Look for the decisions, and show them in a place when they are found; where they cannot be found, the place stays empty.
 * @param {HTMLElement} place @param {Asked} asked @param {Words} words
 */
export async function showCostliest(place, asked, words) {
  const status = make("p", "soft", words("costliest-wait"));
  status.setAttribute("role", "status");
  place.replaceChildren(status);
  let found;
  try {
    const which = asked.deal === null ? "" : `?deal=${asked.deal}`;
    const response = await computed(
      () => fetch(`${asked.base}/costliest${which}`, { headers: { Accept: "application/json" } }),
      () => place.isConnected,
      (computing) => setText(status, progress(computing, words)),
    );
    if (response?.status === 202) {
      return; // no one waits for it any more
    }
    found = await answerOf(response, words);
  } catch {
    found = "";
  }
  place.replaceChildren(...(typeof found === "string" ? [] : shown(/** @type {Costliest} */ (found), asked, words)));
}

/** @param {Costliest} found @param {Asked} asked @param {Words} words */
function shown({ costliest }, asked, words) {
  if (!costliest.length) {
    return [make("p", "soft", words(asked.deal === null ? "costliest-none-game" : "costliest-none"))];
  }
  const title = make("h3", "", words(asked.deal === null ? "costliest-game" : "costliest-one"));
  if (asked.deal === null) {
    return [title, ...costliest.map((why) => drawn(why, asked, words))];
  }
  const [first, ...others] = costliest;
  const more = make("details", "", make("summary", "", words("costliest-others")), ...others.map((why) => drawn(why, asked, words)));
  return [title, drawn(first, asked, words), ...(others.length ? [more] : [])];
}

/** A decision: the trick as it lay, what was chosen, and what was better. @param {Why} why @param {Asked} asked @param {Words} words */
function drawn(why, asked, words) {
  const [kind, trick] = why.at.split(" ");
  const when = words(`at-${kind}`, { number: trick ?? "" });
  const where = asked.deal === null && why.board === null ? `${words("deal-number", { number: why.deal })} · ${when}` : when;
  const cost = words("costliest-cost", { cost: why.cost.toFixed(1), error: why.cost_error.toFixed(1) });
  const link = asked.deal === null ? [" · ", replayed(why, asked, words)] : [];
  const caption = make("figcaption", "", make("b", "", where), ` · ${cost}`, ...link);
  const seats = why.on_the_table.length;
  const lying = why.on_the_table.map((card, place) => {
    const seat = asked.names.length ? (why.seat - seats + place + asked.names.length) % asked.names.length : -1;
    return placed([card], asked.names[seat] ?? "", "", words);
  });
  const own = placed(cardsOf(why.chosen), words("you"), "chosen", words, why.chosen);
  const best = placed(cardsOf(why.choices[0].choice), words("costliest-better"), "better", words, why.choices[0].choice);
  const details = make("details", "", make("summary", "", words("costliest-worth")), ...estimated(why, words));
  const lay = make("div", "lying", ...lying, own, make("span", "against", "→"), best);
  return make("figure", "decision", caption, lay, ...reasons(why, words, true), details);
}

/** Cards that lie together, and whose they are. @param {string[]} names @param {string} whose @param {string} className @param {Words} words @param {string} [choice] */
function placed(names, whose, className, words, choice = "-") {
  const faces = NONE.test(choice)
    ? [make("b", "no-card", ...chosen(choice, words))]
    : names.map((name) => cardElement(name.slice(0, 2), spoken(name, words) + (name.endsWith("*") ? ` (${words("down")})` : "")));
  return make("div", `played ${className}`, make("div", "cards", ...faces), make("small", "", whose));
}

/** @param {Why} why @param {Asked} asked @param {Words} words */
function replayed(why, asked, words) {
  const link = document.createElement("a");
  const place = why.board === null ? `${why.deal}/1` : `${why.board}/${why.rotation}`;
  return Object.assign(link, { href: `${asked.base}/replay/you/boards/${place}#${why.step}`, textContent: words("costliest-replay") });
}

/**
 * What the site has answered; a sentence if it refused.
 * @param {Response | null} response @param {Words} words @param {boolean} [isEmpty] Whether nothing is expected.
 */
export async function answerOf(response, words, isEmpty = false) {
  if (response?.ok && isEmpty) {
    return {};
  }
  const found = await response?.json().catch(() => null);
  return response?.ok && found ? found : String(found?.detail ?? words("why-failed"));
}

/** Those of a game that is over, on the page of its result. */
class CostliestDecisions extends HTMLElement {
  connectedCallback() {
    const words = wordsIn(this);
    const names = named(JSON.parse(this.dataset.names ?? "[]"), words);
    const place = this.appendChild(make("div", "costliest"));
    showCostliest(place, { base: this.dataset.base ?? "", deal: null, names }, words);
  }
}

customElements.define("costliest-decisions", CostliestDecisions);
