import type { DecodedWord, Token } from "../decoded.ts";
import type { Transcript } from "../speech-to-text.ts";
import type { Loudness, Span } from "../audio/loudness.ts";

interface Group {
  readonly word: string;
  readonly tokens: readonly Token[];
}

/**
 * Joins tokens to words and gives them times inside the clip. A token that begins with a space begins a word. A word begins at its
 * alignment, ends where the next one begins, and loses the silence at both ends. Without an alignment, times are distributed over
 * the voiced part of the clip by the number of letters.
 */
export function wordsFromTokens(tokens: readonly Token[], clipSeconds: number, loudness: Loudness): DecodedWord[] {
  const groups = groupTokens(tokens);
  const spans = groups.some(({ tokens: [first] }) => (first?.alignedSeconds ?? -1) < 0)
    ? spreadByLetters(groups, loudness.tighten({ start: 0, end: clipSeconds }))
    : alignedSpans(groups, clipSeconds);
  return groups.map((group, index) => {
    const { start, end } = loudness.tighten(spans[index] ?? { start: 0, end: clipSeconds });
    return {
      word: group.word,
      start: round(start),
      end: round(end),
      confidence: mean(group.tokens),
      tokenCount: group.tokens.length,
    };
  });
}

/** `confidence` is the mean over tokens. Times inside the padding of a short clip are clamped. */
export function toTranscript(words: readonly DecodedWord[], clipSeconds: number): Transcript {
  const tokenCount = words.reduce((sum, word) => sum + word.tokenCount, 0);
  const confidence =
    tokenCount === 0 ? 0 : words.reduce((sum, word) => sum + word.confidence * word.tokenCount, 0) / tokenCount;
  // A clip may be decoded with silence around it.
  const inClip = (seconds: number) => Math.max(0, Math.min(seconds, clipSeconds));
  return {
    text: words.map(({ word }) => word).join(" "),
    confidence,
    words: words.map((word) => ({
      word: word.word,
      start: inClip(word.start),
      end: inClip(word.end),
      confidence: word.confidence,
    })),
  };
}

/** Corrects the lag of the alignment: a Whisper's attention points to the end of a word. */
export const aligned = (tokens: readonly Token[], delaySeconds: number): readonly Token[] =>
  tokens.map((token) =>
    token.alignedSeconds < 0 ? token : { ...token, alignedSeconds: Math.max(0, token.alignedSeconds - delaySeconds) },
  );

export function shifted(word: DecodedWord, seconds: number): DecodedWord {
  return { ...word, start: round(word.start + seconds), end: round(word.end + seconds) };
}

function groupTokens(tokens: readonly Token[]): Group[] {
  const groups: Token[][] = [];
  for (const token of tokens) {
    if (token.bytes === "") continue;
    const current = groups.at(-1);
    if (current === undefined || token.bytes.startsWith(" ")) groups.push([token]);
    else current.push(token);
  }
  return groups
    .map((group) => ({
      word: Buffer.from(group.map(({ bytes }) => bytes).join(""), "latin1")
        .toString("utf8")
        .trim(),
      tokens: group,
    }))
    .filter(({ word }) => word !== "");
}

function alignedSpans(groups: readonly Group[], clipSeconds: number): Span[] {
  let latest = 0;
  const starts = groups.map(({ tokens: [first] }) => {
    latest = Math.min(clipSeconds, Math.max(latest, first?.alignedSeconds ?? 0));
    return latest;
  });
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? clipSeconds }));
}

function spreadByLetters(groups: readonly Group[], voiced: Span): Span[] {
  const letters = groups.reduce((sum, { word }) => sum + word.length, 0);
  let passed = 0;
  return groups.map(({ word }) => {
    const start = voiced.start + ((voiced.end - voiced.start) * passed) / letters;
    passed += word.length;
    return { start, end: voiced.start + ((voiced.end - voiced.start) * passed) / letters };
  });
}

function mean(tokens: readonly Token[]): number {
  return tokens.reduce((sum, { probability }) => sum + probability, 0) / tokens.length;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
