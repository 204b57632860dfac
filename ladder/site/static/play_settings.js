// What a person has chosen for the table, kept in the browser: speed, taps, deck, felt, sounds, phrases of others, notifications.
// @ts-check

import { keep, kept } from "./kept.js";
import { canNotify, mayNotify } from "./play_turn.js";
import { rememberTable } from "./replay_controls.js";

const KEPT = "pigpen-play";

export class Settings {
  speed = 1;
  taps = matchMedia("(pointer: coarse)").matches ? 2 : 1;
  sound = false;
  phrases = true;
  notify = false;

  /** @param {HTMLElement} form With fields of these names. @param {() => void} changed */
  constructor(form, changed) {
    this.changed = changed;
    this.#read();
    this.#field(form, "speed", String(this.speed), (field) => (this.speed = Number(field.value) || Infinity));
    this.#field(form, "taps", String(this.taps), (field) => (this.taps = Number(field.value)));
    this.#box(form, "sound", this.sound, (isOn) => (this.sound = isOn));
    this.#box(form, "phrases", this.phrases, (isOn) => (this.phrases = isOn));
    this.#notifications(form);
    const select = (/** @type {string} */ name) => /** @type {HTMLSelectElement} */ (form.querySelector(`[name=${name}]`));
    rememberTable(select("deck"), select("felt"));
  }

  /** @param {HTMLElement} form @param {string} name @param {string} value @param {(field: HTMLSelectElement) => void} take */
  #field(form, name, value, take) {
    const field = /** @type {HTMLSelectElement} */ (form.querySelector(`[name=${name}]`));
    field.value = value === "Infinity" ? "0" : value;
    field.addEventListener("change", () => {
      take(field);
      this.#keep();
    });
  }

  /** @param {HTMLElement} form @param {string} name @param {boolean} value @param {(isOn: boolean) => void} take */
  #box(form, name, value, take) {
    const box = /** @type {HTMLInputElement} */ (form.querySelector(`[name=${name}]`));
    box.checked = value;
    box.addEventListener("change", () => {
      take(box.checked);
      this.#keep();
    });
  }

  /** Offer notifications, where the browser has them; it asks the person. @param {HTMLElement} form */
  #notifications(form) {
    const box = /** @type {HTMLInputElement} */ (form.querySelector("[name=notify]"));
    const refused = /** @type {HTMLElement} */ (form.querySelector("[data-part=notify-refused]"));
    /** @type {HTMLElement} */ (form.querySelector("[data-part=notify]")).hidden = !canNotify();
    this.notify &&= mayNotify();
    box.checked = this.notify;
    box.addEventListener("change", async () => {
      const isAllowed = box.checked && (await Notification.requestPermission()) === "granted";
      refused.hidden = isAllowed || !box.checked;
      this.notify = box.checked = isAllowed;
      this.#keep();
    });
  }

  #read() {
    try {
      const chosen = JSON.parse(kept(KEPT) ?? "{}");
      this.speed = chosen.speed === 0 ? Infinity : (chosen.speed ?? this.speed);
      this.taps = chosen.taps ?? this.taps;
      this.sound = chosen.sound ?? this.sound;
      this.phrases = chosen.phrases ?? this.phrases;
      this.notify = chosen.notify ?? this.notify;
    } catch {
      // What is kept cannot be read: it stays as it is by default.
    }
  }

  #keep() {
    const speed = this.speed === Infinity ? 0 : this.speed;
    const { taps, sound, phrases, notify } = this;
    keep(KEPT, JSON.stringify({ speed, taps, sound, phrases, notify }));
    this.changed();
  }
}
