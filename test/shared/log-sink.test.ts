import { spawnSync } from "node:child_process";
import { closeSync, constants, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LogSink } from "../../src/shared/log-sink.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
/** A reader that reads only on request, like a stalled journal or pager. */
let pipe = -1;
let sink: LogSink;

beforeEach(() => {
  vi.useFakeTimers();
  const path = join(folder, "pipe");
  expect(spawnSync("mkfifo", [path]).status).toBe(0);
  pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  sink = new LogSink(pipe, (count, cause) => `lost ${String(count)}: ${cause}\n`);
});

afterEach(() => {
  vi.useRealTimers();
  closeSync(pipe);
  rmSync(join(folder, "pipe"));
});

/** All that the pipe holds, after `seconds` of reading on. */
function read(seconds = 0): string {
  const buffer = Buffer.alloc(8_000_000);
  let size = 0;
  const empty = () => {
    try {
      for (;;) size += readSync(pipe, buffer, size, buffer.length - size, null);
    } catch (error) {
      expect(error).toMatchObject({ code: "EAGAIN" });
    }
  };
  for (let second = 0; second < seconds; second += 1) {
    empty();
    vi.advanceTimersByTime(1_000);
  }
  empty();
  return buffer.toString("utf8", 0, size);
}

const line = (number: number) => `line ${String(number).padStart(5, "0")} ${"é".repeat(40)}\n`;
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => line(from + at));

it("writes each line at once", () => {
  sink.write("one\n");
  expect(read()).toBe("one\n");
});

it("buffers lines for a blocked reader and writes them complete and in order afterwards", () => {
  for (const text of lines(0, 3_000)) sink.write(text);
  expect(vi.getTimerCount()).toBe(1);
  expect(read(10)).toBe(lines(0, 3_000).join(""));
  sink.write(line(3_000));
  expect(read()).toBe(line(3_000));
  expect(vi.getTimerCount()).toBe(0);
});

it("buffers about a megabyte and reports the number of dropped lines and the cause", () => {
  for (const text of lines(0, 50_000)) sink.write(text);
  const seen = read(60);
  const told = /^lost (\d+): (.*)$/mu.exec(seen);
  const kept = seen.split("\n").filter((text) => text.startsWith("line "));
  expect(kept).toEqual(lines(0, kept.length).map((text) => text.trimEnd()));
  expect(kept.length).toBeGreaterThan(10_000);
  expect(Number(told?.[1])).toBe(50_000 - kept.length);
  expect(told?.[2]).toMatch(/EAGAIN/u);
  expect(seen.match(/^lost/gmu)).toHaveLength(1);
});

it("a full disk does not throw", () => {
  const full = openSync("/dev/full", "w");
  const log = new LogSink(full, String);
  for (const text of lines(0, 100)) log.write(text);
  vi.advanceTimersByTime(10_000);
  log.flush();
  closeSync(full);
});
