import { CALL_HZ, MODEL_HZ } from "../../src/audio/format.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EchoGuard } from "../../src/conversation/ear/echo-guard.ts";
import { LevelMeter } from "../../src/audio/level.ts";
import { floatToInt16, int16ToFloat } from "../../src/audio/pcm16.ts";
import { Resampler, resampleAll } from "../../src/audio/resampler.ts";
import { RumbleFilter } from "../../src/audio/rumble-filter.ts";
import { SampleRing } from "../../src/audio/ring-buffer.ts";
import { readWav } from "../../src/audio/wav.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { AudioInput } from "../../src/conversation/ear/audio-input.ts";
import { parseClientMessage } from "../../src/doors/voice/client-messages.ts";
import { encodeServerMessage } from "../../src/doors/voice/server-messages.ts";
import { DEFAULT_SETTINGS } from "../../src/config/settings/session-settings.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { FaultBoundary } from "../../src/shared/fault-boundary.ts";
import { initialTurnState, type FrameEvent } from "../../src/conversation/turn/machine/turn-state.ts";
import { step } from "../../src/conversation/turn/machine/machine.ts";
import { turnPolicy } from "../../src/conversation/turn/evidence/policy.ts";
import type { VadEngine, VoiceActivityDetector } from "../../src/engines/vad/voice-activity-detector.ts";
import { loadSilero } from "../../src/engines/vad/silero.ts";

/** One frame of the voice activity model. */
const FRAME_MS = 32;
/** Frames in a chunk of a client. */
const CHUNK_FRAMES = 3;

export interface HotPath {
  readonly name: string;
  /** Length of the audio that one call processes. */
  readonly audioMs: number;
  /** Whether the path runs the model, which is slow and whose runtime allocates most. */
  readonly usesModel?: boolean;
  readonly call: () => unknown;
}

export interface HotPaths {
  /** The steps from a frame of audio to the turn machine's decision. They must not allocate. */
  readonly frames: readonly HotPath[];
  /** Paths whose allocations are as large as their payload, because they carry messages. */
  readonly messages: readonly HotPath[];
  close(): Promise<void>;
}

/** The paths that run for every frame and message of every caller, each measured alone on recorded speech. */
export async function hotPaths(): Promise<HotPaths> {
  const { samples, sampleRateHz } = readWav(readFileSync(join(packageRoot, "scripts", "talk-sample.wav")));
  const heard = resampleAll(samples, sampleRateHz, MODEL_HZ);
  const spoken = resampleAll(samples, sampleRateHz, CALL_HZ);
  const speech = new Int16Array(spoken.length);
  floatToInt16(spoken, speech);
  const frames = cut(heard, (MODEL_HZ * FRAME_MS) / 1000);
  const wireFrames = cut(spoken, (CALL_HZ * FRAME_MS) / 1000);
  const pcmFrames = cut(speech, (CALL_HZ * FRAME_MS) / 1000);
  const vad = await loadSilero(loadServerConfig(undefined, {}).config.models.vad.path);
  const stopped = new AbortController();

  return {
    frames: [
      path("PCM16 to float", pcm16(pcmFrames)),
      path("resampler, 24 to 16 kHz", resampler(wireFrames)),
      path("rumble filter", rumble(frames)),
      path("ring buffer, write and read", ring(frames)),
      path("level meter", meter(frames)),
      path("echo guard, nothing is played", echo(frames, false)),
      path("echo guard, during a reply", echo(frames, true)),
      path("turn machine", turns(frames.length)),
      {
        // The model is excluded, because its package allocates more than all other steps.
        name: "frame in to decision, all but the model",
        audioMs: CHUNK_FRAMES * FRAME_MS,
        call: hearing(
          { frameSamples: (MODEL_HZ * FRAME_MS) / 1000, speechProbability: voiceByTurns(frames.length) },
          cut(speech, (CHUNK_FRAMES * CALL_HZ * FRAME_MS) / 1000),
          stopped.signal,
        ),
      },
      { ...path("voice activity model", vadCall(vad, frames)), usesModel: true },
      {
        name: "frame in to decision",
        usesModel: true,
        audioMs: CHUNK_FRAMES * FRAME_MS,
        call: hearing(vad.open(), cut(speech, (CHUNK_FRAMES * CALL_HZ * FRAME_MS) / 1000), stopped.signal),
      },
    ],
    messages: messages(speech),
    close: async () => {
      stopped.abort();
      await vad.close();
    },
  };
}

const path = (name: string, call: () => unknown): HotPath => ({ name, audioMs: FRAME_MS, call });

function cut<Samples extends Float32Array | Int16Array>(samples: Samples, length: number): readonly Samples[] {
  const frames: Samples[] = [];
  for (let at = 0; at + length <= samples.length; at += length)
    frames.push(samples.subarray(at, at + length) as Samples);
  return frames;
}

/** Returns the items in rotation. */
function inTurn<Item>(items: readonly Item[]): () => Item {
  let at = 0;
  return () => {
    const item = items[at];
    at = (at + 1) % items.length;
    if (item === undefined) throw new RangeError("there is nothing to take in turn");
    return item;
  };
}

