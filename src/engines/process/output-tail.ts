import type { ChildProcess } from "node:child_process";

const maxLines = 20;
const maxChars = 8_000;

/** Keeps the last lines that a starting child prints. Reads until the end, so that the child never blocks on a full pipe. */
export class OutputTail {
  #text = "";
  #kept = true;

  constructor(child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        if (this.#kept) this.#text = (this.#text + text).slice(-maxChars);
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

  discard(): void {
    this.#kept = false;
    this.#text = "";
  }
}
