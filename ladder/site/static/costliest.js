// A person's costliest decisions in a deal that is over: at the table, and on the page of its result.
// @ts-check

import { computed, progress } from "./computed.js";
import { setText } from "./table.js";
import { chosen, estimated } from "./why.js";
import { make, wordsIn } from "./words.js";

/** @typedef {import("./shapes").Costliest} Costliest */
/** @typedef {import("./shapes").Why} Why */
/** @typedef {import("./words.js").Words} Words */

/**
 * Put a button into a place, which shows the decisions there.
 * @param {HTMLElement} place With the deal's number. @param {string} base The table's address. @param {Words} words
 */
export function offerCostliest(place, base, words) {
  const button = make("button", "", words("costliest-ask"));
  button.setAttribute("type", "button");
  button.addEventListener("click", () => show(place, base, words));
  place.append(button);
}

/** @param {HTMLElement} place @param {string} base @param {Words} words */
async function show(place, base, words) {
  const status = make("p", "soft", words("why-wait"));
  status.setAttribute("role", "status");
  place.replaceChildren(status);
  let found;
  try {
    const response = await computed(
      () => fetch(`${base}/costliest?deal=${place.dataset.deal}`, { headers: { Accept: "application/json" } }),
      () => place.isConnected,
      (computing) => setText(status, progress(computing, words)),
    );
    found = await answerOf(response, words);
  } catch {
    found = words("why-failed");
  }
  if (typeof found === "string") {
    status.className = "bad";
    setText(status, found);
    return;
  }
  const { costliest } = /** @type {Costliest} */ (found);
  const title = make("h3", "", words(costliest.length ? "costliest" : "costliest-none"));
  title.tabIndex = -1;
  place.replaceChildren(title, ...costliest.map((why) => described(why, words)));
  title.focus({ preventScroll: true });
}

/** @param {Why} why @param {Words} words */
function described(why, words) {
  const [kind, trick] = why.at.split(" ");
  const when = words(`at-${kind}`, { number: trick ?? "" });
  const cost = words("costliest-cost", { cost: why.cost.toFixed(1), error: why.cost_error.toFixed(1) });
  const summary = make("summary", "", `${when}: `, ...chosen(why.chosen, words), ` · ${cost}`);
  return make("details", "", summary, ...estimated(why, words));
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

/** The deals of a table that is over. */
class CostliestDecisions extends HTMLElement {
  connectedCallback() {
    for (const place of this.querySelectorAll("[data-deal]")) {
      offerCostliest(/** @type {HTMLElement} */ (place), this.dataset.base ?? "", wordsIn(this));
    }
  }
}

customElements.define("costliest-decisions", CostliestDecisions);
