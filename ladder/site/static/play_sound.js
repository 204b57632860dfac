// Short tones, if the person wants them: a card, a trick, one's turn, the end of a deal.
// @ts-check

/** Each tone: hertz, when it begins, how long it lasts. @type {Record<string, [number, number, number][]>} */
const SOUNDS = {
  card: [[420, 0, 0.05]],
  trick: [[330, 0, 0.07], [440, 0.07, 0.09]],
  turn: [[660, 0, 0.08], [880, 0.09, 0.12]],
  wrong: [[180, 0, 0.12]],
  end: [[523, 0, 0.14], [659, 0.12, 0.14], [784, 0.24, 0.3]],
};
const LOUD = 0.08;

export class Sound {
  isOn = false;
  /** @type {AudioContext | null} */
  #context = null;

  /** @param {keyof typeof SOUNDS} name */
  play(name) {
    if (!this.isOn || document.hidden) {
      return;
    }
    this.#context ??= new AudioContext();
    if (this.#context.state === "suspended") {
      this.#context.resume();
    }
    for (const tone of SOUNDS[name]) {
      this.#tone(this.#context, tone);
    }
  }

  /** @param {AudioContext} context @param {[number, number, number]} tone */
  #tone(context, [hertz, begins, lasts]) {
    const source = new OscillatorNode(context, { type: "triangle", frequency: hertz });
    const loudness = new GainNode(context, { gain: 0 });
    const start = context.currentTime + begins;
    loudness.gain.setValueAtTime(0, start);
    loudness.gain.linearRampToValueAtTime(LOUD, start + 0.01);
    loudness.gain.exponentialRampToValueAtTime(0.0001, start + lasts);
    source.connect(loudness).connect(context.destination);
    source.start(start);
    source.stop(start + lasts);
  }
}
