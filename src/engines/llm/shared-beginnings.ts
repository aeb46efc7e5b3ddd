import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, openSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Token } from "node-llama-cpp";
import type { ChatPrompt } from "./chat-prompt.ts";
import type { SequenceCache } from "./sequence-cache.ts";

/** A beginning of 500 tokens takes 10 to 180 MB, depending on the model. */
export const MAX_SAVED = 4;
/** A memory-backed folder if it has room. */
const FOLDERS = ["/dev/shm", tmpdir()];

interface Beginning {
  readonly tokens: readonly Token[];
  /** Descriptor of an unlinked file, which disappears with the process. */
  file?: number;
  /** Settles when the evaluating sequence has saved it or has failed. */
  evaluation?: Promise<void> | undefined;
}

/**
 * Evaluates the common beginning of a voice configuration's system messages once for all its callers. The state is saved to a file,
 * because node-llama-cpp cannot copy a sequence. Without such files (not Linux, a full disk) each caller's sequence evaluates
 * the beginning.
 */
export class SharedBeginnings {
  readonly #prompt: ChatPrompt;
  /** Beginnings by text, least recently used first. */
  readonly #known = new Map<string, Beginning>();

  constructor(prompt: ChatPrompt) {
    this.#prompt = prompt;
  }

  /** The tokens of every prompt whose system message begins with `text`. */
  tokens(text: string): readonly Token[] {
    return this.#of(text).tokens;
  }

  /** The running evaluation by another sequence, if any. */
  evaluationOf(text: string): Promise<void> | undefined {
    return this.#of(text).evaluation;
  }

  /** Other sequences wait until the result is disposed. */
  announceEvaluation(text: string): Disposable {
    const beginning = this.#of(text);
    let end!: () => void;
    beginning.evaluation = new Promise((resolve) => {
      end = resolve;
    });
    return {
      [Symbol.dispose]: () => {
        beginning.evaluation = undefined;
        end();
      },
    };
  }

  /** False if no saved state exists. */
  async load(text: string, cache: SequenceCache): Promise<boolean> {
    const { file } = this.#of(text);
    if (file === undefined) return false;
    return cache.load(pathOf(file)).then(
      () => true,
      () => false,
    );
  }

  /** `cache` must hold exactly the tokens of `text`. */
  async save(text: string, cache: SequenceCache): Promise<void> {
    const beginning = this.#of(text);
    for (const folder of FOLDERS) {
      if (beginning.file !== undefined) return;
      const file = openUnnamed(folder);
      if (file === undefined) continue;
      const bytes = await cache.save(pathOf(file)).catch(() => undefined);
      const isWhole = bytes === fstatSync(file).size;
      // Meanwhile another sequence may have saved this beginning, or others may have evicted it.
      if (isWhole && beginning.file === undefined && this.#known.get(text) === beginning) beginning.file = file;
      else closeSync(file);
    }
  }

  #of(text: string): Beginning {
    const beginning = this.#known.get(text) ?? {
      tokens: this.#prompt.commonTokens(system(text), system(`${text}\n.`)),
    };
    this.#known.delete(text);
    this.#known.set(text, beginning);
    const [oldest] = this.#known;
    if (oldest !== undefined && this.#known.size > MAX_SAVED) {
      this.#known.delete(oldest[0]);
      if (oldest[1].file !== undefined) closeSync(oldest[1].file);
    }
    return beginning;
  }
}

const system = (content: string) => [{ role: "system", content } as const, { role: "user", content: "." } as const];

function openUnnamed(folder: string): number | undefined {
  const name = path.join(folder, `oakvoice-${randomUUID()}`);
  try {
    const file = openSync(name, "wx+", 0o600);
    unlinkSync(name);
    return file;
  } catch {
    return undefined;
  }
}

const pathOf = (file: number): string => `/proc/self/fd/${String(file)}`;
