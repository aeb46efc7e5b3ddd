import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, openSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Token } from "node-llama-cpp";
import type { ChatPrompt } from "../prompt/chat-prompt.ts";
import type { Beginning } from "../language-model.ts";
import type { SequenceCache } from "./sequence-cache.ts";

/** A beginning of 500 tokens takes 10 to 180 MB, depending on the model. */
export const MAX_SAVED = 4;
/** A memory-backed folder if it has room. */
const FOLDERS = ["/dev/shm", tmpdir()];

interface SavedBeginning {
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
  /** Beginnings by their JSON, least recently used first. */
  readonly #known = new Map<string, SavedBeginning>();

  constructor(prompt: ChatPrompt) {
    this.#prompt = prompt;
  }

  /** Without tools, the tokens of every prompt whose system message begins so. With tools, the whole system message must be the same. */
  tokens(beginning: Beginning): readonly Token[] {
    return this.#of(beginning).tokens;
  }

  /** The running evaluation by another sequence, if any. */
  evaluationOf(beginning: Beginning): Promise<void> | undefined {
    return this.#of(beginning).evaluation;
  }

  /** Other sequences wait until the result is disposed. */
  announceEvaluation(beginning: Beginning): Disposable {
    const saved = this.#of(beginning);
    let end!: () => void;
    saved.evaluation = new Promise((resolve) => {
      end = resolve;
    });
    return {
      [Symbol.dispose]: () => {
        saved.evaluation = undefined;
        end();
      },
    };
  }

  /** False if no saved state exists. */
  async load(beginning: Beginning, cache: SequenceCache): Promise<boolean> {
    const { file } = this.#of(beginning);
    if (file === undefined) return false;
    return cache.load(pathOf(file)).then(
      () => true,
      () => false,
    );
  }

  /** `cache` must hold exactly the tokens of `beginning`. */
  async save(beginning: Beginning, cache: SequenceCache): Promise<void> {
    const saved = this.#of(beginning);
    for (const folder of FOLDERS) {
      if (saved.file !== undefined) return;
      const file = openUnnamed(folder);
      if (file === undefined) continue;
      const bytes = await cache.save(pathOf(file)).catch(() => undefined);
      const isWhole = bytes === fstatSync(file).size;
      // Meanwhile another sequence may have saved this beginning, or others may have evicted it.
      if (isWhole && saved.file === undefined && this.#known.get(keyOf(beginning)) === saved) saved.file = file;
      else closeSync(file);
    }
  }

  #of(beginning: Beginning): SavedBeginning {
    const key = keyOf(beginning);
    const saved = this.#known.get(key) ?? { tokens: this.#tokensOf(beginning) };
    this.#known.delete(key);
    this.#known.set(key, saved);
    const [oldest] = this.#known;
    if (oldest !== undefined && this.#known.size > MAX_SAVED) {
      this.#known.delete(oldest[0]);
      if (oldest[1].file !== undefined) closeSync(oldest[1].file);
    }
    return saved;
  }

  #tokensOf({ system, tools }: Beginning): readonly Token[] {
    const asked = (content: string, said: string) =>
      [{ role: "system", content } as const, { role: "user", content: said } as const] as const;
    // Most templates write tools after the system message's text.
    const other = tools.length === 0 ? asked(`${system}\n.`, ".") : asked(system, "x");
    return this.#prompt.commonTokens(asked(system, "."), other, tools);
  }
}

const keyOf = ({ system, tools }: Beginning): string => JSON.stringify([system, tools]);

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
