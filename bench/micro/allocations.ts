import { hotPaths, type HotPath } from "./hot-paths.ts";

/**
 * `npm run bench:allocations` prints the bytes that each hot path allocates for each frame of audio. --json prints only the steps of a
 * frame, for programs. Needs `node --expose-gc`, a young generation that is large enough to collect nothing during the count
 * (`--min-semi-space-size=128`), and `--no-concurrent-recompilation`, because code allocates more before it is optimised.
 */
export interface Allocation {
  readonly name: string;
  readonly kind: "frame" | "message";
  readonly usesModel: boolean;
  /** Bytes of V8's heap per call. */
  readonly heapBytes: number;
  /** Bytes of array buffers per call. */
  readonly bufferBytes: number;
  /** Heap and buffers per frame of 32 ms. */
  readonly bytesAFrame: number;
}

const FRAME_MS = 32;
/** Calls before the count, because optimised code allocates less. */
const WARM_UP_CALLS = 4000;
const WARM_UP_MODEL_FRAMES = 6000;
/** The calls are so many that the cost of the count is negligible. */
const CALLS = 2000;
/** Fewer calls, because a model is slow. */
const MODEL_FRAMES = 300;
const ROUNDS = 3;

async function allocationOf(
  { name, audioMs, usesModel = false, call }: HotPath,
  kind: Allocation["kind"],
): Promise<Allocation> {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error("run with node --expose-gc --min-semi-space-size=128");
  const callsFor = (frames: number) => Math.ceil((frames * FRAME_MS) / audioMs);
  const warmUp = usesModel ? callsFor(WARM_UP_MODEL_FRAMES) : WARM_UP_CALLS;
  const calls = usesModel ? callsFor(MODEL_FRAMES) : CALLS;
  for (let count = 0; count < warmUp; count += 1) {
    const result = call();
    if (result instanceof Promise) await result;
  }
  const rounds: { heap: number; buffers: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    collect();
    const before = process.memoryUsage();
    for (let count = 0; count < calls; count += 1) {
      const result = call();
      if (result instanceof Promise) await result;
    }
    const after = process.memoryUsage();
    const [heap, buffers] = [after.heapUsed - before.heapUsed, after.arrayBuffers - before.arrayBuffers];
    rounds.push({ heap: heap / calls, buffers: buffers / calls });
  }
  // The median, because in some rounds a buffer is freed or the runtime allocates something.
  const heapBytes = middle(rounds.map(({ heap }) => heap));
  const bufferBytes = middle(rounds.map(({ buffers }) => buffers));
  return {
    name,
    kind,
    usesModel,
    heapBytes,
    bufferBytes,
    bytesAFrame: ((heapBytes + bufferBytes) * FRAME_MS) / audioMs,
  };
}

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

const isJson = process.argv.includes("--json");
const paths = await hotPaths();
const found: Allocation[] = [];
for (const path of paths.frames) if (!isJson || path.usesModel !== true) found.push(await allocationOf(path, "frame"));
for (const path of paths.messages) if (!isJson) found.push(await allocationOf(path, "message"));
await paths.close();
if (isJson) console.log(JSON.stringify(found));
else {
  console.log(`${"".padEnd(40)}   bytes a call (heap + buffers)   bytes a frame of 32 ms`);
  for (const { name, heapBytes, bufferBytes, bytesAFrame } of found)
    console.log(
      `${name.padEnd(40)} ${`${heapBytes.toFixed(0)} + ${bufferBytes.toFixed(0)}`.padStart(31)} ${bytesAFrame.toFixed(0).padStart(24)}`,
    );
}
