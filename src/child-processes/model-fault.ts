/** Messages of ONNX Runtime and llama.cpp about a truncated or overwritten file. */
const DAMAGED =
  /Protobuf parsing failed|ModelProto does not have a graph|not within the file bounds|failed to read|failed to load model from|is out of range/u;
const NAMED_FILE = /Load model from (?<file>\S+) failed/u;

/** Translates a library's message about an unusable model for the operator. Other messages stay unchanged. */
export function describeModelFault(message: string): string {
  if (!DAMAGED.test(message)) return message;
  const file = NAMED_FILE.exec(message)?.groups?.["file"] ?? "the file";
  return `${file} is truncated or damaged, or not of the right kind`;
}
