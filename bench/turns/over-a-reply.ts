import { english } from "../../src/language/packs/en/en.ts";
import { CALL_HZ, MODEL_HZ } from "../../src/audio/format.ts";
import { LevelMeter } from "../../src/audio/level.ts";
import { RumbleFilter } from "../../src/audio/rumble-filter.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { SampleRing } from "../../src/audio/ring-buffer.ts";
import { Decoder } from "../../src/conversation/transcripts/decoder.ts";
import { OverlapListener } from "../../src/conversation/transcripts/overlap-listener.ts";
import { DEFAULT_SETTINGS } from "../../src/config/settings/session-settings.ts";
import type { SpeechRecognizer, TranscribeRequest, Transcript } from "../../src/engines/stt/speech-to-text.ts";
import {
  initialTurnState,
  type TurnEffect,
  type TurnEvent,
  type TurnState,
} from "../../src/conversation/turn/machine/turn-state.ts";
import { step } from "../../src/conversation/turn/machine/machine.ts";
import { turnPolicy } from "../../src/conversation/turn/evidence/policy.ts";
import type { VadEngine } from "../../src/engines/vad/voice-activity-detector.ts";
import { VirtualClock } from "../../test/support/virtual-clock.ts";
import { voicedSpan } from "../../src/simulated-callers/sound.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";

const BEFORE_MS = 1000;
const AFTER_MS = 3500;
const ROOM_DBFS = -65;
const TICK_MS = 10;

export interface Ears {
  readonly vad: VadEngine;
  /** The transcript. It takes no simulated time. */
  readonly transcribe: (request: TranscribeRequest) => Promise<Transcript>;
}

export interface Overlapped {
  /** Time from the sound's first voiced sample, by its level. */
  readonly stoppedMs: number | undefined;
  readonly decodes: number;
  /** Decodes and their results with times. */
  readonly log: readonly string[];
}

export interface OverAReplyOptions {
  readonly decodeMs: number;
  readonly chunkMs: number;
  /** Sound of the room at `MODEL_HZ`, which is repeated. Absent: white noise of -65 dBFS. */
  readonly room?: Float32Array | undefined;
}

/** Runs the service's speech detection and turn machine on a sound during a long reply. */
export async function overAReply(
  sound: Float32Array,
  { vad, transcribe }: Ears,
  { decodeMs, chunkMs, room }: OverAReplyOptions,
): Promise<Overlapped> {
  const samples = inARoom(sound, room);
  const policy = turnPolicy(DEFAULT_SETTINGS.turnDetection);
  const clock = new VirtualClock();
  const ring = new SampleRing(40 * MODEL_HZ);
  const detector = vad.open();
  const { frameSamples } = detector;
  const meter = new LevelMeter(frameSamples / MODEL_HZ);
  const rumble = new RumbleFilter(MODEL_HZ);
  const firstMs = BEFORE_MS + ((voicedSpan(resampleAll(sound, MODEL_HZ, CALL_HZ))?.from ?? 0) * 1000) / CALL_HZ;
  let waiting = 0;
  let decodes = 0;
  const log: string[] = [];
  const recognizer: SpeechRecognizer = {
    async transcribe(request, signal) {
      decodes += 1;
      waiting += 1;
      const transcript = await transcribe(request);
      waiting -= 1;
      await clock.passed(decodeMs, signal);
      log.push(
        `${at()} ${request.kind} ${(request.samples.length / 16).toFixed(0)} "${transcript.words.map((w) => `${w.word}:${w.confidence.toFixed(2)}`).join(" ")}"`,
      );
      return transcript;
    },
    close: () => undefined,
  };
  const at = () => (clock.nowMs() - firstMs).toFixed(0);
  const settled = async () => {
    for (let quiet = 0; quiet < 3; quiet = waiting > 0 ? 0 : quiet + 1)
      await new Promise((resolve) => setImmediate(resolve));
  };
  const overhearing = new OverlapListener({
    language: () => english,
    decoder: new Decoder(recognizer, ring, () => ({ language: "en" })),
    signal: new AbortController().signal,
    echo: { suspectsEcho: false, hearsEcho: false, rulesOutEcho: true },
  });
  let state: TurnState = {
    ...initialTurnState,
    nextTurn: 2,
    reply: { name: "speaking", turn: 1, isSide: false, held: false },
  };
  let stoppedMs: number | undefined;
  const dispatch = (event: TurnEvent): void => {
    const next = step(state, event, policy);
    state = next.state;
    if (event.type === "overlap-decoded") log.push(`${at()} ${event.heard}${event.ended ? " (ended)" : ""}`);
    for (const effect of next.effects) perform(effect);
  };
  const perform = (effect: TurnEffect): void => {
    const nowMs = clock.nowMs() - firstMs;
    if (effect.type === "cancel-reply") stoppedMs = nowMs;
    else if (effect.type === "dismiss-sound") overhearing.stop();
    else if (effect.type === "decode-overlap") {
      log.push(`${at()} listen to ${(effect.untilMs - firstMs).toFixed(0)}${effect.ended ? " (ended)" : ""}`);
      void overhearing
        .listen(effect.startMs, effect, { speech: "", awaitsAnswer: false })
        .then((decode) => decode && dispatch({ type: "overlap-decoded", ...decode }));
    }
  };
  const frame = new Float32Array(frameSamples);
  let heard = 0;
  const chunk = (chunkMs * MODEL_HZ) / 1000;
  for (let from = 0; from + chunk <= samples.length && stoppedMs === undefined; from += chunk) {
    for (let ms = 0; ms < chunkMs; ms += TICK_MS) {
      const pending = clock.pendingTimers > 0;
      clock.advance(TICK_MS);
      if (pending) await settled();
    }
    ring.write(samples.subarray(from, from + chunk));
    while (ring.end - heard >= frameSamples && stoppedMs === undefined) {
      ring.readInto(heard, frame);
      heard += frameSamples;
      meter.update(rumble.process(frame.slice()));
      const { levelDbfs, noiseFloorDbfs } = meter;
      const atMs = (heard * 1000) / MODEL_HZ;
      const frameMs = (frameSamples * 1000) / MODEL_HZ;
      const probability = detector.speechProbability(frame);
      const aboveNoiseDb = levelDbfs - noiseFloorDbfs;
      dispatch({ type: "frame", atMs, frameMs, probability, aboveNoiseDb, noiseFloorDbfs });
    }
    await settled();
  }
  overhearing.stop();
  return { stoppedMs, decodes, log };
}

function inARoom(sound: Float32Array, room: Float32Array | undefined): Float32Array {
  const random = seededRandom(9);
  const level = 10 ** (ROOM_DBFS / 20);
  const before = (BEFORE_MS * MODEL_HZ) / 1000;
  return Float32Array.from(
    { length: before + sound.length + (AFTER_MS * MODEL_HZ) / 1000 },
    (_, i) => (sound[i - before] ?? 0) + (room?.[i % room.length] ?? level * (2 * random() - 1)),
  );
}
