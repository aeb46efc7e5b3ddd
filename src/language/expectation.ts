/** The kind of answer that the service's last words ask for. A dictation is given piece by piece, with pauses between. */
export type Expectation = "anything" | "answer" | "brief" | "dictation";

/** An answer that the service's last words ask for, where the recogniser prefers such words. */
export type SpokenAnswer = "number" | "letters";

/** Factor on the wait for a pause in such an answer. */
export const EXPECTATION_STRETCH: Readonly<Record<Expectation, number>> = {
  anything: 1,
  answer: 1,
  brief: 0.8,
  dictation: 1.8,
};

/** How a language asks. Each pattern is tried on the last sentence, which is trimmed. */
export interface QuestionForms {
  /** Asks for something that is dictated: a number, an address, a story. */
  readonly dictated: RegExp;
  /** Makes a sentence without a question mark a request for such a thing. */
  readonly requests: RegExp;
  /** Begins a question that a word or two answer. */
  readonly brief: RegExp;
}

/** Reads the last sentence only. */
export function expectedAnswerBy({ dictated, requests, brief }: QuestionForms): (said: string) => Expectation {
  return (said) => {
    const sentence = lastSentence(said);
    const asks = sentence.endsWith("?");
    if (dictated.test(sentence) && (asks || requests.test(sentence))) return "dictation";
    if (!asks) return "anything";
    return brief.test(sentence) ? "brief" : "answer";
  };
}

export const lastSentence = (said: string): string =>
  said
    .trim()
    .split(/(?<=[.!?])\s+/u)
    .at(-1) ?? "";
