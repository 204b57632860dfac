// Asks for what the site has to compute first, until it is there.
// @ts-check

/** @typedef {import("./shapes").Computing} Computing */
/** @typedef {import("./words.js").Words} Words */

const FIRST_MS = 100;
const LONGEST_MS = 2000;

/**
 * The answer to a question, asked again as long as the site says that it is being computed.
 * @template {Response | null} T
 * @param {() => Promise<T>} ask @param {() => boolean} isWanted @param {(computing: Computing) => void} report
 * @returns {Promise<T>}
 */
export async function computed(ask, isWanted, report) {
  for (let pause = FIRST_MS; ; pause = Math.min(2 * pause, LONGEST_MS)) {
    const response = await ask();
    if (response?.status !== 202 || !isWanted()) {
      return response;
    }
    report(await response.json());
    await new Promise((done) => setTimeout(done, pause));
    if (!isWanted()) {
      return response;
    }
  }
}

/** How far an estimate has come. @param {Computing} computing @param {Words} words */
export function progress({ place, done, steps }, words) {
  if (place !== null && place > 1) {
    return words("why-place", { place });
  }
  return steps ? words("why-steps", { done, steps }) : words("why-wait");
}
