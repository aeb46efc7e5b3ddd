import "../src/node-version.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { errorMessage } from "../src/shared/errors.ts";
import { exitOnOutputError } from "../src/shared/standard-output.ts";
import { parseReplayLog, replay, rerecord } from "../src/conversation/turn/replay-log.ts";

exitOnOutputError("replay");
const [file, update] = process.argv.slice(2);
if (file === undefined || (update !== undefined && update !== "--update")) {
  process.stderr.write(
    "npm run replay -- FILE [--update]   (a file of trace_dir; --update writes what the machine asks for now)\n",
  );
  process.exit(2);
}
try {
  const lines = parseReplayLog(readFileSync(file, "utf8"));
  const differences = replay(lines);
  for (const { line, event, recorded, now } of differences)
    process.stdout.write(
      `line ${String(line)}: ${JSON.stringify(event)}\n  then ${JSON.stringify(recorded)}\n  now  ${JSON.stringify(now)}\n`,
    );
  process.stdout.write(`${String(lines.length)} lines, ${String(differences.length)} differences\n`);
  if (update !== undefined)
    writeFileSync(
      file,
      rerecord(lines)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
  process.exitCode = differences.length === 0 || update !== undefined ? 0 : 1;
} catch (error) {
  process.stderr.write(`${file} is no trace that can be replayed: ${errorMessage(error)}\n`);
  process.exitCode = 2;
}
