/** A profile of V8's sampling profiler. Times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly children?: readonly number[] | undefined;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples?: readonly number[] | undefined;
  readonly timeDeltas?: readonly number[] | undefined;
}

export interface Cost {
  readonly name: string;
  /** Share of the time that is neither idle nor inference. */
  readonly share: number;
}

/** The server's work by function, most costly first, without the calls into onnxruntime's native part. */
export function costs({ nodes, samples = [], timeDeltas = [] }: CpuProfile): readonly Cost[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  // A node precedes the functions it calls. The package's native part is a nameless function under its node.
  const inference = new Set<number>();
  for (const { id, callFrame, children = [] } of nodes) {
    if (!inference.has(id) && !isInference(callFrame)) continue;
    for (const below of [id, ...children]) inference.add(below);
  }
  const totals = new Map<string, number>();
  let all = 0;
  for (const [index, node] of samples.entries()) {
    const frame = frames.get(node);
    if (frame === undefined || frame.functionName === "(idle)" || inference.has(node)) continue;
    const file = frame.url.split("/").slice(-2).join("/");
    const called = frame.functionName || "(anonymous)";
    const name = file === "" ? called : `${called} ${file}:${String(frame.lineNumber + 1)}`;
    const delta = timeDeltas[index] ?? 0;
    totals.set(name, (totals.get(name) ?? 0) + delta);
    all += delta;
  }
  return [...totals].map(([name, spent]) => ({ name, share: spent / all })).toSorted((a, b) => b.share - a.share);
}

const isInference = ({ url, functionName }: CpuProfile["nodes"][number]["callFrame"]): boolean =>
  url.endsWith("src/shared/onnx-session.js") && functionName === "run";
