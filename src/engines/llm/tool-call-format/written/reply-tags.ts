/** The meaning of a tag in a reply. Tags are never words. */
export type TagMeaning =
  /** A call begins. */
  | "call"
  /** A thought begins. */
  | "thought"
  /** The model makes up the result of a call. */
  | "result"
  /** The message is over, or the next one begins. */
  | "end"
  /** It has no meaning for the caller. */
  | "none";

/** A special token or a tag, such as `<|im_end|>`, `</tool_response>`, `<function=book>` and `<｜tool▁calls▁begin｜>`. */
export const TAG = String.raw`<[\/|｜]{0,3}[A-Za-z][^<>]{0,160}>`;
/** Such a token in square brackets. */
export const BRACKET_TAG = String.raw`\[\/?[A-Z][A-Z_]+\]`;
/** The head of a message or channel: its words are not part of the reply. */
export const HEADER = String.raw`<\|(?:channel|start|start_header_id)\|>[^<>]{0,120}(?:<\|(?:channel|constrain)\|>[^<>]{0,120})*<\|(?:message|end_header_id)\|>`;
/** The beginning of one, at the end of a text. */
export const OPEN_HEADER = String.raw`<\|(?:channel|start|start_header_id)\|>(?:[^<>]|<\|(?:channel|constrain)\|>){0,400}(?:<\|?\w*\|?)?$`;

const MEANINGS: readonly (readonly [RegExp, TagMeaning])[] = [
  // The end of a call, of a result or of a thought means nothing by itself.
  [/^(?:<[|｜]?\/|\[\/)|(?:end|suffix)[|｜]?[>\]]$/iu, "none"],
  [/think|thought|reason|inner_prefix/iu, "thought"],
  [/tool.?(?:response|result|output)|observation|code_output|function.?(?:response|result)/iu, "result"],
  [/tool.?call|function|invoke|python|tools_prefix|start.action|action.start|plugin|tool.code/iu, "call"],
];
const ENDS =
  /im_(?:end|start)|eot|eom|endoftext|end.?of.?(?:turn|text|sentence)|(?:start|begin).?of.?turn|<\/s>|return|eos/iu;

export function meaningOf(tag: string): TagMeaning {
  if (ENDS.test(tag)) return "end";
  return MEANINGS.find(([pattern]) => pattern.test(tag))?.[1] ?? "none";
}

/** Ends a thought or a made-up result. A header of the next channel does too. */
export const CLOSES: Readonly<Record<"thought" | "result", RegExp>> = {
  thought:
    /(?:<[|｜]?\/|\[\/|<)[^<>[\]]{0,60}(?:think|thought|reason|inner)[^<>[\]]{0,60}[>\]]|<\|end\|>|(?=<\|(?:start|channel)\|>)/iu,
  result: /(?:<[|｜]?\/|\[\/|<)[^<>[\]]{0,60}(?:response|result|output)[^<>[\]]{0,60}[>\]]/iu,
};
