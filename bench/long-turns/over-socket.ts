import { spawn } from "node:child_process";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { CALL_BYTES_PER_MS, CALL_HZ, MODEL_HZ } from "../../src/audio/format.ts";
import { floatToPcm16 } from "../../src/audio/pcm16.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { findServer } from "../../scripts/find-server.ts";
import { onNode } from "../../src/client/node.ts";
import { VoiceClient } from "../../src/client/voice-client.ts";
import type { SessionSettingsInput } from "../../src/config/settings/settings-schema.ts";
import type { LongTurn } from "./material.ts";

const CHUNK_MS = 20;
const CHUNK_BYTES = CHUNK_MS * CALL_BYTES_PER_MS;

export interface SocketRuns {
  readonly config: string | undefined;
  readonly runs: number;
  /** Processes that each keep one core busy. */
  readonly busy: number;
  readonly verbose: boolean;
}

/** Starts a server, streams each turn `runs` times to it, one call at a time, and prints the different final texts. Ends the program. */
export async function hearOverSockets(
  turns: Iterable<LongTurn>,
  settings: SessionSettingsInput,
  { config, runs, busy, verbose }: SocketRuns,
): Promise<void> {
  const load = Array.from({ length: busy }, () => spawn(process.execPath, ["-e", "for (;;);"]));
  process.once("exit", () => load.forEach((child) => child.kill()));
  using server = await findServer({ port: 0, configId: "default", config });
  for (const turn of turns) {
    const texts = new Map<string, number>();
    for (let run = 0; run < runs; run++) {
      const text = await textOverSocket(turn, (id) => server.urlOf(id), settings);
      texts.set(text, (texts.get(text) ?? 0) + 1);
    }
    console.log(
      `${turn.name}: different texts ${String(texts.size)} (runs ${[...texts.values()].join(" + ")}); load ${(loadavg()[0] ?? 0).toFixed(1)}`,
    );
    if (texts.size > 1 || verbose) console.log([...texts.keys()].map((text) => `  ${text}`).join("\n"));
  }
  process.exit();
}

/** Streams one turn in real time. Returns the text of its finals, up to the first `turn_end` after the voice. */
async function textOverSocket(
  { samples, voiceEnd }: LongTurn,
  address: (connectionId: string) => string,
  settings: SessionSettingsInput,
): Promise<string> {
  const wire = resampleAll(samples, MODEL_HZ, CALL_HZ);
  const pcm = new Uint8Array(2 * wire.length);
  floatToPcm16(wire, pcm);
  const client = new VoiceClient({ address, settings, ...onNode(), reconnect: false });
  const finals: string[] = [];
  let isOver = false;
  await client.connect();
  const beganMs = performance.now();
  client.on("transcription", ({ is_speech_final, accumulated_transcript }) => {
    if (is_speech_final) finals.push(accumulated_transcript);
  });
  client.on("turn_end", () => (isOver ||= performance.now() - beganMs > (voiceEnd * 1000) / MODEL_HZ));
  for (let at = 0, dueMs = beganMs; !isOver && at < pcm.length; at += CHUNK_BYTES) {
    dueMs += CHUNK_MS;
    await sleep(Math.max(0, dueMs - performance.now()));
    client.sendAudio(pcm.subarray(at, at + CHUNK_BYTES));
  }
  client.close();
  return isOver ? finals.join(" ") : "(no turn_end)";
}
