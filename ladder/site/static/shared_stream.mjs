// A stream of server-sent events that the tabs of a browser share, like an EventSource for those that use it. One worker
// of the browser holds the streams (stream_worker.js); where there is no such worker, each tab has a stream of its own.
// A hidden tab leaves its stream after a while, and follows it again when it is visible.
// @ts-check

/** @typedef {import("./stream_worker.js").StreamMessage} StreamMessage */

const HIDDEN_MS = 30_000;
/** The same for a person's own table, where a closed stream says that the person is away. */
const HIDDEN_TABLE_MS = 10 * 60_000;
const REPORT_MS = 30_000;
/** A worker that sends nothing for this time does not work. */
const PATIENCE_MS = 10_000;

let canShare = "SharedWorker" in globalThis;

export class SharedStream {
  onopen = () => {};
  /** @type {(data: string, id: string) => void} */
  onmessage = () => {};
  /** Nothing more will come. */
  onstop = () => {};
  /** The connection is lost; `isOpen` and `isClosed` say what becomes of it. */
  onlost = () => {};
  /** The browser has no room for one more stream: ask without one, and try again later. */
  onfull = () => {};
  isOpen = false;
  /** It will not be tried again. */
  isClosed = false;
  #isFollowing = false;
  #isFinished = false;
  /** @type {MessagePort | null} */
  #port = null;
  /** @type {EventSource | null} */
  #source = null;
  #pulse = 0;
  #patience = 0;
  #hiding = 0;

  /**
   * @param {string} address Without a question mark, unless *mark* is null.
   * @param {string | null} mark Of the last event that is known: `attempt-number`; null: each message is the whole state.
   * @param {boolean} isTable Whether it is a person's own table.
   */
  constructor(address, mark = null, isTable = false) {
    this.address = new URL(address, location.href).href;
    this.mark = mark;
    this.hiddenMs = isTable ? HIDDEN_TABLE_MS : HIDDEN_MS;
    this.look = () => this.#look();
    this.leave = () => this.#leave();
    document.addEventListener("visibilitychange", this.look);
    addEventListener("pageshow", this.look);
    addEventListener("pagehide", this.leave);
    queueMicrotask(this.look); // the callers have set their callbacks by then
  }

  close() {
    this.#isFinished = this.isClosed = true;
    document.removeEventListener("visibilitychange", this.look);
    removeEventListener("pageshow", this.look);
    removeEventListener("pagehide", this.leave);
    this.#leave();
  }

  /** Follow while the page is visible, and for a while after. */
  #look() {
    clearTimeout(this.#hiding);
    if (this.#isFinished) return;
    if (!this.#isFollowing) this.#follow();
    else this.#report();
    if (document.hidden) this.#hiding = setTimeout(this.leave, this.hiddenMs);
  }

  #follow() {
    this.#isFollowing = true;
    if (!canShare) return this.#alone();
    try {
      const worker = new SharedWorker(new URL("./stream_worker.js", import.meta.url), { type: "module" });
      worker.onerror = () => this.#alone();
      this.#port = worker.port;
    } catch {
      return this.#alone();
    }
    this.#port.onmessage = ({ data }) => this.#take(data);
    this.#patience = setTimeout(() => this.#alone(), PATIENCE_MS);
    this.#pulse = setInterval(() => this.#report(), REPORT_MS);
    this.#report();
  }

  /** Open a stream of this tab's own. */
  #alone() {
    canShare = false;
    this.#leave();
    this.#isFollowing = true;
    const after = this.mark === null ? "" : `?after=${encodeURIComponent(this.mark)}`;
    const source = new EventSource(this.address + after);
    this.#source = source;
    source.onopen = () => this.#take({ say: "open" });
    source.onmessage = ({ data, lastEventId }) => this.#take({ say: "message", data, id: lastEventId });
    source.addEventListener("stop", () => this.#take({ say: "stop" }));
    source.onerror = () => this.#take({ say: source.readyState === EventSource.CLOSED ? "closed" : "lost" });
  }

  #leave() {
    clearTimeout(this.#hiding);
    clearTimeout(this.#patience);
    clearInterval(this.#pulse);
    this.#report(true);
    this.#port?.close();
    this.#source?.close();
    this.#port = this.#source = null;
    this.#isFollowing = this.isOpen = false;
  }

  #report(leaves = false) {
    this.#port?.postMessage({ address: this.address, mark: this.mark, isHidden: document.hidden, leaves });
  }

  /** @param {StreamMessage} message */
  #take({ say, data = "", id = "" }) {
    clearTimeout(this.#patience);
    if (!this.#isFollowing) return;
    this.isOpen = say === "open" || say === "message";
    if (say === "open") {
      this.onopen();
    } else if (say === "message") {
      if (this.mark !== null && !isLater(id, this.mark)) return;
      if (this.mark !== null) this.mark = id;
      this.onmessage(data, id);
    } else if (say === "lost") {
      this.onlost();
    } else {
      this.close();
      (say === "stop" ? this.onstop : say === "full" ? this.onfull : this.onlost)();
    }
  }
}

/** @param {string} mark @param {string} before @returns {boolean} */
function isLater(mark, before) {
  const [[attempt, number], [oldAttempt, oldNumber]] = [mark, before || "0-0"].map((each) => each.split("-").map(Number));
  return attempt === oldAttempt ? number > oldNumber : attempt > oldAttempt;
}
