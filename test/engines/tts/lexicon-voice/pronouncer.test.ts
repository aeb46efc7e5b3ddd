import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../../../../src/shared/package-root.ts";
import { asTokens, querySized } from "../../../../src/engines/tts/lexicon-voice/phone-text.ts";
import { Pronouncer } from "../../../../src/engines/tts/lexicon-voice/pronouncer.ts";

let pronouncer: Pronouncer;
beforeAll(async () => {
  pronouncer = await Pronouncer.open(path.join(packageRoot, "models", "starter", "tts"));
});
const read = (text: string): string => pronouncer.read(text);

describe("the sounds of a text", () => {
  it.each([
    ["words and marks", "Hello there, how are you?", "həlˈO ðˈɛɹ, hˌW ɑɹ ju?"],
    ["names of letters with one strong stress", "the FBI, at ten a.m. today", "ði ˌɛfbˌiˈI, æt tˈɛn ˌAˈɛm tədˈA"],
    ["dotted letters at the end of a sentence", "At ten p.m. We leave.", "ˌæt tˈɛn pˌiˈɛm. wˌi lˈiv."],
    ["endings of known words", "vlogs, vlogged, vlogging", "vlˈɑɡz, vlˈɑɡd, vlˈɑɡɪŋ"],
    ["digits and signs that are left", "7 & 8%", "sˈɛvən ænd ˈAt pəɹsˈɛnt"],
    ["parts of a compound", "a well-known X-ray", "ɐ wˌɛlnˈOn ˈɛksɹˌA"],
  ])("has %s", (_what, text, sounds) => {
    expect(read(text)).toBe(sounds);
  });

  it.each([
    ["I read it yesterday.", "ɹˈɛd", "I will read it.", "ɹˈid"],
    ["We live here.", "lˈɪv", "It is a live show.", "lˈIv"],
    ["Keep a record.", "ɹˈɛkəɹd", "We record it.", "ɹəkˈɔɹd"],
    ["Please close the door.", "klˈOz", "It is very close.", "klˈOs"],
    ["I used to go.", "jˈust", "I used it.", "jˈuzd"],
  ])("tells %s (%s) from %s (%s)", (first, inFirst, second, inSecond) => {
    expect(read(first)).toContain(inFirst);
    expect(read(second)).toContain(inSecond);
  });

  it("follows the next sound in short words", () => {
    expect(read("the apple, the pear")).toBe("ði ˈæpᵊl, ðə pˈɛɹ");
    expect(read("to eat, to pay")).toBe("tʊ ˈit, tə pˈA");
  });

  it("reads words that no lexicon has, with and without accents", () => {
    for (const word of ["Zyxgribble", "Nguyễn", "Brzęczyszczykiewicz", "qwrtz"]) expect(read(word)).not.toBe("");
  });

  it("is empty for a text without a word that can be said", () => {
    for (const text of ["", "?!", "東京", "..."]) expect(read(text)).toBe("");
  });

  it("reads hostile input within the limits", () => {
    expect(read("'".repeat(50_000))).toBe("");
    expect(read("a-".repeat(50_000)).length).toBeLessThan(10_000);
    expect(read("x".repeat(50_000)).length).toBeLessThan(1_000);
  });
});

describe("the queries of a voice", () => {
  it("are short, and hold every sound", () => {
    const sounds = read("We are open on Monday, on Tuesday and on Friday. ".repeat(30));
    const queries = querySized(sounds);
    expect(queries.join(" ")).toBe(sounds);
    for (const query of queries.slice(0, -1)) expect(query).toMatch(/[.,]$/);
    expect(querySized("a".repeat(900)).map(({ length }) => length)).toEqual([400, 400, 100]);
    expect(querySized("")).toEqual([]);
  });

  it("are private characters between two edges", () => {
    expect(Array.from(asTokens("aˈI."), (token) => token.codePointAt(0)! - 0xf0000)).toEqual([0, 97, 712, 73, 46, 0]);
  });
});
