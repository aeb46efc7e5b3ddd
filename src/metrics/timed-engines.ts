import { MODEL_HZ } from "../audio/format.ts";
import type { Engines } from "../engines/engines.ts";
import type { EmotionClassifier } from "../engines/emotion/emotion-classifier.ts";
import type { EndOfTurnModel } from "../engines/end-of-turn/end-of-turn-model.ts";
import type { LanguageModel, LanguageSession } from "../engines/llm/language-model.ts";
import type { SpeechRecognizer, SpeechToText } from "../engines/stt/speech-to-text.ts";
import type { TextToSpeech } from "../engines/tts/text-to-speech.ts";
import type { VadEngine } from "../engines/vad/voice-activity-detector.ts";
import type { CallMetrics } from "./measured-metrics.ts";

/** Estimate of spoken text, because the language model's factor is known before the voice has spoken. */
const SPOKEN_CHARACTERS_PER_SECOND = 15;

/** The same engines with timers. Aborted and failed requests are not timed. */
export function timedEngines(engines: Engines, metrics: CallMetrics): Engines {
  return {
    ...engines,
    vad: timedVad(engines.vad, metrics),
    stt: timedStt(engines.stt, metrics),
    llm: timedLlm(engines.llm, metrics),
    tts: timedTts(engines.tts, metrics),
    speechIn: engines.speechIn && ((language) => timedTts(engines.speechIn!(language), metrics)),
    emotion: timedEmotion(engines.emotion, metrics),
    endOfTurn: engines.endOfTurn && timedEndOfTurn(engines.endOfTurn, metrics),
  };
}

/** Calls `done` with the seconds that `work` took, when it succeeds. */
async function timed<Result>(
  metrics: CallMetrics,
  engine: string,
  work: () => Promise<Result>,
  done: (seconds: number, result: Result) => void,
): Promise<Result> {
  const startedMs = performance.now();
  metrics.inFlight.inc({ engine });
  try {
    const result = await work();
    done((performance.now() - startedMs) / 1000, result);
    return result;
  } finally {
    metrics.inFlight.dec({ engine });
  }
}

/** Observes once per second of a caller's audio: observing each frame took a tenth of the frame's own time. */
function timedVad(vad: VadEngine, metrics: CallMetrics): VadEngine {
  return {
    open() {
      const detector = vad.open();
      let samples = 0;
      let spentMs = 0;
      return {
        frameSamples: detector.frameSamples,
        get kind() {
          return detector.kind;
        },
        speechProbability(frame) {
          const startedMs = performance.now();
          const probability = detector.speechProbability(frame);
          spentMs += performance.now() - startedMs;
          samples += frame.length;
          if (samples < MODEL_HZ) return probability;
          metrics.realTimeFactor.observe({ engine: "vad" }, ((spentMs / 1000) * MODEL_HZ) / samples);
          samples = 0;
          spentMs = 0;
          return probability;
        },
      };
    },
    close: () => vad.close(),
  };
}

function timedStt(stt: SpeechToText, metrics: CallMetrics): SpeechToText {
  return {
    threads: stt.threads,
    open(): SpeechRecognizer {
      const recognizer = stt.open();
      const identify = recognizer.identifyLanguage?.bind(recognizer);
      return {
        transcribe: (request, signal, early) =>
          timed(
            metrics,
            "stt",
            () => recognizer.transcribe(request, signal, early),
            (seconds) => {
              metrics.stage.observe({ stage: `stt_${request.kind}` }, seconds);
              metrics.realTimeFactor.observe({ engine: "stt" }, (seconds * MODEL_HZ) / request.samples.length);
            },
          ),
        ...(identify && {
          identifyLanguage: (samples, signal) =>
            timed(
              metrics,
              "stt",
              () => identify(samples, signal),
              (seconds) => metrics.stage.observe({ stage: "stt_language" }, seconds),
            ),
        }),
        close: () => recognizer.close(),
      };
    },
    close: () => stt.close(),
  };
}

function timedLlm(llm: LanguageModel, metrics: CallMetrics): LanguageModel {
  return {
    open(beginning): LanguageSession {
      const session = llm.open(beginning);
      return {
        async *generate(request, signal) {
          const startedMs = performance.now();
          let characters = 0;
          metrics.inFlight.inc({ engine: "llm" });
          try {
            for await (const piece of session.generate(request, signal)) {
              if (characters === 0)
                metrics.stage.observe({ stage: "llm_first_piece" }, (performance.now() - startedMs) / 1000);
              characters += typeof piece === "string" ? piece.length : piece.name.length + piece.arguments.length;
              yield piece;
            }
            const seconds = (performance.now() - startedMs) / 1000;
            metrics.stage.observe({ stage: "llm_reply" }, seconds);
            const factor = (seconds * SPOKEN_CHARACTERS_PER_SECOND) / Math.max(1, characters);
            metrics.realTimeFactor.observe({ engine: "llm" }, factor);
          } finally {
            metrics.inFlight.dec({ engine: "llm" });
          }
        },
        prefill: (prompt, signal) => session.prefill(prompt, signal),
        close: () => session.close(),
      };
    },
    close: () => llm.close(),
  };
}

function timedTts(tts: TextToSpeech, metrics: CallMetrics): TextToSpeech {
  return {
    sampleRateHz: tts.sampleRateHz,
    synthesize: (request, signal) =>
      timed(
        metrics,
        "tts",
        () => tts.synthesize(request, signal),
        (seconds, samples) => {
          metrics.stage.observe({ stage: "tts_clause" }, seconds);
          metrics.realTimeFactor.observe({ engine: "tts" }, (seconds * tts.sampleRateHz) / Math.max(1, samples.length));
        },
      ),
    close: () => tts.close(),
  };
}

function timedEmotion(emotion: EmotionClassifier, metrics: CallMetrics): EmotionClassifier {
  const { labels, minSeconds, maxSeconds } = emotion;
  return {
    labels,
    minSeconds,
    maxSeconds,
    classify: (samples, signal) =>
      timed(
        metrics,
        "emotion",
        () => emotion.classify(samples, signal),
        (seconds) => metrics.stage.observe({ stage: "emotion" }, seconds),
      ),
    close: () => emotion.close(),
  };
}

function timedEndOfTurn(model: EndOfTurnModel, metrics: CallMetrics): EndOfTurnModel {
  const timedQuery = <T>(query: () => Promise<T>): Promise<T> =>
    timed(metrics, "end of turn", query, (seconds) => metrics.stage.observe({ stage: "end_of_turn" }, seconds));
  return {
    languages: model.languages,
    windowSamples: model.windowSamples,
    melodySamples: model.melodySamples,
    melodyOdds: (samples) => timedQuery(() => model.melodyOdds(samples)),
    probabilityOver: (samples, silentMs, melodyOdds) =>
      timedQuery(() => model.probabilityOver(samples, silentMs, melodyOdds)),
    oddsByWords: (text, confidence, isAnswer) => model.oddsByWords(text, confidence, isAnswer),
    close: () => model.close(),
  };
}
