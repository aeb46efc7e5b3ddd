// Builds build/llama-server/llama-server, the HTTP server of llama.cpp, for tests and measurements of remote language models.
//
//   npm run build:llama-server
//
// The source is the git bundle that node-llama-cpp carries. Only the server is compiled: it links to the libraries of llama.cpp and
// ggml that node-llama-cpp installs. Needs git and a C++ compiler. A second run does nothing when nothing has changed.
//
//   JOBS              compilers at a time; default: the number of cores
//   CXX               the compiler; default "c++"
//   OAKVOICE_CFLAGS   compiler flags; default "-O1", which compiles in half the time of -O3. The matrix code is in the libraries

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, setPriority } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bundle = join(root, "node_modules/node-llama-cpp/llama/gitRelease.bundle");
const platform = `${process.platform}-${process.arch}`;
const libraries = join(root, "node_modules/@node-llama-cpp", platform, "bins", platform);
const build = join(root, "build/llama-server");
const source = join(build, "source");
const output = join(build, "llama-server");
const stampFile = join(build, "stamp");
const cxx = process.env["CXX"] ?? "c++";
const jobs = Number(process.env["JOBS"] ?? availableParallelism());

/** The server shows no page of its own. */
const NO_PAGE = `#pragma once
#include <array>
#include <string>
struct llama_ui_asset { std::string name; const unsigned char * data; std::size_t size; std::string etag; std::string type; };
inline const llama_ui_asset * llama_ui_find_asset(const std::string &) { return nullptr; }
inline bool llama_ui_use_gzip() { return false; }
inline const std::array<llama_ui_asset, 0> & llama_ui_get_assets() { static const std::array<llama_ui_asset, 0> none{}; return none; }
`;

const INCLUDES = "include ggml/include common tools/server tools/mtmd vendor vendor/hash".split(" ");
const FLAGS =
  `${process.env["OAKVOICE_CFLAGS"] ?? "-O1"} ` +
  "-std=c++17 -fPIC -pthread -w -DNDEBUG -D_GNU_SOURCE -DLLAMA_SHARED -DGGML_SHARED -DGGML_BACKEND_SHARED -DLLAMA_SUBPROCESS " +
  "-DCPPHTTPLIB_LISTEN_BACKLOG=512 -DCPPHTTPLIB_TCP_NODELAY=1 -DCPPHTTPLIB_FORM_URL_ENCODED_PAYLOAD_MAX_LENGTH=1048576";
const NOT_THE_SERVER = /-cli\.cpp$|deprecation-warning\.cpp$/u;
const FOLDERS = ["tools/server", "tools/mtmd", "tools/mtmd/models", "vendor/cpp-httplib", "vendor/hash"];
const EXTRA = ["xxhash/xxhash.c", "sha1/sha1.c", "sha256/sha256.c"].map((name) => join("vendor/hash", name));

function fail(message) {
  console.error(`oakvoice: ${message}`);
  process.exit(1);
}

function outputOf(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return stdout;
  return fail(`${program} ${args[0]} failed: ${error?.message ?? stderr}`);
}

function compile(args) {
  return new Promise((resolve) => {
    const child = spawn(cxx, args, { stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
    child.on("error", (error) => fail(error.message));
    child.on("close", (code) => (code === 0 ? resolve() : fail(`${args.at(-3)}:\n${errors.slice(0, 4000)}`)));
  });
}

const found = existsSync(libraries) ? readdirSync(libraries) : [];
const linked = found.filter((name) => /^lib(?:llama|llama-common|ggml|ggml-base)(?:\.v[\d.]+)?\.so$/u.test(name));
if (linked.length !== 4)
  fail(`the package @node-llama-cpp/${platform} is not installed: run npm ci without --omit=optional.`);
const commit = outputOf("git", ["bundle", "list-heads", bundle]).split(" ")[0];
const facts = [commit, outputOf(cxx, ["--version"]), FLAGS, NO_PAGE];
const stamp = createHash("sha256").update(JSON.stringify(facts)).digest("hex");

if (existsSync(output) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) {
  console.log("oakvoice: llama-server is up to date");
} else {
  const startedMs = performance.now();
  setPriority(10);
  rmSync(source, { recursive: true, force: true });
  mkdirSync(build, { recursive: true });
  outputOf("git", ["-c", "advice.detachedHead=false", "clone", "--quiet", bundle, source]);
  writeFileSync(join(source, "tools/server/ui.h"), NO_PAGE);
  const inFolders = FOLDERS.flatMap((folder) => readdirSync(join(source, folder)).map((name) => join(folder, name)));
  const size = (name) => statSync(join(source, name)).size;
  // The largest first, so that no core waits for one of them at the end.
  const units = [...inFolders.filter((name) => name.endsWith(".cpp") && !NOT_THE_SERVER.test(name)), ...EXTRA].toSorted(
    (one, other) => size(other) - size(one),
  );
  console.log(
    `oakvoice: compiling llama-server, ${String(units.length)} files (${cxx}, ${String(jobs)} at a time) ...`,
  );
  const objects = units.map((name, index) => join(source, `${String(index)}-${basename(name)}.o`));
  const options = [...FLAGS.split(" "), ...INCLUDES.map((folder) => `-I${join(source, folder)}`)];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < units.length; index = next++) {
      // The C files of vendor/hash: sha1.c is C++ as well.
      const language = /\/xxhash\.c$|\/sha256\.c$/u.test(units[index]) ? ["-xc", "-std=c11"] : ["-xc++"];
      await compile([...options, ...language, "-c", join(source, units[index]), "-o", objects[index]]);
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  const linking = [...linked.map((name) => join(libraries, name)), `-Wl,-rpath,${libraries}`, "-pthread", "-ldl"];
  await compile([...objects, ...linking, "-o", join(build, "linked")]);
  renameSync(join(build, "linked"), output);
  writeFileSync(stampFile, stamp);
  rmSync(source, { recursive: true });
  console.log(
    `oakvoice: built build/llama-server/llama-server in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`,
  );
}
