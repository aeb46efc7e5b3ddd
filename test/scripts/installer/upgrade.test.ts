import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../../src/shared/package-root.ts";
import { freePort } from "../../../bench/hostile/server-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const here = (name: string) => join(packageRoot, "test", "scripts", "installer", name);
/** Runs the rest of its arguments in a control group of its own, and removes the group. */
const IN_GROUP = `
  group=/sys/fs/cgroup/systemd/oakvoice-test-$$
  mkdir "$group" || exit
  trap 'find "$group" -depth -type d -exec rmdir {} ";"' EXIT
  (echo $BASHPID >"$group/cgroup.procs" && exec unshare --mount --pid --fork --mount-proc --cgroup --kill-child "$@")`;

function sandbox(snippet: string): readonly string[] {
  const words = ["-c", IN_GROUP, "bash", "bash", here("sandbox.sh"), folder, `real_systemd; ${snippet}`];
  const { stdout } = spawnSync("bash", words, {
    encoding: "utf8",
    cwd: packageRoot,
    env: { ...process.env, REAL_SYSTEMD: "yes" },
  });
  return stdout.trim().split("\n");
}

const hasPrograms = existsSync("/lib/systemd/systemd") && existsSync("/sys/fs/cgroup/systemd/cgroup.procs");
const isPossible = hasPrograms && sandbox("echo runs")[0] === "runs";
if (!isPossible) console.warn("SKIPPED: upgrades under systemd (needs root, systemd and its control group)");

/** Shell functions for the steps of a test. */
const STEPS = `
  key=$(install --port $port 2>/run/error | grep '^oak_') || cat /run/error
  # A held call and a loop of short ones. hang_up prints what became of them.
  calls() {
    rm -f /run/calls*
    node ${here("caller.mjs")} "$source_folder/dist" ws://127.0.0.1:$port $key /run/calls & caller=$!
    until [ -e /run/calls.started ]; do kill -0 $caller; sleep 0.1; done
  }
  hang_up() { touch /run/calls.stop; wait $caller; node -p 'const { calls, failures, lost } = JSON.parse(fs.readFileSync("/run/calls")); [calls > 0, failures.join(), lost].join("|")'; }
  attempt() { local status=0; install "$@" >/run/said 2>&1 || status=$?; echo "$status $(grep -E 'no call is cut|is restarted|not restarted|^install:' /run/said | tail -1)"; }
  update() { echo >>"$source_folder/README.md"; }
  break_start() { echo 'sed -i "s/^export async function serve(.*/&throw new Error(String(1));/" dist/src/service/serve.js; exit' >/run/fake/npm-prune; }
  repair() { echo exit >/run/fake/npm-prune; rm -rf /opt/oakvoice/program.new; }
  gone() { until [ "$(systemctl is-active $1)" != active ]; do sleep 0.1; done; }
  units() { systemctl list-units --no-legend --plain 'oakvoice*' | sed -E 's/ +/ /g' | cut -d' ' -f1,3 | sed 's/oakvoice[-.]//; s/.service//' | sort | tr '\\n' ' '; echo "-> $(basename "$(readlink /usr/local/lib/systemd/system/oakvoice.service)" .service)"; }
`;

describe.skipIf(!isPossible)("an upgrade under systemd", () => {
  it(
    "cuts no call and refuses none, and a version that does not start changes nothing",
    { timeout: 600_000 },
    async () => {
      const lines = sandbox(`
      port=${String(await freePort())}; ${STEPS}
      attempt; units
      # An edit of the configuration, with the same program.
      echo 'log_level: debug' >>/etc/oakvoice/oakvoice.yaml
      calls; attempt; units; hang_up; gone oakvoice-a; units
      calls; update; break_start; attempt; units; hang_up; repair
      ls /etc/systemd/system | grep oakvoice
      systemctl restart oakvoice; units; systemctl stop oakvoice; units; systemctl start oakvoice
      until grep -q '^ws:' /run/journal/oakvoice-b; do sleep 0.1; done
      calls; update; attempt; units
      attempt --uninstall --purge; ls /etc/systemd/system /usr/local/lib/systemd/system /etc/systemd/system/multi-user.target.wants | grep -c oakvoice || true`);
      expect(lines).toEqual([
        "0     it runs, and nothing changed: not restarted",
        "a active socket active -> oakvoice-a",
        "0     the new version starts beside the old one: no call is cut",
        "a active b active socket active -> oakvoice-b",
        "true||",
        "b active socket active -> oakvoice-b",
        "1 install: the new service does not start: see journalctl -u oakvoice-a",
        "b active socket active -> oakvoice-b",
        "true||",
        // The first version's. A later run removes it.
        "oakvoice-a.service",
        "oakvoice-b.service",
        "oakvoice.socket",
        "b active socket active -> oakvoice-b",
        "-> oakvoice-b",
        "0     the new version starts beside the old one: no call is cut",
        "a active b active socket active -> oakvoice-a",
        "0 ",
        "0",
      ]);
    },
  );

  it(
    "restarts, and says so first, when the port changes or an older version holds it",
    { timeout: 600_000 },
    async () => {
      const lines = sandbox(`
      port=${String(await freePort())}; ${STEPS}
      port=${String(await freePort())}; attempt --port $port; units; calls; hang_up
      # As versions before the slots installed it.
      systemctl stop oakvoice; cd /etc/systemd/system
      sed 's/program-b/program/; /^Sockets/d; s/on-failure/always/' oakvoice-b.service >oakvoice.service
      rm oakvoice-?.service oakvoice.socket multi-user.target.wants/oakvoice* "/usr/local/lib/systemd/system/oakvoice.service"
      mv /opt/oakvoice/program-b /opt/oakvoice/program; sed -i s/program-b/program/ /opt/oakvoice/oakvoice; cd "$source_folder"
      systemctl daemon-reload; systemctl enable --now --quiet oakvoice
      until grep -q '^ws:' /run/journal/oakvoice; do sleep 0.1; done
      update; break_start; attempt; systemctl is-active oakvoice; until grep -q '^ws:' /run/journal/oakvoice; do sleep 0.1; done
      calls; hang_up; repair
      attempt; units; calls; hang_up; ls /etc/systemd/system | grep oakvoice; ls /opt/oakvoice`);
      expect(lines).toEqual([
        expect.stringMatching(/^0 +host or port changes: the service is restarted, and current calls end/u),
        "b active socket active -> oakvoice-b",
        "true||",
        "1 install: the new service does not start: see journalctl -u oakvoice-a",
        "active",
        "true||",
        expect.stringMatching(/^0 +the running version cannot share its port: the service is restarted/u),
        "a active socket active -> oakvoice-a",
        "true||",
        "oakvoice-a.service",
        "oakvoice.socket",
        "oakvoice",
        "program-a",
      ]);
    },
  );
});
