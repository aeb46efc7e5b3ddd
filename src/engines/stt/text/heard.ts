import type { Decoded, DecodedPiece, Evidence, Heard, Token } from "../decoded.ts";
import { toTranscript } from "./words.ts";

export function evidenceOf({ tokens, noSpeechProbability }: Decoded, voicedSeconds: number): Evidence {
  return {
    logProbability: mean(tokens, ({ logProbability }) => logProbability),
    firstLogProbability: tokens[0]?.logProbability ?? 0,
    noSpeechProbability,
    tokens: tokens.length,
    voicedSeconds,
  };
}

/** A clip's transcript from its pieces. It is doubtful when each piece with words is. */
export function toHeard(pieces: readonly DecodedPiece[], clipSeconds: number): Heard {
  const spoken = pieces.filter(({ words }) => words.length > 0);
  return {
    ...toTranscript(
      pieces.flatMap(({ words }) => words),
      clipSeconds,
    ),
    isDoubtful: spoken.length > 0 && spoken.every(({ isDoubtful }) => isDoubtful),
    evidence: joined(pieces.map(({ evidence }) => evidence)),
  };
}

function joined(pieces: readonly Evidence[]): Evidence {
  const total = (value: (piece: Evidence) => number) => pieces.reduce((sum, piece) => sum + value(piece), 0);
  const tokens = total((piece) => piece.tokens);
  const byTokens = (value: (piece: Evidence) => number) =>
    tokens === 0 ? 0 : total((piece) => value(piece) * piece.tokens) / tokens;
  return {
    logProbability: byTokens((piece) => piece.logProbability),
    firstLogProbability: byTokens((piece) => piece.firstLogProbability),
    noSpeechProbability: byTokens((piece) => piece.noSpeechProbability),
    tokens,
    voicedSeconds: total((piece) => piece.voicedSeconds),
  };
}

function mean(tokens: readonly Token[], value: (token: Token) => number): number {
  return tokens.length === 0 ? 0 : tokens.reduce((sum, token) => sum + value(token), 0) / tokens.length;
}
