// Places in a recorded deal and in its match: what addresses, keys and links lead to.
// @ts-check

/** @typedef {import("./shapes").Deal} Deal */
/** @typedef {import("./shapes").Fault} Fault */
/** @typedef {import("./shapes").Place} Place */
/** @typedef {import("./deal_source").DealSource} Source */

export const RESULT = "result";

/** @param {Place} one @param {Place} other */
export function isSame(one, other) {
  return one.board === other.board && one.rotation === other.rotation;
}

/** The moment that an address names: `25` is after step 25. @param {Deal} deal @param {string} hash */
export function momentOf(deal, hash) {
  const steps = /^\d{1,3}$/.test(hash) ? Number(hash) : 0;
  const found = deal.moments.findIndex((moment) => (moment.after ?? 0) >= steps);
  return hash === RESULT || found < 0 ? deal.moments.length - 1 : found;
}

/** What an address calls a moment; empty for the first one. @param {Deal} deal @param {number} place */
export function nameOf(deal, place) {
  const moment = deal.moments[place];
  return moment.scores ? RESULT : place ? String(moment.after) : "";
}

/** The moments worth a halt: those before the first card, each full trick, the result. @param {Deal} deal */
export function stopsOf(deal) {
  return deal.moments.flatMap((moment, place) =>
    !moment.trick || (moment.complete && moment.steps[0]?.kind === "play") || moment.scores ? [place] : [],
  );
}

/**
 * The decisions just made at a moment, each with the address at which its estimate is asked for.
 * @param {Deal} deal @param {number} place @param {(step: number) => string | null} address
 * @returns {import("./deal_source").Asked[]}
 */
export function decided(deal, place, address) {
  return deal.moments[place].steps.flatMap((step) => {
    const url = step.by === "forced" || step.number === null ? null : address(step.number);
    return url ? [{ key: "ask-why", who: deal.bots[step.seat], url }] : [];
  });
}

/**
 * The next fault in the match behind a moment.
 * @param {Deal} deal @param {number} place Of the moment. @param {number | null} bot Only of this one, by its number.
 */
export function faultAfter(deal, place, bot) {
  const done = deal.moments[place].after ?? 0;
  const { board, rotation } = deal.place;
  const isLater = (/** @type {Fault} */ fault) =>
    isSame(fault, deal.place)
      ? fault.step > done
      : fault.board > board || (fault.board === board && fault.rotation > rotation);
  return deal.faults.find((fault) => isLater(fault) && (bot === null || fault.bot === bot));
}

/**
 * Deals of a match on the ladder: each has a page of its own.
 * @param {string} src The deal's address in the API. @param {string} match The address of the match's page.
 * @returns {Source}
 */
export function siteSource(src, match) {
  return {
    load: async (_, seat) => {
      const response = await fetch(seat === null ? src : `${src}?seat=${seat}`);
      if (!response.ok) {
        throw new Error((await response.json()).detail);
      }
      return response.json();
    },
    leave: (place, hash) => {
      location.assign(`${match}/boards/${place.board}/${place.rotation}${hash && `#${hash}`}`);
      return true;
    },
    hash: (_, after) => after,
    asks: (deal, at) => decided(deal, at, (step) => `${src}/steps/${step}/why`),
    mistakes: () => (src.startsWith("/api/") ? `${src}/mistakes` : null),
  };
}
