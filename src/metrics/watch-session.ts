import type { Emit, SessionEvent } from "../conversation/events.ts";
import type { Log } from "../shared/log.ts";
import type { CallMetrics } from "./measured-metrics.ts";

export type ToolEnded = SessionEvent & { readonly type: "tool-ended" };

/** Times of one turn, ms of a steady clock. */
interface TurnTimes {
  readonly finalMs: number;
  textMs?: number;
}

const TIMEOUTS = { "max-duration": "system_timeout", "silence-timeout": "silence_timeout" } as const;

export interface WatchOptions {
  readonly emit: Emit;
  readonly connectionId: string;
  readonly metrics: CallMetrics;
  readonly log: Log;
  /** The arguments of a call of a tool as the log has them. Undefined: it has none. */
  readonly loggedArguments?: ((call: ToolEnded) => string) | undefined;
}

/**
 * Whether a later reply is the answer to the turn: after a sound without words, or after a call of a tool. Speech after the end of
 * any other reply, such as a timer, does not answer it.
 */
const leavesUnanswered = (how: (SessionEvent & { type: "reply-ended" })["how"], turn: TurnTimes | undefined): boolean =>
  how === "dropped" || (how === "played" && turn?.textMs === undefined);

/**
 * Measures a session by its events, which go on to `emit`: the time from the final transcript of a turn to the first text and the
 * first speech of the reply. Writes one log line a turn, without a word of it.
 */
export function watchSession({ emit, connectionId, metrics, log, loggedArguments }: WatchOptions): Emit {
  let turn: TurnTimes | undefined;
  const watch = (event: SessionEvent): void => {
    switch (event.type) {
      case "turn-ended":
        if (event.transcript.accumulated === "") return;
        if (event.transcript.isDoubtful === true) return metrics.doubtfulTurns.inc();
        metrics.turns.inc();
        turn = { finalMs: performance.now() };
        return;
      case "reply-text":
        if (turn === undefined || turn.textMs !== undefined || event.text === "") return;
        turn.textMs = performance.now();
        metrics.stage.observe({ stage: "final_to_text" }, (turn.textMs - turn.finalMs) / 1000);
        return;
      case "reply-audio": {
        if (turn === undefined) return;
        const speechMs = performance.now() - turn.finalMs;
        metrics.stage.observe({ stage: "final_to_speech" }, speechMs / 1000);
        const textMs = (turn.textMs ?? turn.finalMs) - turn.finalMs;
        turn = undefined;
        const times = { textMs: Math.round(textMs), speechMs: Math.round(speechMs) };
        log.info({ connection: connectionId, ...times }, "turn answered");
        return;
      }
      case "language-heard":
        log.info({ connection: connectionId, language: event.language }, "language heard");
        return;
      case "turn-timed-out":
        metrics.interruptions.inc({ type: TIMEOUTS[event.cause] });
        return;
      case "reply-ended":
        if (event.how === "interrupted") metrics.interruptions.inc({ type: "user_speech" });
        if (!leavesUnanswered(event.how, turn)) turn = undefined;
        return;
      case "failure":
        if (event.stage === "llm" || event.stage === "tts") turn = undefined;
        metrics.failures.inc({ code: event.code });
        return;
      case "tool-ended": {
        const { name: tool, outcome, durationMs } = event;
        metrics.toolCalls.inc({ tool, outcome });
        metrics.toolSeconds.observe({ tool }, durationMs / 1000);
        const written = loggedArguments === undefined ? {} : { arguments: loggedArguments(event) };
        log.info({ connection: connectionId, tool, outcome, ms: Math.round(durationMs), ...written }, "tool call");
        return;
      }
      case "call-ended":
        log.info({ connection: connectionId, transferTo: event.ending.transferTo }, "call ended by the assistant");
        return;
      case "client-tool-call":
      case "tool-started":
      case "tool-state":
      case "recording":
      case "ready":
      case "turn-started":
      case "turn-committed":
      case "caller-idle":
      case "reply-started":
      case "tool-call":
      case "transcript":
      case "overlap-transcript":
      case "request-ended":
      case "reply-held":
      case "reply-resumed":
      case "emotion":
      case "level":
    }
  };
  return (event) => {
    watch(event);
    emit(event);
  };
}
