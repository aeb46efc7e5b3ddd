import type { SessionSettings } from "../../config/settings/session-settings.ts";
import type { Stage } from "../events.ts";
import type { LanguageSession, ToolCall } from "../../engines/llm/language-model.ts";
import type { Engines } from "../../engines/engines.ts";
import { ClientTools, clientToolsOf } from "../tool-calls/client-tools.ts";
import type { Clock } from "../../shared/clock.ts";
import { DEFAULT_LANGUAGE, tagsOf } from "../../language/language-setting.ts";
import { Ear } from "../ear/ear.ts";
import { FaultBoundary } from "../../shared/fault-boundary.ts";
import type { FrameEvent, TurnEffect } from "../turn/machine/turn-state.ts";
import { Initiative } from "../reply/initiative.ts";
import type { KeptState, KeptTimers, OpenTools, Tool } from "../tool-calls/tool.ts";
import type { Language } from "../../language/language.ts";
import type { Log } from "../../shared/log.ts";
import type { ReplyRequest } from "../reply/reply-requests.ts";
import { Responder } from "../reply/responder.ts";
import type { Recording, SessionRequest } from "./session-interface.ts";
import { SilenceTimer } from "../reply/silence-timer.ts";
import { SpeculationCounts } from "../reply/speculation-counts.ts";
import { SpeechPace } from "../reply/speech/speech-pace.ts";
import { Tasks } from "../../shared/tasks.ts";
import type { ToolOutcome } from "../events.ts";
import { ToolRunner } from "../tool-calls/tool-runner.ts";
import { ReplayLogFile } from "../turn/replay-log-file.ts";
import { Transcripts } from "../transcripts/transcripts.ts";
import { TurnController } from "../turn/turn-controller.ts";
import { sharedPrompt } from "../reply/text/prompt.ts";
import { speechContext } from "../transcripts/speech-context.ts";
import { turnPolicy } from "../turn/evidence/policy.ts";
import { languageOf } from "../../language/packs/languages.ts";

/** The callbacks and resources that a session gives to its parts. */
export interface SessionHost {
  /** Every callback of the session runs inside. */
  readonly faults: FaultBoundary;
  readonly tasks: Tasks;
  readonly signal: AbortSignal;
  readonly settings: () => SessionSettings;
  /** True when neither side speaks and the caller waits for no answer. */
  readonly isQuiet: () => boolean;
  readonly onFrame: (frame: FrameEvent) => boolean;
  readonly perform: (effect: TurnEffect) => void;
  readonly onIdle: (idleMs: number) => void;
  readonly onLanguage: (language: string, isOther: boolean) => void;
  readonly wordsSoFar: (words: string) => void;
  readonly fail: (stage: Stage, error: unknown, turn?: number) => void;
  readonly respond: (request: ReplyRequest) => void;
  /** See `InitiativeOptions`. */
  readonly filler: (spoken: number) => string;
  readonly say: (text: string, said?: () => void) => boolean;
  readonly toolEnded: (call: ToolCall, result: string, outcome: ToolOutcome, durationMs: number) => void;
  readonly onReady: (callback: (callerId: string) => void) => void;
  readonly keepState: (state: KeptState) => void;
  readonly keepTimers: (timers: KeptTimers) => void;
}

export interface SessionExtras {
  /** Counts replies that are prepared before the turn is over. Without it none is. */
  readonly speculation?: SpeculationCounts | undefined;
  /** Measured in earlier calls. */
  readonly pace?: SpeechPace;
  /** Where the session's turn events go, when the operator wants them. */
  readonly replayLog?: ReplayLogFile | undefined;
  /** The tools that the server carries out. */
  readonly openTools?: OpenTools;
  readonly recording?: Recording | undefined;
  /** The call is over. */
  readonly ended?: (() => void) | undefined;
}

export interface SessionParts {
  readonly ear: Ear;
  readonly turn: TurnController;
  readonly transcripts: Transcripts;
  readonly chat: LanguageSession;
  readonly responder: Responder;
  readonly idle: SilenceTimer;
  readonly initiative: Initiative;
  readonly clientTools: ClientTools;
  readonly tools: ToolRunner;
  readonly serverTools: readonly Tool[];
}

