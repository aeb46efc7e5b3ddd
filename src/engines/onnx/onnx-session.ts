import { access, constants, readFile } from "node:fs/promises";
import { errorMessage, OakError } from "../../shared/errors.ts";
import { describeModelFault } from "../../child-processes/model-fault.ts";
import { binding, initOrt, type Binding, type Tensor } from "./onnxruntime.ts";

type Values = Readonly<Record<string, Tensor>>;

/**
 * A small ONNX model in this process: one thread, no spinning, CPU.
 * Inference runs on the calling thread and blocks it, so only models of well under a millisecond belong on the main one.
 * `what` names the model in messages. Throws OakError `MODEL_MISSING` or `MODEL_BROKEN`, each one line.
 */
export async function openOnnxSession(path: string, what: string): Promise<OnnxSession> {
  try {
    await access(path, constants.R_OK);
  } catch (cause) {
    throw new OakError(
      `${what}: cannot read ${path} (${oneLine(cause)}). Check the path in the configuration, or install the model.`,
      {
        code: "MODEL_MISSING",
        cause,
      },
    );
  }
  try {
    return new OnnxSession(path);
  } catch (cause) {
    throw brokenModel(path, what, oneLine(cause), cause);
  }
}

export class OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly #session: Binding.InferenceSession;
  /** All outputs, as the library's tensors. */
  readonly #fetches: Readonly<Record<string, null>>;

  /**
   * `model`: a path, or the bytes of a file. `threads`: 1, unless the calling thread may be blocked for long. `keepsMemory`: false
   * gives the memory of a run back after it.
   */
  constructor(model: string | Uint8Array<ArrayBuffer>, threads = 1, keepsMemory = true) {
    initOrt();
    this.#session = new binding.InferenceSession();
    const options = {
      executionProviders: ["cpu"],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: "sequential",
      enableCpuMemArena: keepsMemory,
      logSeverityLevel: 3,
      extra: {
        session: {
          intra_op: { allow_spinning: "0" },
          inter_op: { allow_spinning: "0" },
          // The arena grows in powers of two, which the weights do not need.
          use_device_allocator_for_initializers: "1",
        },
      },
    } as const;
    if (typeof model === "string") this.#session.loadModel(model, options);
    else this.#session.loadModel(model.buffer, model.byteOffset, model.byteLength, options);
    this.inputNames = this.#session.inputMetadata.map(({ name }) => name);
    this.outputNames = this.#session.outputMetadata.map(({ name }) => name);
    this.#fetches = fetchesOf(this.outputNames);
  }

  /** Blocks until the answer is there. `outputs`: the wanted ones, or all. Throws if an input is missing or has a wrong shape. */
  run(feeds: Values, outputs?: readonly string[]): Values {
    return this.#session.run(feeds, outputs === undefined ? this.#fetches : fetchesOf(outputs), {});
  }

  /** As `run`. The answer replaces the content of `outputs`, so that a frame allocates no tensors. */
  runInto(feeds: Values, outputs: Values): void {
    this.#session.run(feeds, outputs, {});
  }

  release(): void {
    this.#session.dispose();
  }
}

const fetchesOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

/** `why` goes into parentheses, so it has no full stop. */
export function brokenModel(path: string, what: string, why: string, cause?: unknown): OakError {
  return new OakError(
    `${what}: ${path} cannot be used (${describeModelFault(why)}). Install the model again, or name another file.`,
    {
      code: "MODEL_BROKEN",
      cause,
    },
  );
}

/** Reads a text file that belongs to a model. Rejects with OakError `MODEL_MISSING`. */
export async function readBeside(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new OakError(`${what}: cannot read ${path} (${oneLine(cause)}). Install the model again.`, {
      code: "MODEL_MISSING",
      cause,
    });
  }
}

export function oneLine(error: unknown): string {
  return errorMessage(error).replaceAll(/\s+/g, " ").trim();
}
