// What the API gives of a deal: ladder/values/replay.py says what the fields mean.

export interface Place {
  board: number;
  table: number;
}

/** How far something has come that is being computed: ladder/values/computing.py. */
export interface Computing {
  place: number | null;
  done: number;
  steps: number;
  is_served: boolean;
}

export interface Fault extends Place {
  step: number;
  bot: number;
}

export interface Step {
  number: number | null;
  seat: number;
  kind: "pass" | "expose" | "play" | "moon";
  action: string;
  by: string;
  why: string;
  took_ms: number | null;
  cpu_ms: number | null;
  unasked_ms: number | null;
  decision: number | null;
  printed: string;
}

export interface Chair {
  asked: boolean;
  hand: string;
  unknown: number;
  legal: string;
  exposed: string;
  hidden: number;
  voids: string;
  passed: string;
  received: string;
  taken: string;
  points: number;
}

export interface Moment {
  after: number | null;
  steps: Step[];
  phase: "pass" | "expose" | "play" | "moon" | "over";
  trick: number;
  leader: number | null;
  cards: string;
  winning: number | null;
  complete: boolean;
  chairs: Chair[];
  result: boolean;
}

export interface Trick {
  number: number;
  leader: number;
  cards: string;
  winner: number;
  points: number;
  ends: number;
}

export interface Deal {
  match: number | null;
  variant: string;
  title: string;
  format: string;
  place: Place;
  boards: boolean;
  previous: Place | null;
  next: Place | null;
  faults: Fault[];
  seat: number | null;
  players: number;
  hand_size: number;
  low_is_better: boolean;
  partners: boolean;
  pass_offset: number;
  pass_count: number;
  face_up: number;
  face_down: number;
  numbers: number[];
  bots: string[];
  people: number[];
  hands: string[];
  moments: Moment[];
  tricks: Trick[];
  scores: number[];
  totals_before: number[];
  totals: number[];
}

/** Gives a deal as seen from all seats or from one. */
export interface Source {
  load(place: Place | null, seat: number | null): Promise<Deal>;
  /** Go to another deal; true if that leaves the page. */
  leave?(place: Place, hash: string): boolean;
  hash(deal: Deal, after: string): string;
  why(deal: Deal, step: number): string | null;
}

/** A choice and what it is worth; `as_dealt` and `chosen` are there where a decision was made. */
export interface Choice {
  choice: string;
  points: number;
  points_error: number;
  behind: number;
  behind_error: number;
  as_dealt?: number;
  house: string[];
  chosen?: boolean;
}

export interface Estimate {
  opinion: string;
  deals: number;
  legal: number;
  choices: Choice[];
}

/** Of a decision that is still to be made. */
export interface Hint extends Estimate {
  decision: number;
}

/** Of a decision that was made. */
export interface Why extends Estimate {
  at: string;
  step: number;
  chosen: string;
  cost: number;
  cost_error: number;
}

export interface Dearest {
  decisions: number;
  dearest: Why[];
}

// What a person at the table is sent, whole each time: ladder/values/person_state.py says what the fields mean.

export interface PersonDeal {
  number: number;
  variant: string;
  title: string;
  players: number;
  hand_size: number;
  low_is_better: boolean;
  partners: boolean;
  pass_offset: number;
  pass_count: number;
  face_up: number;
  face_down: number;
  seat: number;
  bots: string[];
  kinds: ("person" | "house" | "bot")[];
  totals_before: number[];
}

export interface PersonTrick {
  leader: number;
  cards: string;
  winner: number;
  points: number;
}

export interface PersonMoon {
  choice: "subtract" | "add";
  points: number;
  others: boolean;
}

export interface PersonBar {
  bar: string;
  names: string[];
}

export interface PersonQuestion {
  decision: number;
  kind: "pass" | "expose" | "play" | "moon";
  limit: number;
  left: number;
  legal: string;
  count: number;
  pass_to: number | null;
  faces: ("up" | "down")[];
  moon: PersonMoon[];
  why: Record<string, PersonBar>;
  claim: boolean;
}

export interface PersonNotice {
  number: number;
  kind: "default" | "resumed" | "taken_back";
  verdict: string;
  action: string;
  text: string;
}

export interface PersonPoints {
  reason: string;
  points: number;
  card: string;
  factor: number;
}

export interface PersonSheetRow {
  deal: number;
  scores: number[];
  totals: number[];
}

export interface PersonResult extends PersonSheetRow {
  parts: PersonPoints[][];
  shooter: number | null;
}

export interface PersonOver {
  place: number;
  totals: number[];
  verify: string;
  compare: string;
}

export interface PersonState {
  number: number;
  status: "waiting" | "starting" | "playing" | "resuming" | "over" | "ended";
  reason: string;
  connected: boolean;
  away: boolean;
  practice: boolean;
  assisted: boolean;
  deal: PersonDeal | null;
  moment: Moment | null;
  last_trick: PersonTrick | null;
  question: PersonQuestion | null;
  result: PersonResult | null;
  sheet: PersonSheetRow[];
  notices: PersonNotice[];
  over: PersonOver | null;
}

/** What spectators are given of a table of people: ladder/values/watch_state.py. */
export interface WatchState {
  number: number;
  is_over: boolean;
  reason: string;
  delay: number;
  deal: PersonDeal | null;
  moment: Moment | null;
  sheet: PersonSheetRow[];
}
