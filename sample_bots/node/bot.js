// A Pigpen bot in Node.js: ducks tricks, sheds dangerous cards, exposes nothing, never gives the moon away.
//
// It knows nothing of Pigpen but protos/pigpen/v1/*.proto, which `pigpen new mybot --like node` puts beside it. Your game
// goes into the first half, `decide` and what it calls; the second half talks to the referee. Write to the console as you like: the match goes over a socket.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

// ---- The game. A card is a number: suit × 13 + rank − 2, so 2C is 0 and AS is 51.

const HEARTS = 2;
const PIG = 49; // QS
const suit = (card) => Math.floor(card / 13);
const rank = (card) => card % 13;
const danger = (card) => (card === PIG ? 100 : suit(card) === HEARTS ? 20 + rank(card) : rank(card));

const lowest = (cards, key = rank) => cards.reduce((best, card) => (key(card) < key(best) ? card : best));
const highest = (cards, key = rank) => cards.reduce((best, card) => (key(card) > key(best) ? card : best));

// The answer to a request, as in message Answer: exactly one of card, pass, expose and moon.
function decide(view, rules) {
  switch (view.phase) {
    case 'PHASE_PASS':
      return { pass: { cards: Buffer.from(passCards([...view.legal], rules.passing.cards)) } };
    case 'PHASE_EXPOSE':
      return { expose: { cards: [] } };
    case 'PHASE_MOON':
      return { moon: 'MOON_CHOICE_SUBTRACT' };
    default:
      return { card: playCard([...view.legal], trickOnTable(view, rules.players)) };
  }
}

function passCards(hand, count) {
  return hand.sort((one, other) => rank(other) - rank(one)).slice(0, count);
}

function playCard(legal, trick) {
  if (trick.length === 0) return lowest(legal);
  const led = suit(trick[0]);
  if (suit(legal[0]) !== led) return highest(legal, danger);
  const winning = highest(trick.filter((card) => suit(card) === led));
  const below = legal.filter((card) => card < winning);
  return below.length > 0 ? highest(below) : lowest(legal);
}

function trickOnTable(view, players) {
  return [...view.plays.subarray(view.plays.length - (view.plays.length % players))];
}

// ---- The wire.

const PATIENCE = 10_000; // ms that a bot without a referee keeps trying
const PAUSE = 50; // ms between two tries
const CHANNEL = {
  'grpc.initial_reconnect_backoff_ms': PAUSE,
  'grpc.max_reconnect_backoff_ms': 500,
  'grpc.enable_retries': 0,
};
const REFUSED = [
  grpc.status.UNAUTHENTICATED,
  grpc.status.FAILED_PRECONDITION,
  grpc.status.INVALID_ARGUMENT,
  grpc.status.PERMISSION_DENIED,
];

const { PIGPEN_ADDRESS: address, PIGPEN_TOKEN: token } = process.env;
if (!address || !token) {
  console.error('This bot waits for a referee: start it with `pigpen play`, which sets PIGPEN_ADDRESS and PIGPEN_TOKEN.');
  process.exit(2);
}

const definition = protoLoader.loadSync('pigpen/v1/referee.proto', {
  includeDirs: [fileURLToPath(new URL('protos', import.meta.url))],
  keepCase: true, // names as in the proto files
  defaults: true, // a field at its zero value is there too
  enums: String,
  longs: String, // a number in JavaScript cannot hold every 64-bit seed
  oneofs: true, // message.body names the one that is set
});
const { Referee } = grpc.loadPackageDefinition(definition).pigpen.v1;
const referee = new Referee(address, grpc.credentials.createInsecure(), CHANNEL);
let giveUpAt = Infinity;

// Play on one stream until it ends. Returns whether the match is over; a stream that breaks throws.
async function playStream() {
  const stream = referee.play();
  stream.write({ hello: { protocol: 1, token, name: 'node' } });
  let rules;
  let isOver = false;
  try {
    for await (const message of stream) {
      giveUpAt = Infinity;
      if (message.body === 'welcome') {
        rules = message.welcome.rules;
      } else if (message.body === 'request') {
        const { decision, view } = message.request;
        stream.write({ answer: { decision, ...decide(view, rules) } });
      } else if (message.body === 'fault') {
        console.error(`Fault: ${message.fault.message}`);
      } else if (message.body === 'match_over') {
        console.log(`The match is over: place ${message.match_over.place}.`);
        isOver = true;
        stream.end();
      }
    }
  } catch (error) {
    if (!isOver) throw error;
  }
  return isOver;
}

// Play the match; a stream that breaks is opened again with the same Hello.
for (;;) {
  try {
    if (await playStream()) break;
  } catch (error) {
    if (!(error.code in grpc.status)) throw error; // not the wire's: a mistake in this program
    giveUpAt = Math.min(giveUpAt, Date.now() + PATIENCE);
    if (REFUSED.includes(error.code) || Date.now() >= giveUpAt) {
      console.error(`No seat at ${address}: ${error.details}`);
      process.exitCode = 1;
      break;
    }
  }
  await sleep(PAUSE);
}
referee.close();