function pcm16(pcm: readonly Int16Array[]) {
  const next = inTurn(pcm);
  const out = new Float32Array(next().length);
  return () => int16ToFloat(next(), out);
}

function resampler(frames: readonly Float32Array[]) {
  const next = inTurn(frames);
  const stream = new Resampler(CALL_HZ, MODEL_HZ);
  return () => stream.process(next());
}

/** The filter changes the frames, which are those of this path alone. */
function rumble(frames: readonly Float32Array[]) {
  const next = inTurn(frames.map((frame) => frame.slice()));
  const stream = new RumbleFilter(MODEL_HZ);
  return () => stream.process(next());
}

function ring(frames: readonly Float32Array[]) {
  const next = inTurn(frames);
  const samples = new SampleRing(40 * MODEL_HZ);
  const out = new Float32Array(next().length);
  return () => {
    const from = samples.end;
    samples.write(next());
    return samples.readInto(from, out);
  };
}

function meter(frames: readonly Float32Array[]) {
  const next = inTurn(frames);
  const level = new LevelMeter(FRAME_MS / 1000);
  return () => {
    level.update(next());
    return level.levelDbfs - level.noiseFloorDbfs;
  };
}

function echo(frames: readonly Float32Array[], playing: boolean) {
  const next = inTurn(frames);
  const guard = new EchoGuard();
  let atMs = 0;
  return () => {
    const frame = next();
    if (playing) guard.played(frame, atMs);
    atMs += FRAME_MS;
    return guard.heard(frame);
  };
}

/** Alternates between voice and silence of the same number of frames. */
function voiceByTurns(frameCount: number): () => number {
  let frame = 0;
  return () => {
    frame += 1;
    return frame % (2 * frameCount) < frameCount ? 0.9 : 0.01;
  };
}

function turns(frameCount: number) {
  const take = machine();
  const probabilityOf = voiceByTurns(frameCount);
  let atMs = 0;
  return () => {
    atMs += FRAME_MS;
    const probability = probabilityOf();
    const aboveNoiseDb = 60 * probability;
    return take({
      type: "frame",
      atMs,
      frameMs: FRAME_MS,
      probability,
      echo: false,
      aboveNoiseDb,
      noiseFloorDbfs: -60,
    });
  };
}

function machine() {
  const policy = turnPolicy(DEFAULT_SETTINGS.turnDetection);
  let state = initialTurnState;
  return (frame: FrameEvent) => {
    const next = step(state, frame, policy);
    state = next.state;
    return next.effects;
  };
}

function vadCall(vad: VadEngine, frames: readonly Float32Array[]) {
  const next = inTurn(frames);
  const detector = vad.open();
  return () => detector.speechProbability(next());
}

function hearing(detector: VoiceActivityDetector, pcm: readonly Int16Array[], signal: AbortSignal) {
  const next = inTurn(pcm);
  const take = machine();
  const raise = (error: unknown) => {
    throw error;
  };
  const ear = new AudioInput({
    detector,
    clock: systemClock,
    signal,
    onFrame: (frame) => {
      take(frame);
      return false;
    },
    onFailure: raise,
    faults: new FaultBoundary(raise),
  });
  return () => ear.push(next());
}

function messages(speech: Int16Array): HotPath[] {
  const nextReply = inTurn(cut(speech, (CALL_HZ * 120) / 1000));
  const spoken = Buffer.from(speech.slice(0, CALL_HZ / 10).buffer).toString("base64");
  const envelope = { timestamp: Date.now() / 1000, message_id: "3f2b8a4e-8a57-4c55-a8f4-0a4f6c0f2a11" };
  const audioInput = JSON.stringify({ type: "audio_input", ...envelope, data: { audio: spoken, chunk_id: "1" } });
  const activity = { activity_level: 0.4, background_noise_level: 0.1 };
  const words = "set a timer for ten minutes".split(" ").map((word, at) => {
    return { word, start: at * 0.25, end: at * 0.25 + 0.2, confidence: 0.9 };
  });
  const transcription = {
    transcript: "set a timer for ten minutes",
    confidence: 0.9,
    is_final: false,
    is_speech_final: false,
    session_id: envelope.message_id,
    words,
    accumulated_transcript: "set a timer for ten minutes",
    is_turn_incomplete: true,
    original_fragment: "set a timer for ten minutes",
  };
  return [
    {
      name: "tts_chunk: base64 and envelope",
      audioMs: 120,
      call: () => {
        const pcm = nextReply();
        const content = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString("base64");
        return encodeServerMessage("tts_chunk", { content }, Date.now());
      },
    },
    { name: "audio_input: parse and base64", audioMs: 100, call: () => parseClientMessage(audioInput) },
    {
      name: "voice_activity: envelope",
      audioMs: 200,
      call: () => encodeServerMessage("voice_activity", activity, Date.now()),
    },
    {
      name: "transcription: envelope",
      audioMs: 250,
      call: () => encodeServerMessage("transcription", transcription, Date.now()),
    },
  ];
}
