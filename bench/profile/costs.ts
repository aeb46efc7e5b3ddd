/** What V8 writes with `--cpu-prof`. Times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly startTime: number;
  readonly endTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface Costs {
  readonly busySeconds: number;
  /** Within the calls into onnxruntime's native part. */
  readonly inferenceSeconds: number;
  /** The rest, by function, most costly first. */
  readonly byFunction: readonly { readonly name: string; readonly seconds: number }[];
}

/** Closing down, at the end of the profile, is no part of it. */
const CLOSING_SECONDS = 3;

/** Of the last `seconds` before the server was told to stop. */
export function costs({ nodes, startTime, endTime, samples, timeDeltas }: CpuProfile, seconds: number): Costs {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const untilUs = endTime - CLOSING_SECONDS * 1e6;
  const fromUs = untilUs - seconds * 1e6;
  const totals = new Map<string, number>();
  let busySeconds = 0;
  let inferenceSeconds = 0;
  let atUs = startTime;
  for (const [index, node] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0;
    atUs += delta;
    const frame = frames.get(node);
    if (frame === undefined || atUs < fromUs || atUs > untilUs || frame.functionName === "(idle)") continue;
    busySeconds += delta / 1e6;
    if (frame.url.endsWith("src/shared/onnx-session.js") && frame.functionName === "run") {
      inferenceSeconds += delta / 1e6;
      continue;
    }
    const file = frame.url.split("/").slice(-2).join("/");
    const name = file === "" ? frame.functionName : `${frame.functionName || "(anonymous)"} ${file}:${String(frame.lineNumber + 1)}`; // prettier-ignore
    totals.set(name, (totals.get(name) ?? 0) + delta / 1e6);
  }
  const byFunction = [...totals].map(([name, spent]) => ({ name, seconds: spent }));
  return { busySeconds, inferenceSeconds, byFunction: byFunction.toSorted((a, b) => b.seconds - a.seconds) };
}
