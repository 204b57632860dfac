// Holds the streams of server-sent events of all tabs of a browser, one for each address. A browser opens six connections
// to a site over HTTP/1.1: a few are for streams, the others stay free for pages. A tab without a stream asks again and
// again.
// @ts-check

const MAX_STREAMS = 3;
/** A tab that has sent nothing for this time is gone; hidden ones may send once a minute only. */
const SILENT_MS = 5 * 60_000;
const LOOK_MS = 60_000;

/** What a tab says: that it follows, again and again, or that it leaves. @typedef {{address: string, mark: string | null, isHidden: boolean, leaves?: boolean}} Wish */
/** What a tab is sent. @typedef {{say: "open" | "message" | "stop" | "lost" | "closed" | "full", data?: string, id?: string}} StreamMessage */
/** @typedef {{port: MessagePort, isHidden: boolean, lastSeen: number}} Tab */

/** By their addresses. @type {Map<string, Stream>} */
const streams = new Map();

class Stream {
  /** @type {Map<MessagePort, Tab>} */
  tabs = new Map();
  /** @type {StreamMessage | null} */
  last = null;
  /** @type {EventSource} */
  source;

  /** @param {string} address @param {string | null} mark Of the last event that is known; null: each message is the whole state. */
  constructor(address, mark) {
    this.address = address;
    this.mark = mark;
    this.source = this.#open(mark);
    streams.set(address, this);
  }

  /** @param {string | null} mark */
  #open(mark) {
    const source = new EventSource(mark === null ? this.address : `${this.address}?after=${encodeURIComponent(mark)}`);
    source.onopen = () => this.send({ say: "open" });
    source.onmessage = ({ data, lastEventId }) => {
      this.last = { say: "message", data, id: lastEventId };
      this.send(this.last);
    };
    source.addEventListener("stop", () => this.end("stop"));
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) this.end("closed");
      else this.send({ say: "lost" });
    };
    return source;
  }

  /** @param {Tab} tab @param {string | null} mark */
  add(tab, mark) {
    const isNew = !this.tabs.has(tab.port);
    this.tabs.set(tab.port, tab);
    if (!isNew) return;
    if (mark === null) {
      if (this.source.readyState !== EventSource.OPEN) return;
      tab.port.postMessage({ say: "open" });
      if (this.last) tab.port.postMessage(this.last);
    } else if (mark !== (this.last?.id ?? this.mark)) {
      this.source.close(); // the tabs that know more leave out what they know
      this.mark = this.last ? mark : ""; // where nothing has come yet, it is unknown which of them knows more
      this.source = this.#open(this.mark);
    }
  }

  /** @param {MessagePort} port */
  remove(port) {
    if (this.tabs.delete(port) && !this.tabs.size) {
      this.source.close();
      streams.delete(this.address);
    }
  }

  /** @param {"stop" | "closed" | "full"} say */
  end(say) {
    this.source.close();
    streams.delete(this.address);
    this.send({ say });
  }

  /** @param {StreamMessage} message */
  send(message) {
    for (const port of this.tabs.keys()) port.postMessage(message);
  }
}

/** @param {MessagePort} port @param {Wish} wish */
function take(port, { address, mark, isHidden, leaves }) {
  const tab = { port, isHidden, lastSeen: Date.now() };
  const stream = streams.get(address);
  if (leaves) {
    stream?.remove(port);
  } else if (stream) {
    stream.add(tab, mark);
  } else if (hasRoom(isHidden)) {
    new Stream(address, mark).add(tab, mark);
  } else {
    port.postMessage({ say: "full" });
  }
}

/** @param {boolean} isHidden Whether the tab that wants a stream is. */
function hasRoom(isHidden) {
  if (streams.size < MAX_STREAMS) return true;
  const unseen = [...streams.values()].find((each) => [...each.tabs.values()].every((tab) => tab.isHidden));
  if (isHidden || !unseen) return false;
  unseen.end("full");
  return true;
}

setInterval(() => {
  for (const stream of [...streams.values()]) {
    for (const tab of [...stream.tabs.values()]) {
      if (Date.now() - tab.lastSeen > SILENT_MS) stream.remove(tab.port);
    }
  }
}, LOOK_MS);

/** @type {any} */ (globalThis).onconnect = (/** @type {MessageEvent} */ event) => {
  const [port] = event.ports;
  port.onmessage = ({ data }) => take(port, data);
};
