import { CALL_HZ, CALL_SAMPLES_PER_MS } from "../../src/audio/format.ts";
import { floatToPcm16, pcm16ToFloat } from "../../src/audio/pcm16.ts";
import type { WireFormat } from "../../src/audio/wire-audio.ts";
import { TestBox } from "../../test/support/box.ts";
import { asteriskJson, Phone, twilio, type PhoneDialect } from "../../test/support/phone.ts";
import { asPhoneAudio, phoneLevel } from "../../test/support/phone-audio.ts";
import { sayWith } from "../callers/synthetic-voice.ts";
import { firstAudible, voicedSpan } from "../../src/simulated-callers/sound.ts";
import { quantile } from "../../src/simulated-callers/statistics.ts";
import { evenly } from "../evenly.ts";
import { readOptions } from "../options.ts";
import { SENTENCES } from "../turns/sentences.ts";

const USAGE = `npm run bench:telephone -- [--questions 8]
The same questions in real time over the native interface and over each kind of telephone system. Prints the time from
the last voiced sample to the first audible one of the reply, as the client plays it, and the questions without a reply.`;
/** flite's, which is not among the voices of the recogniser's training with these sentences. */
const VOICE = "rms";
const AFTER_SECONDS = 2.5;
const PATIENCE_MS = 8_000;
/** -50 dBFS, as in the bench of conversations. */
const AUDIBLE = 10 ** (-50 / 20);

interface System {
  readonly name: string;
  /** Undefined without a reply. */
  readonly ask: (question: Question) => Promise<number | undefined>;
}

interface Question {
  readonly pcm: Buffer;
  /** Time of the last voiced sample. */
  readonly endMs: number;
}

const ULAW: WireFormat = { encoding: "ulaw", sampleRateHz: 8_000 };
const SLIN24: WireFormat = { encoding: "pcm16", sampleRateHz: 24_000 };

const values = readOptions(USAGE, { questions: { type: "string", default: "8" } });
const box = await TestBox.start();
const systems: readonly System[] = [
  { name: "native interface", ask: askNatively },
  {
    name: "Asterisk, slin24",
    ask: (question) => askByPhone("/ws/asterisk", asteriskJson("slin24", 960), SLIN24, question),
  },
  { name: "Asterisk, ulaw", ask: (question) => askByPhone("/ws/asterisk", asteriskJson("ulaw", 160), ULAW, question) },
  { name: "Twilio", ask: (question) => askByPhone("/ws/media-stream", twilio(), ULAW, question) },
];
const delays = new Map<System, (number | undefined)[]>(systems.map((system) => [system, []]));
for (const text of evenly(SENTENCES, Number(values.questions))) {
  const question = questionOf(text);
  for (const system of systems) delays.get(system)?.push(await system.ask(question));
}
for (const [{ name }, all] of delays) {
  const answered = all.filter((delayMs) => delayMs !== undefined);
  const [p50, p95] = [0.5, 0.95].map((share) => quantile(answered, share).toFixed(0));
  console.log(
    `${name.padEnd(18)}p50 ${String(p50)}  p95 ${String(p95)} ms  (${String(answered.length)} of ${String(all.length)} answered)`,
  );
}
await box.close();

async function askByPhone(path: string, dialect: PhoneDialect, format: WireFormat, question: Question) {
  const phone = new Phone(box.phoneUrl(path), dialect);
  await phone.opened;
  const startMs = performance.now();
  await phone.speak(asPhoneAudio(question.pcm, format));
  const patience = setTimeout(() => phone.hangUp(), PATIENCE_MS);
  const first = () => phone.played.findIndex((frame) => phoneLevel([frame], format) >= AUDIBLE);
  await phone.until(() => first() >= 0, "the reply").catch(() => undefined);
  clearTimeout(patience);
  const playedAtMs = phone.playedAtMs[first()];
  phone.hangUp();
  return playedAtMs === undefined ? undefined : playedAtMs - startMs - question.endMs;
}

async function askNatively({ pcm, endMs }: Question): Promise<number | undefined> {
  const caller = await box.call();
  const startMs = performance.now();
  const answer = caller.next("tts_chunk").then(
    ({ content }) => {
      const bytes = Buffer.from(content, "base64");
      const speech = new Float32Array(bytes.length / 2);
      pcm16ToFloat(bytes, speech);
      return performance.now() + (firstAudible(speech) ?? 0) / CALL_SAMPLES_PER_MS;
    },
    () => undefined,
  );
  await caller.speak(pcm);
  const patience = setTimeout(() => caller.client.close(), PATIENCE_MS);
  const playedAtMs = await answer;
  clearTimeout(patience);
  caller.client.close();
  return playedAtMs === undefined ? undefined : playedAtMs - startMs - endMs;
}

function questionOf(text: string): Question {
  const speech = sayWith(VOICE, text, CALL_HZ);
  const samples = new Float32Array(speech.length + AFTER_SECONDS * CALL_HZ);
  samples.set(speech);
  const pcm = Buffer.alloc(2 * samples.length);
  floatToPcm16(samples, pcm);
  return { pcm, endMs: (voicedSpan(speech)?.to ?? speech.length) / CALL_SAMPLES_PER_MS };
}
