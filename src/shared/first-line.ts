import type { ChildProcess } from "node:child_process";

/** The first line that a server prints when it is ready. Rejects when the process does not start, or ends before that. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (data: Buffer) => {
      text += data.toString();
      const end = text.indexOf("\n");
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`the server ended with exit code ${String(code)} before it was ready`)),
    );
  });
}
