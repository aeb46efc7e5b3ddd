import { parseArgs } from "node:util";
import { clip, silence } from "../test/support/audio.ts";
import type { ServerMessage } from "../src/protocol/server-messages.ts";
import { TestBox, type Caller } from "../test/support/box.ts";
import { useOf } from "./conversation/processes.ts";
import { seededRandom } from "./random.ts";

const USAGE = `npm run bench:interruptions -- [--count 500] [--callers 4] [--seed 1]
Callers interrupt reply after reply at random moments, in real time: does the box still answer, and has its memory grown?
Memory is that of the box with all its model processes, and of these callers.`;
const WORDS = ["flite-stop.wav", "flite-lights.wav", "flite-time.wav", "flite-timer.wav"].map(clip);
const QUESTION = clip("flite-time.wav");
const TIMEOUT_MS = 30_000;
/** The reply is interrupted within this much of its first chunk. */
const WITHIN_MS = 1200;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "500" },
    callers: { type: "string", default: "4" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const count = Number(values.count);
const done = { rounds: 0, stopped: 0 };
let earlyMb: number | undefined;
const box = await TestBox.start();
const callers = await Promise.all(Array.from({ length: Number(values.callers) }, () => box.call()));
const memoryMb = () => Math.round((useOf(process.pid)?.residentBytes ?? process.memoryUsage().rss) / 1e6);

await Promise.all(callers.map((caller, index) => interrupt(caller, seededRandom(Number(values.seed) + index))));
await Promise.all(callers.map(async (caller) => answers(caller)));
console.log(
  `all ${String(callers.length)} callers are still answered; ` +
    `memory ${String(earlyMb)} MB after a fifth, ${String(memoryMb())} MB at the end`,
);
for (const caller of callers) caller.client.close();
await box.close();

async function interrupt(caller: Caller, random: () => number): Promise<void> {
  let next = answers(caller);
  while (done.rounds < count) {
    await next;
    await new Promise((resolve) => setTimeout(resolve, random() * WITHIN_MS));
    const words = WORDS[Math.floor(random() * WORDS.length)] ?? QUESTION;
    caller.forget();
    await caller.speak(Buffer.concat([words, silence(1.2)]));
    note(caller);
    const ended = understood(caller);
    // Taken for no interruption, or not understood: what is owed is the rest of the reply, if there is one.
    next = ended === undefined ? answers(caller) : speech(caller, ended);
  }
  await next;
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

/** Asks until the reply is audible: a question that is not understood, or falls on a reply, is asked again. */
async function answers(caller: Caller): Promise<void> {
  for (let tries = 0; tries < 5; tries += 1) {
    caller.forget();
    await caller.speak(Buffer.concat([QUESTION, silence(1.2)]));
    const ended = understood(caller);
    if (ended !== undefined) return speech(caller, ended);
  }
  throw new Error("five questions were not understood");
}

/** The last turn's end, if anything was understood. */
function understood(caller: Caller): ServerMessage | undefined {
  const ended = caller.all("turn_end").at(-1);
  return ended?.data.transcript === "" ? undefined : ended;
}

/** Waits for the reply's first speech after the end of its turn. */
async function speech(caller: Caller, ended: ServerMessage): Promise<void> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no reply within ${String(TIMEOUT_MS)} ms`)), TIMEOUT_MS).unref();
  });
  const audible = async () => {
    while ((await caller.next("turn_end")) !== ended);
    await caller.next("tts_chunk");
  };
  await Promise.race([audible(), late]);
}
