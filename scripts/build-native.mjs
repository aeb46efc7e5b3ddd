// Builds the speech recognition addon, build/native/whisper.node. `npm ci` runs this script; it needs a C++ compiler.
//
// The sources are whisper.cpp, which the npm package whisper.rn carries, and src/engines/stt/native. The matrix code (ggml) is not
// compiled: the addon links to the ggml libraries that node-llama-cpp installs, which choose their CPU variant when they
// are loaded. The build therefore runs on every CPU of its architecture (docs/decisions/0063-one-ggml.md).
//
//   OAKVOICE_CFLAGS   compiler flags; default "-O3"
//   CXX               the compiler; default "c++"

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { changeWhisper } from "./whisper-changes.mjs";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19))
  fail(`Node ${process.versions.node} is too old: install Node 20.19 or newer.`);

const root = fileURLToPath(new URL("..", import.meta.url));
const modules = join(root, "node_modules");
const whisper = join(modules, "whisper.rn/cpp");
const native = join(root, "src/engines/stt/native");
const build = join(root, "build/native");
const work = join(build, "work");
const output = join(build, "whisper.node");
const stampFile = join(build, "stamp");

const isMac = process.platform === "darwin";
const cxx = process.env["CXX"] ?? "c++";
const flags = (process.env["OAKVOICE_CFLAGS"] ?? "-O3").split(/\s+/u).filter((flag) => flag !== "");

const whisperFiles = readdirSync(whisper).filter((name) =>
  /^(?:whisper|parakeet|ggml|gguf)[\w-]*\.(?:h|cpp)$/u.test(name),
);
const units = ["whisper.cc", "parakeet.cc", "addon.cc"].map((name) => join(native, name));
const headers = readdirSync(native).filter((name) => name.endsWith(".h"));

/** whisper.rn renames every ggml symbol. The libraries have the original names. */
const originalNames = (text) =>
  text.replaceAll("ggml_wsp_", "ggml_").replaceAll("wsp_gg", "gg").replaceAll("WSP_GG", "GG");

const sourceOf = (name) => {
  const text = originalNames(readFileSync(join(whisper, name), "utf8"));
  if (name !== "whisper.cpp") return text;
  try {
    return changeWhisper(text);
  } catch (error) {
    return fail(error.message);
  }
};

function fail(message) {
  console.error(`oakvoice: ${message}`);
  process.exit(1);
}

function compilerVersion() {
  const { status, stdout } = spawnSync(cxx, ["--version"], { encoding: "utf8" });
  if (status === 0) return stdout;
  return fail(
    `the C++ compiler "${cxx}" was not found; it is needed to build speech recognition. ` +
      (isMac
        ? 'Run "xcode-select --install"'
        : 'Install one ("apt-get install g++", "dnf install gcc-c++", "apk add g++")') +
      ", then run npm ci again (or set CXX).",
  );
}

/** The folder and the two libraries of node-llama-cpp's CPU package for this machine. */
function ggmlLibraries() {
  const platform = isMac ? `mac-${process.arch === "arm64" ? "arm64-metal" : "x64"}` : `linux-${process.arch}`;
  const folder = join(modules, "@node-llama-cpp", platform, "bins", platform);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const base = files.find((name) => /^libggml-base\.(?:so|dylib)$/u.test(name));
  const ggml = files.find((name) => /^libggml(?:\.[a-z]+)?\.v[\d.]+\.(?:so|dylib)$/u.test(name));
  if (base === undefined || ggml === undefined)
    fail(`the package @node-llama-cpp/${platform} is not installed: run npm ci without --omit=optional.`);
  return { folder, base, ggml };
}

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(cxx, args, { stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => resolve(code === 0 ? undefined : errors || `ended with ${signal ?? code}`));
  });
}

async function runOrFail(what, args) {
  const errors = await run(args);
  if (errors !== undefined) fail(`${what} failed with ${cxx} ${flags.join(" ")}:\n${errors.slice(0, 4000)}`);
}

const libraries = ggmlLibraries();
const includes = [work, native, join(modules, "node-api-headers/include"), join(modules, "node-addon-api")];
const options =
  "-std=c++17 -fPIC -pthread -DNDEBUG -fvisibility=hidden -w -D_GNU_SOURCE " +
  "-DNAPI_VERSION=9 -DNODE_ADDON_API_CPP_EXCEPTIONS -DNODE_ADDON_API_DISABLE_DEPRECATED";
const compiling = [...options.split(" "), ...flags, ...includes.map((folder) => `-I${folder}`)];
const linking = [
  ...(isMac ? ["-bundle", "-undefined", "dynamic_lookup"] : ["-shared", "-pthread"]),
  join(libraries.folder, libraries.base),
  join(libraries.folder, libraries.ggml),
  `-Wl,-rpath,${isMac ? "@loader_path" : "$ORIGIN"}/${relative(build, libraries.folder)}`,
];

const hash = createHash("sha256").update(JSON.stringify([compilerVersion(), compiling, linking]));
for (const name of whisperFiles) hash.update(name).update(sourceOf(name));
for (const file of [...units, ...headers.map((name) => join(native, name))]) hash.update(readFileSync(file));
const stamp = hash.digest("hex");

if (existsSync(output) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) {
  console.log("oakvoice: speech recognition is up to date");
} else {
  const startedMs = performance.now();
  console.log(`oakvoice: compiling speech recognition, about a minute (${cxx} ${flags.join(" ")}) ...`);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  for (const name of whisperFiles) writeFileSync(join(work, name), sourceOf(name));
  const objects = units.map((source, index) => join(work, `${String(index)}.o`));
  await Promise.all(
    units.map((source, index) =>
      runOrFail(`compiling ${relative(root, source)}`, [...compiling, "-c", source, "-o", objects[index]]),
    ),
  );
  await runOrFail(`linking ${relative(root, output)}`, [...objects, ...linking, "-o", join(work, "whisper.node")]);
  renameSync(join(work, "whisper.node"), output); // a running engine keeps the old file
  writeFileSync(stampFile, stamp);
  rmSync(work, { recursive: true });
  console.log(`oakvoice: built ${relative(root, output)} in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
}