/** Makes the parts of a session and connects them: what one reports goes to the next, or to the host. */
export function makeParts(
  host: SessionHost,
  request: SessionRequest,
  engines: Engines,
  wallClock: Clock,
  log: Log,
  extras: SessionExtras,
): SessionParts {
  const { voice, emit } = request;
  const { signal, tasks } = host;
  const shared = { clock: host.faults.clock(wallClock), tasks, signal, emit };
  const language = (): Language => languageOf(transcripts.spoken.code);
  const idle = new SilenceTimer(shared.clock, signal, host.onIdle);
  const initiative = new Initiative({
    ...shared,
    isQuiet: host.isQuiet,
    speak: host.respond,
    end: (ending) => emit({ type: "call-ended", ending }),
    tools: () => tools,
    filler: host.filler,
  });
  const clientTools = new ClientTools(clientToolsOf(voice), shared.clock, (call) =>
    emit({ type: "client-tool-call", call }),
  );
  const serverTools =
    extras.openTools?.({
      voice,
      language,
      signal,
      onReady: host.onReady,
      show: (shown) => emit({ type: "tool-state", ...shown }),
      keepState: host.keepState,
      keepTimers: host.keepTimers,
      // A session whose caller does not come back loses its texts.
      say: (text, said) => !turn.state.isAway && host.say(text, said),
      stopRecording: () => extras.recording?.withdraw() ?? false,
      end: (ending) => initiative.endAfterReply(ending),
    }) ?? [];
  const tools = new ToolRunner({
    ...shared,
    ...request,
    limits: voice.tool_limits,
    log,
    events: {
      started: ({ id, name, arguments: args }) => {
        emit({ type: "tool-started", callId: id, name, arguments: args, isClients: clientTools.has(name) });
        initiative.toolStarted();
      },
      ended: host.toolEnded,
      refused: ({ id }, result) => {
        responder.history.setResult(id, result);
        initiative.oweAnswer();
      },
    },
  });
  const ear = new Ear({
    ...shared,
    engines,
    suppressesNoise: () => host.settings().turnDetection.noiseSuppression,
    onlyCaller: voice.only_my_caller,
    language,
    faults: host.faults,
    onFrame: host.onFrame,
    onFailure: host.fail,
  });
  const turn = new TurnController({
    policy: turnPolicy(host.settings().turnDetection),
    replayLog: extras.replayLog,
    signal,
    perform: host.perform,
    stepped: () => initiative.next(),
  });
  const transcripts = new Transcripts({
    ...shared,
    stt: engines.stt,
    language,
    context: (spoken) => speechContext(voice, host.settings(), spoken, responder.history.unanswered),
    spoken: {
      setting: host.settings().language,
      first: tagsOf(voice.language)[0] ?? DEFAULT_LANGUAGE,
      changed: host.onLanguage,
    },
    ring: ear.ring,
    echo: ear.echo,
    events: {
      heard: (spoken, transcript, settled) => {
        host.wordsSoFar(transcript.accumulated);
        emit({ type: "transcript", turn: spoken, transcript, settled });
      },
      failed: (spoken, error) => host.fail("stt", error, spoken),
      closed: (closed, counts) => log.debug({ connection: request.connectionId, turn: closed, ...counts }, "partials"),
    },
  });
  const chat = engines.llm.open({
    system: sharedPrompt(voice),
    tools: serverTools.map(({ definition }) => definition),
  });
  const responder = new Responder({
    ...shared,
    chat,
    speech: () => {
      const { heard } = transcripts.spoken;
      return heard === undefined ? engines.tts : (engines.speechIn?.(heard) ?? engines.tts);
    },
    language,
    heardLanguage: () => transcripts.spoken.heard,
    voice,
    pace: extras.pace ?? new SpeechPace(),
    jitterMs: () => ear.jitterMs,
    settings: host.settings,
    counts: extras.speculation,
    tools,
    log,
    events: {
      asked: () => {
        initiative.answered();
        tools.answered();
      },
      sent: (pcm, playsAtMs) => ear.replySent(pcm, playsAtMs),
      audible: (answered) => {
        initiative.audible();
        turn.dispatch({ type: "reply-audible", turn: answered });
      },
      finished: (answered) => {
        idle.start(host.settings().turnDetection.idleMs);
        initiative.replyEnded();
        turn.dispatch({ type: "reply-finished", turn: answered });
      },
      failed: (answered, stage, error) => {
        host.fail(stage, error, answered);
        initiative.replyEnded();
        turn.dispatch({ type: "reply-failed", turn: answered });
      },
    },
  });
  return { ear, turn, transcripts, chat, responder, idle, initiative, clientTools, tools, serverTools };
}
