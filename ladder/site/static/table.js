// The card table of one deal: its elements are made once, and from moment to moment only what differs is moved.
// @ts-check

import { backElement, cardElement, cardsOf, order, rankOf, sign } from "./cards.js";
import { make, scored } from "./words.js";

/** @typedef {import("./shapes").TableDeal} TableDeal */
/** @typedef {import("./shapes").TableMoment} TableMoment */
/** @typedef {import("./shapes").TableSeat} TableSeat */
/** @typedef {import("./words.js").Words} Words */

/** Where seats are, clockwise from the bottom, by the number of players. @type {Record<number, string[]>} */
const PLACES = {
  2: ["s", "n"],
  3: ["s", "w", "e"],
  4: ["s", "w", "n", "e"],
  5: ["s", "w", "nw", "ne", "e"],
  6: ["s", "w", "nw", "n", "ne", "e"],
  7: ["s", "sw", "w", "nw", "ne", "e", "se"],
  8: ["s", "sw", "w", "nw", "n", "ne", "e", "se"],
};
const FLIGHT_MS = 180;

/** @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** @param {string} name @param {Words} words */
export function spoken(name, words) {
  return words("card", { rank: words(`rank-${name[0]}`), suit: words(`suit-${name[1]}`) });
}

/** Some things, one after the other. @param {string[]} things @param {Words} words */
export function listed(things, words) {
  return things.length ? things.reduce((one, other) => words("list", { one, other })) : "";
}

/** Cards suit by suit in little room. @param {string[]} cards @param {Words} words */
export function compact(cards, words) {
  const text = make("span", "compact");
  for (const suit of "SHDC") {
    const those = cards.filter((card) => card[1] === suit).sort((one, other) => order(one) - order(other));
    if (those.length) {
      const part = make("span", `suit-${suit}`, sign(suit), those.map((card) => rankOf(card)).join(" "));
      part.setAttribute("role", "img");
      part.setAttribute("aria-label", those.map((card) => spoken(card, words)).join(", "));
      text.append(part);
    }
  }
  return text;
}

/** The seat at the bottom of the table: the one whose knowledge is shown. @param {TableDeal} deal */
export function southOf(deal) {
  return deal.seat ?? 0;
}

/** The face of an opponent, which the page has for scripts; null: none. @param {string} name @returns {HTMLElement | null} */
export function faceOf(name) {
  const faces = /** @type {HTMLTemplateElement | null} */ (document.querySelector("template.faces"));
  const found = [...(faces?.content.children ?? [])].find((each) => /** @type {HTMLElement} */ (each).dataset.name === name);
  return /** @type {HTMLElement | null} */ (found?.cloneNode(true) ?? null);
}

class Seat {
  /** @param {TableDeal} deal @param {number} seat @param {string} place @param {Words} words */
  constructor(deal, seat, place, words) {
    this.deal = deal;
    this.words = words;
    this.mark = make("span", "mark");
    this.points = make("b", "points");
    const name = make("span", "name", deal.bots[seat]);
    const face = faceOf(deal.bots[seat]);
    const level = face?.dataset.level ?? "";
    name.title = level ? `${deal.bots[seat]} · ${level}` : deal.bots[seat];
    this.title = make("p", "title", this.mark, ...(face ? [face] : []), name, this.points);
    this.taken = make("p", "taken");
    this.hand = make("div", "hand");
    this.element = make("section", `seat at-${place}`, this.title, this.hand, this.taken);
    this.element.setAttribute("aria-label", words("seat", { number: seat + 1, who: name.title }));
    this.spot = make("div", `spot at-${place}`);
    /** @type {HTMLElement[]} */
    this.backs = [];
    this.shownKey = "";
  }

  /** @param {TableSeat} viewed @param {TableMoment} moment @param {(name: string) => HTMLElement} card */
  show(viewed, moment, card) {
    this.element.classList.toggle("asked", viewed.asked);
    setText(this.mark, viewed.asked ? "▸" : "");
    setText(this.points, scored(viewed.points, this.deal));
    const legal = new Set(moment.phase === "play" && viewed.asked ? cardsOf(viewed.legal) : []);
    const fresh = new Set(moment.steps[0]?.kind === "pass" ? cardsOf(viewed.received) : []);
    const faces = new Map(cardsOf(viewed.exposed).map((word) => [word.slice(0, 2), word.endsWith("*")]));
    const hand = cardsOf(viewed.hand).sort((one, other) => order(one) - order(other)).map((name) => {
      const node = card(name);
      node.classList.toggle("dim", legal.size > 0 && !legal.has(name));
      node.classList.toggle("fresh", fresh.has(name));
      node.classList.toggle("exposed", faces.has(name));
      node.classList.toggle("down", faces.get(name) === true);
      node.classList.remove("wins", "led");
      return node;
    });
    while (this.backs.length < viewed.unknown) {
      this.backs.push(backElement());
    }
    this.lay([...hand, ...this.backs.slice(0, viewed.unknown)]);
    this.#showTaken(viewed);
  }

