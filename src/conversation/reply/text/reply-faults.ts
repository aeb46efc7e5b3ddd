import type { ChatMessage, GenerateRequest } from "../../../engines/llm/language-model.ts";
import { lastWords } from "../../facts/callers-words.ts";
import { MAX_ANSWER_CHARS } from "./answered-questions.ts";

/** Why a reply is asked for again. Its note is added to the prompt. */
export interface Fault {
  readonly note: string;
  readonly mayCall: boolean;
  /** The time in the prompt leads the model astray. */
  readonly hidesTime?: true;
  /** The reply is a call of this tool. */
  readonly required?: string | undefined;
  /** The caller has ordered it for this choice, so that it needs no yes. */
  readonly ordered?: string;
}

/** The first of the prompt's lines before the caller's words. */
const TIME_NOTE = /^\([^\n]*\)\n/u;

export const EMPTY: Fault = { note: "Answer in one short spoken sentence.", mayCall: false };
export const UNKNOWN: Fault = {
  note: "There is no such function. Say in one short sentence that you cannot do this.",
  mayCall: false,
};
export const CLAIM: Fault = {
  note: "Nothing was done yet. Call the function now, or ask me for the missing values.",
  mayCall: true,
};
export const UNABLE: Fault = {
  note: "Tell me in one short sentence that you are not able to do this.",
  mayCall: false,
};
export const PROMISE: Fault = { note: "Call the function now, or ask me for the missing values.", mayCall: true };

/** The result of the call is known. A weak model asks for its values, or reports older ones. @param done The call's values. */
export const answeredFault = (done: string): Fault => ({
  note: `Called with: ${done === "" ? "nothing" : done}. Say the result in one short spoken sentence.`,
  mayCall: false,
});

/** The caller corrects a call that was made. */
export const correctedFault = (done: string): Fault => ({
  note: `You have done this: ${done}. Change it now with my words. Call the function that changes it.`,
  mayCall: true,
});

/** A model may ask for a value, and then make it up all the same. */
export function unsaidFault(labels: readonly string[], messages: readonly ChatMessage[]): Fault {
  const question = messages.findLast(({ role }) => role === "assistant")?.content ?? "";
  const answered = labels.filter((label) => question.includes("?") && question.includes(label));
  const words = lastWords(messages);
  const isAnswer = answered.length > 0 && words.length < MAX_ANSWER_CHARS;
  const note = isAnswer
    ? `This is the ${answered.join(" and the ")}. Use my words.`
    : `I have not said everything: ${labels.join(", ")}. Use my words, or ask me.`;
  return { note, mayCall: true, hidesTime: true };
}

/** The prompt of the next attempt: the words so far are part of it. */
export function askedAgain(
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
