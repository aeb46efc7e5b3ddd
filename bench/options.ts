import { parseArgs, type ParseArgsConfig } from "node:util";
import { errorMessage } from "../src/shared/errors.ts";
import { numberOf } from "../src/shared/options.ts";

type Option = NonNullable<ParseArgsConfig["options"]>[string];
interface NumberOption {
  readonly type: "number";
  readonly default?: number;
}
/** Numbers with commas between them. */
interface NumbersOption {
  readonly type: "numbers";
  readonly default: string;
}
type OptionsConfig = Readonly<Record<string, Option | NumberOption | NumbersOption>>;
type Parsed<Options extends Readonly<Record<string, Option>>> = ReturnType<
  typeof parseArgs<{ options: Options; allowNegative: true }>
>["values"];
type Values<Options extends OptionsConfig> = {
  [Name in keyof Options as Options[Name] extends NumberOption ? Name : never]: Options[Name] extends {
    default: number;
  }
    ? number
    : number | undefined;
} & {
  [Name in keyof Options as Options[Name] extends NumbersOption ? Name : never]: readonly number[];
} & Parsed<{
    [Name in keyof Options as Options[Name] extends Option ? Name : never]: Options[Name] extends Option
      ? Options[Name]
      : never;
  }>;
type Choices = Readonly<Record<string, readonly string[]>>;

/** The halves of material: one to choose on, one for the final measurement. */
export const HALVES = ["even", "odd"] as const;

export const isInHalf = (half: string, at: number): boolean => (half === "odd") === (at % 2 === 1);

/** Parses the command line. With `--help` or a wrong option it prints `usage` and ends the program. `choices`: the values an option may have. */
export function readOptions<const Options extends OptionsConfig>(
  usage: string,
  options: Options,
  choices: Choices = {},
): Values<Options> {
  if (process.argv.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseOptions(process.argv.slice(2), options, choices);
  } catch (error) {
    console.error(`${errorMessage(error)}\n${usage}`);
    process.exit(2);
  }
}

/** Throws an Error for an unknown option, a value that is not one of its `choices`, or a word in the place of a number. */
export function parseOptions<const Options extends OptionsConfig>(
  args: readonly string[],
  options: Options,
  choices: Choices = {},
): Values<Options> {
  const texts = Object.entries(options).map(([name, option]) => [name, asText(option)] as const);
  const { values } = parseArgs({ args: [...args], options: Object.fromEntries(texts), allowNegative: true });
  const read = Object.entries(values).map(([name, value]) => {
    const allowed = choices[name];
    if (allowed !== undefined && !allowed.includes(String(value)))
      throw new Error(`--${name} must be one of ${allowed.join(", ")}`);
    const type = options[name]?.type;
    if (type === "number") return [name, numberOf(name, String(value))];
    if (type !== "numbers") return [name, value];
    const items = String(value).split(",");
    return [name, items.map((text) => numberOf(name, text))];
  });
  // oxlint-disable-next-line no-unsafe-type-assertion -- built from the options that the type names
  return Object.fromEntries(read) as Values<Options>;
}

/** `parseArgs` knows no numbers. */
const asText = (option: Option | NumberOption | NumbersOption): Option =>
  option.type === "number" || option.type === "numbers"
    ? { type: "string", ...(option.default !== undefined && { default: String(option.default) }) }
    : option;
