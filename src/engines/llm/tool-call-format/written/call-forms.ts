import { type CallRest, jsonCall, pythonCall } from "../call-syntax.ts";
import { callsIn, NAME_KEYS, type WrittenCall } from "./json-calls.ts";
import { NotAValue, TextEnds, ValueReader } from "./value-reader.ts";

const NAME = String.raw`(?<name>[A-Za-z_][\w.-]{0,127})`;
/** A special token or a tag without a name, or a name in brackets. */
const TAG = String.raw`(?:<[^<>"=]{1,120}>|\[\/?[A-Z][A-Z_]+\])`;
const FENCE = "```\\w*(?!\\w)";
/** Stands around calls, and between the calls of a list. */
const NOISE = String.raw`(?:${TAG}|[\s,;[\]})]|${FENCE}|(?:functools|json|python|commentary|assistant)\b(?!\()|print\((?=\w)|Action:)*`;
/** Stands between a name and the JSON of the arguments. */
const BETWEEN = String.raw`(?:[\s>,]|${TAG}|\[CALL_ID\]\w+|:\d+|${FENCE}|(?:json|commentary)\b|Action Input:)*`;
/** Stands before a name. */
const BEFORE = String.raw`(?:call:|to=|function(?:\s|${TAG})+)?`;
const PREFIX = String.raw`[｜|\w:]*?`;

/** The text of a call from its name on. */
export interface CallBody {
  readonly name: string;
  readonly text: string;
  /** The end of the head. */
  readonly at: number;
  /** No more text comes. */
  readonly isWhole: boolean;
  readonly isTool: (name: string) => boolean;
}

/** A way in which models write a call. */
export interface WrittenForm {
  readonly name: string;
  /** Matches the beginning of a call, up to its first value. */
  readonly opens: RegExp;
  /** Reads calls up to where they close. Throws `TextEnds` while they are open, and `NotAValue`. No calls: the text is something else. */
  readonly read: (body: CallBody) => { readonly calls: readonly WrittenCall[]; readonly end: number };
  /** Matches a call up to the end of its name, from where a model in this process is held to the rest. */
  readonly begun?: RegExp;
  readonly rest?: (begun: string) => CallRest;
}

const sticky = (source: string) => new RegExp(source, "uy");

/** The forms of calls, in the order in which they are tried. */
export const WRITTEN_FORMS: readonly WrittenForm[] = [
  {
    // `{"name": "book", "arguments": {"day": "Friday"}}`: Hermes, Qwen, Llama 3, Granite, Phi, Mistral, Command R and others.
    name: "json",
    opens: sticky(String.raw`(?=\{)`),
    read: readJson,
    begun: new RegExp(
      String.raw`^${NOISE}(?:\{\s*)+(?:"type"\s*:\s*"function"\s*,\s*)?(?:"function"\s*:\s*\{\s*)?"(?:${NAME_KEYS.join("|")})"\s*:\s*"(?:functions\.)?${NAME}(?=")`,
      "u",
    ),
    rest: (begun) => ({
      afterName: '", "arguments": ',
      syntax: jsonCall,
      suffix: "}".repeat(begun.split("{").length - 1),
    }),
  },
  {
    // `<function=book>{"day": "Friday"}</function>`, `<invoke name="book"><parameter name="day">Friday</parameter></invoke>`:
    // Llama 3, Qwen3-Coder, MiniMax, DeepSeek 3.2, Seed.
    name: "named tag",
    opens: sticky(
      String.raw`<${PREFIX}(?:function|invoke|tool_call|tool)\s*(?:=|\s+name\s*=)\s*["']?${NAME}["']?[^<>]*>\s*(?:<${PREFIX}parameters>\s*(?=\{))?`,
    ),
    read: (body) => (body.text.startsWith("{", body.at) ? readObject(body) : readParameters(body)),
    begun: new RegExp(String.raw`^${NOISE}<function=${NAME}(?=>)`, "u"),
    rest: () => ({ afterName: ">", syntax: jsonCall, suffix: "</function>" }),
  },
  {
    // `book(day="Friday")`: Llama 4, LFM2, Gemma 3, xLAM; `book.call(day="Friday")` of Llama 3.
    name: "python",
    opens: sticky(String.raw`${NAME}\(`),
    read: readPython,
    begun: new RegExp(String.raw`^${NOISE}${NAME}(?=\()`, "u"),
    rest: () => ({ afterName: "(", syntax: pythonCall, suffix: "" }),
  },
  {
    // `book<arg_key>day</arg_key><arg_value>Friday</arg_value>`: GLM 4.5.
    name: "argument tags",
    opens: sticky(String.raw`${NAME}\s*(?=<arg_key>)`),
    read: readParameters,
  },
  {
    // `book[ARGS]{"day": "Friday"}`: Mistral, Kimi, DeepSeek, GLM 4, gpt-oss (`to=functions.book`), Gemma 4 (`call:book{day:...}`).
    name: "name before json",
    opens: sticky(String.raw`${BEFORE}${NAME}${BETWEEN}(?=\{)`),
    read: readObject,
  },
];

