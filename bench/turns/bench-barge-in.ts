import { createHash } from "node:crypto";
import { join } from "node:path";
import { CALL_HZ, MODEL_HZ } from "../../src/audio/format.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { silentLog } from "../../src/shared/log.ts";
import type { SpeechRecognizer, Transcript } from "../../src/engines/stt/speech-to-text.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { loadSilero } from "../../src/engines/vad/silero.ts";
import { noiseLoop, toPower } from "../../src/simulated-callers/sound.ts";
import { quantile } from "../../src/simulated-callers/statistics.ts";
import { readOptions } from "../options.ts";
import { overTelephone } from "../telephone-line.ts";
import { overAReply, type Ears } from "./over-a-reply.ts";
import { CHOICES, LEVEL_DBFS, overlapSets, type OverlapSet } from "./overlap-sets.ts";

const USAGE = `npm run bench:barge-in -- [--data DIR] [--config FILE] [--choose] [--decode MS,...] [--chunk MS]
                          [--telephone] [--fan DB] [--verbose]
Shows which sounds over a reply stop it, and how long after their first voiced sample. It uses the real detector,
recogniser and turn machine. DIR (../shared/data) has librispeech-mini, digits and
noise. flite and espeak-ng speak the other sounds. There is no echo (docs/decisions/0040-barge-in.md). --choose: the
sounds for choosing the limits, instead of those for the report. --decode: assumed times of each decode in ms (120 and
250). --chunk: length of the client's chunks in ms (100).
--telephone: sounds after a telephone line (300 to 3,400 Hz, mu-law). --fan: a fan in the room,
so many dB below the sounds. --verbose: each sound with its decodes and their times.`;

const values = readOptions(USAGE, {
  data: { type: "string", default: join(packageRoot, "..", "shared", "data") },
  config: { type: "string" },
  choose: { type: "boolean", default: false },
  decode: { type: "numbers", default: "120,250" },
  chunk: { type: "number", default: 100 },
  telephone: { type: "boolean", default: false },
  fan: { type: "number" },
  verbose: { type: "boolean", default: false },
});

const room = values.fan === undefined ? undefined : fan(LEVEL_DBFS - values.fan);

function fan(dbfs: number): Float32Array {
  return toPower(resampleAll(noiseLoop("fan", 3), CALL_HZ, MODEL_HZ), 10 ** (dbfs / 10));
}

async function main(): Promise<void> {
  const { config } = loadServerConfig(values.config, process.env);
  const vad = await loadSilero(config.models.vad.path);
  const stt = await engineStarters(config, 1, silentLog).stt();
  try {
    const ears: Ears = { vad, transcribe: remembering(stt.open()) };
    for (const set of overlapSets(CHOICES[values.choose ? "choose" : "report"], values.data)) {
      for (const decodeMs of values.decode) await measure(set, ears, decodeMs);
    }
  } finally {
    await stt.close();
    await vad.close();
  }
}

async function measure({ name: set, stops, sounds }: OverlapSet, ears: Ears, decodeMs: number): Promise<void> {
  const stopped: number[] = [];
  const wrong: string[] = [];
  let decodes = 0;
  for (const { name, samples } of sounds) {
    const sound = values.telephone ? overTelephone(samples) : samples;
    const outcome = await overAReply(sound, ears, { decodeMs, chunkMs: values.chunk, room });
    if (values.verbose) console.log(`${name}: ${String(outcome.stoppedMs)}\n  ${outcome.log.join("\n  ")}`);
    decodes += outcome.decodes;
    if (outcome.stoppedMs !== undefined) stopped.push(outcome.stoppedMs);
    if ((outcome.stoppedMs !== undefined) !== stops) wrong.push(name);
  }
  const times = [0.5, 0.95, 1].map((q) => quantile(stopped, q).toFixed(0)).join(" / ");
  const after = stopped.length === 0 ? "" : `, after ${times} ms (p50 / p95 / most)`;
  console.log(
    `${set}, ${String(decodeMs)} ms a decode: ${String(stopped.length)} of ${String(sounds.length)} stop it${after}; ` +
      `${(decodes / sounds.length).toFixed(1)} decodes each; wrong: ${wrong.join(", ") || "none"}`,
  );
}

/** A recogniser that decodes each sound once. */
function remembering(recognizer: SpeechRecognizer): Ears["transcribe"] {
  const known = new Map<string, Transcript>();
  return async (request) => {
    const { samples, kind, isUrgent } = request;
    const sound = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    const key = `${kind}:${String(isUrgent)}:${createHash("sha256").update(sound).digest("hex").slice(0, 24)}`;
    const answer = known.get(key) ?? (await recognizer.transcribe(request, new AbortController().signal));
    known.set(key, answer);
    return answer;
  };
}

await main();
