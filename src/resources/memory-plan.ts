/** Memory that one engine will take, bytes. */
export interface EngineNeed {
  readonly engine: string;
  readonly modelBytes: number;
  readonly bufferBytes: number;
  /** One caller's cache for a context of `contextTokens`. Only the language model has one. */
  readonly cacheBytes?: (contextTokens: number) => number;
  readonly onGpu: boolean;
}

/** The callers and contexts that the configuration asks for. */
export interface Calls {
  readonly callers: number;
  readonly contextTokens: number;
}

export interface FreeMemory {
  readonly ramBytes: number;
  /** Absent without a graphics card. */
  readonly gpuBytes?: number;
  /** The card uses the machine's main memory. */
  readonly isUnified?: boolean;
}

export interface MemoryPlan {
  readonly verdict: "fits" | "tight" | "too much";
  readonly place: "memory" | "GPU memory";
  readonly neededBytes: number;
  readonly freeBytes: number;
  /** One line: what is needed, what is free, and what to lower. */
  readonly text: string;
}

/** Memory that the server's own process takes after planning, for small models and calls. */
const SERVER: EngineNeed = { engine: "server", modelBytes: 0, bufferBytes: 100e6, onGpu: false };
/** Above this share of the free memory, the system's cache has no room. */
const TIGHT = 0.9;
const CONTEXT_STEP = 256;
const LEAST_CONTEXT = 512;

/** Compares the engines' needs with the free memory of the machine, and of the graphics card if there is one. */
export function planMemory(needs: readonly EngineNeed[], calls: Calls, free: FreeMemory): readonly MemoryPlan[] {
  const { gpuBytes = 0, isUnified = false } = free;
  const inRam = [...needs.filter(({ onGpu }) => !onGpu || isUnified), SERVER];
  const ram = judge("memory", inRam, calls, free.ramBytes);
  const onCard = needs.filter(({ onGpu }) => onGpu);
  return onCard.length === 0 || isUnified ? [ram] : [ram, judge("GPU memory", onCard, calls, gpuBytes)];
}

function judge(place: MemoryPlan["place"], needs: readonly EngineNeed[], calls: Calls, freeBytes: number): MemoryPlan {
  const bytesOf = (need: EngineNeed, { callers, contextTokens }: Calls) =>
    need.modelBytes + need.bufferBytes + callers * (need.cacheBytes?.(contextTokens) ?? 0);
  const total = (some: Calls) => needs.reduce((sum, need) => sum + bytesOf(need, some), 0);
  const neededBytes = total(calls);
  const verdict = neededBytes > freeBytes ? "too much" : neededBytes > freeBytes * TIGHT ? "tight" : "fits";
  const parts = needs.map((need) => describeNeed(need, calls, bytesOf(need, calls)));
  const needed = `${place}: ${gigabytes(neededBytes)} needed, ${gigabytes(freeBytes)} free (${parts.join("; ")})`;
  const remedies =
    verdict === "fits" ? [] : remediesFor(place, needs, calls, (some) => total(some) <= freeBytes * TIGHT);
  const text = remedies.length === 0 ? needed : `${needed}: ${remedies.join(", or ")}`;
  return { verdict, place, neededBytes, freeBytes, text };
}

function describeNeed(
  { engine, modelBytes, bufferBytes, cacheBytes }: EngineNeed,
  calls: Calls,
  bytes: number,
): string {
  const { callers, contextTokens } = calls;
  if (cacheBytes === undefined || modelBytes === 0) return `${engine} ${gigabytes(bytes)}`;
  const cache = gigabytes(callers * cacheBytes(contextTokens));
  return (
    `${engine} ${gigabytes(bytes)} = ${gigabytes(modelBytes)} model + ${cache} cache for ${String(callers)} ` +
    `${callers === 1 ? "call" : "calls"} of ${String(contextTokens)} tokens + ${gigabytes(bufferBytes)} buffers`
  );
}

/** For each setting alone, the largest value that fits. A smaller profile always helps. */
function remediesFor(
  place: MemoryPlan["place"],
  needs: readonly EngineNeed[],
  calls: Calls,
  fits: (calls: Calls) => boolean,
): readonly string[] {
  const remedies: string[] = [];
  if (needs.some(({ cacheBytes }) => cacheBytes !== undefined)) {
    const callers = largest(calls.callers - 1, 1, 1, (some) => fits({ ...calls, callers: some }));
    if (callers !== undefined) remedies.push(`lower limits.max_connections to ${String(callers)}`);
    const most = Math.ceil(calls.contextTokens / CONTEXT_STEP - 1) * CONTEXT_STEP;
    const tokens = largest(most, LEAST_CONTEXT, CONTEXT_STEP, (some) => fits({ ...calls, contextTokens: some }));
    if (tokens !== undefined) remedies.push(`lower models.llm.context_tokens to ${String(tokens)}`);
  }
  if (place === "GPU memory") remedies.push("set models.llm.gpu: off");
  return [...remedies, "use a smaller profile"];
}

/** The largest of `from`, `from - step`, ... `to` that fits. Smaller values fit if a larger one does. */
function largest(from: number, to: number, step: number, fits: (value: number) => boolean): number | undefined {
  let [tooMuch, enough] = [from + step, to - step];
  while (tooMuch - enough > step) {
    const middle = enough + step * Math.floor((tooMuch - enough) / (2 * step));
    if (fits(middle)) enough = middle;
    else tooMuch = middle;
  }
  return enough >= to ? enough : undefined;
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
