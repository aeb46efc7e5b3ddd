import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { modelFolder, modelPath, type DownloadedModel } from "../../src/config/model-catalog.ts";
import { modelsCommand } from "../../src/models/commands.ts";
import { bundleModels, installBundle, installModels } from "../../src/models/install.ts";
import { installState, removeModel, requireInstalled, verifyModel, writeManifest } from "../../src/models/installed.ts";
import { verifyShipped } from "../../src/models/shipped.ts";

let root: string;
let dataDir: string;
let files: string;
let server: Server;
let mirror: string;
let single: DownloadedModel;
let archive: DownloadedModel;

function describeModel(id: string, file: string, path: string, unpack: DownloadedModel["unpack"]): DownloadedModel {
  const sha256 = createHash("sha256")
    .update(readFileSync(join(files, file)))
    .digest("hex");
  const source = `https://example.invalid/models/${file}`;
  const facts = { role: "stt", engine: "whisper-cpp", size_mb: 1, licence: "MIT" } as const;
  return { id, ...facts, languages: ["en"], profiles: ["cpu"], shipped: false, source, sha256, path, unpack };
}

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "oakvoice-test-"));
  dataDir = join(root, "data");
  files = join(root, "files");
  mkdirSync(join(files, "voice"), { recursive: true });
  writeFileSync(join(files, "ears.bin"), "model of speech");
  writeFileSync(join(files, "voice", "model.onnx"), "voice");
  writeFileSync(join(files, "voice", "tokens.txt"), "a 1");
  expect(spawnSync("tar", ["-cjf", join(files, "voice.tar.bz2"), "-C", files, "voice"]).status).toBe(0);
  single = describeModel("ears", "ears.bin", "ears.bin", "none");
  archive = describeModel("voice", "voice.tar.bz2", "voice", "tar.bz2");
  server = createServer((request, response) => {
    const file = join(files, request.url ?? "");
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  mirror = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

const install = async (models: readonly DownloadedModel[], source: Parameters<typeof installModels>[1]["source"]) =>
  installModels(models, { dataDir, source, signal: new AbortController().signal, onProgress: () => undefined });

describe("installing models", () => {
  it("fetches, unpacks and verifies; a second time there is nothing to do", async () => {
    await install([single, archive], { mirror });
    expect(readFileSync(modelPath(single, dataDir), "utf8")).toBe("model of speech");
    expect(readFileSync(join(modelPath(archive, dataDir), "tokens.txt"), "utf8")).toBe("a 1");
    expect([installState(single, dataDir), await verifyModel(archive, dataDir)]).toEqual(["installed", []]);
    expect(readdirSync(join(dataDir, "models", ".staging"))).toEqual([]);
    server.close();
    await install([single, archive], { mirror });
  });

  it("takes files from a folder, and refuses those that are others", async () => {
    await install([single], { folder: files });
    expect(installState(single, dataDir)).toBe("installed");
    writeFileSync(join(files, "voice.tar.bz2"), "not it");
    await expect(install([archive], { folder: files })).rejects.toMatchObject({ code: "CHECKSUM_WRONG" });
    await expect(install([archive], { folder: root })).rejects.toMatchObject({ code: "MODEL_MISSING" });
    expect(installState(archive, dataDir)).toBe("missing");
  });

  it("one model that fails does not keep the others out", async () => {
    const gone = { ...single, id: "gone", source: "https://example.invalid/gone.bin" };
    await expect(install([gone, single, archive], { mirror })).rejects.toThrow(/404/u);
    expect([installState(single, dataDir), installState(archive, dataDir)]).toEqual(["installed", "installed"]);
    expect(installState(gone, dataDir)).toBe("missing");
  });

  it("says when an archive is none, or holds something else", async () => {
    writeFileSync(join(files, "broken.tar.bz2"), "no archive");
    const broken = describeModel("broken", "broken.tar.bz2", "voice", "tar.bz2");
    await expect(install([broken], { mirror })).rejects.toMatchObject({ code: "UNPACK_FAILED" });
    const other = { ...archive, id: "other", path: "another-voice" };
    await expect(install([other], { mirror })).rejects.toThrow(/does not hold another-voice/u);
    expect(installState(other, dataDir)).toBe("missing");
  });

  it("does not fetch an archive again that could not be unpacked", async () => {
    const bin = join(root, "bin");
    mkdirSync(bin);
    symlinkSync(spawnSync("which", ["tar"]).stdout.toString().trim(), join(bin, "tar"));
    vi.stubEnv("PATH", bin); // no bzip2
    await expect(install([archive], { mirror })).rejects.toMatchObject({ code: "UNPACK_FAILED" });
    vi.unstubAllEnvs();
    server.close();
    await install([archive], { mirror });
    expect(await verifyModel(archive, dataDir)).toEqual([]);
  });

  it("can be stopped while it reads what an earlier try has fetched", async () => {
    const file = join(dataDir, "models", ".staging", single.id, "ears.bin");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "");
    truncateSync(file, 2 ** 37); // holes: minutes to read
    const stop = new AbortController();
    const options = { dataDir, source: { mirror }, signal: stop.signal, onProgress: () => undefined };
    const stopped = installModels([single], options);
    setTimeout(() => stop.abort(new Error("enough")), 50);
    await expect(stopped).rejects.toThrow("enough");
  });

  it("fetches again what lies where a finished file would, and is not it", async () => {
    const staging = join(dataDir, "models", ".staging", single.id);
    for (const source of [{ mirror }, { folder: files }]) {
      mkdirSync(staging, { recursive: true });
      writeFileSync(join(staging, "ears.bin"), "half of a mod");
      await install([single], source);
      expect(await verifyModel(single, dataDir)).toEqual([]);
      await removeModel(single, dataDir);
    }
  });

  it("is refused while another installs, and after a crash says which file to delete", async () => {
    let answer = (): void => undefined;
    server.removeAllListeners("request");
    const asked = new Promise<void>((resolve) => {
      server.once("request", (_, response) => {
        resolve();
        answer = () => void response.end("model of speech");
      });
    });
    const first = install([single], { mirror });
    await asked;
    const lock = join(dataDir, "models", ".staging", "install.lock");
    const held = { code: "MODELS_LOCKED", message: expect.stringMatching(`${lock}.*process ${String(process.pid)} `) };
    await expect(install([archive], { folder: files })).rejects.toMatchObject(held);
    const out = join(root, "bundle.tar");
    await expect(installBundle(out, [single], dataDir)).rejects.toMatchObject(held);
    answer();
    await first;
    expect(installState(single, dataDir)).toBe("installed");

    writeFileSync(lock, `${String(spawnSync("true").pid)}\n`);
    await expect(install([archive], { folder: files })).rejects.toThrow(/install\.lock .*Delete that file/u);
    rmSync(lock);
    await install([archive], { folder: files });
    expect(existsSync(lock)).toBe(false);
  });

  it("lets the next one install after one that failed", async () => {
    await expect(install([{ ...single, sha256: "0".repeat(64) }], { folder: files })).rejects.toThrow(/sha256/u);
    await install([single], { folder: files });
    expect(installState(single, dataDir)).toBe("installed");
  });

  it("refuses to begin without room on the disk", async () => {
    await expect(install([{ ...single, size_mb: 1e9 }], { mirror })).rejects.toMatchObject({ code: "DISK_FULL" });
  });

  it("begins on a disk that has room for what is not fetched yet", async () => {
    const { bavail, bsize } = statfsSync(root);
    const large = { ...single, size_mb: (bavail * bsize) / 1e6 };
    const nowhere = { folder: join(root, "none") };
    await expect(install([large], nowhere)).rejects.toMatchObject({ code: "DISK_FULL" });
    const part = join(dataDir, "models", ".staging", large.id, "ears.bin.part");
    mkdirSync(dirname(part), { recursive: true });
    writeFileSync(part, "");
    truncateSync(part, Math.round(large.size_mb * 0.9e6)); // holes: no place on the disk
    await expect(install([large], nowhere)).rejects.toMatchObject({ code: "MODEL_MISSING" });
    const other = { ...large, id: "other" };
    await expect(install([large, other], nowhere)).rejects.toMatchObject({ code: "DISK_FULL" });
  });

  it("finds what was changed, lost or added, and removes a model", async () => {
    await install([archive], { mirror });
    const folder = modelPath(archive, dataDir);
    appendFileSync(join(folder, "model.onnx"), "!");
    writeFileSync(join(folder, "tokens.txt"), "b 1");
    writeFileSync(join(folder, "more.txt"), "");
    expect((await verifyModel(archive, dataDir))?.join("; ")).toMatch(
      /model\.onnx has 6 bytes.*tokens\.txt has changed.*more\.txt does not belong/u,
    );
    rmSync(join(folder, "model.onnx"));
    expect((await verifyModel(archive, dataDir))?.join("; ")).toMatch(/model\.onnx is missing/u);
    await removeModel(archive, dataDir);
    expect(installState(archive, dataDir)).toBe("missing");
  });
});

describe("a bundle", () => {
  it("carries installed models to a machine without a network", async () => {
    const out = join(root, "bundle.tar");
    await expect(bundleModels([single, archive], dataDir, out)).rejects.toMatchObject({ code: "MODEL_MISSING" });
    await install([single, archive], { mirror });
    await bundleModels([single, archive], dataDir, out);
    const there = join(root, "there");
    expect(await installBundle(out, [single, archive], there)).toEqual(["ears", "voice"]);
    expect([await verifyModel(single, there), await verifyModel(archive, there)]).toEqual([[], []]);
  });

  it("is refused when a byte of it changed", async () => {
    await install([single], { mirror });
    appendFileSync(modelPath(single, dataDir), "!");
    const out = join(root, "bundle.tar");
    await bundleModels([single], dataDir, out);
    await expect(installBundle(out, [single], join(root, "there"))).rejects.toMatchObject({ code: "CHECKSUM_WRONG" });
    expect(installState(single, join(root, "there"))).toBe("missing");
    writeFileSync(out, "no tar file");
    await expect(installBundle(out, [single], join(root, "there"))).rejects.toMatchObject({ code: "UNPACK_FAILED" });
  });
});

describe("a bundle made to harm", () => {
  /** What an installed model's folder is packed as, after somebody had it. */
  const forged = async (model: DownloadedModel, forge: (folder: string) => void): Promise<string> => {
    await install([model], { mirror });
    const folder = modelFolder(model, dataDir);
    rmSync(join(folder, "manifest.json"));
    forge(folder);
    await writeManifest(folder, model.id, model.sha256);
    const out = join(root, "forged.tar");
    expect(spawnSync("tar", ["-cf", out, "-C", dirname(folder), model.id]).status).toBe(0);
    return out;
  };
  const there = () => join(root, "there");

  it("another model under a manifest that fits is not the one that the catalogue names", async () => {
    const out = await forged(single, () => writeFileSync(modelPath(single, dataDir), "a model that listens in"));
    await expect(installBundle(out, [single], there())).rejects.toMatchObject({ code: "CHECKSUM_WRONG" });
    expect(installState(single, there())).toBe("missing");
  });

  it("links lead nowhere outside", async () => {
    writeFileSync(join(root, "secret"), "of somebody else");
    const out = await forged(archive, (folder) => symlinkSync(join(root, "secret"), join(folder, "voice", "link.txt")));
    await expect(installBundle(out, [archive], there())).rejects.toThrow(/link\.txt/u);
    const inner = await forged(archive, (folder) => {
      rmSync(join(folder, "voice", "link.txt"), { force: true });
      symlinkSync("tokens.txt", join(folder, "voice", "inside.txt"));
    });
    expect(await installBundle(inner, [archive], there())).toEqual(["voice"]);
  });

  it("a folder that is a link, or a pipe that nobody writes, is refused and not waited for", async () => {
    await install([single], { mirror });
    const folder = modelFolder(single, dataDir);
    const out = join(root, "forged.tar");
    renameSync(folder, join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), folder);
    expect(spawnSync("tar", ["-cf", out, "-C", dirname(folder), single.id]).status).toBe(0);
    await expect(installBundle(out, [single], there())).rejects.toMatchObject({ code: "CHECKSUM_WRONG" });
    rmSync(folder);
    renameSync(join(root, "elsewhere"), folder);
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as { files: object[] };
    manifest.files.push({ path: "pipe", bytes: 0, sha256: single.sha256 });
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
    expect(spawnSync("mkfifo", [join(folder, "pipe")]).status).toBe(0);
    expect(spawnSync("tar", ["-cf", out, "-C", dirname(folder), single.id]).status).toBe(0);
    await expect(installBundle(out, [single], there())).rejects.toThrow(/pipe/u);
  });
});

