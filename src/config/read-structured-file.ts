import { readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { errorMessage, OakError } from "../shared/errors.ts";

/**
 * A YAML or JSON file (JSON is YAML). An empty file is `{}`.
 * @throws OakError `CONFIG_UNREADABLE` or `CONFIG_INVALID`, in one line that begins with the file.
 */
export function readStructuredFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new OakError(`${file}: cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown"}).`, {
      code: "CONFIG_UNREADABLE",
      cause,
    });
  }
  try {
    return parseYaml(text) ?? {};
  } catch (cause) {
    const firstLine = errorMessage(cause).split("\n")[0] ?? "";
    throw new OakError(`${file}: not valid YAML or JSON: ${firstLine}`, { code: "CONFIG_INVALID", cause });
  }
}

/** One line: `<source>: <field>: <what is wrong>`, fields separated by semicolons. */
export function configInvalid(source: (path: readonly PropertyKey[]) => string, error: z.ZodError): OakError {
  const lines = error.issues.map((issue) => {
    const field = issue.path.map(String).join(".");
    return [source(issue.path), field, issue.message].filter((part) => part !== "").join(": ");
  });
  return new OakError(lines.join("; "), { code: "CONFIG_INVALID", cause: error });
}
