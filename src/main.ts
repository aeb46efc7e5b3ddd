#!/usr/bin/env node
import "./node-version.ts";

// Import the program only after the version check: an old Node cannot link or run it.
import("./command-line.ts").then(
  ({ runCommandLine }) => runCommandLine(process.argv.slice(2)),
  (error: unknown) => {
    const [line = ""] = String(error).split("\n");
    process.stderr.write(`oakvoice: The program cannot be loaded: ${line}. Install it again ("npm ci").\n`);
    process.exit(1);
  },
);