describe("oakvoice models", () => {
  const run = async (...args: string[]): Promise<string> => {
    const lines: string[] = [];
    const { signal } = new AbortController();
    await modelsCommand(args, { dataDir, profile: "starter", signal, print: (line) => lines.push(line) });
    return lines.join("\n");
  };

  it("lists what there is, with licence and state", async () => {
    expect(await run("list")).toMatch(/^starter-stt +stt +starter +\d+(\.\d+)? MB +\S+ +ships$/mu);
    expect(await run("list", "--profile", "gpu")).toMatch(/whisper-large-v3-turbo-q5_0 .*MIT +missing/u);
    expect(await run("verify")).toMatch(/^starter-llm: there, not compared: /mu);
    expect(await run("install", "--profile", "starter")).toBe("everything is installed");
  });

  it("shows licences before it fetches anything, and says what is wrong with a command", async () => {
    await expect(run("install", "--profile", "cpu")).rejects.toMatchObject({ code: "LICENCE_NOT_ACCEPTED" });
    await expect(run("install", "no-such-model")).rejects.toMatchObject({ code: "MODEL_UNKNOWN" });
    await expect(run("remove", "starter-stt")).rejects.toMatchObject({ code: "MODEL_SHIPPED" });
    await expect(run("bundle", "out.tar", "--profile", "gpu")).rejects.toThrow(/Install .*whisper-large/u);
    await expect(run("bundle", "out.tar", "--profile", "starter")).rejects.toThrow(/nothing to bundle/u);
    for (const wrong of [
      [],
      ["fetch"],
      ["list", "--profile", "big"],
      ["remove"],
      ["bundle"],
      ["install", "--mirror", "x"],
    ])
      await expect(run(...wrong)).rejects.toMatchObject({ code: "USAGE" });
  });
});

