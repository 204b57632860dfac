// A person at the table: what the server says is shown at a pace that people can follow, and answers go back.
// @ts-check

import { Scores } from "./news.js";
import { Actions } from "./play_actions.js";
import { Answers } from "./play_answers.js";
import { Ask } from "./play_ask.js";
import { Board } from "./play_board.js";
import { Lesson } from "./play_exposing.js";
import { Hand } from "./play_hand.js";
import { listen } from "./play_keys.js";
import { Log, noticed } from "./play_log.js";
import { place, prompt } from "./play_prompt.js";
import { Practice } from "./play_practice.js";
import { Queue } from "./play_queue.js";
import { Results } from "./play_result.js";
import { Say } from "./play_say.js";
import { Settings } from "./play_settings.js";
import { Sheet } from "./play_sheet.js";
import { Sound } from "./play_sound.js";
import { Stream } from "./play_stream.js";
import { Tabs } from "./play_tabs.js";
import { Turn } from "./play_turn.js";
import { setText, southOf } from "./table.js";
import { make, named, wordsIn } from "./words.js";

/** @typedef {import("./shapes").TableMoment} TableMoment */
/** @typedef {import("./shapes").TableDeal} TableDeal */
/** @typedef {import("./shapes").PersonState} PersonState */

const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const TICK_MS = 250;
const CLAIMED_SPEED = 5;

class PersonTable extends HTMLElement {
  /** What is shown. @type {PersonState | null} */
  state = null;
  isLost = false;
  /** The last deal whose end has been looked at. */
  lookedAt = -1;
  /** A sentence that stands in the place of what is wanted. */
  #remark = "";
  #scored = "";
  #ticking = 0;

