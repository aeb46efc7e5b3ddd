import { CALL_BYTES_PER_MS, CALL_HZ } from "../../src/audio/format.ts";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { floatToPcm16 } from "../../src/audio/pcm16.ts";
import { createApiKey } from "../../src/auth/api-keys.ts";
import { keyFilePath } from "../../src/auth/key-file.ts";
import { voiceAddress } from "../../src/client/address.ts";
import { onNode } from "../../src/client/node.ts";
import { Playback } from "../../src/client/playback.ts";
import { VoiceClient } from "../../src/client/voice-client.ts";
import { startService } from "../../src/service.ts";
import { packageRoot } from "../../src/config/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { silentLog } from "../../src/shared/log.ts";
import { plainWords } from "../word-errors.ts";
import { sayWith } from "./synthetic-voice.ts";
import { readOptions } from "../options.ts";

const USAGE = `npm run eval:callers -- [--callers FILE] [--at-once N]
Thirty scripted callers with synthetic voices call a new server (with the starter models, or the configuration that
OAKVOICE_CONFIG names). Counts the tasks that were transcribed and answered correctly, and prints every turn.`;

const CHUNK_MS = 100;
const REPLY_WAIT_MS = 15_000;

const turnSchema = z.strictObject({ say: z.string(), heard: z.string(), answered: z.string() });
const scriptSchema = z.strictObject({
  voices: z.array(z.string()).min(1),
  configurations: z.record(z.string(), z.looseObject({ config_id: z.string() })),
  callers: z.array(
    z.strictObject({ task: z.string(), configuration: z.string().default("default"), turns: z.array(turnSchema) }),
  ),
});
type Script = z.infer<typeof scriptSchema>;
type CallerScript = Script["callers"][number];

interface TurnResult {
  readonly said: string;
  readonly transcript: string;
  readonly reply: string;
  readonly heard: boolean;
  readonly answered: boolean;
}

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    callers: { type: "string", default: join(packageRoot, "bench", "callers", "callers.yaml") },
    "at-once": { type: "string", default: "2" },
  });
  const script = scriptSchema.parse(parse(readFileSync(values.callers, "utf8")));
  const folder = mkdtempSync(join(tmpdir(), "oakvoice-callers-"));
  mkdirSync(join(folder, "voices"));
  for (const [name, configuration] of Object.entries(script.configurations))
    writeFileSync(join(folder, "voices", `${name}.yaml`), stringify(configuration));
  const { key } = createApiKey(keyFilePath(folder), "callers", undefined, Date.now());
  const { config } = loadServerConfig(undefined, process.env);
  const box = await startService({ ...config, port: 0, dataDir: folder, voicesDir: join(folder, "voices") }, silentLog);
  try {
    const waiting = script.callers.map((caller, index) => ({ caller, index }));
    const results = new Map<number, readonly TurnResult[]>();
    const line = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { caller, index } = next;
        const base = `ws://127.0.0.1:${String(box.port)}`;
        const address = voiceAddress({ base, apiKey: key, configId: caller.configuration });
        results.set(index, await call(address, caller, script.voices[index % script.voices.length] ?? ""));
      }
    };
    await Promise.all(Array.from({ length: Number(values["at-once"]) }, line));
    report(script, results);
  } finally {
    await box.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One caller, who says each turn, waits for the whole reply and judges it. */
async function call(
  address: (id: string) => string,
  caller: CallerScript,
  voice: string,
): Promise<readonly TurnResult[]> {
  const playback = new Playback();
  let transcript = "";
  let reply = "";
  let replied = false;
  const client = new VoiceClient({ address, ...onNode(), reconnect: false });
  client.on("turn_end", (turn) => (transcript = `${transcript} ${turn.transcript}`.trim()));
  client.on("speech", (speech) => playback.add(speech, performance.now()));
  client.on("tts_interruption", () => playback.interrupt(performance.now()));
  client.on("llm_response_chunk", ({ content, is_final }) => {
    reply += content;
    replied ||= is_final;
  });
  await client.connect();
  const results: TurnResult[] = [];
  for (const turn of caller.turns) {
    transcript = reply = "";
    replied = false;
    const speech = toPcm(sayWith(voice, turn.say, CALL_HZ));
    const startMs = performance.now();
    const isOver = () => {
      const nowMs = performance.now();
      const spokenMs = (speech.length / 2 / CALL_HZ) * 1000;
      if (nowMs - startMs < spokenMs + 300) return false;
      return nowMs - startMs > spokenMs + REPLY_WAIT_MS || (replied && !playback.isPlaying(nowMs + CHUNK_MS));
    };
    await stream(client, speech, isOver);
    const words = new Set(plainWords(transcript));
    results.push({
      said: turn.say,
      transcript,
      reply,
      heard: plainWords(turn.heard).every((word) => words.has(word)),
      answered: new RegExp(turn.answered, "iu").test(reply),
    });
  }
  client.close();
  return results;
}

/** Streams in real time, then near silence until the turn has ended. */
async function stream(client: VoiceClient, pcm: Uint8Array, isOver: () => boolean): Promise<void> {
  const bytes = CHUNK_MS * CALL_BYTES_PER_MS;
  const beganMs = performance.now();
  for (let sent = 0; !isOver(); sent += 1) {
    const chunk = new Uint8Array(bytes);
    chunk.set(pcm.subarray(sent * bytes, (sent + 1) * bytes));
    client.sendAudio(chunk);
    await sleep(Math.max(0, beganMs + (sent + 1) * CHUNK_MS - performance.now()));
  }
}

function toPcm(samples: Float32Array): Uint8Array {
  const pcm = new Uint8Array(samples.length * 2);
  floatToPcm16(samples, pcm);
  return pcm;
}

function report(script: Script, results: ReadonlyMap<number, readonly TurnResult[]>): void {
  let tasks = 0;
  const all = [...results.values()].flat();
  script.callers.forEach(({ task }, index) => {
    const turns = results.get(index) ?? [];
    const done = turns.every(({ heard, answered }) => heard && answered);
    tasks += done ? 1 : 0;
    console.log(`${done ? "done " : "FAILED"} ${task} (${script.voices[index % script.voices.length] ?? ""})`);
    for (const { said, transcript, reply, heard, answered } of turns)
      console.log(`   "${said}" ${heard ? "=" : "#"} "${transcript}" ${answered ? "->" : "-#"} "${reply}"`);
  });
  const share = (matches: (turn: TurnResult) => boolean) =>
    `${String(all.filter(matches).length)} of ${String(all.length)}`;
  console.log(`tasks done: ${String(tasks)} of ${String(script.callers.length)}`);
  console.log(`turns heard: ${share(({ heard }) => heard)}; answered: ${share(({ answered }) => answered)}`);
}

main().catch((error: unknown) => {
  console.error(`callers: ${errorMessage(error)}`);
  process.exitCode = 1;
});
