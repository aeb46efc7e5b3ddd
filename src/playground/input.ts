import { CALL_HZ, CALL_SAMPLES_PER_MS } from "../audio/format.ts";
import { Emitter } from "../client/emitter.ts";
import { Resampler } from "../audio/resampler.ts";

/** Short, because the length of a chunk is added to every delay. */
const CHUNK = CALL_HZ / 20;

export interface InputChunk {
  /** 24 kHz mono, 50 ms. */
  readonly samples: Float32Array;
  /** Time of its last sample, in `performance.now()`. */
  readonly endMs: number;
}

interface InputEvents {
  readonly chunk: InputChunk;
  /** A recording begins or ends. */
  readonly recording: boolean;
  /** The microphone was unplugged, or its permission was revoked. */
  readonly lost: undefined;
}

/** The audio that is sent: the microphone, a recording instead of it, or silence. It never pauses, so that turns can end. */
export class Input extends Emitter<InputEvents> {
  #chunk = new Float32Array(CHUNK);
  #filled = 0;
  #recording: { readonly samples: Float32Array; at: number } | undefined;
  #track: MediaStreamTrack | undefined;
  #isMuted = false;
  #close: () => void = () => undefined;

  /** Opens the microphone. @throws DOMException if there is none or it is not allowed. */
  async openMicrophone(context: AudioContext): Promise<void> {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
    });
    try {
      await this.#hear(stream, context);
    } catch (error) {
      stopTracks(stream);
      throw error;
    }
  }

  async #hear(stream: MediaStream, context: AudioContext): Promise<void> {
    const { source, closeSource } = sourceOf(stream, context);
    await source.context.audioWorklet.addModule(new URL("./capture-worklet.js", import.meta.url));
    const node = new AudioWorkletNode(source.context, "capture", { channelCount: 1, channelCountMode: "explicit" });
    const resampler = new Resampler(source.context.sampleRate, CALL_HZ);
    const hear = ({ data }: MessageEvent<Float32Array>) => this.#take(resampler.process(data));
    node.port.addEventListener("message", hear);
    node.port.start();
    // Its output is silence, but unconnected nodes do not run.
    source.connect(node).connect(source.context.destination);
    this.#track = stream.getAudioTracks()[0];
    this.#track?.addEventListener("ended", () => {
      this.openSilence();
      this.emit("lost", undefined);
    });
    this.#close();
    this.#close = () => {
      node.port.removeEventListener("message", hear);
      source.disconnect();
      stopTracks(stream);
      closeSource();
    };
  }

  /** Silence in real time, over which recordings are played. */
  openSilence(): void {
    this.#close();
    this.#track = undefined;
    let sentMs = performance.now();
    // Timers of a background page run about once a second. All chunks that are due are sent at once.
    const timer = setInterval(() => {
      const dueMs = performance.now();
      this.#take(new Float32Array(Math.round((dueMs - sentMs) * CALL_SAMPLES_PER_MS)));
      sentMs = dueMs;
    }, 50);
    this.#close = () => clearInterval(timer);
  }

  get isMuted(): boolean {
    return this.#isMuted;
  }

  set isMuted(isMuted: boolean) {
    this.#isMuted = isMuted;
    if (this.#track !== undefined) this.#track.enabled = !isMuted;
  }

  /** Plays a recording (24 kHz) instead of the microphone. */
  play(samples: Float32Array): void {
    this.#recording = { samples, at: 0 };
    this.emit("recording", true);
  }

  close(): void {
    this.#close();
    this.#close = () => undefined;
  }

  #take(heard: Float32Array): void {
    const endMs = performance.now();
    for (let at = 0; at < heard.length; at += 1) {
      this.#chunk[this.#filled++] = this.#recording === undefined ? (heard[at] ?? 0) : this.#nextOfRecording();
      if (this.#filled < CHUNK) continue;
      this.emit("chunk", { samples: this.#chunk, endMs: endMs - (heard.length - at - 1) / CALL_SAMPLES_PER_MS });
      this.#chunk = new Float32Array(CHUNK);
      this.#filled = 0;
    }
  }

  #nextOfRecording(): number {
    const recording = this.#recording;
    const sample = recording?.samples[recording.at++];
    if (sample !== undefined) return sample;
    this.#recording = undefined;
    this.emit("recording", false);
    return 0;
  }
}

/** Decodes an audio file that the browser can read to 24 kHz mono. */
export async function readRecording(file: Blob): Promise<Float32Array> {
  const context = new OfflineAudioContext(1, 1, CALL_HZ);
  const audio = await context.decodeAudioData(await file.arrayBuffer());
  const mono = new Float32Array(audio.length);
  for (let channel = 0; channel < audio.numberOfChannels; channel += 1)
    for (const [at, sample] of audio.getChannelData(channel).entries())
      mono[at] = (mono[at] ?? 0) + sample / audio.numberOfChannels;
  return mono;
}

function stopTracks(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

/** Firefox accepts a microphone only at its own rate, so it gets a context of its own. */
function sourceOf(stream: MediaStream, context: AudioContext) {
  try {
    return { source: context.createMediaStreamSource(stream), closeSource: () => undefined };
  } catch {
    const own = new AudioContext();
    return { source: own.createMediaStreamSource(stream), closeSource: () => void own.close() };
  }
}
