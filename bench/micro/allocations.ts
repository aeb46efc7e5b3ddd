import { hotPaths, type HotPath } from "./hot-paths.ts";

/**
 * `npm run bench:allocations`: bytes that each hot path leaves behind for each frame of audio; with --json only of the frames' own steps, for programs. Needs
 * `node --expose-gc`, a young generation that holds it all (`--min-semi-space-size=128`), so that nothing is collected while
 * it is counted, and `--no-concurrent-recompilation`: code that waits for its compiler makes more garbage.
 */
export interface Allocation {
  readonly name: string;
  readonly kind: "frame" | "message";
  readonly usesModel: boolean;
  /** Bytes of V8's heap per call. */
  readonly heapBytes: number;
  /** Bytes of array buffers per call. */
  readonly bufferBytes: number;
  /** Both together, per frame of 32 ms. */
  readonly bytesAFrame: number;
}

const FRAME_MS = 32;
/** Optimised code allocates less: it has to be reached first. */
const WARM_UP_CALLS = 4000;
const WARM_UP_MODEL_FRAMES = 6000;
/** Enough calls that the counting itself does not matter. */
const CALLS = 2000;
/** Fewer, because a model is slow. */
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
  // The one in the middle: in some a buffer is given back, in some the runtime does something of its own.
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
