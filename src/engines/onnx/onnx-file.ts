/** Writes ONNX models: the parts of the format (https://onnx.ai/onnx/repo-docs/IR.html) that our graphs need. */

type Integers = readonly number[];
/** Bytes, or their length and a way to read them. */
type Chunk = Uint8Array | { readonly length: number; read(): Uint8Array };
type Chunks = readonly Chunk[];
/** Integers are 0 or more. */
type Attribute = number | { readonly float: number } | Integers;

/** A tensor of floats from or to the caller. A text is the name of a size that may change. */
interface Port {
  readonly name: string;
  readonly shape: readonly (number | string)[];
}

const FLOAT = 1;
const INT64 = 7;
/** ONNX version of the file, and of the operators. */
const IR_VERSION = 9;
const OPSET = 20;
/** onnxruntime's own operators. */
export const MICROSOFT = "com.microsoft";

/** A graph that grows by one operation a call. Tensors are known by their names, which the calls return. */
export class OnnxGraph {
  readonly #nodes: Chunks[] = [];
  readonly #constants: Chunks[] = [];

  /** @param read Its weights. Called when the file is written, so that not all weights are in memory twice. */
  weights(shape: Integers, read: () => Float32Array): string {
    const length = 4 * shape.reduce((product, size) => product * size, 1);
    return this.#constant(FLOAT, shape, { length, read: () => new Uint8Array(read().buffer) });
  }

  integer(value: number): string {
    return this.#constant(INT64, [1], new Uint8Array(BigInt64Array.of(BigInt(value)).buffer));
  }

  #constant(kind: number, shape: Integers, content: Chunk): string {
    const name = `constant${String(this.#constants.length)}`;
    const dimensions = shape.flatMap((length) => number(1, length));
    this.#constants.push([...dimensions, ...number(2, kind), ...text(8, name), ...part(9, [content])]);
    return name;
  }

  /** Adds an operation. @returns The name of its output. */
  node(
    operation: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    domain = "",
  ): string {
    const output = `node${String(this.#nodes.length)}`;
    this.#nodes.push([
      ...inputs.flatMap((name) => text(1, name)),
      ...text(2, output),
      ...text(4, operation),
      ...Object.entries(attributes).flatMap(([name, value]) => part(5, [...text(1, name), ...attribute(value)])),
      ...text(7, domain),
    ]);
    return output;
  }

  /** The file. */
  write(inputs: readonly Port[], outputs: readonly Port[]): Uint8Array<ArrayBuffer> {
    const graph = [
      ...this.#nodes.flatMap((node) => part(1, node)),
      ...text(2, "graph"),
      ...this.#constants.flatMap((constant) => part(5, constant)),
      ...inputs.flatMap((port) => part(11, portBytes(port))),
      ...outputs.flatMap((port) => part(12, portBytes(port))),
    ];
    const opsets = [
      [...text(1, ""), ...number(2, OPSET)],
      [...text(1, MICROSOFT), ...number(2, 1)],
    ];
    return joined([...number(1, IR_VERSION), ...part(7, graph), ...opsets.flatMap((opset) => part(8, opset))]);
  }
}

function attribute(value: Attribute): Chunks {
  if (typeof value === "number") return [...number(3, value), ...number(20, 2)];
  if (!("float" in value)) return [...value.flatMap((item) => number(8, item)), ...number(20, 7)];
  const float = Buffer.alloc(4);
  float.writeFloatLE(value.float);
  return [Uint8Array.of((2 << 3) | 5), float, ...number(20, 1)];
}

function portBytes({ name, shape }: Port): Chunks {
  const dimensions = shape.flatMap((size) => part(1, typeof size === "number" ? number(1, size) : text(2, size)));
  const tensor = [...number(1, FLOAT), ...part(2, dimensions)];
  return [...text(1, name), ...part(2, part(1, tensor))];
}

// Protocol buffers: each field is its number and kind, then a number or the bytes with their length. The parts are joined at the
// end.

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.of(...bytes, rest);
    bytes.push((rest % 128) + 128);
  }
}
const number = (field: number, value: number): Chunks => [varint(field << 3), varint(value)];
const part = (field: number, chunks: Chunks): Chunks => [varint((field << 3) | 2), varint(lengthOf(chunks)), ...chunks];
const text = (field: number, value: string): Chunks => part(field, [Buffer.from(value)]);
const lengthOf = (chunks: Chunks) => chunks.reduce((sum, { length }) => sum + length, 0);

function joined(chunks: Chunks): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(lengthOf(chunks));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set("read" in chunk ? chunk.read() : chunk, at);
    at += chunk.length;
  }
  return bytes;
}
