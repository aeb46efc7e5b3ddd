import { join } from "node:path";
import { MODEL_HZ } from "../../src/audio/format.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { loadSpeakerEncoder } from "../../src/engines/speaker/onnx-speaker-encoder.ts";
import type { SpeakerEncoder } from "../../src/engines/speaker/speaker-encoder.ts";
import { loadSilero } from "../../src/engines/vad/silero.ts";
import type { VadEngine } from "../../src/engines/vad/voice-activity-detector.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { HALVES, readOptions } from "../options.ts";
import { overTelephone } from "../telephone-line.ts";
import { callWith, LEARNING, peopleOf, type Person } from "./other-voices-call.ts";
import { turnsThrough, type OpenedTurn } from "./through-caller-gate.ts";

const USAGE = `npm run bench:other-voices -- [--data DIR] [--sets A,B] [--callers N] [--half even|odd] [--telephone]
Calls of people, in which other people speak. For each set of recordings: turns that other voices open, turns of the caller, and turns of a
person who gets the handset; without and with "only_my_caller". DIR (../shared/data) has one folder for each set, with one folder for each
person. --half: every second person.`;

/** A turn that opens this much before its voice is still that voice's. */
const SLACK_MS = 400;

interface Tally {
  parts: number;
  readonly opened: [off: number, on: number];
  /** Turns that open both without and with the gate. */
  readonly delaysMs: number[];
}

async function main(): Promise<void> {
  const values = readOptions(
    USAGE,
    {
      data: { type: "string", default: join(packageRoot, "..", "shared", "data") },
      sets: { type: "string", default: "librispeech-test-clean,librispeech-dev-clean,common-voice,an4" },
      callers: { type: "number", default: 10 },
      half: { type: "string", default: "even" },
      telephone: { type: "boolean", default: false },
    },
    { half: HALVES },
  );
  const { config } = loadServerConfig(undefined, process.env);
  const vad = await loadSilero(config.models.vad.path);
  const encoder = await loadSpeakerEncoder(join(packageRoot, "models", "starter", "speaker", "speaker.onnx"));
  try {
    for (const set of values.sets.split(",")) {
      const people = peopleOf(join(values.data, set), values.half, values.callers);
      const timed = timedEncoder(encoder);
      const tallies = await measure(people, set, vad, timed, values.telephone);
      console.log(`\n${set}, ${values.half}${values.telephone ? ", telephone" : ""}: ${String(people.length)} callers`);
      for (const [kind, tally] of tallies) console.log(describe(kind, tally));
      console.log(`the encoder takes ${timed.share()} % of a core during a call`);
    }
  } finally {
    await Promise.all([vad.close(), encoder.close()]);
  }
}

async function measure(
  people: readonly Person[],
  set: string,
  vad: VadEngine,
  encoder: TimedEncoder,
  telephone: boolean,
) {
  const random = seededRandom(5);
  const tallies = new Map<string, Tally>();
  for (const [at, caller] of people.entries()) {
    const { samples, parts } = callWith(people, at, random);
    const heard = telephone ? overTelephone(samples) : samples;
    encoder.count(samples.length / MODEL_HZ);
    const detector = rememberedVad(vad);
    const off = (await turnsThrough(heard, detector, undefined)).turns;
    const on = (await turnsThrough(heard, detector, encoder)).turns;
    for (const { kind, other, startMs, endMs } of parts) {
      if (kind === LEARNING) continue;
      const kinds = other === undefined || set !== "an4" ? [kind] : [kind, `${kind}, ${sexes(caller, other)}`];
      for (const each of kinds) {
        const tally = tallies.get(each) ?? { parts: 0, opened: [0, 0], delaysMs: [] };
        tallies.set(each, tally);
        const [without, withGate] = [off, on].map((turns) => openedIn(turns, startMs, endMs));
        tally.parts += 1;
        if (without !== undefined) tally.opened[0] += 1;
        if (withGate !== undefined) tally.opened[1] += 1;
        if (without !== undefined && withGate !== undefined) tally.delaysMs.push(withGate.openedMs - without.openedMs);
      }
    }
  }
  return tallies;
}

const openedIn = (turns: readonly OpenedTurn[], startMs: number, endMs: number) =>
  turns.find((turn) => turn.startMs >= startMs - SLACK_MS && turn.startMs < endMs);

/** The names of AN4's speakers begin with "f" or "m". */
const sexes = (one: Person, other: Person): string => (one.name[0] === other.name[0] ? "same sex" : "other sex");

function describe(kind: string, { parts, opened, delaysMs }: Tally): string {
  const [off, on] = opened.map((count) => `${((100 * count) / parts).toFixed(1).padStart(5)} %`);
  const sorted = delaysMs.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? NaN).toFixed(0);
  return `${kind.padEnd(30)} ${String(parts).padStart(4)} voices, a turn opens for ${off}, ${on}; later by ${at(0.5)} / ${at(0.95)} ms (p50 / p95)`;
}

/** The second detector answers as the first one did, because it hears the same frames. */
function rememberedVad(vad: VadEngine): VadEngine {
  const answers: number[] = [];
  return {
    open: () => {
      const detector = vad.open();
      let frame = 0;
      return {
        frameSamples: detector.frameSamples,
        speechProbability: (samples) => (answers[frame++] ??= detector.speechProbability(samples)),
      };
    },
    close: async () => undefined,
  };
}

interface TimedEncoder extends SpeakerEncoder {
  count(seconds: number): void;
  share(): string;
}

function timedEncoder(encoder: SpeakerEncoder): TimedEncoder {
  let [spentMs, heard] = [0, 0];
  return {
    embed: async (samples, signal) => {
      const before = process.cpuUsage();
      const vector = await encoder.embed(samples, signal);
      const { user, system } = process.cpuUsage(before);
      spentMs += (user + system) / 1000;
      return vector;
    },
    close: () => encoder.close(),
    count: (seconds) => (heard += seconds),
    share: () => (spentMs / 10 / heard).toFixed(1),
  };
}

main().catch((error: unknown) => {
  console.error(`bench: ${errorMessage(error)}`);
  process.exitCode = 1;
});
