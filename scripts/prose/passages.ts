/** A piece of prose in a file. */
export interface Passage {
  readonly line: number;
  readonly text: string;
}

/** Comments, test names and messages of a TypeScript or JavaScript file. `isTest`: strings that are not test names do not count. */
export function passagesOfCode(source: string, isTest: boolean): readonly Passage[] {
  const passages: Passage[] = [];
  let comment: { line: number; end: number; text: string } | undefined;
  for (const { line, text, kind, before } of tokensOf(source)) {
    if (kind === "line") {
      if (comment !== undefined && line === comment.end + 1) {
        comment.text += ` ${text}`;
        comment.end = line;
        continue;
      }
      if (comment !== undefined) passages.push(comment);
      comment = { line, end: line, text };
    } else if (kind === "block") {
      passages.push({ line, text: text.replaceAll(/^\s*\*+ ?/gmu, " ").replace(/^\*/u, "") });
    } else if (isTest ? isTestName(before) : isMessage(text)) {
      passages.push({ line, text: withoutPlaceholders(text) });
    }
  }
  if (comment !== undefined) passages.push(comment);
  return passages.filter(({ text }) => !/(?:eslint|oxlint|prettier|v8|c8)-|^\s*@ts-/u.test(text));
}

/** Paragraphs, items and table cells of a Markdown file, without code and quotations. */
export function passagesOfMarkdown(source: string): readonly Passage[] {
  const passages: Passage[] = [];
  let paragraph: { line: number; text: string } | undefined;
  let isCode = false;
  const end = () => {
    if (paragraph !== undefined) passages.push(paragraph);
    paragraph = undefined;
  };
  for (const [index, raw] of source.split("\n").entries()) {
    const line = index + 1;
    if (/^\s*(?:```|~~~)/u.test(raw)) {
      isCode = !isCode;
      end();
    }
    if (isCode || /^\s*(?:```|~~~|[<>]|!\[)|^ {4}/u.test(raw)) continue;
    if (raw.startsWith("|")) {
      end();
      for (const cell of raw.split("|")) passages.push({ line, text: withoutLinks(cell) });
    } else if (raw.trim() === "" || /^(?:#|\s*[-*] |\s*\d+\. )/u.test(raw)) {
      end();
      if (raw.trim() !== "") paragraph = { line, text: withoutLinks(raw.replace(/^(?:#+|\s*[-*]|\s*\d+\.) /u, "")) };
      if (raw.startsWith("#")) end();
    } else {
      paragraph = { line: paragraph?.line ?? line, text: `${paragraph?.text ?? ""} ${withoutLinks(raw)}` };
    }
  }
  end();
  return passages;
}

/** Comments and docstrings of a Python or shell file. */
export function passagesOfScript(source: string): readonly Passage[] {
  const docstrings = [...source.matchAll(/^(?<before>[^\n"]*)"""(?<text>.*?)"""/gmsu)]
    .filter(({ groups }) => /^\s*r?$/u.test(groups?.["before"] ?? ""))
    .map(({ index, groups }) => ({ line: source.slice(0, index).split("\n").length, text: groups?.["text"] ?? "" }));
  const passages: { line: number; end: number; text: string }[] = [];
  for (const [index, raw] of source.split("\n").entries()) {
    const [, text] = /(?:^|\s)#(?!!) (.*)$/u.exec(raw) ?? [];
    if (text === undefined || /["'].*#.*["']/u.test(raw)) continue;
    const last = passages.at(-1);
    if (last?.end === index && raw.trimStart().startsWith("#")) {
      last.text += ` ${text}`;
      last.end = index + 1;
    } else passages.push({ line: index + 1, end: index + 1, text });
  }
  return [...docstrings, ...passages];
}

const withoutLinks = (text: string): string => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1").replaceAll("**", "");

/** Also removes the first line of a usage text, which is a command. */
const withoutPlaceholders = (text: string): string =>
  text
    .replace(/^npm run [^\n]*\n/u, "")
    .replaceAll(/\$\{[^}]*\}/gu, "…")
    .replaceAll(/%[sdji]/gu, "x");

const isTestName = (before: string): boolean => /\b(?:test|it|describe)(?:\.\w+)*(?:\([^;]*\))?\($|\)\($/u.test(before);

/** Whether a string literal is a message: three words or more, and neither markup nor a list of words. */
const isMessage = (text: string): boolean =>
  /^[A-Za-z$][^<>=]*\w \w+ \w/u.test(text) &&
  !/[|\\]/u.test(text) &&
  (/[^\w\s'-]/u.test(text) || text.split(" ").length < 12);

interface Token {
  readonly line: number;
  readonly kind: "line" | "block" | "string";
  readonly text: string;
  /** Code before a string, without white space, up to 80 characters. */
  readonly before: string;
}

/** Comments and string literals in order. Regular expressions are recognised by the character before them. */
function* tokensOf(source: string): Iterable<Token> {
  const token =
    /\/\/(?<line>[^\n]*)|\/\*(?<block>[^]*?)\*\/|(?<quote>["'`])(?<text>(?:\\[^]|(?!\k<quote>)[^\\])*)\k<quote>|(?<=[(,=:[!&|?{};]\s*|\breturn\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/\w*/gu;
  for (const match of source.matchAll(token)) {
    const { line: lineComment, block, text } = match.groups ?? {};
    const line = source.slice(0, match.index).split("\n").length;
    const before = source
      .slice(Math.max(0, match.index - 200), match.index)
      .replaceAll(/\s+/gu, "")
      .slice(-80);
    if (lineComment !== undefined) yield { line, kind: "line", text: lineComment, before };
    else if (block !== undefined) yield { line, kind: "block", text: block, before };
    else if (text !== undefined) yield { line, kind: "string", text, before };
  }
}
