import { bytesOf, type Piece } from "./write-pieces.ts";

const FLOAT = 1;
const INT64 = 7;
const IR_VERSION = 8;
const OPSET = 17;

type Attribute = number | string | readonly number[] | { readonly float: number };

/** An ONNX graph under construction. Values are known by name. */
export class OnnxGraph {
  readonly #parts: Piece[] = [];
  #names = 0;

  /** Adds a node. @returns Its output, or the first of `outputs`. */
  node(
    type: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    outputs = [this.#name()],
  ): string {
    const parts = [
      ...inputs.map((input) => text(1, input)),
      ...outputs.map((output) => text(2, output)),
      text(4, type),
      ...Object.entries(attributes).map(([name, value]) => message(5, encodeAttribute(name, value))),
    ];
    this.#parts.push(...message(1, parts.flat()));
    return outputs[0] ?? "";
  }

  /** As many outputs as asked for. */
  nodes(
    type: string,
    inputs: readonly string[],
    count: number,
    attributes: Readonly<Record<string, Attribute>>,
  ): readonly string[] {
    const outputs = Array.from({ length: count }, () => this.#name());
    this.node(type, inputs, attributes, outputs);
    return outputs;
  }

  /** Noise with this standard deviation. */
  noise(shape: readonly number[], deviation: number): string {
    const count = shape.reduce((product, length) => product * length, 1);
    return this.#tensor(shape, FLOAT, { packing: "f32", rowLength: count, rows: 1, noise: deviation });
  }

  floats(shape: readonly number[], value: number): string {
    const count = shape.reduce((product, length) => product * length, 1);
    return this.#tensor(shape, FLOAT, Buffer.from(new Float32Array(count).fill(value).buffer));
  }

  integers(...values: readonly number[]): string {
    return this.#tensor([values.length], INT64, Buffer.from(BigInt64Array.from(values, BigInt).buffer));
  }

  /** The model file. Dimensions: a number, or a name for one that varies. */
  file(
    inputs: Readonly<
      Record<string, { readonly type: "float" | "int64"; readonly shape: readonly (number | string)[] }>
    >,
    output: { readonly name: string; readonly shape: readonly (number | string)[] },
    metadata: Readonly<Record<string, string | number>>,
  ): readonly Piece[] {
    const graph = [
      ...this.#parts,
      text(2, "rehearsal"),
      ...Object.entries(inputs).flatMap(([name, { type, shape }]) =>
        message(11, valueInfo(name, type === "float" ? FLOAT : INT64, shape)),
      ),
      ...message(12, valueInfo(output.name, FLOAT, output.shape)),
    ];
    return [
      integer(1, IR_VERSION),
      ...message(7, graph),
      ...message(8, [text(1, ""), integer(2, OPSET)]),
      ...Object.entries(metadata).flatMap(([key, value]) => message(14, [text(1, key), text(2, String(value))])),
    ];
  }

  #tensor(shape: readonly number[], type: number, data: Piece): string {
    const name = this.#name();
    const dimensions = shape.map((length) => integer(1, length));
    this.#parts.push(...message(5, [...dimensions, integer(2, type), text(8, name), ...message(9, [data])]));
    return name;
  }

  #name(): string {
    this.#names += 1;
    return `v${String(this.#names)}`;
  }
}

function encodeAttribute(name: string, value: Attribute): readonly Piece[] {
  if (typeof value === "number") return [text(1, name), integer(3, value), integer(20, 2)];
  if (typeof value === "string") return [text(1, name), text(4, value), integer(20, 3)];
  if (!("float" in value)) return [text(1, name), ...value.map((item) => integer(8, item)), integer(20, 7)];
  const bytes = Buffer.alloc(5);
  bytes[0] = (2 << 3) | 5;
  bytes.writeFloatLE(value.float, 1);
  return [text(1, name), bytes, integer(20, 1)];
}

function valueInfo(name: string, type: number, shape: readonly (number | string)[]): readonly Piece[] {
  const dimensions = shape.flatMap((length) =>
    message(1, [typeof length === "number" ? integer(1, length) : text(2, length)]),
  );
  return [text(1, name), ...message(2, message(1, [integer(1, type), ...message(2, dimensions)]))];
}

/** A protobuf field that holds a message, or bytes. */
const message = (field: number, parts: readonly Piece[]): readonly Piece[] => [
  Buffer.concat([varint((field << 3) | 2), varint(bytesOf(parts))]),
  ...parts,
];

const text = (field: number, value: string): Buffer =>
  Buffer.concat([varint((field << 3) | 2), varint(Buffer.byteLength(value)), Buffer.from(value)]);

/** Not negative. */
const integer = (field: number, value: number): Buffer => Buffer.concat([varint(field << 3), varint(value)]);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}
