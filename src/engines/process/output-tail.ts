import type { ChildProcess } from "node:child_process";

const maxLines = 20;
const maxChars = 8_000;
const maxFaults = 2;
const maxFaultChars = 200;

/** Last lines of a native library that aborts: ggml, Vulkan, the C++ runtime, LLVM, glibc, V8. They hold no caller's words. */
const FAULT = [
  /^\S+:\d+: (?:GGML_ASSERT\(.*\) failed|[\w ]*error)$/u,
  /^terminate called (?:after throwing an instance of '[\w:]+'|recursively|without an active exception)$/u,
  /^what\(\): +(?:vk::[\w:]+: \w+|std::bad_alloc)$/u,
  /^(?:LLVM|FATAL) ERROR: .+$/u,
  /^(?:(?:free|malloc|realloc|munmap_chunk)\(\): |double free or corruption|corrupted (?:size|double-linked)).*$/u,
];

/** Keeps the last lines that a child prints. Reads until the end, so that the child never blocks on a full pipe. */
export class OutputTail {
  #text = "";
  #starting = true;
  readonly #faults: string[] = [];

  constructor(child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#text = (this.#text + text).slice(-maxChars);
        if (!this.#starting) this.#keepFaults();
      });
    }
  }

  /** The last line that looks like an error, otherwise the last line. */
  lastLine(): string {
    const lines = this.#text.split("\n").map((line) => line.trim());
    const spoken = lines
      .filter((line) => line !== "" && !line.startsWith("at ") && !line.startsWith("Node.js v"))
      .slice(-maxLines);
    return spoken.findLast((line) => /error|fail|abort|assert|invalid|cannot|not /i.test(line)) ?? spoken.at(-1) ?? "";
  }

  /** After the start, keeps lines of `FAULT` alone: native libraries may print a caller's words. */
  started(): void {
    this.#starting = false;
    this.#text = "";
  }

  /** Why the child aborted after its start, on one line; "" when it printed nothing known. */
  fault(): string {
    return this.#faults.join(" ");
  }

  #keepFaults(): void {
    const lines = this.#text.split("\n").map((line) => line.trim());
    this.#text = lines.pop() ?? "";
    const faults = lines.filter((line) => FAULT.some((form) => form.test(line)));
    this.#faults.push(...faults.map((line) => line.slice(0, maxFaultChars)));
    this.#faults.splice(0, this.#faults.length - maxFaults);
  }
}
