import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { resampleAll } from "../../src/audio/resampler.ts";
import { readWav } from "../../src/audio/wav.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import type { ModelProcess } from "../../src/child-processes/model-process.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { CLIP_SAMPLES } from "../../src/engines/speaker/voice-bands.ts";
import { noTools, textOf, type ChatMessage } from "../../src/engines/llm/language-model.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { silentLog } from "../../src/shared/log.ts";
import { quantile } from "../../src/simulated-callers/statistics.ts";
import { useOf } from "../../src/simulated-callers/processes.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { readOptions } from "../options.ts";

const USAGE = `npm run bench:memory -- [--engine stt|llm|tts|speaker] [--items N]
Runs one engine's process alone with hundreds of requests of four callers. Prints its resident memory over time, and the time
of a request. Each run has the same requests. Settings of the C library come from the environment (MALLOC_ARENA_MAX).`;

const CALLERS = 4;
const MEASURED = 12;
const never = new AbortController().signal;

interface Engine {
  readonly process: ModelProcess;
  close(): Promise<void>;
  /** One request of one caller. The same number gives the same request. */
  request(caller: number, item: number): Promise<void>;
}

const { config } = loadServerConfig(undefined, {});
const start = engineStarters(config, config.limits.max_connections, silentLog);

const engines: Readonly<Record<string, () => Promise<Engine>>> = {
  async tts() {
    const engine = await start.tts();
    const words = questions().join(" ").split(" ");
    return {
      process: engine.process!,
      close: async () => engine.close(),
      request: async (_, item) => {
        const random = seededRandom(item);
        // Most clauses are short. The longest one that the splitter returns has 40 words.
        const length = 2 + Math.floor(random() ** 2 * 38);
        const from = Math.floor(random() * (words.length - length));
        const text = `${words.slice(from, from + length).join(" ")}.`;
        await engine.synthesize({ text, voice: "default", speed: 1 }, never);
      },
    };
  },
  async llm() {
    const engine = await start.llm();
    const asked = questions();
    const system: ChatMessage = {
      role: "system",
      content: "You are Oak, a friendly voice assistant.\nIt is Friday, November 20, 2026, 7:41 PM.",
    };
    const calls = Array.from({ length: CALLERS }, () => ({ session: engine.open(), messages: [system] }));
    return {
      process: engine.process!,
      close: async () => engine.close(),
      request: async (caller, item) => {
        const call = calls[caller];
        const content = asked[item % asked.length];
        if (call === undefined || content === undefined) throw new RangeError("no such caller or question");
        // The history of a very long call. The engine drops the oldest turns that exceed the context.
        call.messages.push({ role: "user", content });
        let reply = "";
        const request = { ...noTools, messages: call.messages, maxTokens: 200, temperature: 0 };
        for await (const piece of textOf(call.session.generate(request, never))) reply += piece;
        call.messages.push({ role: "assistant", content: reply });
      },
    };
  },
  async stt() {
    const engine = await start.stt();
    const speech = recordings();
    const callers = Array.from({ length: CALLERS }, () => engine.open());
    return {
      process: (engine.parts?.[0] ?? engine).process!,
      close: async () => engine.close(),
      request: async (caller, item) => {
        const random = seededRandom(item);
        const length = Math.round((0.5 + random() ** 2 * 29.5) * 16_000);
        const from = Math.floor(random() * (speech.length - length));
        await callers[caller]?.transcribe(
          { samples: speech.slice(from, from + length), kind: "final", language: "en" },
          never,
        );
      },
    };
  },
  async speaker() {
    const engine = await start.speaker();
    const speech = recordings();
    return {
      process: engine.process,
      close: async () => engine.close(),
      request: async (_, item) => {
        const from = Math.floor(seededRandom(item)() * (speech.length - CLIP_SAMPLES));
        await engine.embed(speech.slice(from, from + CLIP_SAMPLES), never);
      },
    };
  },
};

function questions(): readonly string[] {
  const file = readFileSync(join(packageRoot, "bench", "dialogues", "dialogues.yaml"), "utf8");
  return (parse(file) as { says: string[] }[]).flatMap(({ says }) => says);
}

/** All recordings of the bench, joined, 16 kHz. */
function recordings(): Float32Array {
  const folder = join(packageRoot, "bench", "conversation", "recordings");
  const clips = readdirSync(folder)
    .filter((name) => name.endsWith(".wav"))
    .map((name) => readWav(readFileSync(join(folder, name))))
    .map(({ samples, sampleRateHz }) => resampleAll(samples, sampleRateHz, 16_000));
  const all = new Float32Array(clips.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const clip of clips) {
    all.set(clip, at);
    at += clip.length;
  }
  return all;
}

async function measure(name: string, items: number): Promise<void> {
  const open = engines[name];
  if (open === undefined) throw new RangeError(`There is no engine "${name}".\n${USAGE}`);
  const engine = await open();
  const residentMb = (): number => (useOf(engine.process.pid ?? 0)?.residentBytes ?? NaN) / 1e6;
  const resident = [residentMb()];
  const times: number[] = [];
  let next = 0;
  const serve = async (caller: number): Promise<void> => {
    for (let item = next++; item < items; item = next++) {
      const startedAt = performance.now();
      await engine.request(caller, item);
      times.push(performance.now() - startedAt);
      if (times.length % Math.ceil(items / MEASURED) === 0) resident.push(residentMb());
    }
  };
  const startedAt = performance.now();
  const cpu = () => useOf(engine.process.pid ?? 0)?.cpuSeconds ?? NaN;
  const cpuBefore = cpu();
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => serve(caller)));
  const seconds = (performance.now() - startedAt) / 1000;
  const spent = cpu() - cpuBefore;
  await sleep(2000);
  resident.push(residentMb());
  console.log(
    `${name}: ${resident.map((mb) => mb.toFixed(0)).join(" ")} MB; ${String(items)} requests in ${seconds.toFixed(1)} s, p50 ${quantile(times, 0.5).toFixed(0)} ms, p95 ${quantile(times, 0.95).toFixed(0)} ms, ${((1000 * spent) / items).toFixed(1)} ms of processor each`,
  );
  await engine.close();
}

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    engine: { type: "string" },
    items: { type: "number", default: 600 },
  });
  for (const name of values.engine === undefined ? Object.keys(engines) : [values.engine])
    await measure(name, values.items);
}

main().catch((error: unknown) => {
  console.error(`bench: ${errorMessage(error)}`);
  process.exitCode = 1;
});
