import type { GenerateRequest, LanguageSession, ToolCall } from "../../../engines/llm/language-model.ts";
import type { Language } from "../../../language/language.ts";
import { errorCode, OakError, rethrowFault } from "../../../shared/errors.ts";
import { checkCall, isOrdered, type CheckedCall } from "../../facts/check-call.ts";
import type { AskedCall } from "../../tool-calls/confirmation.ts";
import type { KeptValues } from "../../facts/kept-values.ts";
import { argumentsIn } from "../../../engines/llm/tool-call-format/call-form.ts";
import { secondOrder } from "../../facts/second-order.ts";
import { HeldClauses } from "../../facts/held-clauses.ts";
import { agreesToAct, asksAgain, labelsOf, lastCall, leavesAnswer } from "./answered-questions.ts";
import {
  answeredFault,
  askedAgain,
  CLAIM,
  correctedFault,
  EMPTY,
  PROMISE,
  UNABLE,
  UNKNOWN,
  unsaidFault,
  type Fault,
} from "./reply-faults.ts";
import { streamFromEngine } from "../../../engines/ask-engine.ts";

/** Another attempt would fail too, or the caller has waited long enough. */
const FINAL_CODES: ReadonlySet<string | undefined> = new Set([
  "LLM_PROMPT_TOO_LONG",
  "LLM_SESSION_CLOSED",
  "LLM_BUSY",
  "TOOL_UNUSABLE",
  "ENGINE_CRASHED",
  "ENGINE_TIMEOUT",
  "ENGINE_UNAVAILABLE",
  "ENGINE_BUSY",
]);
const BAD_CALLS: ReadonlySet<string | undefined> = new Set(["LLM_CALL_UNKNOWN", "LLM_CALL_UNREADABLE"]);
const MOST_ATTEMPTS = 3;

export interface WriteOptions {
  /** False for a text that the caller would not hear, such as an emoji. */
  readonly isHeard: (text: string) => boolean;
  /** No words are not a failure. */
  readonly mayBeEmpty: boolean;
  readonly language: Language;
  /** Values for a call that the caller has not completed. They outlast a reply. */
  readonly kept?: KeptValues;
  /** The question before a call that needs the caller's yes. The call is not made, and the question ends the reply. */
  readonly readBack?: ((call: ToolCall, isDoubtful: boolean) => AskedCall | undefined) | undefined;
}

/**
 * The pieces of a reply. A reply that fails before its first words, that has none, that reports an act without a call, or whose call
 * cannot be made is asked for again with a note. Throws the failure of the last attempt, or `LLM_SAID_NOTHING`.
 */
