import { parseArgs, type ParseArgsConfig } from "node:util";
import { errorMessage, OakError } from "./errors.ts";
import { printable } from "./printable.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** Options of every command. */
export interface CommonOptions {
  readonly config: string | undefined;
  readonly help: boolean;
  readonly version: boolean;
  /** The other arguments. */
  readonly rest: readonly string[];
}

const COMMON = {
  config: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const satisfies Options;

/** @throws OakError `USAGE` when `--config` names no file. */
export function takeCommonOptions(command: string, args: readonly string[]): CommonOptions {
  const parsed = parseArgs({ args: [...args], options: COMMON, strict: false, allowPositionals: true, tokens: true });
  const taken = new Set<number>();
  let config: string | undefined;
  for (const token of parsed.tokens) {
    if (token.kind !== "option" || !Object.hasOwn(COMMON, token.name)) continue;
    taken.add(token.index);
    if (token.name !== "config") continue;
    const { value = "", inlineValue } = token;
    if (value === "" || (!inlineValue && value.startsWith("-"))) throw usageError(command, "--config names no file");
    if (!inlineValue) taken.add(token.index + 1);
    config = value;
  }
  const { help, version } = parsed.values;
  const rest = args.filter((_, index) => !taken.has(index));
  return { config, help: help !== undefined, version: version !== undefined, rest };
}

/** `parseArgs` for the arguments of one command. @throws OakError `USAGE`. */
export function parseOptions<const Known extends Options>(
  command: string,
  args: readonly string[],
  options: Known,
): ReturnType<typeof parseArgs<{ options: Known; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    // The first sentence names the fault. The others explain `--`.
    throw usageError(command, errorMessage(cause).split(/\.?(?:\s{2}|\n)|\. /u)[0] ?? "");
  }
}

/** The number of an option. @throws OakError `USAGE` when `text` is not a finite number. */
export function numberOf(option: string, text: string): number {
  const number = text.trim() === "" ? NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw new OakError(`--${option} must be a number, not "${printable(text)}"`, { code: "USAGE" });
}

/** @param why Without a full stop. */
export function usageError(command: string, why: string): OakError {
  const help = ["oakvoice", command, "--help"].filter(Boolean).join(" ");
  return new OakError(`${printable(why)}; see "${help}".`, { code: "USAGE" });
}
