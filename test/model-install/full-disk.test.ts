import { expect, test } from "vitest";
import { canMount, onSmallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const INSTALL = "oakvoice models install --profile cpu --accept-licences | grep -v ' MB, '";

test.skipIf(!canMount)("installing on a read-only or full disk is refused in one line", () => {
  const said = onSmallDisk(`
    mount -o remount,ro "$DISK"
    ${INSTALL}
    mount -o remount,rw "$DISK"
    fill
    ${INSTALL}
  `);
  expect(said.trim().split("\n")).toEqual([
    expect.stringMatching(/^oakvoice: \/\S+: the file system is read-only \(EROFS\)\. Make it writable/u),
    "exit 1",
    expect.stringMatching(/^oakvoice: \/\S+ has 0 MB free, and the models need \d+ MB more\. Make room/u),
    "exit 1",
  ]);
});

/** A model of 100 kB whose catalogue entry says 1 kB, so that the disk gets full on the way. */
const FILL_BY_INSTALLING = `
  const { installModels } = await import(process.env.INSTALL);
  const { createHash } = await import("node:crypto");
  const { writeFileSync, readdirSync } = await import("node:fs");
  const { createServer } = await import("node:http");
  const folder = process.env.SOURCE;
  const bytes = Buffer.alloc(100_000, 1);
  writeFileSync(folder + "/ears.bin", bytes);
  const server = createServer((_, response) => response.end(bytes)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const model = {
    id: "ears", role: "stt", engine: "whisper-cpp", size_mb: 0.001, licence: "MIT", languages: [], profiles: [],
    shipped: false, source: "https://example.invalid/ears.bin", path: "ears.bin", unpack: "none",
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
  const mirror = "http://127.0.0.1:" + server.address().port;
  for (const source of [{ folder }, { mirror }]) {
    const options = { dataDir: process.env.DISK, source, signal: new AbortController().signal, onProgress() {} };
    const error = await installModels([model], options).catch((cause) => cause);
    console.log(error.code, error.message, readdirSync(process.env.DISK + "/models/.staging/ears"));
  }
  process.exit();
`;

test.skipIf(!canMount)(
  "a disk that fills up during a download is reported in one line, and the downloaded part stays",
  () => {
    const said = onSmallDisk('"$NODE" --import tsx --input-type=module --eval "$SCRIPT"', {
      SCRIPT: FILL_BY_INSTALLING,
      SOURCE: temporaryFolder(),
      INSTALL: new URL("../../src/model-install/install.ts", import.meta.url).href,
    });
    const [copied, fetched] = said.trim().split("\n");
    expect(copied).toMatch(/ENOSPC: .* \[\]$/u);
    expect(fetched).toMatch(
      /^DISK_FAILED \S+ears\.bin\.part: the disk is full \(ENOSPC\)\. Make room, then try again\. .*\[ 'ears\.bin\.part' \]$/u,
    );
  },
);
