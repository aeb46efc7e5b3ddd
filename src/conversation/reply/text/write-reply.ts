import type { ChatMessage, GenerateRequest, LanguageSession, ToolCall } from "../../../engines/llm/language-model.ts";
import type { Language } from "../../../language/language.ts";
import { errorCode, OakError, rethrowFault } from "../../../shared/errors.ts";
import { checkCall, isOrdered, type CheckedCall } from "../../facts/check-call.ts";
import { plainWords, resembles } from "../../facts/said-words.ts";
import type { AskedCall } from "../../tool-calls/confirmation.ts";
import type { KeptValues } from "../../facts/kept-values.ts";
import { HeldClauses } from "../../facts/held-clauses.ts";
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
const MAX_ANSWER_CHARS = 80;

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

/** Why a reply is asked for again. Its note is added to the prompt. */
interface Fault {
  readonly note: string;
  readonly mayCall: boolean;
  /** The time in the prompt leads the model astray. */
  readonly hidesTime?: true;
  /** The reply is a call of this tool. */
  readonly required?: string | undefined;
}

/** The first of the prompt's lines before the caller's words, and all of them. */
const TIME_NOTE = /^\([^\n]*\)\n/u;
const NOTES = /^(?:\([^\n]*\)\n)+/u;

const EMPTY: Fault = { note: "Answer in one short spoken sentence.", mayCall: false };
const UNKNOWN: Fault = {
  note: "There is no such function. Say in one short sentence that you cannot do this.",
  mayCall: false,
};
const CLAIM: Fault = {
  note: "Nothing was done yet. Call the function now, or ask me for the missing values.",
  mayCall: true,
};
const UNABLE: Fault = { note: "You cannot do this. Say so in one short sentence.", mayCall: false };
const PROMISE: Fault = { note: "Call the function now, or ask me for the missing values.", mayCall: true };

/** A model may ask for a value, and then make it up all the same. */
function unsaidFault(labels: readonly string[], messages: readonly ChatMessage[]): Fault {
  const question = messages.findLast(({ role }) => role === "assistant")?.content ?? "";
  const answered = labels.filter((label) => question.includes("?") && question.includes(label));
  const words = messages.findLast(({ role }) => role === "user")?.content.replace(NOTES, "") ?? "";
  const isAnswer = answered.length > 0 && words.length < MAX_ANSWER_CHARS;
  const note = isAnswer
    ? `This is the ${answered.join(" and the ")}. Use my words.`
    : `I have not said everything: ${labels.join(", ")}. Use my words, or ask me.`;
  return { note, mayCall: true, hidesTime: true };
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
  /** Labels of the values that a call made up. None when the caller has not named the act. */
  let missing: readonly string[] | undefined;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const prompt = fault === undefined ? request : askedAgain(request, isHeard(said) ? said.trim() : "", fault);
    const isLast = attempt === MOST_ATTEMPTS || fault?.mayCall === false;
    const clauses = new HeldClauses(request, language);
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
        const isDoubtful =
          checked.isDoubtful === true || (fault?.required !== undefined && !isOrdered(checked.call, request, language));
        const asked = readBack?.(checked.call, isDoubtful);
        yield* pass(asked === undefined ? clauses.called() : clauses.end());
        yield asked ?? checked.call;
        if (asked !== undefined) return;
      }
      const last = clauses.end();
      const pending = mayRequire && attempt === 1 ? kept?.at(callersTurn) : undefined;
      const isOnly = !hasCalled && refused === undefined && said === "" && clauses.stop === undefined;
      if (pending !== undefined && isOnly && asksAgain(last, request.messages, pending.values)) {
        fault = { ...PROMISE, hidesTime: true, required: pending.tool };
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
      if (clauses.stop === "claim") {
        if (isLast || fault?.note === CLAIM.note) return yield* pass(spaced(said, language.facts.notDone));
        fault = request.tools.length === 0 ? UNABLE : { ...CLAIM, required: mayRequire ? clauses.meant : undefined };
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
      fault = EMPTY;
    } catch (error) {
      rethrowFault(error);
      const code = errorCode(error);
      if (signal.aborted || hasCalled || isLast || FINAL_CODES.has(code)) throw error;
      if (isHeard(said) && !BAD_CALLS.has(code)) throw error;
      fault = code === "LLM_CALL_UNKNOWN" ? UNKNOWN : EMPTY;
    }
  }
}

/** A question that the caller has answered: the last one, word for word, or one for a value that is kept. */
function asksAgain(
  question: string,
  messages: readonly ChatMessage[],
  kept: Readonly<Record<string, unknown>>,
): boolean {
  const text = question.trim();
  if (!text.endsWith("?")) return false;
  const words = plainWords(text);
  const before = messages.findLast(({ role }) => role === "assistant")?.content ?? "";
  return (
    before.includes(text) || Object.keys(kept).some((name) => plainWords(name).every((word) => words.includes(word)))
  );
}

/** "Sure." and nothing else, to words that name a tool: the caller takes it for done. */
function agreesToAct(said: string, { messages, tools, toolChoice }: GenerateRequest, { facts }: Language): boolean {
  const last = messages.at(-1);
  if (last?.role !== "user" || toolChoice !== "auto" || !facts.agrees(said)) return false;
  const words = plainWords(last.content.replace(NOTES, ""));
  const named = tools.flatMap(({ name }) => plainWords(name)).filter((word) => word.length > 3);
  return named.some((word) => words.some((each) => resembles(each, word)));
}

const spaced = (before: string, text: string): string => (before === "" || /\s$/u.test(before) ? text : ` ${text}`);

/** The prompt of the next attempt: the words so far are part of it. */
function askedAgain(
  request: GenerateRequest,
  said: string,
  { note, mayCall, hidesTime, required }: Fault,
): GenerateRequest {
  const spoken: readonly ChatMessage[] = said === "" ? [] : [{ role: "assistant", content: said }];
  const messages = [...request.messages, ...spoken].map((message) =>
    hidesTime && message.role === "user" ? { ...message, content: message.content.replace(TIME_NOTE, "") } : message,
  );
  const last = messages.at(-1);
  const noted: ChatMessage =
    last?.role === "user" ? { ...last, content: `${last.content}\n(${note})` } : { role: "user", content: `(${note})` };
  return {
    ...request,
    messages: [...(last?.role === "user" ? messages.slice(0, -1) : messages), noted],
    ...(mayCall ? (required === undefined ? {} : { toolChoice: { name: required } }) : { toolChoice: "none" }),
  };
}
