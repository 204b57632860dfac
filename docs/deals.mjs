// The recipe of deals.md and the chain of records.md a second time, in JavaScript (Node.js 20 or newer, no packages).
//
//     node docs/deals.mjs match.jsonl
//
// checks that the cards and seats of a finished record follow from its seed, the seed from its commitment, and that the
// chain holds. It knows nothing of the games; `pigpen verify` checks the rest. The pages of the site do the same with
// the same code: ladder/site/static/deals.mjs and chain.mjs.

import { readFileSync, statSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

import { MAX_BYTES, verified } from "../ladder/site/static/chain.mjs";

export { botNumber, hands, seats, seedFrom } from "../ladder/site/static/deals.mjs";

/** What stands in the file, unpacked. */
function read(path) {
  if (statSync(path).size > MAX_BYTES) {
    throw new Error(`a record has at most ${MAX_BYTES} bytes`);
  }
  const content = readFileSync(path);
  try {
    return content[0] === 0x1f ? gunzipSync(content, { maxOutputLength: MAX_BYTES }) : content;
  } catch (error) {
    const isBomb = error.code === "ERR_BUFFER_TOO_LARGE";
    throw isBomb ? new Error(`a record has at most ${MAX_BYTES} bytes, unpacked`) : error;
  }
}

/** A text without what makes a terminal do things. */
function sanitize(text) {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  for (const path of argv.slice(2)) {
    try {
      const content = read(path);
      const { deals } = await verified(() => [content]);
      console.log(sanitize(`${path}: ${deals} deals follow from the seed`));
    } catch (error) {
      console.error(sanitize(`${path}: ${error.message}`));
      process.exitCode = 1;
    }
  }
}
