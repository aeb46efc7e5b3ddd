// Compiles the speech-to-text addon for this machine's CPU: whisper.cpp's source (it comes with the npm package
// whisper.rn) and src/stt/native, into build/native/whisper.node. Runs in `npm ci`; needs a C++ compiler, nothing else.
//
//   OAKVOICE_CFLAGS   instead of "-O3 -march=native", e.g. "-O3 -march=x86-64-v3" for a binary that other machines can run
//   CC, CXX           the compilers, when they are not cc and c++
//   OAKVOICE_JOBS     how many files to compile at once (default: one per core)

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19))
  fail(`Node ${process.versions.node} is too old: install Node 20.19 or newer.`);

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const whisper = join(modules, "whisper.rn/cpp");
const native = join(root, "src/stt/native");
const objects = join(root, "build/native/objects");
const output = join(root, "build/native/whisper.node");

const isArm = process.arch === "arm64";
const isMac = process.platform === "darwin";
const cc = process.env["CC"] ?? "cc";
const cxx = process.env["CXX"] ?? "c++";

const list = (text) => text.split(/\s+/u).filter((item) => item !== "");
const cpuFiles =
  list(`ggml-cpu.c ggml-cpu.cpp quants.c traits.cpp repack.cpp unary-ops.cpp binary-ops.cpp vec.cpp ops.cpp
  amx/amx.cpp amx/mmq.cpp ${isArm ? "arch/arm/quants.c arch/arm/repack.cpp" : "arch/x86/quants.c arch/x86/repack.cpp"}`);
const sources = [
  ...list(`ggml.c ggml.cpp ggml-alloc.c ggml-backend.cpp ggml-backend-meta.cpp ggml-backend-reg.cpp ggml-backend-dl.cpp
    ggml-threading.cpp ggml-quants.c gguf.cpp`).map((name) => join(whisper, name)),
  ...cpuFiles.map((name) => join(whisper, "ggml-cpu", name)),
  ...["whisper-core.cc", "addon.cc"].map((name) => join(native, name)),
];

const includes = [
  whisper,
  join(whisper, "ggml-cpu"),
  native,
  join(modules, "node-api-headers/include"),
  join(modules, "node-addon-api"),
];
const common = [
  ...list(`-fPIC -pthread -DNDEBUG -fvisibility=hidden -ffunction-sections -fdata-sections -w -D_GNU_SOURCE
    -DWSP_GGML_USE_CPU -DWSP_GGML_USE_CPU_REPACK
    -DNAPI_VERSION=9 -DNODE_ADDON_API_CPP_EXCEPTIONS -DNODE_ADDON_API_DISABLE_DEPRECATED`),
  ...includes.map((folder) => `-I${folder}`),
];
const linking = isMac ? ["-bundle", "-undefined", "dynamic_lookup"] : ["-shared", "-Wl,--gc-sections", "-pthread"];

function fail(message) {
  console.error(`oakvoice: ${message}`);
  process.exit(1);
}

function version(compiler) {
  const { status, stdout } = spawnSync(compiler, ["--version"], { encoding: "utf8" });
  if (status === 0) return stdout;
  return fail(
    `the C/C++ compiler "${compiler}" was not found; it is needed to build the speech-to-text engine for this CPU. ` +
      (isMac
        ? 'Run "xcode-select --install"'
        : 'Install one ("apt-get install g++", "dnf install gcc-c++", "apk add g++")') +
      ", then run npm ci again (or set CC and CXX).",
  );
}

function links(flags) {
  const main = "int main() { return 0; }";
  return spawnSync(cxx, [...flags, "-x", "c++", "-", "-o", "/dev/null"], { input: main }).status === 0;
}

/** The flags that make the code use all of this CPU, as far as the compiler knows them. */
function tuning() {
  const chosen = process.env["OAKVOICE_CFLAGS"];
  if (chosen !== undefined) return list(chosen);
  const own = (isArm ? ["-mcpu=native", "-march=native"] : ["-march=native"]).find((flag) => links([flag]));
  return own === undefined ? ["-O3"] : ["-O3", own];
}

/** ggml's own threads spin while they wait, which is ruinous when the cores are busy; OpenMP's can sleep. */
function threading() {
  return links(["-fopenmp"]) ? ["-fopenmp", "-DWSP_GGML_USE_OPENMP"] : [];
}

