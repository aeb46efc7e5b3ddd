import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { passagesOfCode, passagesOfMarkdown, passagesOfScript, type Passage } from "./prose/passages.ts";
import { checkNames, checkProse, MOST_WORDS, type Finding } from "./prose/rules.ts";

/**
 * Finds patterns in the repository's prose that CONTRIBUTING.md advises against: `npm run prose -- src/server`.
 * `--summary`: counts by folder and by rule. `--words=30`: sentences longer than that are reported.
 */
const mostWords = Number(/^--words=(\d+)$/mu.exec(process.argv.join("\n"))?.[1] ?? MOST_WORDS);
const paths = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const isSummary = process.argv.includes("--summary");
const ALLOW_LIST = "scripts/prose/allow.txt";
/** Word lists and sentences of callers, and texts that are not ours. */
const SKIPPED = /^(?:LICENSE|NOTICE|test\/replay-logs|.*\/fixtures\/|scripts\/prose\/|bench\/turns\/sentences\.ts)/u;
/** Strings here are sentences and words of callers. Comments and test names count. */
const SPOKEN = /^(?:test|src\/language)\//u;

const allowed = new Map(
  readFileSync(ALLOW_LIST, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => [line, false]),
);
const folders = new Map<string, number>();
const rules = new Map<string, number>();
let found = 0;

function report(file: string, line: number, { rule, phrase, advice }: Finding): void {
  const entry = `${file}: ${phrase}`;
  if (allowed.has(entry)) {
    allowed.set(entry, true);
    return;
  }
  found += 1;
  const folder = file.split("/").slice(0, 2).join("/");
  folders.set(folder, (folders.get(folder) ?? 0) + 1);
  rules.set(rule, (rules.get(rule) ?? 0) + 1);
  if (!isSummary) console.log(`${file}:${String(line)}: ${rule}: "${phrase}" -> ${advice}`);
}

function check(file: string): void {
  const source = readFileSync(file, "utf8");
  for (const { line, text } of passagesOf(file, source))
    for (const finding of checkProse(text, mostWords)) report(file, line, finding);
  if (/^src\/.*\.ts$/u.test(file)) for (const finding of checkNames(source)) report(file, finding.line, finding);
}

function passagesOf(file: string, source: string): readonly Passage[] {
  if (file.endsWith(".md")) return passagesOfMarkdown(source);
  if (/\.(?:ts|mjs|cc|h|css)$/u.test(file)) return passagesOfCode(source, SPOKEN.test(file));
  return /\.(?:py|sh|yaml|service)$|^\.ci\/run$/u.test(file) ? passagesOfScript(source) : [];
}

const files = execFileSync("git", ["ls-files", "-z", ...paths], { encoding: "utf8" }).split("\0");
if (files.length === 1) {
  console.error(`no file in git matches ${paths.join(" ")}: check the path`);
  process.exit(2);
}
for (const file of files) if (!SKIPPED.test(file) && existsSync(file)) check(file);

const stale = paths.length > 0 ? [] : [...allowed].filter(([, isUsed]) => !isUsed).map(([entry]) => entry);
for (const entry of stale) console.log(`${ALLOW_LIST}: nothing matches "${entry}"; remove the line`);
for (const counts of [folders, rules])
  for (const [name, count] of [...counts].toSorted(([one], [other]) => one.localeCompare(other)))
    console.log(`${String(count).padStart(5)} ${name}`);
if (found + stale.length > 0) process.exitCode = 1;
