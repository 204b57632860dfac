import type { Deal, Place } from "./shapes";

/** A decision whose choices can be estimated. */
export interface Asked {
  /** Of the words on its button. */
  key: "ask-why" | "ask-worth";
  who: string;
  url: string;
}

/** Gives a deal as seen from all seats or from one. */
export interface DealSource {
  load(place: Place | null, seat: number | null): Promise<Deal>;
  /** Go to another deal; true if that leaves the page. */
  leave?(place: Place, hash: string): boolean;
  hash(deal: Deal, after: string): string;
  /** Estimates that a reader may ask for at a moment of the deal with all hands open. */
  asks(deal: Deal, at: number): Asked[];
  /** Where the mistakes of the deal are asked for; null: nowhere. */
  mistakes(deal: Deal): string | null;
}
