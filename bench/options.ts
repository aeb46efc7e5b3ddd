import { parseArgs, type ParseArgsConfig } from "node:util";
import { errorMessage } from "../src/shared/errors.ts";

/** What the command line says. With `--help`, or with an option that there is not, `usage` is printed and the program ends. */
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
