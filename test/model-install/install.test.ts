import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { modelFolder, modelPath, type DownloadedModel } from "../../src/config/model-catalog.ts";
import { modelsCommand } from "../../src/operator/models-command.ts";
import { bundleModels, installBundle } from "../../src/model-install/bundle.ts";
import { installModels } from "../../src/model-install/install.ts";
import {
  installState,
  removeModel,
  requireInstalled,
  verifyModel,
  writeManifest,
} from "../../src/model-install/installed.ts";
import { verifyShipped } from "../../src/model-install/shipped.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

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
  root = temporaryFolder();
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
});

const install = async (models: readonly DownloadedModel[], source: Parameters<typeof installModels>[1]["source"]) =>
  installModels(models, { dataDir, source, signal: new AbortController().signal, onProgress: () => undefined });

describe("installing models", () => {
  it("downloads, unpacks and verifies, and does nothing the second time", async () => {
    await install([single, archive], { mirror });
    expect(readFileSync(modelPath(single, dataDir), "utf8")).toBe("model of speech");
    expect(readFileSync(join(modelPath(archive, dataDir), "tokens.txt"), "utf8")).toBe("a 1");
    expect([installState(single, dataDir), await verifyModel(archive, dataDir)]).toEqual(["installed", []]);
    expect(readdirSync(join(dataDir, "models", ".staging"))).toEqual([]);
    server.close();
    await install([single, archive], { mirror });
  });

  it("takes files from a folder and refuses wrong ones", async () => {
    await install([single], { folder: files });
    expect(installState(single, dataDir)).toBe("installed");
    writeFileSync(join(files, "voice.tar.bz2"), "not it");
    await expect(install([archive], { folder: files })).rejects.toMatchObject({ code: "CHECKSUM_WRONG" });
    await expect(install([archive], { folder: root })).rejects.toMatchObject({ code: "MODEL_MISSING" });
    expect(installState(archive, dataDir)).toBe("missing");
  });

  it("installs the other models when one fails", async () => {
    const gone = { ...single, id: "gone", source: "https://example.invalid/gone.bin" };
    await expect(install([gone, single, archive], { mirror })).rejects.toThrow(/404/u);
    expect([installState(single, dataDir), installState(archive, dataDir)]).toEqual(["installed", "installed"]);
    expect(installState(gone, dataDir)).toBe("missing");
  });

  it("reports a file that is not an archive, and an archive with other contents", async () => {
    writeFileSync(join(files, "broken.tar.bz2"), "no archive");
    const broken = describeModel("broken", "broken.tar.bz2", "voice", "tar.bz2");
    await expect(install([broken], { mirror })).rejects.toMatchObject({ code: "UNPACK_FAILED" });
    const other = { ...archive, id: "other", path: "another-voice" };
    await expect(install([other], { mirror })).rejects.toThrow(/does not hold another-voice/u);
    expect(installState(other, dataDir)).toBe("missing");
  });

  it("does not download an archive again when it could not be unpacked", async () => {
    const bin = join(root, "bin");
    mkdirSync(bin);
    for (const name of ["tar", "flock"])
      symlinkSync(spawnSync("which", [name]).stdout.toString().trim(), join(bin, name));
    vi.stubEnv("PATH", bin); // no bzip2
    await expect(install([archive], { mirror })).rejects.toThrow(/cannot be unpacked: bzip2 is missing\. Install it/u);
    vi.unstubAllEnvs();
    server.close();
    await install([archive], { mirror });
    expect(await verifyModel(archive, dataDir)).toEqual([]);
  });

  it("can be stopped while it reads a part from an earlier try", async () => {
    const file = join(dataDir, "models", ".staging", single.id, "ears.bin");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "");
    truncateSync(file, 2 ** 37); // a sparse file, which takes minutes to read
    const stop = new AbortController();
    const options = { dataDir, source: { mirror }, signal: stop.signal, onProgress: () => undefined };
    const stopped = installModels([single], options);
    setTimeout(() => stop.abort(new Error("enough")), 50);
    await expect(stopped).rejects.toThrow("enough");
  });

  it("downloads again when a wrong file has the place of a finished one", async () => {
    const staging = join(dataDir, "models", ".staging", single.id);
    for (const source of [{ mirror }, { folder: files }]) {
      mkdirSync(staging, { recursive: true });
      writeFileSync(join(staging, "ears.bin"), "half of a mod");
      await install([single], source);
      expect(await verifyModel(single, dataDir)).toEqual([]);
      await removeModel(single, dataDir);
    }
  });

  it("is refused during another installation, but not by the lock file of an earlier version", async () => {
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
    const held = { code: "MODELS_LOCKED", message: expect.stringMatching(/another process installs models/u) };
    await expect(install([archive], { folder: files })).rejects.toMatchObject(held);
    const out = join(root, "bundle.tar");
    await expect(installBundle(out, [single], dataDir)).rejects.toMatchObject(held);
    answer();
    await first;
    expect(installState(single, dataDir)).toBe("installed");
    writeFileSync(join(dataDir, "models", ".staging", "install.lock"), ""); // left by an earlier version
    await install([archive], { folder: files });
  });

  it("releases the lock after a failure", async () => {
    await expect(install([{ ...single, sha256: "0".repeat(64) }], { folder: files })).rejects.toThrow(/sha256/u);
    await install([single], { folder: files });
    expect(installState(single, dataDir)).toBe("installed");
  });

  it("refuses to start without space on the disk", async () => {
    await expect(install([{ ...single, size_mb: 1e9 }], { mirror })).rejects.toMatchObject({ code: "DISK_FULL" });
  });

  it("starts on a disk that has space for the missing files", async () => {
    const { bavail, bsize } = statfsSync(root);
    const large = { ...single, size_mb: (bavail * bsize) / 1e6 };
    const nowhere = { folder: join(root, "none") };
    await expect(install([large], nowhere)).rejects.toMatchObject({ code: "DISK_FULL" });
    const part = join(dataDir, "models", ".staging", large.id, "ears.bin.part");
    mkdirSync(dirname(part), { recursive: true });
    writeFileSync(part, "");
    truncateSync(part, Math.round(large.size_mb * 0.9e6)); // a sparse file, which needs no space on the disk
    await expect(install([large], nowhere)).rejects.toMatchObject({ code: "MODEL_MISSING" });
    const other = { ...large, id: "other" };
    await expect(install([large, other], nowhere)).rejects.toMatchObject({ code: "DISK_FULL" });
  });

  it("counts a model as installed only while every file has its size, and repairs others", async () => {
    await install([archive], { mirror });
    truncateSync(join(modelPath(archive, dataDir), "model.onnx"), 2);
    expect(installState(archive, dataDir)).toBe("incomplete");
    expect(() => requireInstalled([archive], "cpu", dataDir)).toThrow(
      "Not installed: voice. Damaged: voice. Run: oakvoice models install --profile cpu",
    );
    await install([archive], { mirror });
    expect(await verifyModel(archive, dataDir)).toEqual([]);
  });

  it("reports an unreadable folder, not that no model is installed", async () => {
    await install([single], { mirror });
    renameSync(join(dataDir, "models"), join(dataDir, "away"));
    // Root may read all folders, but a link to itself has no end.
    symlinkSync("models", join(dataDir, "models"));
    expect(installState(single, dataDir)).toBe("unreadable");
    expect(() => requireInstalled([single], "cpu", dataDir)).toThrow(
      expect.objectContaining({
        code: "MODEL_UNREADABLE",
        message: expect.stringMatching(/models\/ears: its symbolic links form a loop/u),
      }),
    );
    expect(await verifyModel(single, dataDir)).toEqual(["ears is unreadable"]);
  });

  it("keeps only the downloaded files when the model cannot be moved into its place", async () => {
    const nested = { ...single, path: "in/no/folder.bin" };
    await expect(install([nested], { mirror })).rejects.toThrow(/ENOENT/u);
    expect(readdirSync(join(dataDir, "models", ".staging", "ears"))).toEqual(["ears.bin"]);
  });

  it("finds changed, missing and added files, and removes a model", async () => {
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
  it("moves installed models to a machine without a network", async () => {
    const out = join(root, "bundle.tar");
    await expect(bundleModels([single, archive], dataDir, out)).rejects.toMatchObject({ code: "MODEL_MISSING" });
    await install([single, archive], { mirror });
    await bundleModels([single, archive], dataDir, out);
    const there = join(root, "there");
    expect(await installBundle(out, [single, archive], there)).toEqual(["ears", "voice"]);
    expect([await verifyModel(single, there), await verifyModel(archive, there)]).toEqual([[], []]);
  });

  it("is refused when one byte changed", async () => {
    await install([single], { mirror });
    writeFileSync(modelPath(single, dataDir), "model of screech".slice(0, 15));
    const out = join(root, "bundle.tar");
    await bundleModels([single], dataDir, out);
    await expect(installBundle(out, [single], join(root, "there"))).rejects.toMatchObject({ code: "CHECKSUM_WRONG" });
    expect(installState(single, join(root, "there"))).toBe("missing");
  });

  it("is refused with the reason in one line when it is damaged or not a bundle", async () => {
    await install([archive], { mirror });
    const out = join(root, "bundle.tar");
    await bundleModels([archive], dataDir, out);
    const refused = async (why: RegExp) => {
      const error = await installBundle(out, [archive], join(root, "there")).catch((cause: Error) => cause);
      expect(error).toMatchObject({ code: "UNPACK_FAILED", message: expect.stringMatching(why) });
    };
    truncateSync(out, 1_500);
    await refused(/^\S+bundle\.tar cannot be unpacked: the file ends too early\. Copy it again\.$/u);
    writeFileSync(out, "no tar file".repeat(1_000));
    await refused(/cannot be unpacked: it is not a tar file, or is damaged\./u);
    spawnSync("tar", ["-czf", out, "-C", files, "voice"]);
    await refused(/it is compressed\. Unpack it once/u);
    spawnSync("tar", ["-cPf", out, join(files, "ears.bin")]);
    await refused(/bundle\.tar holds none of these models: voice\.$/u);
    spawnSync("tar", ["-cPf", out, "--transform", "s,.*,../up,", join(files, "ears.bin")]);
    await refused(/a file name that leads out of its folder/u);
  });

  it("may have a name that tar reads as a remote file or an option", async () => {
    await install([single], { mirror });
    const here = process.cwd();
    process.chdir(root);
    try {
      for (const out of ["nas:bundle.tar", "-bundle.tar"]) {
        await bundleModels([single], dataDir, out);
        await rm(join(root, "there"), { recursive: true, force: true });
        expect(await installBundle(out, [single], join(root, "there"))).toEqual(["ears"]);
      }
    } finally {
      process.chdir(here);
    }
  });

  it("leaves nothing behind when it cannot be written, and does not replace a device", async () => {
    await install([single], { mirror });
    mkdirSync(join(root, "out.tar"));
    await expect(bundleModels([single], dataDir, join(root, "out.tar"))).rejects.toThrow(/out\.tar is not a file/u);
    await expect(bundleModels([single], dataDir, join(root, "none", "out.tar"))).rejects.toThrow(/ENOENT/u);
    expect(readdirSync(root).toSorted()).toEqual(["data", "files", "out.tar"]);
  });
});

describe("a malicious bundle", () => {
  /** Packs the folder of an installed model after `forge` changed it. */
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

  it("another model with a matching manifest is refused, because the catalogue names a different one", async () => {
    const out = await forged(single, () => writeFileSync(modelPath(single, dataDir), "a model that listens in"));
    await expect(installBundle(out, [single], there())).rejects.toMatchObject({ code: "CHECKSUM_WRONG" });
    expect(installState(single, there())).toBe("missing");
  });

  it("prints no control characters from file names", async () => {
    const out = await forged(archive, (folder) => writeFileSync(join(folder, "\u001B[2J\nall is well"), ""));
    spawnSync("tar", ["-rf", out, "-C", files, "--transform", "s,.*,voice/\u001B[31mred,", "ears.bin"]);
    await expect(installBundle(out, [archive], there())).rejects.toThrow(
      /: voice is refused: \\u\{1b\}\[31mred does not belong there\. Copy or make the bundle again\.$/u,
    );
  });

  it("links cannot point outside the folder", async () => {
    writeFileSync(join(root, "secret"), "of somebody else");
    const out = await forged(archive, (folder) => symlinkSync(join(root, "secret"), join(folder, "voice", "link.txt")));
    await expect(installBundle(out, [archive], there())).rejects.toThrow(/link\.txt/u);
    const inner = await forged(archive, (folder) => {
      rmSync(join(folder, "voice", "link.txt"), { force: true });
      symlinkSync("tokens.txt", join(folder, "voice", "inside.txt"));
    });
    expect(await installBundle(inner, [archive], there())).toEqual(["voice"]);
  });

  it("a folder that is a link and a pipe without a writer are refused at once", async () => {
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

  it("lists all models with licence and state", async () => {
    expect(await run("list")).toMatch(/^starter-stt +stt +starter +\d+(\.\d+)? MB +\S+ +ships$/mu);
    expect(await run("list", "--profile", "gpu")).toMatch(/whisper-large-v3-turbo-q5_0 .*MIT +missing/u);
    expect(await run("verify")).toMatch(/^starter-llm: present, not compared: /mu);
    expect(await run("install", "--profile", "starter")).toBe("everything is installed");
  });

  it("shows licences before it downloads, and reports a wrong command", async () => {
    await expect(run("install", "--profile", "cpu")).rejects.toMatchObject({ code: "LICENCE_NOT_ACCEPTED" });
    await expect(run("install", "no-such-model")).rejects.toMatchObject({ code: "MODEL_UNKNOWN" });
    await expect(run("install", "no\u001B[2J")).rejects.toThrow(/has no model "no\\u\{1b\}\[2J"/u);
    await expect(run("install", "--from", join(root, "none"))).rejects.toThrow(/--from \S+none: it does not exist/u);
    await expect(run("install", "--from", "/dev/null")).rejects.toThrow(/not a plain file or folder/u);
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
      ["install", "--mirror", "ftp://host/"],
      ["install", "--from", ""],
      ["bundle", " "],
      ["verify", ""],
    ])
      await expect(run(...wrong)).rejects.toMatchObject({ code: "USAGE" });
  });
});

describe("shipped models", () => {
  it("match the installer's list of checksums", async () => {
    const program = temporaryFolder();
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

describe("a server without its profile's models", () => {
  it("prints the command that installs them", () => {
    expect(() => requireInstalled([single, archive], "cpu", dataDir)).toThrow(
      "Not installed: ears, voice. Run: oakvoice models install --profile cpu",
    );
    const ships = { ...single, shipped: true, path: "models/none" };
    expect(() => requireInstalled([ships], "starter", dataDir)).toThrow(/part of the program: install it again/u);
  });
});
