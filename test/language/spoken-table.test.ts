import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { languageOf } from "../../src/language/packs/languages.ts";

const CODES = ["en", "de", "es", "fr", "it", "nl", "pt"];

/**
 * Lines of `spoken/<code>.txt` and `spoken/<code>-rules.txt`: the written form, and how people say it. The rows of the second file
 * were written from the rules of hospitals, banks, courts and hotels before the code was read.
 */
const rows = (code: string) =>
  [`spoken/${code}.txt`, `spoken/${code}-rules.txt`]
    .flatMap((file) => readFileSync(new URL(file, import.meta.url), "utf8").split("\n"))
    .filter((line) => line.includes(" | "))
    .map((line) => line.split(" | ") as [written: string, spoken: string]);

test.each(CODES.flatMap((code) => rows(code).map((row) => [code, ...row] as const)))(
  "%s: %s -> %s",
  (code, written, spoken) => {
    const { speakable } = languageOf(code);
    expect(speakable(written)).toBe(spoken);
    expect(speakable(spoken), "a second time").toBe(spoken);
  },
);
