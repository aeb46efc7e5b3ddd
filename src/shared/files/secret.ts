import { dirname, resolve } from "node:path";
import { fileExposure } from "./file-exposure.ts";
import { fileErrorReason } from "./file-error.ts";
import { readSmallFile } from "./read-small-file.ts";

export interface SecretSource {
  readonly file: string | undefined;
  readonly variable: string | undefined;
}

export interface Secret {
  readonly text: string;
  /** A line for the log when other users can read the file. */
  readonly warnings: readonly string[];
}

/**
 * Reads a secret from a file or from an environment variable. Undefined when the source names none.
 * @param voiceFile A relative path starts at its folder.
 * @throws Error, a sentence for the operator without the file of the configuration.
 */
export function readSecret({ file, variable }: SecretSource, voiceFile: string): Secret | undefined {
  if (file !== undefined) {
    const path = resolve(dirname(voiceFile), file);
    return { text: notEmpty(readText(path), path), warnings: fileExposure(path, true) };
  }
  if (variable === undefined) return undefined;
  return { text: notEmpty(process.env[variable] ?? "", `the variable ${variable}`), warnings: [] };
}

function readText(path: string): string {
  try {
    return readSmallFile(path).toString().trim();
  } catch (cause) {
    throw new Error(`${path} cannot be read: ${fileErrorReason(cause)}`, { cause });
  }
}

function notEmpty(text: string, where: string): string {
  if (text === "") throw new Error(`${where} is empty: put the secret there`);
  // Both kinds of secret go into HTTP headers or come from a vendor's page, in one line.
  if (!/^[\x20-\x7e]+$/u.test(text)) throw new Error(`${where} must hold one line of printable ASCII characters`);
  return text;
}
