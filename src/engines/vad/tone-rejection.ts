import { SpectralPeaks, WINDOW_SAMPLES } from "../../audio/spectral-peaks.ts";
import { NewNotes } from "./new-notes.ts";
import type { SoundKind, VadEngine, VoiceActivityDetector } from "./voice-activity-detector.ts";

/** Every frame of at least this probability is checked. */
const LEAST_PROBABILITY = 0.1;
/** Tones of telephone networks and fax machines are one or two sines above this frequency. */
const TONES = 2;
const LOWEST_TONE_HZ = 300;
/** Rumble below this frequency does not count. */
const LOWEST_HZ = 60;
/** Share of the power that the tones hold. Chosen in docs/decisions/0105-tones.md. */
const TONE_SHARE = 0.95;
/** A tone is sure after this many frames of a higher share. */
const SURE_SHARE = 0.97;
const SURE_FRAMES = 4;
/** For this long after a sure tone, a smaller share is enough: the window holds the beginning of the next burst of a busy tone. */
const AFTER_TONE_FRAMES = 18;
const SHARE_AFTER_TONE = 0.6;
/** Mains hum is a tone when it is nearly all of the sound, at one level, for six frames. A voice is never that steady. */
const MAINS_HZ = [50, 60];
const LOWEST_MAINS_HZ = 90;
const MAINS_SHARE = 0.99;
const MAINS_FRAMES = 6;
/** Ratio of the powers of two frames of a steady sound: 1.5 dB. */
const STEADY_RATIO = 1.41;
/** Mean power below which a sound has no kind: -70 dBFS. */
const SILENT_POWER = 1e-7;
/** Music has so many new notes, and no frame of such a probability for 3 s. Chosen in docs/decisions/0105-tones.md. */
const MUSIC_NOTES = 60;
const VOICE_PROBABILITY = 0.5;
const VOICELESS_FRAMES = 94;

/**
 * A detector that takes no tones for speech: ring, busy and dial tones, fax tones, keys. Silero takes some bursts of them for
 * voices. It also names music, but leaves its speech probability as it is.
 */
export const rejectTones = (engine: VadEngine): VadEngine => ({
  open: () => new ToneRejection(engine.open()),
  close: () => engine.close(),
});

/** One caller. */
class ToneRejection implements VoiceActivityDetector {
  readonly frameSamples: number;
  readonly #detector: VoiceActivityDetector;
  readonly #peaks = new SpectralPeaks();
  readonly #notes = new NewNotes();
  readonly #newest = new Float32Array(WINDOW_SAMPLES);
  /** Samples since the last window for the notes, and frames since a voice. */
  #windowSamples = 0;
  #sinceVoice = 0;
  /** Frames of the tone so far, frames since a sure tone, frames of steady hum, and the power of the last frame. */
  #toneFrames = 0;
  #sinceTone = Infinity;
  #humFrames = 0;
  #power = 0;
  #isTone = false;

  constructor(detector: VoiceActivityDetector) {
    this.#detector = detector;
    this.frameSamples = detector.frameSamples;
  }

  get kind(): SoundKind | undefined {
    if (this.#isTone) return "tone";
    return this.#sinceVoice >= VOICELESS_FRAMES && this.#notes.count >= MUSIC_NOTES ? "music" : undefined;
  }

  speechProbability(frame: Float32Array): number {
    const probability = this.#detector.speechProbability(frame);
    this.#newest.copyWithin(0, frame.length);
    this.#newest.set(frame, WINDOW_SAMPLES - frame.length);
    this.#windowSamples += frame.length;
    const isWindow = this.#windowSamples >= WINDOW_SAMPLES;
    if (isWindow) this.#windowSamples = 0;
    this.#sinceTone += 1;
    this.#sinceVoice = probability >= VOICE_PROBABILITY ? 0 : this.#sinceVoice + 1;
    if (probability >= LEAST_PROBABILITY || isWindow) this.#isTone = this.#holdsTones(frame, isWindow);
    return this.#isTone && probability >= LEAST_PROBABILITY ? 0 : probability;
  }

  #holdsTones(frame: Float32Array, isWindow: boolean): boolean {
    let power = 0;
    for (let at = 0; at < frame.length; at++) power += frame[at]! ** 2;
    const isSteady = power < STEADY_RATIO * this.#power && this.#power < STEADY_RATIO * power;
    const isSilent = power / frame.length < SILENT_POWER;
    this.#power = power;
    if (isSilent) this.#peaks.power.fill(0);
    else this.#peaks.transform(this.#newest);
    if (isWindow) this.#notes.hear(this.#peaks.power);
    if (isSilent) {
      this.#toneFrames = this.#humFrames = 0;
      return false;
    }
    const isHum = isSteady && MAINS_HZ.some((hz) => this.#peaks.harmonicity(hz, LOWEST_MAINS_HZ) >= MAINS_SHARE);
    this.#humFrames = isHum ? this.#humFrames + 1 : 0;
    const share = this.#peaks.purity(TONES, LOWEST_HZ, LOWEST_TONE_HZ);
    this.#toneFrames = share >= SURE_SHARE ? this.#toneFrames + 1 : 0;
    if (this.#toneFrames >= SURE_FRAMES) this.#sinceTone = 0;
    const least = this.#sinceTone <= AFTER_TONE_FRAMES ? SHARE_AFTER_TONE : TONE_SHARE;
    return share >= least || this.#humFrames >= MAINS_FRAMES;
  }
}
