import { setTimeout as sleep } from "node:timers/promises";
import { CALL_BYTES_PER_MS, CALL_HZ } from "../../src/audio/format.ts";
import { floatToPcm16 } from "../../src/audio/pcm16.ts";
import { onNode } from "../../src/client/node.ts";
import { Playback } from "../../src/client/playback.ts";
import { VoiceClient } from "../../src/client/voice-client.ts";
import type { CallerTurn, Outcome } from "./outcome.ts";
import { sayWith } from "./synthetic-voice.ts";

const CHUNK_MS = 100;
const REPLY_WAIT_MS = 15_000;

export interface SpokenCall {
  /** Makes the address of a connection with this id. */
  readonly address: (id: string) => string;
  readonly turns: readonly CallerTurn[];
  readonly voice: string;
  /** The task is over, whatever the server still says. */
  readonly isOver: () => boolean;
  /** A tool runs, or has just answered: more words follow. */
  readonly isBusy?: () => boolean;
}

/** One caller, who says each turn and waits for the whole reply, unless the next turn is spoken over it. */
export async function speakCall(call: SpokenCall): Promise<Outcome["turns"]> {
  const { address, turns, voice, isOver: isTaskOver, isBusy = () => false } = call;
  const playback = new Playback();
  let transcript = "";
  let reply = "";
  let replied = false;
  let isClosed = false;
  const client = new VoiceClient({ address, ...onNode(), reconnect: false });
  client.on("closed", () => (isClosed = true));
  client.on("turn_end", (turn) => (transcript = `${transcript} ${turn.transcript}`.trim()));
  client.on("speech", (speech) => playback.add(speech, performance.now()));
  client.on("tts_interruption", () => playback.interrupt(performance.now()));
  client.on("llm_response_chunk", ({ content, is_final }) => {
    reply += content;
    // A reply that only calls a tool is empty, and the answer follows.
    if (is_final) replied = reply !== "";
  });
  await client.connect();
  const outcome = [];
  for (const [place, { say }] of turns.entries()) {
    if (isClosed) break;
    transcript = reply = "";
    replied = false;
    const speech = toPcm(sayWith(voice, say, CALL_HZ));
    const isSpokenOver = turns[place + 1]?.over ?? false;
    const startMs = performance.now();
    const isOver = () => {
      const nowMs = performance.now();
      const spokenMs = (speech.length / 2 / CALL_HZ) * 1000;
      if (isClosed) return true;
      if (nowMs - startMs < spokenMs + 300) return false;
      if (isTaskOver() || nowMs - startMs > spokenMs + REPLY_WAIT_MS) return true;
      const isPlaying = playback.isPlaying(nowMs + CHUNK_MS);
      return isSpokenOver ? isPlaying && reply !== "" : replied && !isPlaying && !isBusy();
    };
    await stream(client, speech, isOver);
    outcome.push({ said: say, heard: transcript, replied: reply });
  }
  client.close();
  return outcome;
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
