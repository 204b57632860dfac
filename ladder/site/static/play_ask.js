// What a person is asked, between the trick and the hand: a sentence, the clock, slots for cards, buttons to answer.
// @ts-check

import { cards } from "./news.js";
import { setText, spoken } from "./table.js";
import { make, scored } from "./words.js";

/** @typedef {import("./play_choice.js").Choice} Choice */
/** @typedef {import("./shapes").TableDeal} TableDeal */
/** @typedef {import("./shapes").PersonState} PersonState */
/** @typedef {import("./words.js").Words} Words */
/**
 * What its buttons do. `changed`: a face was chosen. `say`: announce the time that is left to screen readers.
 * @typedef {{confirm: () => void, back: () => void, claim: () => void, answer: (action: string) => void,
 *   changed: () => void, say: (sentence: string) => void}} Actions
 */

const HURRIED_S = 10;
const FACES = { up: "face-up", down: "face-down-as", no: "face-no" };

export class Ask {
  /** When the default is played instead, by `performance.now()`. @type {number | null} */
  until = null;
  #limit = 1;
  #warned = false;
  #key = "";
  /** Whose buttons are shown. @type {Choice | null} */
  #choice = null;

  /** @param {Words} words @param {Actions} actions */
  constructor(words, actions) {
    this.words = words;
    this.actions = actions;
    this.prompt = make("p", "prompt");
    this.clock = make("span", "clock");
    this.clock.setAttribute("role", "timer");
    this.bar = make("span", "time-bar");
    this.choices = make("div", "ask-choices");
    this.element = make("div", "ask", make("div", "ask-line", this.prompt, this.clock), this.bar, this.choices);
  }

  /** @param {string} sentence @param {boolean} [isWrong] */
  show(sentence, isWrong = false) {
    setText(this.prompt, sentence);
    this.prompt.classList.toggle("wrong", isWrong);
  }

  /** Offer what belongs to a question. @param {PersonState} state @param {Choice | null} choice */
  offer(state, choice) {
    const key = `${choice?.question.decision} ${choice?.question.kind} ${choice?.question.claim} ${state.away} ${state.waits}`;
    if (key !== this.#key || choice !== this.#choice) {
      this.#key = key;
      this.#choice = choice;
      this.choices.replaceChildren(...this.#offers(state, choice));
    }
    this.refresh(choice);
  }

  /** @param {PersonState} state @param {Choice | null} choice @returns {HTMLElement[]} */
  #offers(state, choice) {
    if (state.away) {
      return [this.#button(state.waits ? "continue" : "here", "main", this.actions.back)];
    }
    const { kind, claim } = choice?.question ?? {};
    if (choice && kind === "pass") {
      return [make("span", "slots"), this.#button("pass-these", "main confirm", this.actions.confirm)];
    }
    if (choice && kind === "expose") {
      const rows = [...choice.legal].map((card) => this.#faces(/** @type {TableDeal} */ (state.deal), choice, card));
      return [make("div", "faces", ...rows), this.#button("expose-none", "main confirm", this.actions.confirm)];
    }
    if (choice && kind === "moon") {
      const deal = /** @type {TableDeal} */ (state.deal);
      const button = (/** @type {string} */ key, /** @type {string} */ answer, /** @type {number} */ points) =>
        this.#button(key, "main", () => this.actions.answer(answer), { points: scored(points, deal) });
      return [button("moon-mine", "subtract", deal.moon_instead ?? 0), button("moon-others", "add", deal.moon_others)];
    }
    return claim ? [this.#button("claim", "", this.actions.claim)] : [];
  }

  /** How one card is exposed. @param {TableDeal} deal @param {Choice} choice @param {string} card */
  #faces(deal, choice, card) {
    const group = make("div", "face-choice", ...cards(card, this.words));
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", spoken(card, this.words));
    for (const face of [undefined, ...choice.question.faces]) {
      const factor = face === "down" ? deal.face_down : deal.face_up;
      const box = document.createElement("input");
      Object.assign(box, { type: "radio", name: `face-${card}`, value: face ?? "" });
      box.addEventListener("change", () => {
        choice.turn(card, face);
        this.actions.changed();
      });
      group.append(make("label", "", box, this.words(FACES[face ?? "no"], { factor })));
    }
    return group;
  }

  /**
   * @param {string} key @param {string} className @param {() => void} does
   * @param {Record<string, string | number>} [values]
   */
  #button(key, className, does, values = {}) {
    const button = make("button", className, this.words(key, values));
    button.setAttribute("type", "button");
    button.addEventListener("click", does);
    return button;
  }

  /** Show what is chosen. @param {Choice | null} choice */
  refresh(choice) {
    const confirm = /** @type {HTMLButtonElement | null} */ (this.choices.querySelector(".confirm"));
    if (!choice || !confirm) {
      return;
    }
    if (choice.question.kind === "pass") {
      const slots = Array.from({ length: choice.question.count }, (_, place) =>
        make("span", choice.cards[place] ? "slot full" : "slot", ...cards(choice.cards[place] ?? "", this.words)),
      );
      this.choices.querySelector(".slots")?.replaceChildren(...slots);
      confirm.toggleAttribute("disabled", !choice.isReady);
    } else {
      setText(confirm, this.words(choice.faces.size ? "expose-these" : "expose-none", { count: choice.faces.size }));
      for (const box of this.choices.querySelectorAll("input")) {
        box.checked = box.value === (choice.faces.get(box.name.slice("face-".length)) ?? "");
      }
    }
  }

  /** Let the clock run, or not. @param {number | null} until @param {number} limit Seconds in all. */
  time(until, limit) {
    if (until !== this.until) {
      this.until = until;
      this.#limit = limit;
      this.#warned = false;
    }
    this.tick();
  }

  /** Show the seconds that are left. */
  tick() {
    const left = this.until === null ? null : Math.max(0, (this.until - performance.now()) / 1000);
    this.bar.style.setProperty("--left", String(left === null ? 0 : Math.min(1, left / this.#limit)));
    setText(this.clock, left === null || left > 999 ? "" : this.words("seconds", { count: Math.ceil(left) }));
    const isHurried = left !== null && left <= HURRIED_S;
    this.element.classList.toggle("hurried", isHurried);
    if (isHurried && !this.#warned && left > 0) {
      this.#warned = true;
      this.actions.say(this.words("hurry", { count: Math.ceil(left) }));
    }
  }
}
