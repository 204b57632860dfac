// Written by `python -m ladder.site.shapes`: what the fields mean is in ladder/values.

/** Worth of each choice of a seat in a position, from what it knows. */
export interface Analysis {
  opinion: string;
  low_is_better: boolean;
  partners: boolean;
  legal: number;
  deals: number;
  search: "tree" | "playouts";
  seat: number;
  choices: OpenChoice[];
}

/** One legal choice of a decision that was made. */
export interface Choice {
  choice: string;
  points: number;
  points_error: number;
  ahead: number;
  behind: number;
  behind_error: number;
  reasons: Reason[];
  house: string[];
  as_dealt: number;
  chosen: boolean;
}

/** Progress of a computation. */
export interface Computing {
  place: number | null;
  done: number;
  steps: number;
  is_served: boolean;
}

/** The decisions of a bot that cost it most, by estimate. */
export interface Costliest {
  opinion: string;
  source: string;
  bot: string;
  decisions: number;
  not_estimated: number;
  costliest: Why[];
}

/** One deal of a recorded match, as seen from all seats or from one. */
export interface Deal {
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
  moon_others: number;
  moon_instead: number | null;
  seat: number | null;
  bots: string[];
  kinds: ("person" | "house" | "bot")[];
  match: number | null;
  format: string;
  place: Place;
  boards: boolean;
  previous: Place | null;
  next: Place | null;
  faults: Fault[];
  numbers: number[];
  hands: string[];
  moments: TableMoment[];
  tricks: ReplayTrick[];
}

/** One legal choice. */
export interface EstimatedChoice {
  choice: string;
  points: number;
  points_error: number;
  ahead: number;
  behind: number;
  behind_error: number;
  reasons: Reason[];
  house: string[];
}

/** Position of a fault in its match. */
export interface Fault {
  board: number;
  rotation: number;
  step: number;
  bot: number;
}

/** Worth of each choice of a decision that is still to be made, from the knowledge of the seat. */
export interface Hint {
  opinion: string;
  low_is_better: boolean;
  partners: boolean;
  legal: number;
  deals: number;
  search: "tree" | "playouts";
  decision: number;
  choices: EstimatedChoice[];
}

/** A decision that cost more than the error of its estimate. */
export interface Mistake {
  step: number;
  seat: number;
  cost: number;
  cost_error: number;
  partners: boolean;
  legal: number;
  choices: Choice[];
  deals: number;
  search: "tree" | "playouts";
}

/** The mistakes of all seats in one deal. */
export interface Mistakes {
  mistakes: Mistake[];
}

/** One legal choice where all hands are open. */
export interface OpenChoice {
  choice: string;
  points: number;
  points_error: number;
  ahead: number;
  behind: number;
  behind_error: number;
  reasons: Reason[];
  house: string[];
  as_dealt: number;
}

/** Reason that a card may not be played. */
export interface PersonBar {
  bar: string;
  names: string[];
}

/** Something that has happened besides the game. */
export interface PersonNotice {
  number: number;
  kind: "default" | "resumed" | "taken_back" | "phrase";
  verdict: string;
  action: string;
  text: string;
  who: string;
  phrase: "good-luck" | "well-played" | "bad-luck" | "thanks" | "one-moment" | "goodbye" | null;
}

/** Result of the game. */
export interface PersonOver {
  place: number;
  totals: number[];
  verify: string;
  compare: string;
}

/** A part of a seat's score; all of them add up to it. */
export interface PersonPoints {
  reason: string;
  points: number;
  card: string;
  factor: number;
}

/** The decision that the person is to make. */
export interface PersonQuestion {
  decision: number;
  kind: "pass" | "expose" | "play" | "moon";
  limit: number;
  left: number | null;
  legal: string;
  count: number;
  pass_to: number | null;
  faces: ("up" | "down")[];
  why: Record<string, PersonBar>;
  claim: boolean;
}

/** Result of a deal, shown until the person continues. */
export interface PersonResult {
  deal: number;
  scores: number[];
  totals: number[];
  parts: PersonPoints[][];
  shooter: number | null;
}

/** The table as the person in one chair may see it, and what the person is asked. */
export interface PersonState {
  number: number;
  status: "waiting" | "starting" | "playing" | "paused" | "resuming" | "unserved" | "over" | "ended";
  reason: string;
  delay: number;
  deal: TableDeal | null;
  moment: TableMoment | null;
  last_trick: TableTrick | null;
  sheet: SheetRow[];
  connected: boolean;
  away: boolean;
  waits: boolean;
  practice: boolean;
  assisted: boolean;
  question: PersonQuestion | null;
  result: PersonResult | null;
  notices: PersonNotice[];
  over: PersonOver | null;
}

/** Position of a deal in its match. Both numbers count from 1. */
export interface Place {
  board: number;
  rotation: number;
}

/** One reason that a choice is behind the best one, by the deals in which both were tried. */
export interface Reason {
  kind: "card" | "points" | "doubler" | "moon" | "other_moon" | "trick" | "void";
  cards: string[];
  suit: string | null;
  without: string | null;
  after: number;
  after_best: number;
  points: number | null;
}

/** One whole trick of a recorded deal. */
export interface ReplayTrick {
  number: number;
  leader: number;
  cards: string;
  winner: number;
  points: number;
  ends: number;
}

/** The points of one deal, by seat. */
export interface SheetRow {
  deal: number;
  scores: number[];
  totals: number[];
}

/** The part that stays as it is for a whole deal. */
export interface TableDeal {
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
  moon_others: number;
  moon_instead: number | null;
  seat: number | null;
  bots: string[];
  kinds: ("person" | "house" | "bot")[];
}

/** The table after something has happened. */
export interface TableMoment {
  after: number | null;
  steps: TableStep[];
  phase: "pass" | "expose" | "play" | "moon" | "over";
  trick: number;
  leader: number | null;
  cards: string;
  winning: number | null;
  complete: boolean;
  seats: TableSeat[];
  scores: number[] | null;
  totals: number[];
}

/** One seat at one moment, as far as it is known from where one looks. */
export interface TableSeat {
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

/** A table that is played, as one who looks at it may see it: a spectator, or a person in a chair. */
export interface TableShown {
  number: number;
  status: "waiting" | "starting" | "playing" | "paused" | "resuming" | "unserved" | "over" | "ended";
  reason: string;
  delay: number;
  deal: TableDeal | null;
  moment: TableMoment | null;
  last_trick: TableTrick | null;
  sheet: SheetRow[];
}

/** One action, and its decider; what is not known from where one looks is empty or None. */
export interface TableStep {
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

/** One whole trick. */
export interface TableTrick {
  number: number;
  leader: number;
  cards: string;
  winner: number;
  points: number;
}

/** A board of a match that is done, to be watched. */
export interface TvBoard {
  board: number;
  rotation: number;
  match: number;
  variant: string;
  bots: string[];
  finished: string;
}

/** The next board to show. */
export interface TvNext {
  board: TvBoard | null;
  is_estimating: boolean;
}

/** One decision of a record, with what each choice was worth from what the seat knew. */
export interface Why {
  opinion: string;
  low_is_better: boolean;
  partners: boolean;
  legal: number;
  deals: number;
  search: "tree" | "playouts";
  source: string;
  rules: string;
  place: string;
  deal: number;
  board: number | null;
  rotation: number | null;
  step: number;
  seat: number;
  bot: string;
  at: string;
  hand: string[];
  on_the_table: string[];
  choices: Choice[];
  chosen: string;
  by: string;
  cost: number;
  cost_error: number;
  scored: number;
  rerun: string;
}
