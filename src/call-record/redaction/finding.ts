import type { RedactionKind } from "../../config/call-record-settings.ts";
import { innerEnd, type Token } from "./tokens.ts";

/** A part of a text. Positions are UTF-16 units. */
export interface Finding {
  readonly kind: RedactionKind;
  readonly from: number;
  readonly to: number;
}

/** The tokens from the first to the last one, without the marks after it. */
export function spanOf(kind: RedactionKind, tokens: readonly Token[], first: number, last: number): Finding {
  const begin = tokens[first];
  const end = tokens[last];
  if (begin === undefined || end === undefined) throw new RangeError("no such token");
  return { kind, from: begin.from, to: Math.max(innerEnd(end), begin.from + 1) };
}

/** In order and without overlaps: of two findings that overlap, the earlier one grows over both. */
export function merged(findings: readonly Finding[]): Finding[] {
  const all = findings.toSorted((one, other) => one.from - other.from || other.to - one.to);
  const result: Finding[] = [];
  for (const finding of all) {
    const last = result.at(-1);
    if (last === undefined || finding.from >= last.to) result.push(finding);
    else if (finding.to > last.to) result[result.length - 1] = { ...last, to: finding.to };
  }
  return result;
}

/** The text that replaces hidden words. */
export type Label = (kind: RedactionKind, hidden: string) => string;

export const kindLabel: Label = (kind) => `[${kind}]`;

/** Each finding becomes its label, by default its kind in brackets. */
export function masked(text: string, findings: readonly Finding[], label: Label = kindLabel): string {
  let result = "";
  let at = 0;
  for (const { kind, from, to } of findings) {
    result += text.slice(at, from) + label(kind, text.slice(from, to));
    at = to;
  }
  return result + text.slice(at);
}