describe("models that ship", () => {
  it("are held against the installer's list of sums", async () => {
    const program = mkdtempSync(join(tmpdir(), "oakvoice-program-"));
    mkdirSync(join(program, "models", "voice"), { recursive: true });
    for (const name of ["a.onnx", "voice/b.onnx", "voice/c.txt"]) writeFileSync(join(program, "models", name), name);
    const verify = async (name: string) => verifyShipped(join(program, "models", name), program);
    expect(await verify("a.onnx")).toBeUndefined();
    spawnSync("bash", ["-c", "find . -type f ! -name SHA256SUMS -exec sha256sum {} + >SHA256SUMS"], { cwd: program });
    expect([await verify("a.onnx"), await verify("voice")]).toEqual([[], []]);
    writeFileSync(join(program, "models", "voice", "b.onnx"), "cut");
    rmSync(join(program, "models", "voice", "c.txt"));
    expect(await verify("voice")).toEqual(["models/voice/b.onnx has changed", "models/voice/c.txt is missing"]);
    expect(await verify("a.onnx")).toEqual([]);
  });
});

describe("a server whose profile is not installed", () => {
  it("says which command installs it", () => {
    expect(() => requireInstalled([single, archive], "cpu", dataDir)).toThrow(
      "Not installed: ears, voice. Run: oakvoice models install --profile cpu",
    );
    const ships = { ...single, shipped: true, path: "models/none" };
    expect(() => requireInstalled([ships], "starter", dataDir)).toThrow(/part of the program: install it again/u);
  });
});
