// Answers each question on its standard input, a line of JSON, with a line of JSON: what docs/deals.mjs makes of it.

import { createInterface } from "node:readline";

import { botNumber, hands, seats, seedFrom } from "../../docs/deals.mjs";

for await (const line of createInterface({ input: process.stdin })) {
  const { rules, seed, number, rotation } = JSON.parse(line);
  const from = seedFrom(seed);
  const chairs = Array.from({ length: rules.players }, (_, seat) => seat);
  console.log(
    JSON.stringify({
      hands: hands(rules, from, number),
      seats: seats(rules, from, number, rotation),
      bots: chairs.map((seat) => String(botNumber(from, number, seat))),
      onBoards: chairs.map((seat) => String(botNumber(from, number, seat, rotation))),
    }),
  );
}
