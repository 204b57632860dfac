// Answers each question on its standard input, a line of JSON, with a line of JSON: what docs/deals.mjs makes of it.

import { createInterface } from "node:readline";

import { botNumber, hands, seats, seedFrom } from "../../docs/deals.mjs";

for await (const line of createInterface({ input: process.stdin })) {
  const { rules, seed, number, rotation } = JSON.parse(line);
  const from = await seedFrom(seed);
  const chairs = Array.from({ length: rules.players }, (_, seat) => seat);
  const numbers = (...board) => Promise.all(chairs.map(async (seat) => String(await botNumber(from, number, seat, ...board))));
  console.log(
    JSON.stringify({
      hands: await hands(rules, from, number),
      seats: await seats(rules, from, number, rotation),
      bots: await numbers(),
      onBoards: await numbers(rotation),
    }),
  );
}
