import type { CallRecords } from "../call-record/call-records.ts";
import type { CallRecorder } from "../call-record/call-recorder.ts";
import { LoggedArguments } from "../call-record/logged-arguments.ts";
import { recordedRequest } from "../call-record/recorded-request.ts";
import { tracedWords } from "../call-record/traced-words.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { Emit } from "../conversation/events.ts";
import type { SpeculationCounts } from "../conversation/reply/speculation-counts.ts";
import { SpeechPace } from "../conversation/reply/speech/speech-pace.ts";
import type { SessionRequest } from "../conversation/session/session-interface.ts";
import { Session } from "../conversation/session/session.ts";
import { ReplayLogFile } from "../conversation/turn/replay-log-file.ts";
import type { TextToSpeech } from "../engines/tts/text-to-speech.ts";
import { measuredMetrics } from "../metrics/measured-metrics.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { timedEngines } from "../metrics/timed-engines.ts";
import { watchSession } from "../metrics/watch-session.ts";
import type { CallEndings } from "../server/calls/call-endings.ts";
import { systemClock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import type { TimerBook } from "../tools/builtin/timer-book.ts";
import { openTools } from "../tools/open-tools.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import type { CallTrace } from "../tracing/call-trace.ts";
import type { TracedCall, Tracing } from "../tracing/tracing.ts";
import { firstLanguage, type CallModels } from "./call-models.ts";
import type { EngineRegistry } from "./engine-registry.ts";

/** The parts of the service that a call uses. */
interface CallParts {
  readonly config: ServerConfig;
  readonly log: Log;
  readonly engines: EngineRegistry;
  readonly models: CallModels;
  readonly metrics: Metrics;
  readonly records: CallRecords | undefined;
  readonly tracing: Tracing | undefined;
  readonly toolbox: Toolbox;
  readonly timers: TimerBook;
  readonly speculation: SpeculationCounts | undefined;
  readonly endings: CallEndings;
}

/** Opens the sessions of calls, with their listeners: trace, record and metrics. */
export function sessionOpener(parts: CallParts): (request: SessionRequest) => Session {
  /** Measured pace per voice model. Most calls share one language model. */
  const paces = new WeakMap<TextToSpeech, SpeechPace>();
  return (request) => openSession(request, parts, paces);
}

function openSession(request: SessionRequest, parts: CallParts, paces: WeakMap<TextToSpeech, SpeechPace>): Session {
  const { config, log, engines, models, metrics, records, tracing, toolbox, timers, speculation, endings } = parts;
  let recorder: CallRecorder | undefined = undefined;
  let language = () => firstLanguage(request.voice);
  const logged = config.logsToolArguments === "redacted" ? new LoggedArguments(() => language()) : undefined;
  const traced =
    tracing === undefined
      ? undefined
      : tracedCall(tracing, request, () => recorder?.isRecording === true, models.stages(request.voice));
  const traceparent = traced === undefined ? request.traceparent : () => traced.traceparent;
  const measured = traced === undefined ? metrics : measuredMetrics(metrics, (...times) => traced.stage(...times));
  const told: Emit = (event) => {
    traced?.take(event);
    logged?.take(event);
    if (event.type === "call-ended") endings.add(request.connectionId, request.voice, event.ending);
    request.emit(event);
  };
  // Each connection that resumes the call has an id of its own.
  const ownCall = {
    get connectionId() {
      return request.connectionId;
    },
    owner: request.owner,
    voice: request.voice,
    traceparent,
  };
  recorder = records?.recorder(ownCall, told);
  const emit = watchSession({
    emit: told,
    connectionId: request.connectionId,
    metrics: measured,
    log,
    loggedArguments:
      config.logsToolArguments === false ? undefined : ({ arguments: args }) => logged?.text(args) ?? args,
  });
  const own = { ...engines.for(request.voice), llm: models.language(request.voice, () => language()) };
  const timed = timedEngines(own, measured);
  const pace = paces.get(own.tts) ?? new SpeechPace();
  paces.set(own.tts, pace);
  const recorded = recorder === undefined ? { ...request, emit } : recordedRequest(recorder, request, emit);
  return new Session({ ...recorded, traceparent }, timed, systemClock, log, {
    speculation,
    recording: recorder,
    ended: () => traced?.ended(),
    pace,
    openTools: (call) => {
      recorder?.control(call);
      language = () => call.language().code;
      const tools = openTools(request.voice, toolbox, timers)(call);
      for (const { definition } of tools) metrics.offersTool(definition.name);
      return tools;
    },
    replayLog:
      config.traceDir === undefined ? undefined : new ReplayLogFile(config.traceDir, request.connectionId, log),
  });
}

function tracedCall(
  tracing: Tracing,
  { connectionId, voice, traceparent }: SessionRequest,
  isRecording: () => boolean,
  stages: NonNullable<TracedCall["stages"]>,
): CallTrace {
  return tracing.call({
    connectionId,
    traceparent: traceparent?.(),
    attributes: { "oakvoice.config_id": voice.config_id, "oakvoice.project_id": voice.project_id },
    words: tracedWords(voice, isRecording),
    stages,
  });
}
