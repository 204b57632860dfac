import type { Deal, Place } from "./shapes";

/** Gives a deal as seen from all seats or from one. */
export interface DealSource {
  load(place: Place | null, seat: number | null): Promise<Deal>;
  /** Go to another deal; true if that leaves the page. */
  leave?(place: Place, hash: string): boolean;
  hash(deal: Deal, after: string): string;
  why(deal: Deal, step: number): string | null;
  /** Where the mistakes of the deal are asked for; null: nowhere. */
  mistakes(deal: Deal): string | null;
}