/** What every file's result depends on, apart from the file: a new compiler, flag, CPU or header means a new build. */
function settings(compilers, flags) {
  const hash = createHash("sha256").update(JSON.stringify([compilers, flags, common, process.platform, process.arch]));
  if (flags.some((flag) => flag.endsWith("=native"))) hash.update(cpuIdentity());
  for (const folder of [whisper, join(whisper, "ggml-cpu"), native]) {
    for (const name of readdirSync(folder)
      .filter((file) => file.endsWith(".h"))
      .toSorted()) {
      hash.update(name).update(readFileSync(join(folder, name)));
    }
  }
  hash.update(readFileSync(join(whisper, "whisper.cpp"))); // whisper-core.cc includes it
  return hash.digest("hex");
}

function cpuIdentity() {
  const info = existsSync("/proc/cpuinfo") ? readFileSync("/proc/cpuinfo", "utf8") : "";
  return `${cpus()[0]?.model ?? ""} ${/^(flags|Features)\s*:.*$/mu.exec(info)?.[0] ?? ""}`;
}

function run(compiler, args) {
  return new Promise((resolve) => {
    const child = spawn(compiler, args, { stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
    child.on("error", (error) => resolve({ ok: false, errors: error.message }));
    child.on("close", (code, signal) => resolve({ ok: code === 0, errors: errors || `ended with ${signal ?? code}` }));
  });
}

/** Named by all it depends on: an object file that exists is up to date. */
function objectFile(source, depends) {
  const hash = createHash("sha256").update(depends).update(readFileSync(source)).digest("hex").slice(0, 16);
  return join(
    objects,
    `${relative(source.startsWith(whisper) ? whisper : native, source).replaceAll("/", "-")}-${hash}.o`,
  );
}

/** `work`: pairs of a source and its object file. */
async function compileAll(work, flags) {
  const waiting = work.filter(([, object]) => !existsSync(object)).toSorted(([a], [b]) => weight(b) - weight(a));
  const compileNext = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [source, object] = next;
      const isC = source.endsWith(".c");
      const standard = isC ? "-std=c11" : "-std=c++17";
      const args = [standard, ...flags, ...common, "-c", source, "-o", `${object}.new`];
      const { ok, errors } = await run(isC ? cc : cxx, args);
      if (ok) renameSync(`${object}.new`, object);
      else
        fail(
          `compiling ${basename(source)} failed with ${isC ? cc : cxx} ${flags.join(" ")}:\n${errors.slice(0, 4000)}`,
        );
    }
  };
  const jobs = Number(process.env["OAKVOICE_JOBS"] ?? availableParallelism());
  await Promise.all(Array.from({ length: Math.max(1, jobs) }, compileNext));
}

/** Slow files first, so that no core waits for a big one at the end. */
function weight(source) {
  return source.endsWith("whisper-core.cc") ? 1e7 : readFileSync(source).length;
}

const startedMs = performance.now();
const compilers = [version(cc), version(cxx)];
const flags = [...tuning(), ...threading()];
const depends = settings(compilers, flags);
const work = sources.map((source) => [source, objectFile(source, depends)]);
const wanted = JSON.stringify([linking, ...work.map(([, object]) => basename(object))]);
const stampFile = join(root, "build/native/stamp");
if (existsSync(output) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted) {
  console.log("oakvoice: the speech-to-text engine is up to date");
} else {
  console.log(
    `oakvoice: compiling the speech-to-text engine for this CPU, about a minute (${cxx} ${flags.join(" ")}) ...`,
  );
  mkdirSync(objects, { recursive: true });
  await compileAll(work, flags);
  const wantedObjects = work.map(([, object]) => object);
  const fresh = `${output}.new`;
  const { ok, errors } = await run(cxx, [...flags, ...linking, ...wantedObjects, "-o", fresh]);
  if (!ok) fail(`linking ${relative(root, output)} failed:\n${errors.slice(0, 4000)}`);
  renameSync(fresh, output); // a running engine keeps the old file
  writeFileSync(stampFile, wanted);
  for (const name of readdirSync(objects))
    if (!wantedObjects.includes(join(objects, name))) rmSync(join(objects, name));
  console.log(`oakvoice: built ${relative(root, output)} in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
}
