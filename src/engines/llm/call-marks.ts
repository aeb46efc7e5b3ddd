/** Beginnings of calls in the forms of known families of models. */
const MARKS = [
  "<tool_call",
  "<|tool_call",
  "<function=",
  "<function_call",
  "[TOOL_CALLS]",
  "<|python_tag|>",
  "<｜tool",
];
const JSON_BEGINS = ['{"name": "', '{"name":"', '{\n  "name": "', '{"type": "function", "name": "', '{"function": "'];
const WRAPPINGS = ["", "[", "```json\n"];

/**
 * Texts that begin a call, for a model that writes one in another form than its own, or as plain text. Nothing from such a text on
 * is for the caller.
 */
export function callMarks(tools: readonly { readonly name: string }[]): readonly string[] {
  const json = WRAPPINGS.flatMap((wrapping) => JSON_BEGINS.map((begin) => wrapping + begin));
  return [
    ...MARKS,
    ...tools.flatMap(({ name }) => [...json.map((begin) => `${begin}${name}"`), `${name}(`, `[${name}(`]),
  ];
}

/** Length of the longest end of `text` that may be the beginning of one of `marks`. */
export function openLength(text: string, marks: readonly string[]): number {
  let longest = 0;
  for (const mark of marks)
    for (let length = Math.min(mark.length - 1, text.length); length > longest; length -= 1)
      if (text.endsWith(mark.slice(0, length)) && !splitsWord(text, text.length - length)) longest = length;
  return longest;
}

/** A tool's name does not begin inside a word. */
const splitsWord = (text: string, at: number) => /^\w\w$/u.test(text.slice(Math.max(0, at - 1), at + 1));

/** The same after the last piece of a reply. A lone sign or a word stays: only a tag or JSON can be a cut call. */
export function cutLength(text: string, marks: readonly string[]): number {
  const length = openLength(
    text,
    marks.filter((mark) => /^[<[{`]/u.test(mark)),
  );
  return length > 1 ? length : 0;
}
