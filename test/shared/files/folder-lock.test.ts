import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { lockFolder } from "../../../src/shared/files/folder-lock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const LOCK = new URL("../../../src/shared/files/folder-lock.ts", import.meta.url).href;
const node = (script: string, folder: string) =>
  spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", script], {
    env: { ...process.env, LOCK, FOLDER: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });

test("a lock has one holder at a time and leaves no file in the folder", () => {
  const folder = temporaryFolder();
  const first = lockFolder(folder, 0);
  expect(lockFolder(folder, 0)).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
  first?.[Symbol.dispose]();
  lockFolder(folder, 0)?.[Symbol.dispose]();
});

test("the lock of a killed process is free at once, even while its child lives", async () => {
  const folder = temporaryFolder();
  const holder = node(
    `const { lockFolder } = await import(process.env.LOCK);
     globalThis.lock = lockFolder(process.env.FOLDER, 0);
     (await import("node:child_process")).spawn("sleep", ["30"], { stdio: "inherit" }).once("spawn", function () {
       console.log(this.pid);
     });`,
    folder,
  );
  const [line] = (await once(holder.stdout, "data")) as [Buffer];
  expect(lockFolder(folder, 0)).toBeUndefined();
  const exited = once(holder, "exit");
  holder.kill("SIGKILL");
  await exited;
  const lock = lockFolder(folder, 0);
  process.kill(Number(line), "SIGKILL");
  expect(lock).toBeDefined();
  lock?.[Symbol.dispose]();
});

test("processes that start together get the lock one after the other", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "count");
  writeFileSync(file, "0");
  const script = `
    const { lockFolder } = await import(process.env.LOCK);
    const { readFileSync, writeFileSync } = await import("node:fs");
    for (let times = 0; times < 10; times += 1) {
      const lock = lockFolder(process.env.FOLDER, 60);
      const count = Number(readFileSync(process.env.FOLDER + "/count", "utf8"));
      await new Promise((resolve) => setImmediate(resolve));
      writeFileSync(process.env.FOLDER + "/count", String(count + 1));
      lock[Symbol.dispose]();
    }`;
  const ends = Array.from({ length: 4 }, () => once(node(script, folder), "exit"));
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0, 0, 0]);
  expect(readFileSync(file, "utf8")).toBe("40");
});

test("a failure to run flock is reported in one line", () => {
  const folder = temporaryFolder();
  vi.stubEnv("PATH", folder);
  const missing =
    /^\S+ cannot be locked: flock cannot be started \(.*ENOENT.*\)\. The package util-linux has flock\.$/u;
  expect(() => lockFolder(folder, 0)).toThrow(missing);
  writeFileSync(join(folder, "flock"), "#!/bin/sh\necho no locks available >&2; exit 71\n");
  chmodSync(join(folder, "flock"), 0o755);
  vi.stubEnv("PATH", `${folder}:/bin`);
  expect(() => lockFolder(folder, 0)).toThrow(/cannot be locked: no locks available\./u);
  vi.unstubAllEnvs();
  expect(spawnSync("flock", ["--nonblock", folder, "true"]).status).toBe(0);
});
