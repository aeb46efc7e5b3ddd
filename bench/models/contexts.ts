import type { ServerConfig } from "../../src/config/server-config.ts";
import { silentLog } from "../../src/shared/log.ts";
import { textTable } from "../../src/shared/text-table.ts";
import type { ContextRule } from "../../src/engines/stt/audio/clip.ts";
import { startWhisperCpp } from "../../src/engines/stt/whisper/whisper-cpp.ts";
import { useOf } from "../../src/simulated-callers/processes.ts";
import { clauses } from "../long-turns/text-differences.ts";
import { plainWords, wordErrors } from "../../src/simulated-callers/words/word-errors.ts";
import { readAudio } from "../../src/simulated-callers/recordings/read-audio.ts";
import type { RecordingSet } from "../../src/simulated-callers/recordings/recordings.ts";

/** Context rules. `undefined` is the server's rule for this model. The others decode again at full context when the first text repeats itself or has a low confidence. */
const RULES: Readonly<Record<string, ContextRule | undefined>> = {
  "own rule": undefined,
  "margin 0 s": { floorSeconds: 2.56, marginSeconds: 0 },
  "margin 1 s": { floorSeconds: 2.56, marginSeconds: 1 },
  "margin 2 s": { floorSeconds: 2.56, marginSeconds: 2 },
  full: "full",
};
const BANDS = [3, 6, 12, 15];

class Tally {
  #clips = 0;
  #words = 0;
  #errors = 0;
  #empty = 0;
  #lost = 0;
  #invented = 0;
  #cpuSeconds = 0;

  add(truth: readonly string[], heard: readonly string[], cpuSeconds: number): void {
    const { lost, invented } = clauses(truth, heard);
    this.#clips += 1;
    this.#words += truth.length;
    this.#errors += wordErrors(truth, heard);
    this.#empty += heard.length === 0 ? 1 : 0;
    this.#lost += lost;
    this.#invented += invented;
    this.#cpuSeconds += cpuSeconds;
  }

  get size(): string {
    return `${String(this.#clips)} (${String(this.#words)})`;
  }

  get cell(): string {
    const errors =
      this.#words === 0
        ? `${String(this.#errors)} on ${String(this.#clips - this.#empty)}`
        : `${((100 * this.#errors) / this.#words).toFixed(1)} % ${String(this.#lost)}+${String(this.#invented)} ${String(this.#empty)}`;
    return `${errors}, ${((1000 * this.#cpuSeconds) / this.#clips).toFixed(0)} ms`;
  }
}

/** Decodes each clip once with each context rule in rotation, so that other load affects all rules equally. Prints a table. */
export async function compareContexts(sets: readonly RecordingSet[], config: ServerConfig): Promise<void> {
  const engines = await Promise.all(
    Object.entries(RULES).map(async ([name, contextRule]) => {
      const options = { ...config.models.stt, audioContext: 0, contextRule, threads: 1, lanes: 1 };
      const stt = await startWhisperCpp(options, silentLog);
      return { name, stt, recognizer: stt.open() };
    }),
  );
  const rows = new Map<string, Map<string, Tally>>();
  const add = (row: string, column: string, ...scored: Parameters<Tally["add"]>) => {
    const tallies = rows.get(row) ?? new Map<string, Tally>();
    const tally = tallies.get(column) ?? new Tally();
    tally.add(...scored);
    rows.set(row, tallies.set(column, tally));
  };
  try {
    const recordings = sets.flatMap((set) => set.recordings.map((recording) => ({ ...recording, set: set.name })));
    for (const [place, { path, truth, set }] of recordings.entries()) {
      const samples = readAudio(path);
      const band = BANDS.find((seconds) => samples.length <= seconds * 16_000);
      if (truth.kind === "emotion" || band === undefined) continue;
      const words = truth.kind === "words" ? plainWords(truth.text) : [];
      for (let turn = 0; turn < engines.length; turn++) {
        const { name, stt, recognizer } = engines[(place + turn) % engines.length]!;
        const before = useOf(stt.process.pid ?? 0)?.cpuSeconds ?? NaN;
        const { text } = await recognizer.transcribe(
          { samples, kind: "final", language: "en" },
          new AbortController().signal,
        );
        const cpuSeconds = (useOf(stt.process.pid ?? 0)?.cpuSeconds ?? NaN) - before;
        const kind = words.length === 0 ? "without speech" : set;
        for (const row of [`${kind}, to ${String(band)} s`, words.length === 0 ? "" : `all, to ${String(band)} s`])
          if (row !== "") add(row, name, words, plainWords(text), cpuSeconds);
      }
    }
  } finally {
    await Promise.all(engines.map(({ stt }) => stt.close()));
  }
  console.log(
    textTable([
      ["set and length", "clips (words)", ...Object.keys(RULES)],
      ...[...rows]
        .toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
        .map(([row, tallies]) => [
          row,
          [...tallies.values()][0]!.size,
          ...Object.keys(RULES).map((name) => tallies.get(name)!.cell),
        ]),
    ]),
  );
}
