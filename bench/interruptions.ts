import { TestBox } from "../test/support/box.ts";
import { clip, silence } from "../test/support/audio.ts";

/**
 * One caller interrupts reply after reply: does the box still answer, and has its memory grown?
 * `npm run bench:interruptions -- [COUNT]`, 500 (about half an hour) without one.
 */
const count = Number(process.argv[2] ?? 500);
const WORDS = ["flite-stop.wav", "flite-lights.wav", "flite-time.wav", "flite-timer.wav"].map(clip);
const TIMEOUT_MS = 20_000;

const box = await TestBox.start();
const caller = await box.call();
const rssMb = () => Math.round(process.memoryUsage().rss / 1e6);
const within = async <Result>(work: Promise<Result>, what: string): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no ${what} within ${String(TIMEOUT_MS)} ms`)), TIMEOUT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

const ask = () => caller.speak(Buffer.concat([WORDS[2] ?? silence(1), silence(1)]));
await ask();
let interrupted = 0;
let startMb = 0;
for (let round = 1; round <= count; round += 1) {
  await within(caller.next(["tts_chunk", "error"]), "reply");
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
  const words = WORDS[Math.floor(Math.random() * WORDS.length)] ?? silence(1);
  const speaking = caller.speak(Buffer.concat([words, silence(1)]));
  const { data } = await within(caller.next("turn_start"), "turn");
  if (data.interrupted_tts) interrupted += 1;
  const ended = await within(caller.next("turn_end"), "end of turn");
  if (ended.data.transcript === "") await speaking.then(ask); // not understood: nobody owes an answer
  await speaking;
  caller.forget();
  if (round === Math.min(50, Math.ceil(count / 4))) startMb = rssMb();
  if (round % 50 === 0 || round === count)
    process.stdout.write(
      `${String(round)} interruptions (${String(interrupted)} of an audible reply), ${String(rssMb())} MB\n`,
    );
}
await within(caller.next("tts_chunk"), "answer at the end");
process.stdout.write(`still answers; memory ${String(startMb)} MB early, ${String(rssMb())} MB at the end\n`);
caller.client.close();
await box.close();
