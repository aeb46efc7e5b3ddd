import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { passagesOfCode, passagesOfMarkdown, passagesOfScript, type Passage } from "./prose/passages.ts";
import { checkProse } from "./prose/rules.ts";

/** Finds patterns in the repository's prose that CONTRIBUTING.md advises against. `--summary`: counts by folder. */
const paths = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const isSummary = process.argv.includes("--summary");
const ALLOW_LIST = "scripts/prose/allow.txt";
/** Word lists and sentences of callers, and texts that are not ours. */
const SKIPPED = /^(?:LICENSE|NOTICE|test\/traces|.*\/fixtures\/|scripts\/prose\/)/u;

const allowed = new Map(
  readFileSync(ALLOW_LIST, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => [line, false]),
);
const counts = new Map<string, number>();
let found = 0;

function report(file: string, { line, text }: Passage): void {
  for (const { rule, phrase, advice } of checkProse(text)) {
    const entry = `${file}: ${phrase}`;
    if (allowed.has(entry)) {
      allowed.set(entry, true);
      continue;
    }
    found += 1;
    const folder = file.split("/").slice(0, 2).join("/");
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
    if (!isSummary) console.log(`${file}:${String(line)}: ${rule}: "${phrase}" -> ${advice}`);
  }
}

function passagesOf(file: string): readonly Passage[] {
  const source = readFileSync(file, "utf8");
  if (file.endsWith(".md")) return passagesOfMarkdown(source);
  if (/\.(?:ts|mjs|cc|h)$/u.test(file)) return passagesOfCode(source, file.startsWith("test/"));
  return /\.(?:py|sh|yaml)$/u.test(file) ? passagesOfScript(source) : [];
}

const files = execFileSync("git", ["ls-files", ...paths], { encoding: "utf8" }).split("\n");
for (const file of files)
  if (file !== "" && !SKIPPED.test(file)) for (const passage of passagesOf(file)) report(file, passage);

const stale = paths.length > 0 ? [] : [...allowed].filter(([, isUsed]) => !isUsed).map(([entry]) => entry);
for (const entry of stale) console.log(`${ALLOW_LIST}: nothing matches "${entry}"; remove the line`);
for (const [folder, count] of [...counts].toSorted(([one], [other]) => one.localeCompare(other)))
  console.log(`${String(count).padStart(5)} ${folder}`);
if (found + stale.length > 0) process.exitCode = 1;
