// A finished trick moves to the seat that took it.
// @ts-check

const SWEEP_MS = 160;

/** @param {HTMLElement[]} spots Where its cards lie. @param {HTMLElement} winner @param {() => void} done */
export function sweep(spots, winner, done) {
  const to = winner.getBoundingClientRect();
  const cards = spots.flatMap((spot) => [...spot.children]);
  const flights = cards.map((card) => {
    const from = card.getBoundingClientRect();
    const x = to.left + to.width / 2 - from.left - from.width / 2;
    const y = to.top - from.top;
    const there = { transform: `translate(${x}px, ${y}px) scale(.4)`, opacity: 0 };
    return card.animate([{ transform: "none", opacity: 1 }, there], { duration: SWEEP_MS, easing: "ease-in" });
  });
  Promise.allSettled(flights.map((flight) => flight.finished)).then(done);
}
