import type { CallRecord } from "../../src/simulated-callers/call-figures.ts";
import { measureCall, type TurnMeasures } from "../../src/simulated-callers/measures.ts";
import { summarise, type Summary } from "../../src/simulated-callers/statistics.ts";
import type { Row } from "../text-table.ts";
import { pauseInReplyMs, silenceAtEarMs } from "../../src/simulated-callers/silence-at-ear.ts";
import type { SystemName } from "./systems.ts";
import type { UtteranceKind } from "./utterances.ts";

export interface Conversation {
  readonly system: SystemName;
  /** All processes of the system, from /proc, as a mean over the call. */
  readonly cores: number;
  /** Work of other programs than the system and the caller. It makes all times longer. */
  readonly otherCores: number;
  readonly residentMb: number;
  readonly call: CallRecord;
}

export interface SaidUtterance {
  readonly name: string;
  readonly kind: UtteranceKind;
}

/** A reply that ends by itself sooner after the first voiced sample shows neither a stop nor a missing one. */
const LEAST_OVERLAP_MS = 500;

/** One utterance of a call with its measures. Times in ms. */
export interface Outcome extends SaidUtterance, TurnMeasures {
  /** Undefined where `overReply` is false: the reply was over, or ended by itself just then. */
  readonly silenceAtEarMs: number | undefined;
  readonly pauseInReplyMs: number | undefined;
  /** The words came as several turns, and each of them asks for a reply. */
  readonly isSplit: boolean;
}

/** The warm-up is left out. */
export function outcomesOf(call: CallRecord, said: readonly SaidUtterance[]): Outcome[] {
  return measureCall(call).flatMap((turn, index) => {
    const [spoken, plan] = [call.utterances[index], said[index]];
    if (spoken === undefined || plan === undefined || plan.kind === "warm-up") return [];
    const untilMs = call.utterances[index + 1]?.startMs ?? Infinity;
    const silence = turn.overReply ? silenceAtEarMs(call, spoken, untilMs) : 0;
    const overReply = turn.overReply && (turn.stoppedReply || silence >= LEAST_OVERLAP_MS);
    const pause = overReply && !turn.stoppedReply ? pauseInReplyMs(call, spoken, untilMs) : undefined;
    const heard = call.events.filter(
      (event) =>
        event.type === "turn_end" && event.transcript !== "" && event.atMs >= spoken.startMs && event.atMs < untilMs,
    );
    const silenceHeardMs = overReply ? silence : undefined;
    const isSplit = heard.length > 1;
    return [{ ...plan, ...turn, overReply, silenceAtEarMs: silenceHeardMs, pauseInReplyMs: pause, isSplit }];
  });
}

type Measure =
  Summary | { readonly some: number; readonly all: number } | { readonly text: string } | number | undefined;

