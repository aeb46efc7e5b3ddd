/** The load that one engine puts on the processor. */
export interface EngineLoad {
  readonly bytes: number;
  readonly onGpu: boolean;
  /** The operator's setting. 0: the budget decides. */
  readonly threads: number;
  /** Another machine has the load. */
  readonly isRemote?: boolean;
}

/** Threads of each engine. Their sum fits the cores unless a setting overrides it. */
export interface ThreadBudget {
  /** `lanes`: clips decoded at the same time. `threads` is 0 for a remote model. */
  readonly stt: { readonly threads: number; readonly lanes: number };
  /**
   * Prompts gain more from threads than replies do, because memory bandwidth limits replies, and lose less to an engine that takes one
   * of the cores. `reply` is absent when the model's measured pace decides: one thread is used if it is fast enough. `prompt` is 0 for
   * a remote model.
   */
  readonly llm: { readonly prompt: number; readonly reply?: number };
  /** `jobs`: clauses synthesised at the same time. `threads` is 0 for a remote model. */
  readonly tts: { readonly threads: number; readonly jobs: number };
}

/** One thread decodes a model of this size fast enough. A second one would mostly wait. */
const SMALL_MODEL_BYTES = 200e6;
/** Decodes run in libuv's pool, which has four threads. */
const MOST_LANES = 4;
const MOST_STT_THREADS = 4;
/** Each job takes memory for the longest clause, and synthesises several times faster than real time. */
const MOST_JOBS = 8;
const MOST_LLM_THREADS = 8;

/**
 * Divides the cores among the engines. ggml's waiting threads spin, and two engines on one core slow each other down many
 * times. The parts therefore add up to at most the number of cores, except that prompts take both cores of two (measured in docs/decisions/0070-thread-budget.md).
 */
export function threadBudget(
  cores: number,
  loads: Readonly<Record<"stt" | "llm", EngineLoad>> & { readonly tts: Pick<EngineLoad, "threads" | "isRemote"> },
): ThreadBudget {
  const { stt, llm } = loads;
  const isLight = (load: EngineLoad) => load.isRemote === true || load.onGpu || load.bytes < SMALL_MODEL_BYTES;
  const share = within(Math.floor(cores / 2), MOST_LLM_THREADS);
  const prompt = llm.isRemote === true ? 0 : llm.threads || (isLight(llm) ? 1 : Math.max(share, Math.min(cores, 2)));
  const speech = loads.tts.isRemote === true ? 0 : Math.max(1, loads.tts.threads);
  const left = Math.max(1, cores - (isLight(llm) ? 0 : prompt + speech));
  const decode =
    stt.isRemote === true
      ? 0
      : stt.threads || (isLight(stt) ? 1 : within(left < 4 ? left : Math.floor(left / 2), MOST_STT_THREADS));
  const reply = llm.threads || (prompt > share ? share : undefined);
  return {
    stt: { threads: decode, lanes: within(Math.floor(left / Math.max(1, decode)), MOST_LANES) },
    llm: prompt > 0 && reply !== undefined ? { prompt, reply } : { prompt },
    tts: { threads: speech, jobs: within(Math.floor(cores / Math.max(1, speech)), MOST_JOBS) },
  };
}

/** Example: "4 cores: recognition 1 thread x 1 lane, language model 2 threads, speech 1 thread". */
export function describeThreads(cores: number, { stt, llm, tts }: ThreadBudget): string {
  const used = (threads: number, more = "") =>
    threads === 0 ? "on another machine" : `${count(threads, "thread")}${more}`;
  const parts = [
    `recognition ${used(stt.threads, ` x ${count(stt.lanes, "lane")}`)}`,
    `language model ${used(llm.prompt)}`,
    `speech ${used(tts.threads)}`,
  ];
  return `${count(cores, "core")}: ${parts.join(", ")}`;
}

const within = (value: number, most: number): number => Math.min(most, Math.max(1, value));
const count = (number: number, noun: string): string => `${String(number)} ${noun}${number === 1 ? "" : "s"}`;
