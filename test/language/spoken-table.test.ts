import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { languageOf } from "../../src/language/languages.ts";

const CODES = ["en", "de", "es", "fr", "it", "nl", "pt"];

/** Lines of `spoken/<code>.txt`: the written form, and how people say it. */
const rows = (code: string) =>
  readFileSync(new URL(`spoken/${code}.txt`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" | ") as [written: string, spoken: string]);

test.each(CODES.flatMap((code) => rows(code).map((row) => [code, ...row] as const)))(
  "%s: %s -> %s",
  (code, written, spoken) => {
    const { speakable } = languageOf(code);
    expect(speakable(written)).toBe(spoken);
    expect(speakable(spoken), "a second time").toBe(spoken);
  },
);
