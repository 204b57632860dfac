// What a person at the table does: with cards, keys and buttons.
// @ts-check

import { whyBarred } from "./play_prompt.js";

/** @typedef {import("./play.js").PersonTable} PersonTable */
/** @typedef {import("./shapes").TableDeal} TableDeal */

const CALM = matchMedia("(prefers-reduced-motion: reduce)");

export class Actions {
  /** @param {PersonTable} table */
  constructor(table) {
    this.table = table;
  }

  /** @param {Event} event */
  click(event) {
    const target = /** @type {Element} */ (event.target);
    const button = /** @type {HTMLElement | null} */ (target.closest("button[data-do]"));
    if (button) {
      /** @type {Record<string, () => void>} */
      const does = {
        last: () => this.showLast(),
        away: () => (this.table.state?.away ? this.comeBack() : this.leave()),
        settings: () => /** @type {HTMLDialogElement} */ (this.table.find("settings")).showModal(),
        help: () => this.help(),
        why: () => this.askWhy(),
        back: () => this.takeBack(),
      };
      does[button.dataset.do ?? ""]?.();
    } else if (target.closest(".felt") && !target.closest("button, input, label")) {
      this.skip();
    }
  }

  /** Show what has come at once. */
  skip() {
    if (this.table.board.isLast) {
      this.showLast();
    } else if (this.table.queue.isBusy) {
      this.table.queue.hurry();
    } else {
      this.table.board.sweep(false);
    }
  }

  /** Press a card of the hand. @param {string} card @param {boolean} isKey Whether a key or a screen reader did. */
  press(card, isKey) {
    const { choice } = this.table;
    if (!choice) {
      this.skip();
      return;
    }
    const found = choice.press(card, isKey || this.table.settings.taps === 1);
    this.table.remark("");
    if (found.answer) {
      this.table.board.settle(/** @type {TableDeal} */ (this.table.state?.deal));
      this.table.answers.send(found.answer);
    } else if (found.say) {
      this.table.sound.play("wrong");
      const barred = choice.question.why[card];
      const { count } = choice.question;
      this.table.remark(barred ? whyBarred(card, barred, this.table.words) : this.table.words(found.say, { count }));
    }
    this.table.choose();
  }

  /** Answer with what is chosen. */
  confirm() {
    if (this.table.choice?.isReady) {
      this.table.answers.send(this.table.choice.answer());
    }
  }

  /** What Enter does. */
  enter() {
    const { choice } = this.table;
    const card = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.pick : undefined;
    if (!this.table.find("end").hidden) {
      this.goOn();
    } else if (!choice) {
      this.skip();
    } else if (choice.question.kind !== "play" && choice.isReady && (choice.cards.length || choice.faces.size)) {
      this.confirm();
    } else if (card) {
      this.press(card, true);
    } else {
      this.table.hand.focus();
    }
  }

  exposeNone() {
    if (this.table.choice?.question.kind === "expose") {
      this.table.answers.send("");
    }
  }

  /** Play the rest, if no points remain. */
  claim() {
    if (this.table.choice?.question.claim && this.table.state) {
      this.table.log.say(this.table.words("claimed"));
      this.table.answers.claim(this.table.state);
      this.table.set();
    }
  }

  /** Show the last trick, or the table again. */
  showLast() {
    const last = this.table.state?.last_trick;
    const who = this.table.state?.deal?.bots[last?.winner ?? 0] ?? "";
    if (this.table.board.isLast) {
      this.table.board.showLast(null);
      this.table.remark("");
    } else if (last) {
      this.table.board.showLast(last);
      this.table.remark(this.table.words("last-trick-was", { cards: this.table.log.spoken(last.cards), who }));
    } else {
      this.table.remark(this.table.words("no-last"));
    }
  }

  leave() {
    if (this.table.state && !this.table.state.away && !this.table.state.waits) {
      this.table.stream.presence("away");
    }
  }

  comeBack() {
    this.table.stream.presence("here");
  }

  /** The end of the deal has been looked at. */
  goOn() {
    const { state } = this.table;
    if (state?.result) {
      this.table.lookedAt = state.result.deal;
      this.table.stream.presence("ready", state.result.deal);
      if (state.over) {
        this.table.take(state); // nothing more may come
      }
    }
  }

  /** Ask what each choice is worth, where that is allowed. */
  askWhy() {
    if (this.table.state?.practice && this.table.choice) {
      this.table.practice.ask(this.table.state);
    }
  }

  /** Take the last decision back, where that is allowed. */
  takeBack() {
    if (this.table.state?.practice && this.table.choice) {
      this.table.practice.back();
    }
  }

  toSheet() {
    this.table.tabs.open("tab-points");
    this.table.sheetBox.scrollIntoView({ block: "nearest", behavior: CALM.matches ? "auto" : "smooth" });
  }

  help() {
    const dialog = /** @type {HTMLDialogElement} */ (this.table.find("help"));
    return dialog.open ? dialog.close() : dialog.showModal();
  }
}
