import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { findRecordings } from "../../src/simulated-callers/recordings/recordings.ts";
import { partOf } from "../../bench/models/parts.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root: string;
beforeEach(() => (root = temporaryFolder()));

function write(path: string, content = ""): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const truths = () =>
  findRecordings(root, ["angry", "sad"]).map(({ name, recordings }) => [name, recordings.map(({ truth }) => truth)]);

describe("findRecordings", () => {
  it("reads the words from a table, a file beside the recording or the name of a digit", () => {
    write("readers/transcripts.tsv", "file\tspeaker\ttext\n12/a.opus\t12\tgood evening\n");
    write("readers/12/a.opus");
    write("readers/12/unknown.opus");
    write("calls/b.wav");
    write("calls/b.txt", " Hello.\n");
    write("plain/list.tsv", "c.wav\twhat time is it\n");
    write("plain/c.wav");
    write("digits/7_anna_3.flac");
    expect(truths()).toEqual([
      ["calls", [{ kind: "words", text: "Hello." }]],
      ["digits", [{ kind: "words", text: "seven" }]],
      ["plain", [{ kind: "words", text: "what time is it" }]],
      ["readers", [{ kind: "words", text: "good evening" }]],
    ]);
  });

  it("derives emotions and noises from folder names, and silence from an empty transcript", () => {
    write("acted/angry/x.wav");
    write("acted/sad/y.wav");
    write("noise/rain/z.opus");
    write("quiet/q.wav");
    write("quiet/q.txt", "\n");
    expect(truths()).toEqual([
      [
        "emotion",
        [
          { kind: "emotion", label: "angry" },
          { kind: "emotion", label: "sad" },
        ],
      ],
      ["noise", [{ kind: "no speech" }]],
      ["quiet", [{ kind: "no speech" }]],
    ]);
  });

  it("reads the sentence of a Berlin recording in German, and its emotion otherwise", () => {
    write("acted/sad/03a01Nc.wav");
    expect(truths()).toEqual([["emotion", [{ kind: "emotion", label: "sad" }]]]);
    for (const language of ["de", "auto"]) {
      const [set] = findRecordings(root, ["sad"], language);
      expect(set?.recordings).toMatchObject([
        { speaker: "03", language: "de", truth: { kind: "words", text: "Der Lappen liegt auf dem Eisschrank." } },
      ]);
    }
  });

  it("knows speakers from tables and file names, and languages from folder names", () => {
    write("fr/list.tsv", "client_id\tpath\tsentence\nabc\tx.m4a\tbonjour\n");
    write("fr/x.m4a");
    write("digits/7_anna_3.flac");
    expect(findRecordings(root, []).flatMap(({ recordings }) => recordings)).toMatchObject([
      { speaker: "anna", language: undefined },
      { speaker: "abc", language: "fr", truth: { kind: "words", text: "bonjour" } },
    ]);
  });

  it("reports what is missing in a folder", () => {
    write("readme.md");
    write("a.wav");
    expect(() => findRecordings(root, [])).toThrow(/Add WAV files with a table/u);
    expect(() => findRecordings(join(root, "none"), [])).toThrow(/no folder/u);
  });
});

describe("partOf", () => {
  it("keeps a speaker in one part, and puts about a third into the final one", () => {
    const speakers = Array.from({ length: 3000 }, (_, index) => `speaker ${String(index)}`);
    const final = speakers.filter((speaker) => partOf({ speaker, path: "a.wav" }) === "final");
    expect(final.length / speakers.length).toBeCloseTo(1 / 3, 1);
    for (const speaker of speakers.slice(0, 50))
      expect(partOf({ speaker, path: "b.wav" })).toBe(partOf({ speaker, path: "c.wav" }));
    expect(partOf({ path: "x/a.wav" })).toBe(partOf({ path: "y/a.wav" }));
  });
});
