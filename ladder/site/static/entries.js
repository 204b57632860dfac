// The nonces of one's entries in an event: made here and kept in this browser; the ladder gets the SHA-256 when a bot
// enters, and the nonce once the list of entrants is final. The ladder makes those that are not wanted, or that this
// browser cannot keep.
// @ts-check

import { keep, kept } from "./kept.js";

const BYTES = 32;

/** @param {Uint8Array} bytes */
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {string} commitment */
const keyOf = (commitment) => `pigpen-nonce-${commitment}`;

/** Makes a nonce and keeps it; gives its SHA-256, or nothing if it cannot be kept. */
async function commit() {
  if (!globalThis.crypto?.subtle) {
    return "";
  }
  const nonce = crypto.getRandomValues(new Uint8Array(BYTES));
  const commitment = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", nonce)));
  keep(keyOf(commitment), hex(nonce));
  return kept(keyOf(commitment)) ? commitment : "";
}

/** @param {HTMLFormElement} form @param {string} name @param {string} value */
function put(form, name, value) {
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = name;
  field.value = value;
  form.append(field);
}

for (const choice of document.querySelectorAll("label.own-nonce")) {
  const own = choice.querySelector("input");
  const form = own?.form;
  choice.toggleAttribute("hidden", false);
  form?.addEventListener("submit", async (event) => {
    const { submitter } = /** @type {SubmitEvent} */ (event);
    if (!own?.checked || !(submitter instanceof HTMLButtonElement) || submitter.value !== "enter") {
      return;
    }
    event.preventDefault();
    submitter.disabled = true;
    put(form, "act", "enter");
    put(form, "commitment", await commit());
    form.submit();
  });
}

for (const form of document.querySelectorAll("form.reveal")) {
  const nonce = form instanceof HTMLFormElement ? kept(keyOf(form.dataset.commitment ?? "")) : null;
  if (form instanceof HTMLFormElement && nonce) {
    put(form, "nonce", nonce);
    form.submit(); // the page comes again, and reveals the next one
    break;
  }
}