export async function* writeReply(
  chat: LanguageSession,
  request: GenerateRequest,
  signal: AbortSignal,
  { isHeard, mayBeEmpty, language, readBack, kept }: WriteOptions,
): AsyncGenerator<string | ToolCall | AskedCall> {
  let said = "";
  let fault: Fault | undefined;
  /** Otherwise a client or a limit has decided about calls. */
  const mayRequire = request.toolChoice === "auto";
  const callersTurn = request.messages.filter(({ role }) => role === "user").length;
  const done = lastCall(request, language);
  const result = done?.isResult === true ? done : undefined;
  const corrected = done?.isCorrected === true ? done : undefined;
  /** Labels of the values that a call made up. None when the caller has not named the act. */
  let missing: readonly string[] | undefined;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const prompt = fault === undefined ? request : askedAgain(request, isHeard(said) ? said.trim() : "", fault);
    const isLast = attempt === MOST_ATTEMPTS || fault?.mayCall === false;
    const pending = mayRequire && attempt === 1 ? kept?.at(callersTurn) : undefined;
    const clauses = new HeldClauses(
      request,
      language,
      pending === undefined && corrected === undefined ? "clause" : "sentence",
    );
    const saidBefore = said.length;
    let refused: CheckedCall | undefined;
    let hasCalled = false;
    /** The reply counts one piece for each of the model's, so one of those that were held is not passed on yet. */
    let owesPiece = false;
    const pass = function* pass(text: string) {
      said += text;
      if (text !== "") yield text;
    };
    const passHeld = function* passHeld(text: string) {
      if (text === "" && owesPiece) yield "";
      owesPiece = false;
      yield* pass(text);
    };
    try {
      for await (const piece of streamFromEngine(() => chat.generate(prompt, signal))) {
        if (typeof piece === "string") {
          const text = clauses.push(piece);
          if (text === "" && owesPiece) yield "";
          owesPiece ||= text === "";
          yield* pass(text);
          if (clauses.stop !== undefined) break;
          continue;
        }
        const checked = checkCall(piece, request, language, (name) => kept?.of(piece.name, name, callersTurn));
        if (checked.call === undefined) {
          refused ??= checked;
          if (checked.said !== undefined) kept?.keep(piece.name, checked.said, callersTurn);
          continue;
        }
        hasCalled = true;
        kept?.clear();
        const isSecond = Object.values(argumentsIn(checked.call.arguments)).includes(fault?.ordered ?? NaN);
        const isUnordered = fault?.required !== undefined && !isOrdered(checked.call, request, language);
        const isDoubtful = !isSecond && (checked.isDoubtful === true || isUnordered);
        const asked = readBack?.(checked.call, isDoubtful);
        yield* pass(asked === undefined ? clauses.called() : clauses.end());
        yield asked ?? checked.call;
        if (asked !== undefined) return;
      }
      const last = clauses.end();
      const isOnly = !hasCalled && refused === undefined && said === "" && clauses.stop === undefined;
      const repeats = (known: readonly string[]) => isOnly && asksAgain(last, request.messages, known);
      if (
        pending !== undefined &&
        (repeats(labelsOf(pending.tool, request)) || (isOnly && leavesAnswer(last, pending.tool, request, language)))
      ) {
        fault = { ...PROMISE, hidesTime: true, required: pending.tool };
        continue;
      }
      if (
        attempt === 1 &&
        done !== undefined &&
        (result ?? corrected) !== undefined &&
        repeats(Object.keys(done.args))
      ) {
        fault = result === undefined ? correctedFault(done.spoken) : answeredFault(done.spoken);
        continue;
      }
      yield* passHeld(last);
      if (hasCalled) return;
      const wasRequired = fault?.required !== undefined;
      if (wasRequired && refused?.isNamed === true && refused.unsaid.length > 0)
        return yield* pass(spaced(said, language.facts.ask(refused.unsaid)));
      if (refused !== undefined && refused.unsaid.length > 0 && !isLast && missing === undefined) {
        fault = unsaidFault(refused.unsaid, request.messages);
        missing = refused.isNamed === true ? refused.unsaid : [];
        continue;
      }
      const isNoAnswer = clauses.stop !== undefined || clauses.isPromise || refused !== undefined;
      if (missing !== undefined && missing.length > 0 && isNoAnswer)
        return yield* pass(spaced(said, language.facts.ask(missing)));
      const second = attempt === 1 && result !== undefined && mayRequire ? secondOrder(request, language) : undefined;
      if (second !== undefined && clauses.stop === undefined && refused === undefined) {
        fault = {
          note: `Now do it for this too: ${second.choice}.`,
          mayCall: true,
          required: second.tool,
          ordered: second.choice,
        };
        continue;
      }
      if (clauses.stop === "wrong" && result !== undefined) {
        if (isLast) return yield* pass(spaced(said, `${result.spoken}.`));
        fault = answeredFault(result.spoken);
        continue;
      }
      if (clauses.stop === "jargon" && clauses.meant !== undefined && attempt === 1 && mayRequire) {
        fault = { ...PROMISE, required: clauses.meant };
        continue;
      }
      if (clauses.stop === "claim") {
        const mayStillCall = mayRequire && clauses.meant !== undefined && fault?.required === undefined;
        if (attempt === MOST_ATTEMPTS || (attempt > 1 && !mayStillCall))
          return yield* pass(spaced(said, language.facts.notDone));
        const undone = corrected === undefined ? CLAIM : correctedFault(corrected.spoken);
        fault = request.tools.length === 0 ? UNABLE : { ...undone, required: mayRequire ? clauses.meant : undefined };
        continue;
      }
      const isBareYes = agreesToAct(said, request, language);
      if ((clauses.isPromise || isBareYes) && attempt === 1 && mayRequire) {
        fault = { ...PROMISE, required: clauses.meant };
        continue;
      }
      if (isBareYes && fault?.note === PROMISE.note) return yield* pass(spaced(said, language.facts.notDone));
      if (mayBeEmpty || isHeard(said.slice(saidBefore))) return;
      if (isLast) {
        if (isHeard(said)) return;
        throw new OakError("The reply holds nothing to say.", { code: "LLM_SAID_NOTHING" });
      }
      const isOtherAct = refused !== undefined && refused.unsaid.length === 0 && refused.isNamed === false;
      fault = result !== undefined ? answeredFault(result.spoken) : isOtherAct ? UNABLE : EMPTY;
    } catch (error) {
      rethrowFault(error);
      const code = errorCode(error);
      if (signal.aborted || hasCalled || isLast || FINAL_CODES.has(code)) throw error;
      if (isHeard(said) && !BAD_CALLS.has(code)) throw error;
      fault = code === "LLM_CALL_UNKNOWN" ? UNKNOWN : EMPTY;
    }
  }
}

const spaced = (before: string, text: string): string => (before === "" || /\s$/u.test(before) ? text : ` ${text}`);
