import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, extname, join, relative } from "node:path";
import { OakError } from "../../src/shared/errors.ts";

/** A recording with its reference: the words, the emotion, or the absence of speech. */
export interface Recording {
  readonly path: string;
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

const AUDIO = new Set([".wav", ".flac", ".opus", ".ogg", ".mp3"]);
const DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
/** Digit, speaker, take: "7_jackson_32.wav". */
const DIGIT_NAME = /^(\d)_[a-z]+_\d+$/iu;
const NO_SPEECH_FOLDER = /noise|no-speech|silence/iu;

/**
 * Every set of recordings in a folder and its subfolders. The reference of a recording comes from the first of these: a table
 * `*.tsv` in the folder or above it (columns named `file` and `text`, or just these two); a text file beside it with its name; a digit's file name ("7_speaker_3.wav"), a folder named after one of `emotions`, a folder called noise.
 * @throws OakError `BENCH_FAILED`.
 */
export function findRecordings(root: string, emotions: readonly string[]): readonly RecordingSet[] {
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

  function search(folder: string, above: ReadonlyMap<string, string>): void {
    const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => a.name.localeCompare(b.name));
    const texts = new Map([...above, ...tables(folder)]);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) search(path, texts);
      else if (AUDIO.has(extname(entry.name).toLowerCase())) {
        const truth = truthOf(root, path, texts, emotions);
        if (truth !== undefined) add(setName(root, folder, truth), { path, truth });
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

function truthOf(
  root: string,
  path: string,
  texts: ReadonlyMap<string, string>,
  emotions: readonly string[],
): Recording["truth"] | undefined {
  const name = basename(path, extname(path));
  const beside = join(path, "..", `${name}.txt`);
  const text = texts.get(path) ?? (existsSync(beside) ? readFileSync(beside, "utf8") : undefined);
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

/** Full path to text, from every table of a folder. */
function tables(folder: string): readonly (readonly [string, string])[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".tsv"))
    .flatMap((name) => {
      const rows = readFileSync(join(folder, name), "utf8")
        .split(/\r?\n/u)
        .filter((line) => line !== "")
        .map((line) => line.split("\t"));
      const head = rows[0] ?? [];
      const named = head.includes("file") && head.includes("text");
      const [file, text] = named ? [head.indexOf("file"), head.indexOf("text")] : [0, 1];
      return rows.slice(named ? 1 : 0).map((row) => [join(folder, row[file] ?? ""), row[text] ?? ""] as const);
    });
}
