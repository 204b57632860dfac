// How far a submission has come, as it happens; the page has said the same before, and says what became of it.
// @ts-check

import { SharedStream } from "./shared_stream.mjs";

const ASK_MS = 3000;

/** @typedef {{ status: string, phase: string, place: number | null, done: number, steps: number, finished: string | null }} Row */

class SubmissionProgress extends HTMLElement {
  address = "";

  connectedCallback() {
    this.address = `/api/v1/submissions/${this.dataset.number}`;
    const source = new SharedStream(`${this.address}/stream`);
    source.onmessage = (data) => this.show(JSON.parse(data));
    source.onstop = source.onfull = () => this.instead();
    source.onlost = () => {
      if (source.isClosed) this.instead();
    };
  }

  /** Ask now and then, where there is no stream, or none any more. */
  async instead() {
    while (this.isConnected) {
      const answer = await fetch(this.address, { headers: { Accept: "application/json" } }).catch(() => undefined);
      if (answer && answer.status >= 400 && answer.status < 500) return location.reload(); // logged out, for example
      if (answer?.ok) this.show(await answer.json());
      await new Promise((done) => setTimeout(done, ASK_MS));
    }
  }

  /** @param {Row} row */
  show(row) {
    if (row.finished) return location.reload(); // the page has the rest
    const state = this.querySelector(".state strong");
    const words = this.words(row);
    if (state && state.textContent !== words) state.textContent = words;
    const bar = this.querySelector("progress");
    if (bar && row.steps) {
      bar.max = row.steps;
      bar.value = row.done;
    }
  }

  /** @param {Row} row */
  words(row) {
    const { waits = "", prepared = "", building = "", trying = "", tried = "" } = this.dataset;
    if (row.status === "queued") return waits.replace("{place}", String(row.place ?? "–"));
    if (row.phase === "building") return building;
    if (row.phase !== "trying") return prepared;
    return row.steps ? tried.replace("{done}", String(row.done)).replace("{steps}", String(row.steps)) : trying;
  }
}

customElements.define("submission-progress", SubmissionProgress);