export const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
/** Matches the beginnings of `text`. */
export const beginningOf = (text: string): string =>
  Array.from(text).reduceRight((rest, sign) => escaped(sign) + (rest === "" ? "" : `(?:${rest})?`), "");

const WORDS_BETWEEN = ["json", "commentary", "Action Input:"].map((word) => beginningOf(word)).join("|");
/** Matches what may become a call when more text comes. */
const MAY_OPEN = new RegExp(
  String.raw`^${BEFORE}[\w.-]*${BETWEEN}(?:<[^<>]{0,160}|\[[A-Z_]*|\x60{1,3}\w*|:|${WORDS_BETWEEN})?$`,
  "u",
);
const SKIPPED = sticky(NOISE);

export interface ReadCalls {
  readonly calls: readonly WrittenCall[];
  /** The text up to here was read. */
  readonly end: number;
  /** "open": more text may come. "cut": the text ends inside a call. "other": the text goes on with something else. */
  readonly next: "open" | "cut" | "other";
}

/** Reads calls that stand one after another, with tags and signs between them. */
export function readCalls(text: string, isTool: (name: string) => boolean, isWhole: boolean): ReadCalls {
  const calls: WrittenCall[] = [];
  for (let end = 0; ;) {
    const at = afterNoise(text, end, isTool);
    if (at >= text.length) return { calls, end, next: "open" };
    const opened = openedAt(text, at);
    if (opened === undefined) {
      const next = !isWhole && MAY_OPEN.test(text.slice(at)) ? "open" : "other";
      return { calls, end, next };
    }
    try {
      const read = opened.form.read({ ...opened, text, isWhole, isTool });
      if (read.calls.length === 0) return { calls, end, next: "other" };
      calls.push(...read.calls);
      end = read.end;
    } catch (error) {
      if (error instanceof TextEnds) return { calls, end, next: isWhole ? "cut" : "open" };
      if (error instanceof NotAValue) return { calls, end, next: "other" };
      throw error;
    }
  }
}

/** The first call of `text` whose name is written, and how it goes on. */
export function begunCall(
  text: string,
): { readonly name: string; readonly end: number; readonly rest: CallRest } | undefined {
  for (const { begun, rest } of WRITTEN_FORMS) {
    const found = begun?.exec(text);
    if (found === null || found === undefined || rest === undefined) continue;
    return { name: found.groups?.["name"] ?? "", end: found[0].length, rest: rest(found[0]) };
  }
  return undefined;
}

function openedAt(text: string, at: number) {
  for (const form of WRITTEN_FORMS) {
    form.opens.lastIndex = at;
    const found = form.opens.exec(text);
    if (found !== null) return { form, name: found.groups?.["name"] ?? "", at: at + found[0].length };
  }
  return undefined;
}

function afterNoise(text: string, from: number, isTool: (name: string) => boolean): number {
  SKIPPED.lastIndex = from;
  const noise = SKIPPED.exec(text)?.[0] ?? "";
  // `<book>{"day": "Friday"}</book>`
  const tag = [...noise.matchAll(/<([\w.-]+)>/gu)].find(([, name = ""]) => isTool(name));
  return from + (tag === undefined ? noise.length : tag.index + 1);
}

function readJson({ text, at, isWhole, isTool }: CallBody) {
  const reader = new ValueReader(text, at, isWhole);
  const value = reader.value();
  return { calls: callsIn(value, isTool), end: reader.at };
}

function readObject({ name, text, at, isWhole }: CallBody) {
  const reader = new ValueReader(text, at, isWhole);
  return { calls: [{ name, args: reader.value() as WrittenCall["args"] }], end: reader.at };
}

function readPython({ name, text, at, isWhole }: CallBody) {
  const reader = new ValueReader(text, at, isWhole);
  return { calls: [{ name, args: reader.pairs(")") }], end: reader.at };
}

const PARAMETER = new RegExp(
  String.raw`<${PREFIX}parameter\s*(?:=|\s+name\s*=)\s*["']?([\w.-]+)["']?[^<>]*>\n?([^]*?)\n?<\/${PREFIX}parameter>|` +
    String.raw`<arg_key>\s*([^]*?)\s*<\/arg_key>\s*<arg_value>([^]*?)<\/arg_value>`,
  "gu",
);
const PARAMETERS_END = new RegExp(String.raw`<\/${PREFIX}(?:function|invoke|tool_call|tool)>`, "u");

/** `<parameter=day>Friday</parameter>`. Values without quotation marks are texts; the schema decides later. */
function readParameters({ name, text, at, isWhole }: CallBody) {
  const rest = text.slice(at);
  const end = PARAMETERS_END.exec(rest);
  if (end === null && !isWhole) throw new TextEnds();
  const inner = rest.slice(0, end?.index);
  const args = [...inner.matchAll(PARAMETER)].map(([, tag, value, key, keyValue]) => [tag ?? key, value ?? keyValue]);
  const isCut = end === null && inner.replaceAll(PARAMETER, "").trim() !== "";
  if (isCut) throw new TextEnds();
  return {
    calls: [{ name, args: Object.fromEntries(args) as WrittenCall["args"] }],
    end: at + inner.length + (end?.[0].length ?? 0),
  };
}
