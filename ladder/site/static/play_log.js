// What happens at the table, sentence by sentence, in a list that only grows: a screen reader says each as it comes.
// @ts-check

import { cardsOf, order } from "./cards.js";
import { outcome } from "./play_outcome.js";
import { listed, southOf, spoken } from "./table.js";
import { make, scored } from "./words.js";

/** @typedef {import("./shapes").PersonState} PersonState */
/** @typedef {import("./shapes").TableDeal} TableDeal */
/** @typedef {import("./shapes").TableMoment} TableMoment */
/** @typedef {import("./words.js").Words} Words */

const MAX_ENTRIES = 400;

export class Log {
  #last = "";
  #noticed = -1;
  /** Whether it has the phrases of others. */
  showsPhrases = true;

  /** @param {HTMLElement} list @param {Words} words */
  constructor(list, words) {
    this.list = list;
    this.words = words;
  }

  /** @param {string} sentence @param {string} [className] */
  say(sentence, className = "") {
    if (!sentence || sentence === this.#last) {
      return;
    }
    this.#last = sentence;
    const isAtEnd = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 40;
    this.list.append(make("p", className, sentence));
    if (this.list.childElementCount > MAX_ENTRIES) {
      this.list.firstElementChild?.remove();
    }
    if (isAtEnd) {
      this.list.scrollTop = this.list.scrollHeight;
    }
  }

  /** Say the next sentence, even if it is the last one again. */
  forget() {
    this.#last = "";
  }

  /** Add what has happened between two states. @param {PersonState | null} before @param {PersonState} now */
  add(before, now) {
    const { deal, moment } = now;
    if (deal && moment) {
      const then = before?.deal?.number === deal.number ? before.moment : null;
      if (!then) {
        this.say(this.words("deal-begins", { number: deal.number + 1 }), "deal");
        this.say(this.words("your-hand", { cards: this.#hand(moment, deal) }));
      } else {
        this.#happened(deal, then, moment);
      }
      if (now.result && !before?.result) {
        const total = scored(now.result.totals[southOf(deal)], deal);
        this.say(`${outcome(deal, now.result, this.words)} ${this.words("deal-ends", { total })}`, "deal");
      }
    }
    if (before && before.away !== now.away) {
      this.say(this.words(!now.away ? "now-back" : now.waits ? "status-paused" : "now-away"));
    }
    this.#notices(before, now);
  }

  /** @param {TableDeal} deal @param {TableMoment} then @param {TableMoment} now */
  #happened(deal, then, now) {
    const me = southOf(deal);
    const viewed = now.seats[me];
    if (viewed.received && !then.seats[me].received) {
      const from = (me - deal.pass_offset + deal.players) % deal.players;
      this.say(this.words("received", { who: deal.bots[from], cards: this.cards(viewed.received) }));
    }
    if (then.phase === "expose" && now.phase !== "expose") {
      this.say(this.#exposed(deal, now));
    }
    const step = now.steps[0];
    if (step?.kind === "play" && (now.cards !== then.cards || now.trick !== then.trick)) {
      this.#played(deal, then, now, step);
    }
    if (step?.kind === "pass" && step.by && then.steps[0]?.kind !== "pass") {
      this.say(this.words("policy-passed", { cards: this.cards(step.action) }));
    }
  }

  /** @param {TableDeal} deal @param {TableMoment} then @param {TableMoment} now @param {import("./shapes").TableStep} step */
  #played(deal, then, now, { seat, action: card, by }) {
    const isMine = seat === deal.seat;
    const does = cardsOf(now.cards).length === 1 ? "lead" : "play";
    const own = by ? "policy-played" : `you-${does}`;
    this.say(this.words(isMine ? own : `${does}s`, { who: deal.bots[seat], card: spoken(card, this.words) }));
    if (isMine && !by && then.seats[seat].legal === card) {
      this.say(this.words("forced"));
    }
    if (now.complete && now.winning !== null) {
      const gain = now.seats[now.winning].points - then.seats[now.winning].points;
      const taker = now.winning === deal.seat ? "you-take" : "takes";
      this.say(this.words(taker, { who: deal.bots[now.winning], points: scored(gain, deal) }));
    }
  }

  /** @param {TableDeal} deal @param {TableMoment} now */
  #exposed(deal, now) {
    const shown = now.seats.flatMap((viewed, seat) => {
      const down = this.words("down");
      const known = cardsOf(viewed.exposed).map((card) => spoken(card, this.words) + (card.endsWith("*") ? ` (${down})` : ""));
      if (viewed.hidden) {
        known.push(this.words("face-down", { count: viewed.hidden }));
      }
      return known.length ? [`${deal.bots[seat]}: ${listed(known, this.words)}`] : [];
    });
    return shown.length ? this.words("exposed", { what: shown.join("; ") }) : this.words("none-exposed");
  }

  /** What was played for the person, and what has become of the table. @param {PersonState | null} before @param {PersonState} now */
  #notices(before, now) {
    for (const notice of now.notices) {
      if (notice.number > this.#noticed && before && (notice.kind !== "phrase" || this.showsPhrases)) {
        this.say(noticed(notice, this.words), notice.kind === "phrase" ? "phrase" : "notice");
      }
      this.#noticed = Math.max(this.#noticed, notice.number);
    }
  }

  /** @param {TableMoment} moment @param {TableDeal} deal */
  #hand(moment, deal) {
    return this.cards(moment.seats[southOf(deal)].hand);
  }

  /** Cards as they are held. @param {string} names */
  cards(names) {
    return this.spoken(cardsOf(names).sort((one, other) => order(one) - order(other)).join(" "));
  }

  /** Cards in their own order. @param {string} names */
  spoken(names) {
    return listed(cardsOf(names).map((card) => spoken(card, this.words)), this.words);
  }
}

/** A sentence about a notice. @param {import("./shapes").PersonNotice} notice @param {Words} words */
export function noticed(notice, words) {
  if (notice.kind === "phrase") {
    return words("phrase", { who: notice.who, what: words(`say-${notice.phrase}`) });
  }
  if (notice.kind !== "default") {
    return words(`notice-${notice.kind}`);
  }
  const isMoon = notice.action === "add" || notice.action === "subtract";
  const what = isMoon
    ? words(`choice-${notice.action}`)
    : listed(cardsOf(notice.action).map((card) => spoken(card, words)), words) || words("nothing");
  return words(notice.verdict === "timeout" ? "default-late" : "default-wrong", { what, why: notice.text });
}