/** Measures of one system over all its conversations, by the names of the table's rows. */
function measuresOf(conversations: readonly Conversation[], said: readonly SaidUtterance[]): Record<string, Measure> {
  const outcomes = conversations.flatMap(({ call }) => outcomesOf(call, said));
  const of = (...kinds: UtteranceKind[]) => outcomes.filter(({ kind }) => kinds.includes(kind));
  const times = (turns: readonly Outcome[], pick: (turn: Outcome) => number | undefined) =>
    summarise(turns.map(pick).filter((value) => value !== undefined));
  const count = (turns: readonly Outcome[], matches: (turn: Outcome) => boolean) => ({
    some: turns.filter(matches).length,
    all: turns.length,
  });
  const between = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? undefined : to - from;
  const mean = (pick: (conversation: Conversation) => number) => summarise(conversations.map(pick))?.mean ?? NaN;
  const plain = of("plain");
  const whole = plain.filter(({ isSplit }) => !isSplit);
  const hesitating = of("hesitation");
  const turns = of("plain", "hesitation", "barge-in");
  const barges = of("barge-in").filter(({ overReply }) => overReply);
  const sounds = of("sound").filter(({ overReply }) => overReply);
  const names = [...new Set(said.filter(({ kind }) => kind === "sound").map(({ name }) => name))];
  const sum = (pick: (turn: Outcome) => number) => turns.reduce((total, turn) => total + pick(turn), 0);
  return {
    "voice to voice, ms": times(plain, (turn) => turn.voiceToVoiceMs),
    "  last voice to turn end": times(whole, (turn) => turn.turnEndMs),
    "  turn end to first text": times(whole, (turn) => between(turn.turnEndMs, turn.firstTextMs)),
    "  first text to audible": times(whole, (turn) => between(turn.firstTextMs, turn.voiceToVoiceMs)),
    "words wrong, %":
      (100 * sum(({ wordErrors }) => wordErrors ?? 0)) /
      Math.max(
        1,
        sum(({ words }) => words),
      ),
    "turns without a reply": count(turns, ({ missed }) => missed),
    "plain turns cut off": count(plain, ({ cutOff }) => cutOff),
    "plain turns split": count(plain, ({ isSplit }) => isSplit),
    "hesitations cut off": count(hesitating, ({ cutOff }) => cutOff),
    "hesitations split": count(hesitating, ({ isSplit }) => isSplit),
    "hesitations spoken over": count(hesitating, ({ early }) => early),
    "voice to voice after a hesitation, ms": times(hesitating, (turn) => turn.voiceToVoiceMs),
    "barge-ins: silence at the ear, ms": times(barges, (turn) => turn.silenceAtEarMs),
    "barge-ins: interruption message, ms": times(barges, (turn) => turn.bargeInMs),
    "barge-ins without that message": count(barges, ({ stoppedReply }) => !stoppedReply),
    "voice to voice after a barge-in, ms": times(barges, (turn) => turn.voiceToVoiceMs),
    ...Object.fromEntries(
      names.map((name) => [
        `the reply goes on: ${name}`,
        count(
          sounds.filter((turn) => turn.name === name),
          ({ stoppedReply }) => !stoppedReply,
        ),
      ]),
    ),
    "pause in such a reply, ms": times(sounds, (turn) => turn.pauseInReplyMs),
    "cores a caller": mean(({ cores }) => cores),
    "other work on the machine, cores": { text: mean(({ otherCores }) => otherCores).toFixed(2) },
    "memory, MB": mean(({ residentMb }) => residentMb),
  };
}

const TITLES = { oakvoice: "Oakvoice", pipecat: "Pipecat" };

/** One row a measure: each system's value, and the ratio of the first to the second. */
export function compare(
  conversations: readonly Conversation[],
  said: readonly SaidUtterance[],
): { readonly measures: Record<string, Record<string, Measure>>; readonly rows: readonly Row[] } {
  const systems = [...new Set(conversations.map(({ system }) => system))].toSorted();
  const measures = Object.fromEntries(
    systems.map((system) => [
      system,
      measuresOf(
        conversations.filter((conversation) => conversation.system === system),
        said,
      ),
    ]),
  );
  const columns = Object.values(measures);
  const head = {
    name: "p50 / p95",
    cells: [...systems.map((system) => TITLES[system]), ...(systems.length === 2 ? ["ratio"] : [])],
  };
  const rows = Object.keys(columns[0] ?? {}).map((name) => {
    const values = columns.map((column) => column[name]);
    const [one, other] = values.map(middle);
    const ratio = one === undefined || other === undefined || other === 0 ? "" : (one / other).toFixed(2);
    return { name, cells: [...values.map(show), ...(systems.length === 2 ? [ratio] : [])] };
  });
  return { measures, rows: [head, ...rows] };
}

/** The value that the ratio compares. Counts of a few turns have no ratio. */
const middle = (measure: Measure): number | undefined =>
  typeof measure === "number" ? measure : measure !== undefined && "p50" in measure ? measure.p50 : undefined;

function show(measure: Measure): string {
  if (measure === undefined) return "-";
  if (typeof measure === "number")
    return Number.isInteger(measure) ? String(measure) : measure.toFixed(measure < 10 ? 2 : 0);
  if ("text" in measure) return measure.text;
  if ("some" in measure) return `${String(measure.some)} of ${String(measure.all)}`;
  return `${measure.p50.toFixed(0)} / ${measure.p95.toFixed(0)}`;
}
