import type { CallRecord } from "../../simulated-callers/call-figures.ts";
import { measureCall } from "../../simulated-callers/measures.ts";
import type { ScenarioTurn } from "./scenario-file.ts";

export interface ToolUse {
  readonly name: string;
  /** Undefined when the server does not show them. */
  readonly arguments: Readonly<Record<string, unknown>> | undefined;
  readonly outcome: string;
  readonly output: string | undefined;
}

/** One turn of the caller and what followed, until the next turn. */
export interface TurnView {
  readonly said: string;
  /** The recognised words. A typed text is heard as it is. */
  readonly heard: string;
  readonly replied: string;
  readonly tools: readonly ToolUse[];
  /** From the caller's last sound to the reply's first one. Undefined without one, or when the reply came too early. */
  readonly answeredMs: number | undefined;
  /** The caller spoke while the reply could be heard. */
  readonly overReply: boolean;
  readonly stoppedReply: boolean;
  /** The turn ended before the caller had finished. */
  readonly cutOff: boolean;
  /** Codes of errors. */
  readonly errors: readonly string[];
}

export interface CallView {
  /** Spoken before the caller's first turn. */
  readonly greeting: string;
  readonly turns: readonly TurnView[];
  /** Turns that were not spoken, because the call had ended. */
  readonly unspoken: number;
  readonly isEndedByAssistant: boolean;
  readonly transferredTo: string | undefined;
  readonly language: string | undefined;
  /** Why the connection ended before the caller hung up. */
  readonly closed: string | undefined;
}

/** Words only, without the seconds of hesitation. */
export const textOf = ({ say }: Pick<ScenarioTurn, "say">): string =>
  [say]
    .flat()
    .filter((part) => typeof part === "string")
    .join(" ");

/** Reads the record of a call by the turns of its scenario. */
export function viewCall(record: CallRecord, script: readonly Pick<ScenarioTurn, "say">[]): CallView {
  const { events, utterances, closed } = record;
  const measures = measureCall(record);
  const wordsBetween = (fromMs: number, untilMs: number) =>
    events
      .flatMap((event) => (event.type === "llm_chunk" && event.atMs >= fromMs && event.atMs < untilMs ? [event] : []))
      .map(({ text, reply }, at, all) => (at > 0 && all[at - 1]?.reply !== reply ? ` ${text}` : text))
      .join("")
      .trim();
  const turns = utterances.map((spoken, index): TurnView => {
    const untilMs = utterances[index + 1]?.startMs ?? Infinity;
    const own = events.filter(({ atMs }) => atMs >= spoken.startMs && atMs < untilMs);
    const said = textOf(script[index] ?? { say: "" });
    const heard = own.flatMap((event) => (event.type === "turn_end" ? [event.transcript] : [])).join(" ");
    const measured = measures[index];
    return {
      said,
      heard: spoken.isTyped === true ? said : heard.trim(),
      // Words of the reply before may still come while the caller begins to speak.
      replied: wordsBetween(replyFromMs(own, spoken.startMs, spoken.isTyped === true), untilMs),
      tools: own.flatMap((event) => {
        if (event.type !== "tool_call") return [];
        const end = events.find((other) => other.type === "tool_end" && other.callId === event.callId);
        const { outcome = "unfinished", output } = end?.type === "tool_end" ? end : { output: undefined };
        return outcome === "refused" ? [] : [{ name: event.name, arguments: event.arguments, outcome, output }];
      }),
      answeredMs: measured?.voiceToVoiceMs,
      overReply: spoken.overReply,
      stoppedReply: measured?.stoppedReply ?? false,
      cutOff: measured?.cutOff ?? false,
      errors: own.flatMap((event) => (event.type === "error" ? [event.code] : [])),
    };
  });
  const end = events.find((event) => event.type === "call_end");
  return {
    greeting: wordsBetween(-Infinity, utterances[0]?.startMs ?? Infinity),
    turns,
    unspoken: script.length - turns.length,
    isEndedByAssistant: end !== undefined && end.transferTo === undefined,
    transferredTo: end?.transferTo,
    language: events.findLast((event) => event.type === "language")?.language,
    closed: end === undefined ? closed : undefined,
  };
}

function replyFromMs(own: CallRecord["events"], startMs: number, isTyped: boolean): number {
  return isTyped ? startMs : (own.find((event) => event.type === "turn_end")?.atMs ?? startMs);
}