  constructor() {
    super();
    this.words = wordsIn(this);
    this.log = new Log(this.find("log"), this.words);
    this.sheetBox = this.find("sheet-box");
    this.sheet = new Sheet(this.find("sheet"), this.words);
    this.results = new Results(this.find("end"), this.dataset.base ?? "", this.words, () => this.actions.goOn());
    this.sound = new Sound();
    this.tabs = new Tabs(this.find("tabs"));
    this.turn = new Turn(this.querySelector("h1")?.textContent ?? "", this.words);
    this.queue = new Queue((state, isCalm) => this.show(state, isCalm));
    this.stream = new Stream(this.dataset.base ?? "", (state) => this.take(state), (isLost) => this.#connect(isLost));
    this.answers = new Answers(this.stream, (why) => this.#answered(why));
    this.hand = new Hand(this.words, (card, isKey) => this.actions.press(card, isKey));
    this.ask = new Ask(this.words, {
      confirm: () => this.actions.confirm(),
      back: () => this.actions.comeBack(),
      claim: () => this.actions.claim(),
      answer: (action) => this.answers.send(action),
      changed: () => this.choose(),
      say: (sentence) => this.log.say(sentence),
    });
    this.board = new Board(this.find("felt"), this.ask.element, this.hand, this.words);
    const remark = (/** @type {string} */ sentence) => this.remark(sentence);
    this.practice = new Practice(this.find("hint"), this.stream, this.words, remark);
    this.say = new Say(this.find("say"), this.stream, this.words, remark);
    const reads = (/** @type {boolean} */ isOpen) => this.stream.presence(isOpen ? "reads" : "plays");
    this.lesson = new Lesson(this.find("exposing"), this.querySelectorAll("dialog"), reads, () => this.#toTable());
    this.actions = new Actions(this);
    this.settings = new Settings(this.find("settings"), () => this.set());
  }

  connectedCallback() {
    this.find("start").append(this.ask.element);
    this.stopKeys = listen(this, this.actions);
    this.addEventListener("click", (event) => this.actions.click(event));
    this.#ticking = window.setInterval(() => this.ask.tick(), TICK_MS);
    this.set();
    this.#prompt();
    this.stream.open();
    this.lesson.begin();
    this.toggleAttribute("data-lesson", this.lesson.isShown);
  }

  disconnectedCallback() {
    clearInterval(this.#ticking);
    this.stopKeys?.();
    this.stream.close();
    this.queue.close();
    this.board.close();
    this.turn.close();
  }

  /** One of the page's elements. @param {string} name @returns {HTMLElement} */
  find(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part="${name}"]`));
  }

  /** What the person is about to answer. */
  get choice() {
    return this.answers.choice;
  }

  /** Show the table in the place of the lesson. */
  #toTable() {
    this.toggleAttribute("data-lesson", this.lesson.isShown);
    this.hand.focus();
  }

  // What comes.

  /** @param {PersonState} state */
  take(state) {
    this.answers.note(state);
    if (state.deal) {
      state.deal.bots = named(state.deal.bots, this.words);
    }
    for (const notice of state.notices) {
      [notice.who] = named([notice.who], this.words);
    }
    const isSeen = state.over && state.result && state.result.deal <= this.lookedAt;
    this.queue.push(isSeen ? { ...state, result: null } : state); // the site may hear that too late to say so itself
  }

  /** @param {boolean} isLost */
  #connect(isLost) {
    if (isLost !== this.isLost) {
      this.isLost = isLost;
      this.log.say(this.words(isLost ? "lost" : "found"));
      this.#prompt();
    }
  }

  /** Do as the settings say. */
  set() {
    const { speed, sound, phrases, notify } = this.settings;
    this.turn.notifies = notify;
    this.queue.speed = this.answers.isClaimed(this.state) ? Math.max(speed, CLAIMED_SPEED) : speed;
    this.sound.isOn = sound;
    this.log.showsPhrases = this.say.showsPhrases = phrases;
  }

  /** Show a state. @param {PersonState} state @param {boolean} isCalm Whether nothing is to move. */
  show(state, isCalm) {
    const before = this.state;
    const isAsked = this.answers.show(state);
    this.state = state;
    this.#remark = isAsked ? "" : this.#remark;
    this.hand.choice = this.choice;
    this.set();
    if (state.deal && state.moment) {
      const flies = !isCalm && !CALM.matches && this.queue.speed !== Infinity;
      this.board.show(state.deal, state.moment, flies, this.queue.speed);
      this.#score(state.deal, state.moment);
      this.sheet.show(state.deal, state.sheet);
    }
    this.#end(state);
    this.say.show(state);
    this.practice.show(state);
    this.log.add(before, state);
    this.#default(before, state);
    this.choose();
    if (isAsked) {
      this.hand.aim();
    }
    this.#sounds(before, state, isAsked);
    this.answers.playOn(state);
  }

  /** The points beside the table. @param {TableDeal} deal @param {TableMoment} moment */
  #score(deal, moment) {
    const key = deal.bots.join("\0");
    if (key !== this.#scored) {
      this.scores = new Scores(this.find("scores"), deal, this.words);
      this.scores.rows[southOf(deal)].name.append(" ", make("span", "tag", this.words("you-too")));
      this.#scored = key;
    }
    this.scores?.show(moment);
    setText(this.find("deal"), place(deal, moment, this.words));
  }

  /** Show the end of a deal or of the game instead of the table. @param {PersonState} state */
  #end(state) {
    const felt = this.find("felt");
    const isHere = document.activeElement === document.body || felt.contains(document.activeElement);
    const isShown = this.results.show(state);
    const wasShown = felt.dataset.end === "true";
    felt.dataset.end = String(isShown);
    felt.hidden = isShown || !state.moment;
    this.find("start").hidden = isShown || !!state.moment;
    const home = this.find(isShown ? "end" : "sheet-home");
    if (this.sheetBox.parentElement !== home) {
      home.append(this.sheetBox);
    }
    if (isShown && !wasShown && isHere) {
      this.find("end").querySelector("h2")?.focus();
    } else if (!isShown && wasShown) {
      this.hand.focus();
    }
  }

  /** Say what the default has played. @param {PersonState | null} before @param {PersonState} state */
  #default(before, state) {
    const last = state.notices.at(-1);
    if (last && last.kind !== "phrase" && before && last.number > (before.notices.at(-1)?.number ?? -1)) {
      this.#remark = noticed(last, this.words);
    }
  }

  /** @param {PersonState | null} before @param {PersonState} state @param {boolean} isAsked */
  #sounds(before, state, isAsked) {
    const [then, now] = [before?.moment, state.moment];
    if (state.result && !before?.result) {
      this.sound.play("end");
    } else if (isAsked) {
      this.sound.play("turn");
    } else if (then && now && now.cards !== then.cards) {
      this.sound.play(now.complete ? "trick" : "card");
    }
  }

  /** Mark what is chosen, and say what is wanted. */
  choose() {
    this.hand.choice = this.choice;
    this.hand.mark();
    if (this.state) {
      this.ask.offer(this.state, this.choice);
      this.find("practice").hidden = !this.state.practice;
      setText(this.find("away-name"), this.words(this.state.away ? "here" : "away"));
      this.find("away").hidden = this.state.waits;
    }
    for (const button of this.find("practice").querySelectorAll("button")) {
      button.disabled = !this.choice;
    }
    this.#prompt();
  }

  #prompt() {
    const { choice } = this;
    this.turn.show(choice ? `${choice.question.decision}` : "");
    const connection = { isLost: this.isLost, isSent: this.answers.isSent };
    this.ask.show(this.#remark || prompt(this.state, this.choice, connection, this.words), !!this.#remark);
    this.ask.element.classList.toggle("asks", !!this.choice);
    this.ask.time(this.state?.away ? null : this.answers.until, this.choice?.question.limit ?? 1);
    this.find("last").setAttribute("aria-pressed", String(this.board.isLast));
    const isPaused = this.state?.status === "paused";
    this.toggleAttribute("data-lost", this.isLost || (this.state?.connected === false && !isPaused));
  }

  /** Say something about what the person has just done. @param {string} sentence Empty: say what is wanted again. */
  remark(sentence) {
    this.#remark = sentence;
    this.log.forget();
    this.log.say(sentence);
    this.#prompt();
  }

  /** @param {string} why Why an answer was refused; empty: one is on its way. */
  #answered(why) {
    this.#remark = "";
    this.choose();
    if (why) {
      this.remark(why);
    }
  }
}

export { PersonTable };
customElements.define("person-table", PersonTable);
