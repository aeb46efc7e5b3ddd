import { parseArgs, type ParseArgsConfig } from "node:util";
import { errorMessage } from "../src/shared/errors.ts";

type OptionsConfig = NonNullable<ParseArgsConfig["options"]>;
type Values<Options extends OptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowNegative: true }>
>["values"];
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

/** Throws an Error for an unknown option, or a value that is not one of its `choices`. */
export function parseOptions<const Options extends OptionsConfig>(
  args: readonly string[],
  options: Options,
  choices: Choices = {},
): Values<Options> {
  const { values } = parseArgs({ args: [...args], options, allowNegative: true });
  for (const [name, value] of Object.entries(values)) {
    const allowed = choices[name];
    if (allowed !== undefined && !allowed.includes(String(value)))
      throw new Error(`--${name} must be one of ${allowed.join(", ")}`);
  }
  return values;
}
