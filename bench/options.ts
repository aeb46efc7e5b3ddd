import { parseArgs, type ParseArgsConfig } from "node:util";
import { errorMessage } from "../src/shared/errors.ts";

/** Parses the command line. With `--help` or an unknown option it prints `usage` and ends the program. */
export function readOptions<const Options extends NonNullable<ParseArgsConfig["options"]>>(
  usage: string,
  options: Options,
): ReturnType<typeof parseArgs<{ options: Options; allowNegative: true }>>["values"] {
  if (process.argv.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs({ options, allowNegative: true }).values;
  } catch (error) {
    console.error(`${errorMessage(error)}\n${usage}`);
    process.exit(2);
  }
}
