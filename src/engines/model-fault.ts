/** What ONNX Runtime and llama.cpp say of a file that ends too early or was overwritten. */
const DAMAGED =
  /Protobuf parsing failed|ModelProto does not have a graph|not within the file bounds|failed to read|failed to load model from|is out of range/u;
const NAMED_FILE = /Load model from (?<file>\S+) failed/u;

/** A library's message about a model that cannot be loaded, in words for the operator. Other messages stay as they are. */
export function describeModelFault(message: string): string {
  if (!DAMAGED.test(message)) return message;
  const file = NAMED_FILE.exec(message)?.groups?.["file"] ?? "the file";
  return `${file} is truncated or damaged, or not of the right kind`;
}