  /** Put the cards into the hand; a person's own are put there otherwise. @param {HTMLElement[]} cards */
  lay(cards) {
    arrange(this.hand, cards);
  }

  /** What it took, and what is known of cards that are not seen. @param {TableSeat} viewed */
  #showTaken(viewed) {
    const key = `${viewed.taken}|${viewed.unknown ? viewed.voids : ""}|${viewed.hidden}`;
    if (key === this.shownKey) {
      return;
    }
    this.shownKey = key;
    this.taken.replaceChildren(compact(cardsOf(viewed.taken), this.words));
    if (viewed.unknown && viewed.voids) {
      this.taken.append(make("span", "voids", this.words("out-of"), ...[...viewed.voids].map((suit) => named(suit, this.words))));
    }
    if (viewed.hidden) {
      this.taken.append(make("span", "voids", this.words("face-down", { count: viewed.hidden })));
    }
  }
}

/** @param {string} suit @param {Words} words */
function named(suit, words) {
  const element = make("span", `suit-${suit}`, sign(suit));
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", words(`suit-${suit}`));
  return element;
}

/** Make these the children of an element, moving as few as can be. @param {Element} parent @param {Element[]} wanted */
export function arrange(parent, wanted) {
  const there = new Set(wanted);
  for (const child of [...parent.children]) {
    if (!there.has(child)) {
      child.remove();
    }
  }
  wanted.forEach((node, place) => {
    if (parent.children[place] !== node) {
      parent.insertBefore(node, parent.children[place] ?? null);
    }
  });
}

export class Table {
  /** @param {HTMLElement} felt @param {TableDeal} deal @param {Words} words */
  constructor(felt, deal, words) {
    this.deal = deal;
    this.words = words;
    /** @type {Map<string, HTMLElement>} */
    this.cards = new Map();
    const places = PLACES[deal.players] ?? PLACES[8];
    this.seats = deal.bots.map(
      (_, seat) => new Seat(deal, seat, places[(seat - southOf(deal) + deal.players) % deal.players], words),
    );
    this.count = make("p", "count");
    this.result = make("div", "result");
    this.result.hidden = true;
    const centre = make("div", "centre", this.count, ...this.seats.map((seat) => seat.spot), this.result);
    felt.className = `felt p${deal.players}`;
    felt.replaceChildren(centre, ...this.seats.map((seat) => seat.element));
  }

  /** @param {string} name */
  card = (name) => {
    let node = this.cards.get(name);
    if (!node) {
      node = cardElement(name, spoken(name, this.words));
      this.cards.set(name, node);
    }
    return node;
  };

  /** Show a moment; if it is asked for, the card just played flies. @param {TableMoment} moment @param {boolean} flies */
  show(moment, flies) {
    const step = moment.steps[0];
    const flying = flies && step?.kind === "play" ? this.card(step.action) : null;
    const from = flying && (flying.isConnected ? flying : this.seats[step.seat].hand).getBoundingClientRect();
    moment.seats.forEach((viewed, seat) => this.seats[seat].show(viewed, moment, this.card));
    this.#showTrick(moment);
    this.#showResult(moment);
    if (flying && from) {
      const to = flying.getBoundingClientRect();
      const start = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
      flying.animate([{ transform: start }, { transform: "none" }], { duration: FLIGHT_MS, easing: "ease-out" });
    }
  }

  /** @param {TableMoment} moment */
  #showTrick(moment) {
    const cards = moment.scores ? [] : cardsOf(moment.cards);
    const n = this.deal.players;
    this.seats.forEach((seat, number) => {
      const place = (number - (moment.leader ?? 0) + n) % n;
      const node = place < cards.length ? this.card(cards[place]) : null;
      arrange(seat.spot, node ? [node] : []);
      node?.classList.remove("dim", "fresh");
      node?.classList.toggle("led", place === 0);
      node?.classList.toggle("wins", number === moment.winning);
    });
    const key = moment.trick ? "trick" : `before-${moment.phase}`;
    this.count.classList.toggle("free", !moment.trick);
    setText(this.count, moment.scores ? "" : this.words(key, { number: moment.trick, count: this.deal.hand_size }));
  }

  /** @param {TableMoment} moment */
  #showResult(moment) {
    const { scores } = moment;
    this.result.hidden = !scores;
    if (scores && !this.result.firstChild) {
      const sign = this.deal.low_is_better ? 1 : -1;
      const best = Math.min(...scores.map((score) => sign * score));
      this.result.append(make("p", "", this.words("result")));
      this.deal.bots.forEach((bot, seat) => {
        const score = scores[seat];
        const row = make("p", sign * score === best ? "best" : "", make("span", "name", bot), make("b", "", scored(score, this.deal)));
        this.result.append(row);
      });
    }
  }
}
