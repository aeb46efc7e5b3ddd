import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { OakError } from "../shared/errors.ts";

const BLOCK_BYTES = 512;
const CUT_OFF = "the file ends too early. Copy it again";

/** Messages of GNU tar in English, with the cause and remedy for the operator. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/No space left on device|Disk quota exceeded|Wrote only/u, "the disk is full. Make room, then try again"],
  [/Read-only file system/u, "the file system is read-only. Make it writable, or set another data_dir"],
  [/bzip2: (?:Cannot exec|not found)/u, "bzip2 is missing. Install it (apt-get install bzip2)"],
  [/is compressed/u, "it is compressed. Unpack it once, then try again"],
  [/Unexpected EOF/u, CUT_OFF],
  [/does not look like a tar archive|Skipping to next header/u, "it is not a tar file, or is damaged. Copy it again"],
  [/Member name contains/u, "it holds a file name that leads out of its folder. Do not use it"],
];
/** Lines that do not explain the cause. */
const NOISE =
  /^$|Removing leading|Exiting with failure|not recoverable|Child (?:returned|died)|had leftover|time stamp/u;

interface Files {
  /** Working folder of tar. */
  readonly folder: string;
  readonly archive: string;
}

/** Packs folders of `folder` into a new file. @throws OakError `UNPACK_FAILED`. */
export async function packTar({ folder, archive }: Files, names: readonly string[]): Promise<void> {
  await using file = await open(archive, "w");
  await runTar(["-cf", "-", "--", ...names], folder, ["ignore", file.fd, "pipe"], `${archive} cannot be written`);
  await file.sync();
}

/** Unpacks a file into `folder`. @param options Such as "-j" for bzip2. @throws OakError `UNPACK_FAILED`. */
export async function unpackTar({ folder, archive }: Files, ...options: string[]): Promise<void> {
  await using file = await open(archive, "r");
  const args = ["-xf", "-", ...options, "--no-same-owner", "--no-same-permissions"];
  const fault = `${archive} cannot be unpacked`;
  await runTar(args, folder, [file.fd, "ignore", "pipe"], fault);
  // tar accepts some archives that end too early.
  const isCutOff = !options.includes("-j") && (await file.stat()).size % BLOCK_BYTES > 0;
  if (isCutOff) throw new OakError(`${fault}: ${CUT_OFF}.`, { code: "UNPACK_FAILED" });
}

/** tar gets the archive as an open file, because it takes a name such as "host:file" for another machine's file. */
function runTar(
  args: readonly string[],
  folder: string,
  stdio: ["ignore" | number, "ignore" | number, "pipe"],
  fault: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new OakError(`${fault}: ${why}.`, { code: "UNPACK_FAILED" }));
    const child = spawn("tar", args, { cwd: folder, stdio, env: { PATH: process.env["PATH"], LC_ALL: "C" } });
    let output = "";
    child.stderr?.on("data", (data: Buffer) => (output = `${output}${data.toString()}`.slice(-10_000)));
    child.once("error", () => fail("tar cannot be started. Install tar and bzip2"));
    child.once("close", (code) => (code === 0 ? resolve() : fail(whyOf(output) ?? `tar ended with ${String(code)}`)));
  });
}

function whyOf(output: string): string | undefined {
  const known = FAULTS.find(([pattern]) => pattern.test(output))?.[1];
  const lines = output.split("\n").map((line) => line.replace(/^tar(?: \(child\))?: /u, "").trim());
  return known ?? lines.find((line) => !NOISE.test(line));
}
