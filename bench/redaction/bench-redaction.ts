import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Finding } from "../../src/call-record/redaction/finding.ts";
import { REDACTION_KINDS } from "../../src/config/call-record-settings.ts";
import { Redactor } from "../../src/call-record/redaction/redactor.ts";
import { textTable } from "../../src/shared/text-table.ts";

/** Recall and precision of redaction, by parts of the text. Prints every miss with `--misses`. */

const FILES = ["untouched", "tuned"] as const;

interface Part {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

/** "It's {card:4111}." as text and its marked parts. */
function readMarked(marked: string): { readonly text: string; readonly parts: readonly Part[] } {
  let text = "";
  const parts: Part[] = [];
  let at = 0;
  for (const { 0: whole, 1: kind = "", 2: words = "", index } of marked.matchAll(/\{(\w+):([^}]*)\}/gu)) {
    text += marked.slice(at, index);
    parts.push({ kind, from: text.length, to: text.length + words.length });
    text += words;
    at = index + whole.length;
  }
  return { text: text + marked.slice(at), parts };
}

interface Counts {
  marked: number;
  hidden: number;
  findings: number;
  right: number;
}

export interface Measured {
  readonly byKind: ReadonlyMap<string, Counts>;
  readonly misses: readonly string[];
}

/** A marked part counts as hidden when no letter or digit of it is left. A finding is right when it touches a marked part. */
export function measure(file: (typeof FILES)[number]): Measured {
  const byLanguage = parse(readFileSync(join(import.meta.dirname, `${file}.yaml`), "utf8")) as Record<string, string[]>;
  const byKind = new Map<string, Counts>();
  const countsOf = (kind: string) => {
    const counts = byKind.get(kind) ?? { marked: 0, hidden: 0, findings: 0, right: 0 };
    byKind.set(kind, counts);
    return counts;
  };
  const misses: string[] = [];
  for (const [language, sentences] of Object.entries(byLanguage))
    for (const sentence of sentences) {
      const { text, parts } = readMarked(sentence);
      const { text: redacted, findings } = new Redactor(REDACTION_KINDS, 2026).redact(text, {
        speaker: "caller",
        language,
      });
      for (const part of parts) {
        countsOf(part.kind).marked += 1;
        if (isHidden(text, part, findings)) countsOf(part.kind).hidden += 1;
        else misses.push(`missed ${part.kind} (${language}): ${sentence} -> ${redacted}`);
      }
      for (const finding of findings) {
        const isRight = parts.some(({ from, to }) => finding.from < to && finding.to > from);
        countsOf(finding.kind).findings += 1;
        if (isRight) countsOf(finding.kind).right += 1;
        else misses.push(`wrong ${finding.kind} (${language}): ${sentence} -> ${redacted}`);
      }
    }
  return { byKind, misses };
}

function isHidden(text: string, { from, to }: Part, findings: readonly Finding[]): boolean {
  for (let at = from; at < to; at += 1)
    if (/[\p{L}\p{N}]/u.test(text[at] ?? "") && !findings.some((finding) => finding.from <= at && at < finding.to))
      return false;
  return true;
}

export function totals({ byKind }: Measured): { readonly recall: number; readonly precision: number } {
  const sum = (field: keyof Counts) => [...byKind.values()].reduce((total, counts) => total + counts[field], 0);
  return { recall: sum("hidden") / sum("marked"), precision: sum("right") / sum("findings") };
}

const share = (part: number, whole: number) => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`);

function report(file: (typeof FILES)[number]): string {
  const measured = measure(file);
  const rows = [...measured.byKind].map(([kind, { marked, hidden, findings, right }]) => [
    kind, String(marked), share(hidden, marked), String(findings), share(right, findings),
  ]); // prettier-ignore
  const { recall, precision } = totals(measured);
  const all = ["all", "", share(recall, 1), "", share(precision, 1)];
  const table = textTable([["KIND", "MARKED", "RECALL", "FOUND", "PRECISION"], ...rows, all]);
  return [`${file}:`, table, ...(process.argv.includes("--misses") ? measured.misses : []), ""].join("\n");
}

if (process.argv[1] === import.meta.filename) for (const file of FILES) process.stdout.write(`${report(file)}\n`);
