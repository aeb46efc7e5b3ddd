import { readdirSync } from "node:fs";
import { pino } from "pino";
import { expect, test } from "vitest";
import { ReplayLogFile } from "../../../src/conversation/turn/replay-log-file.ts";
import { withFileSizeLimit } from "../../support/file-size-limit.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("a trace that cannot be written to the disk is removed, with one log line", async () => {
  const folder = temporaryFolder();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  await withFileSizeLimit(100, async () => {
    const trace = new ReplayLogFile(folder, "call", log);
    const line = { type: "frame" } as unknown as Parameters<typeof trace.write>[0];
    for (let count = 0; count < 100; count += 1) trace.write(line);
    await trace.close();
  });
  expect(readdirSync(folder)).toEqual([]);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    msg: "a replay log could not be written",
    fault: expect.stringContaining(`${folder}: it is larger than this process may write (EFBIG)`),
  });
});
