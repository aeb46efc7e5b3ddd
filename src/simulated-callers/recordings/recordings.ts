import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, extname, join, relative } from "node:path";
import { OakError } from "../../shared/errors.ts";
import { berlinSentence } from "./berlin-sentences.ts";

/** A recording with its reference: the words, the emotion, or the absence of speech. */
export interface Recording {
  readonly path: string;
  /** Absent: unknown. */
  readonly speaker?: string | undefined;
  /** Code of the spoken language. Absent: unknown. */
  readonly language?: string | undefined;
  readonly truth:
    | { readonly kind: "words"; readonly text: string }
    | { readonly kind: "emotion"; readonly label: string }
    | { readonly kind: "no speech" };
}

export interface RecordingSet {
  /** The folder, relative to the folder of the search. */
  readonly name: string;
  readonly recordings: readonly Recording[];
}

export const AUDIO = new Set([".wav", ".flac", ".opus", ".ogg", ".mp3", ".m4a"]);
const DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
/** Digit, speaker, take: "7_jackson_32.wav". */
const DIGIT_NAME = /^(\d)_([a-z]+)_\d+$/iu;
const FILE_COLUMNS = ["file", "path", "filename"];
const TEXT_COLUMNS = ["text", "sentence", "transcript"];
const SPEAKER_COLUMNS = ["speaker", "client_id"];
const LANGUAGE_NAMES = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
const NO_SPEECH_FOLDER = /noise|no-speech|silence/iu;

/**
 * Every set of recordings in a folder and its subfolders. docs/bench.md lists where the words come from. The first source that
 * knows a recording wins: a table, a text file, the name of the file, the name of its folder. A folder named by a language code
 * ("de") gives the language. `language` "de" or "auto": file names of the Berlin emotions give words.
 * @throws OakError `BENCH_FAILED`.
 */
export function findRecordings(root: string, emotions: readonly string[], language = "en"): readonly RecordingSet[] {
  if (!existsSync(root)) throw new OakError(`There is no folder ${root}.`, { code: "BENCH_FAILED" });
  const sets = new Map<string, Recording[]>();
  search(root, new Map());
  const found = [...sets].map(([name, recordings]) => ({ name, recordings }));
  if (found.length === 0) {
    throw new OakError(
      `${root} has no recordings with known words. Add WAV files with a table (file, text) or with one text file each.`,
      { code: "BENCH_FAILED" },
    );
  }
  return found.toSorted((a, b) => a.name.localeCompare(b.name));

  function search(folder: string, above: ReadonlyMap<string, Reference>): void {
    const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => a.name.localeCompare(b.name));
    const texts = new Map([...above, ...tables(folder)]);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) search(path, texts);
      else if (AUDIO.has(extname(entry.name).toLowerCase())) {
        const berlin = language === "de" || language === "auto" ? berlinSentence(nameOf(path)) : undefined;
        const reference = texts.get(path) ?? berlin;
        const truth = truthOf(root, path, reference?.text, emotions);
        if (truth === undefined) continue;
        add(setName(root, texts.get(path)?.folder ?? folder, truth), {
          path,
          truth,
          speaker: reference?.speaker ?? DIGIT_NAME.exec(nameOf(path))?.[2],
          language: languageOfFolder(root, folder) ?? (berlin === undefined ? undefined : "de"),
        });
      }
    }
  }

  function add(name: string, recording: Recording): void {
    const set = sets.get(name);
    if (set === undefined) sets.set(name, [recording]);
    else set.push(recording);
  }
}

/** Joins sets of one kind, because emotions and noises have a folder for each kind, and speakers one for each speaker. */
function setName(root: string, folder: string, truth: Recording["truth"]): string {
  const [top = ""] = relative(root, folder).split("/");
  return truth.kind === "emotion" ? "emotion" : top === "" ? basename(root) : top;
}

const nameOf = (path: string): string => basename(path, extname(path));

/** The innermost folder that is named by a language code. */
const languageOfFolder = (root: string, folder: string): string | undefined =>
  [basename(root), ...relative(root, folder).split("/")].findLast(
    (name) => /^[a-z]{2}$/u.test(name) && LANGUAGE_NAMES.of(name) !== undefined,
  );

function truthOf(
  root: string,
  path: string,
  known: string | undefined,
  emotions: readonly string[],
): Recording["truth"] | undefined {
  const name = nameOf(path);
  const beside = join(path, "..", `${name}.txt`);
  const text = known ?? (existsSync(beside) ? readFileSync(beside, "utf8") : undefined);
  if (text !== undefined) return text.trim() === "" ? { kind: "no speech" } : { kind: "words", text: text.trim() };
  const digit = DIGIT_NAME.exec(name)?.[1];
  if (digit !== undefined) return { kind: "words", text: DIGITS[Number(digit)] ?? "" };
  const folders = relative(root, path).split("/").slice(0, -1);
  const label = folders.find((folder) => emotions.includes(folder.toLowerCase()));
  if (label !== undefined) return { kind: "emotion", label: label.toLowerCase() };
  return [basename(root), ...folders].some((folder) => NO_SPEECH_FOLDER.test(folder))
    ? { kind: "no speech" }
    : undefined;
}

interface Reference {
  /** The table's folder. */
  readonly folder: string;
  readonly text: string;
  readonly speaker: string | undefined;
}

/** Full path to text and speaker, from every table of a folder. */
function tables(folder: string): readonly (readonly [string, Reference])[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".tsv"))
    .flatMap((name) => {
      const rows = readFileSync(join(folder, name), "utf8")
        .split(/\r?\n/u)
        .filter((line) => line !== "")
        .map((line) => line.split("\t"));
      const head = rows[0] ?? [];
      const column = (names: readonly string[]) => head.findIndex((title) => names.includes(title));
      const isNamed = column(FILE_COLUMNS) >= 0 && column(TEXT_COLUMNS) >= 0;
      const [file, text, speaker] = isNamed ? [FILE_COLUMNS, TEXT_COLUMNS, SPEAKER_COLUMNS].map(column) : [0, 1, -1];
      return rows
        .slice(isNamed ? 1 : 0)
        .map(
          (row) =>
            [join(folder, row[file!] ?? ""), { folder, text: row[text!] ?? "", speaker: row[speaker!] }] as const,
        );
    });
}
