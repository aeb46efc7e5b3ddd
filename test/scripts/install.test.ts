import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { keysCommand } from "../../src/operator/keys-command.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadModelCatalog } from "../../src/config/model-catalog.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const script = join(packageRoot, "scripts", "install.sh");
const part = (name: string) => join(packageRoot, "scripts", "install", name);
const run = (...args: string[]) => spawnSync("bash", [script, ...args], { encoding: "utf8" });

describe("scripts/install.sh", () => {
  it("prints every step of a dry run and does nothing", () => {
    const root = temporaryFolder();
    const folders = ["prefix", "data", "etc"].flatMap((name) => [`--${name}`, join(root, name)]);
    const { status, stdout } = run("--dry-run", "--no-systemd", "--self-signed", ...folders);
    expect(status).toBe(0);
    for (const step of [
      "machine",
      "System packages",
      "User",
      "Program",
      "Configuration",
      "Models",
      "Key",
      "Doctor",
      "spoken",
    ])
      expect(stdout).toMatch(new RegExp(`^==> .*${step}`, "mu"));
    expect(stdout).toMatch(/would run: in_folder .*\/program\.new npm ci /u);
    // Everything that may fail comes before the switch.
    const order = [/seal/u, /oakvoice models install/u, /check_configuration/u, /place_program$/mu, /keep_switch/u];
    const places = order.map((step) => stdout.search(new RegExp(`would run: ${step.source}`, "mu")));
    expect(places).toEqual(places.filter((place) => place >= 0).toSorted((one, other) => one - other));
    expect(readdirSync(root)).toEqual([]);
    expect(run("--dry-run", "--uninstall", "--purge", "--no-systemd", ...folders).stdout).toContain(
      "holds no installation",
    );
  });

  it.each([
    [["--frobnicate"], /unknown option --frobnicate/u],
    [["reception"], /unknown option reception/u],
    [[""], /unknown option ""/u],
    [["-\u001b[31m"], /unknown option -\?\[31m/u],
    [["--dry-run=yes"], /--dry-run takes no value/u],
    [["--dry-run", "--port", "80", "--port=81"], /--port is given twice/u],
    [["--dry-run", "--profile", "huge"], /auto, starter, cpu, cpu-large, gpu or gpu-large/u],
    [
      ["--dry-run", "--profile", "auto", "--accept-licences", "--bundle", script],
      /--bundle holds the models of one profile/u,
    ],
    [["--dry-run", "--port", "99999"], /from 1 to 65535, not 99999/u],
    [["--dry-run", "--port", "0"], /from 1 to 65535, not 0/u],
    [["--dry-run", "--port", "80\n81"], /from 1 to 65535, not 80\?81/u],
    [["--dry-run", "--port"], /--port needs a value/u],
    [["--port", "--dry-run"], /--port needs a value/u],
    [["--dry-run", "--host="], /--host needs a value/u],
    [["--dry-run", "--host", '::"\nallow_insecure: true\n#'], /--host is an IP address or a host name/u],
    [["--dry-run", "--host", "127.0.0.1 # all"], /--host is an IP address or a host name/u],
    [["--dry-run", "--host", "0.0.0.0"], /--host 0\.0\.0\.0 .* add --self-signed/u],
    [["--dry-run", "--host", "box.example"], /--host box\.example .* add --self-signed/u],
    [["--dry-run", "--bundle", "/none.tar"], /\/none\.tar is not there or cannot be read/u],
    [["--dry-run", "--bundle", "/tmp"], /\/tmp is not there or cannot be read/u],
    [["--dry-run", "--cert", "/none", "--key", "/none"], /\/none is not there or cannot be read/u],
    [["--dry-run", "--cert", script, "--key", script], /is not the key of/u],
    [["--dry-run", "--npm-cache", "/none/cache"], /\/none is not there or cannot be read/u],
    [["--dry-run", "--cert", "/dev/null"], /go together/u],
    [["--dry-run", "--self-signed", "--cert", script, "--key", script], /exclude each other/u],
    [["--dry-run", "--purge"], /--purge goes with --uninstall/u],
    [["--dry-run", "--uninstall", "--host", "::1"], /--host and --uninstall exclude each other/u],
    [["--dry-run", "--prefix", "/"], /give a full path/u],
    [["--dry-run", "--data", "data"], /give a full path/u],
    [["--dry-run", "--data", "/srv/none/.."], /give the path without \.\./u],
    [["--dry-run", "--data", "/srv/my voice"], /--data \/srv\/my voice: use no spaces/u],
    [["--dry-run", "--data", "/srv/a\nallow_insecure: true"], /use no spaces/u],
    [["--dry-run", "--etc", "/etc/oak\tvoice"], /use no spaces/u],
    [["--dry-run", "--prefix", "/opt/50%"], /--prefix \/opt\/50%: use no spaces/u],
    [["--dry-run", "--prefix", "/usr/local"], /\/usr\/local is a system folder/u],
    [["--dry-run", "--data", "/usr"], /\/usr is a system folder/u],
    [["--dry-run", "--etc", "//etc/./"], /\/etc is a system folder/u],
    [["--dry-run", "--data", "/home/eve/voice"], /the service cannot see \/home/u],
    [["--dry-run", "--data", "/opt/oakvoice/data"], /lies in --prefix \/opt\/oakvoice/u],
    [["--dry-run", "--etc", packageRoot], /holds something else/u],
    [["--dry-run", "--uninstall", "--purge", "--etc", "/usr"], /\/usr is a system folder/u],
  ])("refuses %j in one line", (args, message) => {
    const { status, stderr } = run(...args);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^install: .*\n$/u);
    expect(stderr).toMatch(message);
  });

  it("plans for a machine without Node and compiler, and does not use other programs' folders", () => {
    const root = temporaryFolder();
    const tools =
      "apt-get awk bash cat cut df dirname find getent grep head hostname id ls nproc readlink realpath sed sha256sum sort stat uname xargs";
    for (const tool of tools.split(" "))
      symlinkSync(spawnSync("which", [tool], { encoding: "utf8" }).stdout.trim(), join(root, tool));
    const bare = (...args: string[]) =>
      spawnSync("/bin/bash", [script, "--dry-run", "--no-systemd", ...args], { encoding: "utf8", env: { PATH: root } });
    // The plan is the same on a machine where it is installed.
    const { stdout, stderr, status } = bare("--prefix", join(root, "opt"));
    expect([stderr, status]).toEqual(["", 0]);
    expect(stdout).toMatch(/would run: apt_get install .* g\+\+ .*npm$/mu);
    expect(stdout).toMatch(/would run: npm install .* node@22$/mu);
    expect(stdout.trim().split("\n").at(-1)).toBe("==> Nothing was done");
    // The folder may contain other files.
    writeFileSync(join(root, ".oakvoice"), "program\n");
    const removals = bare("--uninstall", "--prefix", root)
      .stdout.match(/^ +would run: rm .*$/gmu)
      ?.join(" ")
      .split(" ");
    expect(removals).toContain(`${root}/program`);
    expect(removals).not.toContain(root);
    expect(removals).not.toContain(`${root}/node`);
  });

  it("lets the built program choose the profile", () => {
    const root = temporaryFolder();
    const folders = ["prefix", "data", "etc"].flatMap((name) => [`--${name}`, join(root, name)]);
    const { stdout } = run("--dry-run", "--no-systemd", "--profile", "auto", "--accept-licences", ...folders);
    const order = [/in_folder .*npm ci/u, /oakvoice doctor --choose-profile/u, /oakvoice models install/u];
    const places = order.map((step) => stdout.search(step));
    expect(places).toEqual(places.filter((place) => place >= 0).toSorted((one, other) => one - other));
    const choose = (answer: string) => {
      const sources = ["say.sh", "options.sh", "check.sh", "machine.sh"].map((name) => `. ${part(name)}`).join("; ");
      const steps = `profile=auto; oakvoice() { printf '%s\\n' "$@" >&2; printf '${answer}'; }; choose_profile; echo "chosen: $profile"`;
      return spawnSync("bash", ["-euo", "pipefail", "-c", `${sources}; ${steps}`], { encoding: "utf8" });
    };
    const chosen = choose("profile cpu-large\\nthis machine: 8 cores\\ngpu needs a card\\n");
    expect(chosen.stdout).toMatch(/this machine: 8 cores\n +gpu needs a card\nchosen: cpu-large\n$/u);
    expect(chosen.stderr).toBe("doctor\n--choose-profile\n");
    expect(choose("profile huge\\n").status).toBe(1);
  });

  it("requires the disk space and memory from the catalogue", () => {
    const { profiles } = loadModelCatalog();
    const steps = `source_folder=${packageRoot}; . ${part("machine.sh")}; for name in "$@"; do need_of $name disk_mb; need_of $name memory_mb; done`;
    const names = ["auto", ...profiles.map(({ name }) => name)];
    const { stdout } = spawnSync("bash", ["-euc", steps, "bash", ...names], { encoding: "utf8" });
    const figures = [profiles[0]!, ...profiles].flatMap(({ disk_mb: disk, memory_mb: memory }) => [disk, memory]);
    expect(stdout.trim().split("\n").map(Number)).toEqual(figures);
  });

  it("takes options that are not repeated from the existing configuration", () => {
    const etc = temporaryFolder();
    writeFileSync(
      join(etc, "oakvoice.yaml"),
      "profile: cpu      # starter, cpu or gpu\nport: 8787 # the usual one\ndata_dir: '/srv/voice'\n",
    );
    const again = run("--dry-run", "--no-systemd", "--accept-licences", "--etc", etc).stdout;
    expect(again).toContain("would run: oakvoice models install --profile cpu");
    expect(again).toMatch(/^==> Folders .* and \/srv\/voice$/mu);
    const other = run("--dry-run", "--no-systemd", "--etc", etc, "--profile", "starter").stdout;
    expect(other).toContain("would run: oakvoice models install --profile starter");
  });

  it("writes a valid configuration, changes repeated options and keeps the operator's lines", () => {
    const etc = temporaryFolder();
    const file = join(etc, "oakvoice.yaml");
    const sources = ["say.sh", "options.sh", "folders.sh", "check.sh", "configuration.sh"]
      .map((name) => `. ${part(name)}`)
      .join("; ");
    const write = (options: string) => {
      const steps = `command=/none; read_options --etc ${etc} ${options}; find_installation; begin_configuration; write_configuration`;
      const accept = 'mv "$configuration.new" "$configuration"; page_address';
      const { stdout, stderr } = spawnSync("bash", ["-euc", `${sources}; ${steps}; ${accept}`], {
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      return stdout.trim().split("\n").at(-1);
    };
    expect(write("--host ::1 --data /srv/voice")).toBe("http://[::1]:8787/");
    const written = { host: "::1", port: 8787, data_dir: "/srv/voice", profile: "starter" };
    expect(parse(readFileSync(file, "utf8"))).toEqual(written);
    writeFileSync(file, `${readFileSync(file, "utf8")}log_level: warn`);
    expect(write("--port 443")).toBe("http://[::1]:443/");
    expect(parse(readFileSync(file, "utf8"))).toEqual({ ...written, port: 443, log_level: "warn" });
    // The certificates exist, and the last line has no line break.
    mkdirSync(join(etc, "tls"), { recursive: true });
    writeFileSync(join(etc, "tls", "cert.pem"), "");
    writeFileSync(file, readFileSync(file, "utf8").trimEnd());
    expect(write("")).toBe("https://[::1]:443/");
    const tls = { cert_file: join(etc, "tls", "cert.pem"), key_file: join(etc, "tls", "key.pem") };
    expect(parse(readFileSync(file, "utf8"))).toEqual({ ...written, port: 443, log_level: "warn", tls });
    expect(write("--host ::")).toMatch(/^https:\/\/[^:]+:443\/$/u);
    expect(loadServerConfig(file, { OAKVOICE_ALLOW_INSECURE: "true" }).config.host).toBe("::");
  });

  it("finds an existing key, but not a revoked one", () => {
    const data = temporaryFolder();
    const keys = (...args: string[]) => keysCommand(args, data, Date.now());
    const hasKey = () =>
      spawnSync("bash", ["-euc", `. ${part("configuration.sh")}; has_active_key`], { input: keys("list") }).status ===
      0;
    expect(hasKey()).toBe(false);
    const [id = ""] = /key_\w+/u.exec(keys("create", "--name", "is active")) ?? [];
    expect(hasKey()).toBe(true);
    keys("revoke", id);
    expect(hasKey()).toBe(false);
    keys("create", "--name", "kiosk", "--max-connections", "2");
    expect(hasKey()).toBe(true);
  });

  it("rebuilds only damaged parts", () => {
    const prefix = temporaryFolder();
    const write = (name: string, text: string, mode: number) => {
      mkdirSync(join(prefix, name, ".."), { recursive: true });
      writeFileSync(join(prefix, name), text, { mode });
    };
    write("program.new/main.js", "new", 0o600);
    write("others/secret", "theirs", 0o600);
    const names = `prefix=${prefix} program=${prefix}/program source_folder=${packageRoot}/scripts/install dry= node=${process.execPath} arch=x64 gpu_kinds=`;
    const bash = (steps: string) => {
      const sources = ["say.sh", "folders.sh", "program.sh"].map((name) => `. ${part(name)}`).join("; ");
      const sourced = `${names}; ${sources}; parts=(say.sh); ${steps}`;
      const { stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", sourced], { encoding: "utf8" });
      expect(stderr).toBe("");
      return stdout;
    };
    bash(`seal ${prefix}/program.new "$(make_stamp | sha256sum | cut -d' ' -f1)"`);
    expect(bash("stage_program")).toContain("built already");
    expect(statSync(join(prefix, "program.new", "main.js")).mode & 0o777).toBe(0o644);
    expect(statSync(join(prefix, "others", "secret")).mode & 0o777).toBe(0o600);
    renameSync(join(prefix, "program.new"), join(prefix, "program"));
    expect(bash("stage_program")).toContain("there, and the same");
    write("program/main.js", "damaged", 0o644);
    expect(bash('is_built "$program" "$(<"$program/.stamp")" || echo to build anew')).toContain("to build anew");
  });

  it.each([
    ["nothing", "", "none", []],
    [
      "a card that nvidia-smi lists",
      "program nvidia-smi 'echo NVIDIA A10, 24 GB, 550'; library libcuda.so.1",
      "NVIDIA A10, 24 GB, 550",
      ["cuda", "cuda-ext"],
    ],
    [
      "a card in a container without nvidia-smi",
      "touch $devices/nvidia0; library libcuda.so.1",
      "an NVIDIA card",
      ["cuda", "cuda-ext"],
    ],
    ["the driver's tools without a card", "program nvidia-smi 'exit 9'; library libcuda.so.1", "none", []],
    [
      "a Vulkan device",
      "touch $devices/dri/renderD128 $drivers/radeon_icd.x86_64.json; library libvulkan.so.1",
      "a Vulkan device",
      ["vulkan"],
    ],
    [
      "both",
      "touch $devices/nvidia1 $devices/dri/renderD128 $drivers/nvidia_icd.json; library libvulkan.so.1",
      "an NVIDIA card",
      ["cuda", "cuda-ext", "vulkan"],
    ],
    [
      "a Vulkan driver for the CPU alone",
      "touch $devices/dri/renderD128 $drivers/lvp_icd.x86_64.json; library libvulkan.so.1",
      "none",
      [],
    ],
    ["a graphics device without a driver", "touch $devices/dri/renderD128 $drivers/intel_icd.json", "none", []],
  ] as const)("keeps the libraries of the GPU: %s", (_, machine, described, kept) => {
    const root = temporaryFolder();
    const built = join(root, "built");
    for (const name of ["", "-cuda", "-cuda-ext", "-vulkan"])
      mkdirSync(join(built, "node_modules", "@node-llama-cpp", `linux-x64${name}`), { recursive: true });
    mkdirSync(join(built, "node_modules", "onnxruntime-node", "bin"), { recursive: true });
    const steps = `
      program() { printf '#!/bin/sh\n%s\n' "$2" >$root/bin/$1 && chmod +x $root/bin/$1; }
      library() { program ldconfig "echo '	$1 (libc6,x86-64) => /lib/$1'"; }
      devices=$root/dev drivers=$root/icd; vulkan_drivers=($drivers); mkdir -p $devices/dri $drivers $root/bin
      PATH=$root/bin:$PATH; program ldconfig 'echo'; program nvidia-smi 'exit 127'
      ${machine}
      arch=x64; find_gpu; slim ${built} >/dev/null; echo; echo "\${gpu:-none}"; cd ${built}/node_modules/@node-llama-cpp; ls`;
    const sources = ["say.sh", "gpu.sh", "program.sh"].map((name) => `. ${part(name)}`).join("; ");
    const { stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", `root=${root}; ${sources}; ${steps}`], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    const [gpu, ...left] = stdout.split("\n\n").at(-1)?.trim().split("\n") ?? [];
    expect(gpu).toContain(described);
    expect(left).toEqual(["linux-x64", ...kept.map((name) => `linux-x64-${name}`)]);
  });

  it("copies every file that the build needs", () => {
    const root = temporaryFolder();
    const { list } = /^parts=\((?<list>[^)]*)\)$/mu.exec(readFileSync(part("program.sh"), "utf8"))?.groups ?? {};
    const parts = list?.split(" ") ?? [];
    for (const name of parts.filter((each) => each !== "models"))
      cpSync(join(packageRoot, name), join(root, name), { recursive: true });
    symlinkSync(join(packageRoot, "node_modules"), join(root, "node_modules"));
    const { stdout, status } = spawnSync("npm", ["run", "--silent", "build"], { cwd: root, encoding: "utf8" });
    expect([stdout, status]).toEqual(["", 0]);
  });

  const systemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
  it.skipIf(!systemd)("writes units that systemd accepts, the service with a low exposure score", () => {
    const root = temporaryFolder();
    const unit = join(root, "oakvoice-b.service");
    // The user is root, because the service's user does not exist here. Root raises the score by half a point.
    const names = `user=root node=${process.execPath} prefix=${root} data=/var/lib/x configuration=/etc/x/oakvoice.yaml`;
    const sources = ["say.sh", "options.sh", "service.sh"].map((name) => `. ${part(name)}`).join("; ");
    const write = `source_folder=${packageRoot} gpu='' ${names} host=::1 port=443; ${sources}
      prefix=${root} data=/var/lib/x configuration=/etc/x/oakvoice.yaml host=::1 port=443
      unit_text b >${unit}; socket_text >${root}/oakvoice.socket; cp ${unit} ${root}/oakvoice.service`;
    mkdirSync(join(root, "program-b", "dist", "src"), { recursive: true });
    writeFileSync(join(root, "program-b", "dist", "src", "main.js"), "");
    expect(spawnSync("bash", ["-euc", write], { encoding: "utf8" }).stderr).toBe("");
    expect(readFileSync(unit, "utf8") + readFileSync(join(root, "oakvoice.socket"), "utf8")).not.toMatch(/@[a-z_]+@/u);
    // A minimal Debian has no /bin/kill.
    for (const [, program] of readFileSync(unit, "utf8").matchAll(/^Exec\w+=(\S+)/gmu))
      expect([process.execPath, "/bin/sh"]).toContain(program);
    const environment = { ...process.env, SYSTEMD_UNIT_PATH: `${root}:` };
    const files = [unit, join(root, "oakvoice.socket")];
    const verified = spawnSync("systemd-analyze", ["verify", "--man=no", ...files], {
      encoding: "utf8",
      env: environment,
    });
    expect([verified.stderr, verified.status]).toEqual(["", 0]);
    const security = spawnSync("systemd-analyze", ["security", "--offline=yes", "--threshold=25", unit], {
      encoding: "utf8",
    });
    expect(security.status, security.stdout).toBe(0);
  });

  it.each([
    ["127.0.0.1", "127.0.0.1:80"],
    ["0.0.0.0", "0.0.0.0:80"],
    ["::", "[::]:80"],
    ["fe80::1%eth0", "[fe80::1]:80%eth0"],
    ["localhost", /^(?:\[::1\]|127\.0\.0\.1):80$/u],
    ["none.invalid", /none\.invalid has no address: give an IP address/u],
  ])("gives systemd an address for --host %s", (host, address) => {
    const sources = ["say.sh", "options.sh", "service.sh"].map((name) => `. ${part(name)}`).join("; ");
    const print = `${sources}; host='${host}' port=80 given[--host]=yes; listen_address`;
    const { stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", print], { encoding: "utf8" });
    expect((stdout + stderr).trim()).toEqual(typeof address === "string" ? address : expect.stringMatching(address));
  });

  const shellcheck = spawnSync("shellcheck", ["--version"]).status === 0;
  it.skipIf(!shellcheck)("passes shellcheck", () => {
    const sandbox = join(packageRoot, "test", "scripts", "installer", "sandbox.sh");
    const { status, stdout } = spawnSync("shellcheck", ["--check-sourced", script, sandbox], { encoding: "utf8" });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });
});
