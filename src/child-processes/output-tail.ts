import type { ChildProcess } from "node:child_process";

const maxLines = 20;
const maxChars = 8_000;
const maxFaults = 2;
const maxFaultChars = 200;

/** How a line of an aborting library begins: ggml, the C++ runtime, Vulkan, LLVM, V8, glibc. This part holds no caller's words. */
const FAULT = [
  /^\S+\.(?:c|cpp|cu|cuh|h|m):\d+: (?:GGML_ASSERT\(.*\) failed|(?:CUDA|ROCm|fatal) error)$/u,
  /^terminate called (?:after throwing an instance of '[\w:]+'|recursively|without an active exception)$/u,
  /^what\(\): +(?:vk::[\w:]+: \w+|std::bad_alloc)$/u,
  /^LLVM ERROR: (?:Cannot select|out of memory)/u,
  /^FATAL ERROR: (?:Reached heap limit|Ineffective mark-compacts near heap limit) Allocation failed/u,
  /^(?:(?:free|malloc|realloc|munmap_chunk)\(\): (?:invalid|corrupted|memory|unaligned|unsorted)|double free or corruption|corrupted (?:size vs\. prev_size|double-linked list))/u,
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

  /** After the start, keeps the matches of `FAULT` alone: native libraries may print a caller's words. */
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
    const faults = lines.flatMap((line) => FAULT.flatMap((form) => form.exec(line)?.[0] ?? []));
    this.#faults.push(...faults.map((fault) => fault.slice(0, maxFaultChars)));
    this.#faults.splice(0, this.#faults.length - maxFaults);
  }
}
