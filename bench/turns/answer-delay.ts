import { CALL_HZ } from "../../src/audio/format.ts";
import { floatToPcm16 } from "../../src/audio/pcm16.ts";
import { TestBox } from "../../test/support/box.ts";
import { sayWith } from "../callers/synthetic-voice.ts";
import { evenly } from "../evenly.ts";
import { SENTENCES } from "./sentences.ts";

/** Silence after each sentence, longer than any wait. */
const SILENCE_SECONDS = 2.5;
const VOICE = "slt";
/** Longest time for an answer. A later one means that the question was not understood. */
const PATIENCE_MS = 8000;

/** Times from `turn_end` to the reply's first speech at the client, ms, with and without replies that are prepared in the silence. */
export interface AnswerDelays {
  readonly speculating: readonly number[];
  readonly waiting: readonly number[];
}

/** Sends the same questions to two servers alternately, each in a separate call, over real sockets in real time. */
export async function answerDelays(questions: number): Promise<AnswerDelays> {
  const boxes = await Promise.all([TestBox.start(), TestBox.start({}, "speculation: false\n")]);
  const delays = { speculating: [] as number[], waiting: [] as number[] };
  try {
    for (const text of evenly(SENTENCES, questions)) {
      const pcm = spoken(text);
      for (const [index, box] of boxes.entries()) {
        const delayMs = await ask(box, pcm);
        if (delayMs !== undefined) (index === 0 ? delays.speculating : delays.waiting).push(delayMs);
      }
    }
  } finally {
    await Promise.all(boxes.map((box) => box.close()));
  }
  return delays;
}

/** Undefined when no words were understood, or the last part of the sentence became a separate turn. */
async function ask(box: TestBox, pcm: Buffer): Promise<number | undefined> {
  const caller = await box.call();
  let turnOverMs: number | undefined;
  const speaking = caller.speak(pcm);
  const answered = (async () => {
    for (;;) {
      const { type } = await caller.next(["turn_end", "tts_chunk"]);
      if (type === "tts_chunk") return performance.now();
      turnOverMs = performance.now();
    }
  })().catch(() => undefined);
  await speaking;
  const patience = setTimeout(() => caller.client.close(), PATIENCE_MS);
  const answeredMs = await answered;
  clearTimeout(patience);
  caller.client.close();
  return answeredMs === undefined || turnOverMs === undefined ? undefined : answeredMs - turnOverMs;
}

function spoken(text: string): Buffer {
  const speech = sayWith(VOICE, text, CALL_HZ);
  const samples = new Float32Array(speech.length + SILENCE_SECONDS * CALL_HZ);
  samples.set(speech);
  const pcm = Buffer.alloc(2 * samples.length);
  floatToPcm16(samples, pcm);
  return pcm;
}
