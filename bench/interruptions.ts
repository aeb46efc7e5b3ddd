import { clip, silence } from "../test/support/audio.ts";
import { TestBox, type Caller } from "../test/support/box.ts";
import { useOf } from "../src/simulated-callers/processes.ts";
import { seededRandom } from "../src/simulated-callers/random.ts";
import { readOptions } from "./options.ts";

const USAGE = `npm run bench:interruptions -- [--count 500] [--callers 4] [--seed 1]
Callers interrupt one reply after the other at random moments, in real time. Shows whether the server still answers
and its memory grows. The memory is that of the server with all its model processes, and of these callers.`;
const WORDS = ["flite-stop.wav", "flite-lights.wav", "flite-time.wav", "flite-timer.wav"].map(clip);
const QUESTION = clip("flite-time.wav");
/** The starter model's replies are short. A slow voice makes them long enough to interrupt. */
const SLOW_VOICE = "config_id: slow\nsystem_prompt: You are Oak, a friendly voice assistant.\nspeed: 0.5\n";
/** Limits for a turn's transcript and for a reply. A later transcript counts as empty, a later reply as missing. */
const UNDERSTOOD_MS = 15_000;
const ANSWERED_MS = 30_000;
/** Longest time from a reply's first chunk to its interruption. */
const WITHIN_MS = 400;

const values = readOptions(USAGE, {
  count: { type: "number", default: 500 },
  callers: { type: "number", default: 4 },
  seed: { type: "number", default: 1 },
});
const count = values.count;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const done = { rounds: 0, stopped: 0 };
let earlyMb: number | undefined;
const box = await TestBox.start({ slow: SLOW_VOICE });
const callers = await Promise.all(Array.from({ length: values.callers }, () => box.call({}, "slow")));
for (const caller of callers) caller.forget();
const memoryMb = () => Math.round((useOf(process.pid)?.residentBytes ?? process.memoryUsage().rss) / 1e6);

await Promise.all(callers.map((caller, index) => interrupt(caller, seededRandom(values.seed + index))));
await Promise.all(callers.map(async (caller) => ask(caller)));
console.log(
  `all ${String(callers.length)} callers are still answered; ` +
    `memory ${String(earlyMb)} MB after a fifth, ${String(memoryMb())} MB at the end`,
);
for (const caller of callers) caller.client.close();
await box.close();

async function interrupt(caller: Caller, random: () => number): Promise<void> {
  let answered = false;
  while (done.rounds < count) {
    // The words were not an interruption or not understood, so only the rest of the reply was due.
    if (!answered) await ask(caller);
    await sleep(random() * WITHIN_MS);
    answered = await say(caller, WORDS[Math.floor(random() * WORDS.length)] ?? QUESTION);
    note(caller);
  }
}

function note(caller: Caller): void {
  done.rounds += 1;
  if (caller.all("tts_interruption").length > 0) done.stopped += 1;
  if (done.rounds === Math.ceil(count / 5)) earlyMb = memoryMb();
  if (done.rounds % 50 === 0)
    console.log(
      `${String(done.rounds)} interruptions, ${String(done.stopped)} stopped an audible reply, ${String(memoryMb())} MB`,
    );
}

/** Asks until a reply is audible. A question over a reply and one that is not understood are asked again. */
async function ask(caller: Caller): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) if (await say(caller, QUESTION)) return;
  const last = caller.messages.map(({ type }) => type).filter((type) => type !== "voice_activity");
  throw new Error(`ten questions were not understood; after the last one came: ${last.join(" ")}`);
}

/** True when words were understood and answered, false when no words were. Rejects when an expected answer is missing. */
async function say(caller: Caller, words: Buffer): Promise<boolean> {
  caller.messages.splice(0);
  await caller.speak(Buffer.concat([words, silence(0.8)]));
  const saidMs = performance.now();
  for (;;) {
    const understood = caller.messages.findIndex(
      (message) => message.type === "turn_end" && message.data.transcript !== "",
    );
    if (understood >= 0 && caller.messages.slice(understood).some(({ type }) => type === "tts_chunk")) return true;
    const waitedMs = performance.now() - saidMs;
    if (understood < 0 && waitedMs > UNDERSTOOD_MS) return false;
    if (waitedMs > ANSWERED_MS) throw new Error("the words were understood, but no reply came");
    // While the caller listens, the client continues to send its microphone's audio.
    await caller.speak(silence(0.1));
  }
}
