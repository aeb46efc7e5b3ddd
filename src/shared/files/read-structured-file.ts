import { parse as parseYaml } from "yaml";
import type { z } from "zod";
import { errorMessage, OakError } from "../errors.ts";
import { fileErrorReason } from "./file-error.ts";
import { fieldHint, quotesHint } from "../schema/field-hint.ts";
import { readSmallFile } from "./read-small-file.ts";

const MAX_LINE = 1_000;

/**
 * Reads a YAML or JSON file. An empty file is `{}`.
 * @throws OakError `CONFIG_UNREADABLE` or `CONFIG_INVALID`, one line that starts with the file.
 */
export function readStructuredFile(file: string): unknown {
  let text: string;
  try {
    text = readSmallFile(file).toString();
  } catch (cause) {
    throw new OakError(`${file}: cannot be read: ${fileErrorReason(cause)}.`, { code: "CONFIG_UNREADABLE", cause });
  }
  return parseStructured(file, text);
}

/** @throws OakError `CONFIG_INVALID`, one line that starts with the file. */
export function parseStructured(file: string, text: string): unknown {
  try {
    // Warnings would print lines of the file to standard error.
    return parseYaml(text, { logLevel: "error" }) ?? {};
  } catch (cause) {
    const firstLine = errorMessage(cause).split("\n")[0] ?? "";
    throw new OakError(`${file}: not valid YAML or JSON: ${firstLine}`, { code: "CONFIG_INVALID", cause });
  }
}

/** One line, `<source>: <field>: <fault>`, with faults separated by semicolons. */
export function configInvalid(
  source: (path: readonly PropertyKey[]) => string,
  error: z.ZodError,
  schema?: z.ZodType,
): OakError {
  const lines = error.issues.map((issue) => {
    const field = issue.path.map(String).join(".");
    const hint =
      issue.code === "unrecognized_keys" && schema !== undefined ? fieldHint(issue, schema) : quotesHint(issue);
    return [source(issue.path), field, `${issue.message}${hint}`].filter((part) => part !== "").join(": ");
  });
  const line = lines.join("; ");
  const shown = line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} ...` : line;
  return new OakError(shown, { code: "CONFIG_INVALID", cause: error });
}
