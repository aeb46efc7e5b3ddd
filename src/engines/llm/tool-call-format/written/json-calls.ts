import { ValueReader } from "./value-reader.ts";

/** A call as the model wrote it. The tool may not exist. */
export interface WrittenCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keys of the name and of the arguments, as families of models write them. */
export const NAME_KEYS = [
  "name",
  "tool_name",
  "function_name",
  "recipient_name",
  "function",
  "tool",
  "action",
] as const;
const ARGUMENT_KEYS = [
  ["arguments", "parameters", "args", "params", "kwargs"],
  ["input", "tool_input", "action_input", "tool_arguments", "function_arguments", "tool_params"],
].flat();
/** Keys of a list of calls, or of the call inside an envelope. */
const ENVELOPES = ["tool_calls", "tool_call", "function_call", "function", "calls", "actions", "tool_uses"] as const;
const OTHER_KEYS = new Set(["type", "id", "tool_call_id", "call_id", "index"]);

/** The calls in a JSON value. Empty: it holds something else. */
export function callsIn(value: unknown, isTool: (name: string) => boolean): readonly WrittenCall[] {
  if (Array.isArray(value)) return value.flatMap((item) => callsIn(item, isTool));
  if (!isFields(value)) return [];
  const name = NAME_KEYS.map((key) => value[key]).find((each) => typeof each === "string");
  if (name !== undefined) {
    const key = ARGUMENT_KEYS.find((each) => each in value);
    if (key !== undefined) return [{ name, args: argumentsOf(value[key]) }];
    // The arguments may stand beside the name, or there are none.
    const others = Object.entries(value).filter(([each, item]) => item !== name && !OTHER_KEYS.has(each));
    return isTool(name) ? [{ name, args: Object.fromEntries(others) }] : [];
  }
  const inner = ENVELOPES.map((key) => value[key]).find((each) => typeof each === "object");
  if (inner !== undefined) return callsIn(inner, isTool);
  // Apertus: the tool's name is the key.
  const [pair, ...others] = Object.entries(value);
  return pair !== undefined && others.length === 0 && isTool(pair[0])
    ? [{ name: pair[0], args: argumentsOf(pair[1]) }]
    : [];
}

/** Some models write the arguments as a text that holds JSON. */
function argumentsOf(value: unknown): Fields {
  if (isFields(value)) return value;
  if (typeof value !== "string") return {};
  try {
    const parsed = new ValueReader(value, 0, true).value();
    return isFields(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
