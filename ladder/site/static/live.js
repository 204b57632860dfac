// A match while it is played: its events come as server-sent events, or, where streams fail, by asking again and again.
// @ts-check

const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const POLL_MS = 2000;
const FAILURES = 3;

/**
 * One table's deal under way.
 * @typedef {{deal: number, seats: number[], totals: number[], plays: {seat: number, card: string}[], scores: number[] | null}} Table
 */

class LiveMatch extends HTMLElement {
  connectedCallback() {
    /** @type {string[]} */
    this.bots = JSON.parse(this.dataset.bots ?? "[]");
    /** @type {Map<number, Table>} */
    this.tables = new Map();
    /** @type {Map<number, HTMLElement>} */
    this.drawn = new Map();
    this.points = this.bots.map(() => 0);
    this.done = 0;
    /** @type {number | null} */
    this.deals = null;
    this.mark = "";
    this.failures = 0;
    /** @type {Set<number>} */
    this.changed = new Set();
    this.frame = 0;
    this.follow();
  }

  disconnectedCallback() {
    this.source?.close();
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
  }

  follow() {
    const address = `/api/v1/live/${this.dataset.match}/stream?after=${encodeURIComponent(this.mark)}`;
    this.source = new EventSource(address);
    this.source.onmessage = (message) => {
      this.failures = 0;
      this.mark = message.lastEventId;
      this.take(JSON.parse(message.data));
    };
    this.source.addEventListener("stop", () => this.source?.close());
    this.source.onerror = () => {
      this.say(this.dataset.lost ?? "");
      if (++this.failures < FAILURES) return;
      this.source?.close();
      this.poll();
    };
  }

  async poll() {
    try {
      const address = `/api/v1/live/${this.dataset.match}/events?after=${encodeURIComponent(this.mark)}`;
      const page = await (await fetch(address)).json();
      for (const event of page.events) {
        this.mark = `${page.attempt}-${event.id}`;
        this.take(JSON.parse(event.line));
      }
      if (page.ended) return;
    } catch {
      this.say(this.dataset.lost ?? "");
    }
    this.timer = setTimeout(() => this.poll(), POLL_MS);
  }

  /** @param {any} event */
  take(event) {
    if (event.type === "match") {
      this.tables.clear();
      this.deals = event.deals ?? null;
      this.done = 0;
      this.points.fill(0);
    } else if (event.type === "deal") {
      this.tables.set(event.table, { deal: event.deal, seats: event.seats, totals: event.totals, plays: [], scores: null });
    } else if (event.type === "play") {
      this.tables.get(event.table)?.plays.push({ seat: event.seat, card: event.card });
    } else if (event.type === "scored") {
      this.score(event);
    } else if (event.type === "gap") {
      this.say(this.dataset.gap ?? "");
    } else if (event.type === "end") {
      this.say(this.dataset.over ?? "");
    }
    if ("table" in event) this.redraw(event.table);
  }

  /** @param {any} event */
  score(event) {
    const table = this.tables.get(event.table);
    this.done += 1;
    if (!table) return;
    table.scores = event.scores;
    table.totals = event.totals;
    table.seats.forEach((bot, seat) => (this.points[bot] += event.scores[seat]));
    const cells = this.querySelectorAll(".live-points td");
    this.points.forEach((points, bot) => (cells[bot].textContent = String(points).replace("-", "−")));
    this.say(this.deals ? `${this.done} / ${this.deals}` : String(this.done));
  }

  /** @param {string} words */
  say(words) {
    const state = this.querySelector(".live-state");
    if (state) state.textContent = words;
  }

  /**
   * Draw what has changed once for each picture on the screen: bots play hundreds of cards a second.
   * @param {number} number
   */
  redraw(number) {
    this.changed.add(number);
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      for (const each of this.changed) this.draw(each);
      this.changed.clear();
    });
  }

  /** @param {number} number */
  draw(number) {
    const table = this.tables.get(number);
    if (!table) return;
    const section = document.createElement("section");
    section.className = "live-table";
    const players = table.seats.length;
    const full = Math.floor(table.plays.length / players) * players;
    const shown = table.plays.length > full ? table.plays.slice(full) : table.plays.slice(-players);
    const title = document.createElement("h2");
    title.textContent = `${this.dataset.table} ${number} · ${this.dataset.deal} ${table.deal}`;
    section.append(title);
    const next = table.plays.length > full ? (shown[shown.length - 1].seat + 1) % players : -1;
    table.seats.forEach((bot, seat) => section.append(this.seat(bot, seat, shown, seat === next && !table.scores)));
    if (table.scores) {
      const scores = document.createElement("p");
      scores.textContent = table.scores.map((score) => String(score).replace("-", "−")).join(" · ");
      section.append(scores);
    }
    const before = this.drawn.get(number);
    if (before) before.replaceWith(section);
    else this.querySelector(".live-tables")?.append(section);
    this.drawn.set(number, section);
  }

  /**
   * @param {number} bot
   * @param {number} seat
   * @param {{seat: number, card: string}[]} trick
   * @param {boolean} next
   */
  seat(bot, seat, trick, next) {
    const row = document.createElement("div");
    row.className = next ? "live-seat on" : "live-seat";
    const name = document.createElement("b");
    name.textContent = this.bots[bot];
    row.append(name);
    const play = trick.find((each) => each.seat === seat);
    if (play) {
      const card = document.createElement("span");
      const suit = play.card.slice(-1);
      card.className = `live-card ${suit}`;
      card.textContent = `${play.card.slice(0, -1).replace("T", "10")}${SUITS[/** @type {keyof SUITS} */ (suit)]}`;
      row.append(card);
    }
    return row;
  }
}

customElements.define("live-match", LiveMatch);
