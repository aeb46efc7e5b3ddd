import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../../../src/shared/package-root.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const sandbox = (snippet: string, ...kept: readonly string[]) => {
  const script = join(packageRoot, "test", "scripts", "installer", "sandbox.sh");
  const { stdout, stderr, status } = spawnSync(
    "unshare",
    ["--mount", "--pid", "--fork", "--mount-proc", "bash", script, folder, snippet, ...kept],
    { encoding: "utf8", cwd: packageRoot },
  );
  return { status, stdout, stderr, lines: stdout.trim().split("\n") };
};
const isolated = sandbox("true").status === 0;
if (!isolated) console.warn("SKIPPED: the installer in a sandbox (needs root and overlay file systems)");

const installation = join(folder, "installation");
/** Runs the snippet on a machine with an installation. `same` prints whether it is as it was. */
const installed = (snippet: string) =>
  sandbox(
    `state >/run/before
    same() { state | grep -v '^/opt/oakvoice/program.new' | diff /run/before - >/run/diff && echo same || cat /run/diff; }
    attempt() { local status=0; "$@" >/run/said 2>/run/error || status=$?; echo "$status $(tail -1 /run/error)"; }
    update() { echo >>"$source_folder/README.md"; }
    ${snippet}`,
    installation,
  );

describe.skipIf(!isolated)("scripts/install.sh on a separate machine", () => {
  beforeAll(() => {
    const { stderr, lines } = sandbox(`install --no-systemd >/run/first 2>&1 || cat /run/first; keep ${installation}`);
    expect([stderr, lines]).toEqual(["", [""]]);
  });

  it("does not change a working installation when options are refused", () => {
    const refused = [
      ["--dry-run --host 0.0.0.0", /needs TLS/u],
      ["--host 0.0.0.0", /needs TLS/u],
      ["--host 10.255.255.1 --self-signed", /is as it was/u],
      ["--profile cpu", /--accept-licences/u],
      ["--prefix /opt/other", /installed with --prefix \/opt\/oakvoice/u],
      ["--etc /etc/other", /installed with --etc \/etc\/oakvoice/u],
    ] as const;
    const attempts = refused.map(([options]) => `attempt install --no-systemd ${options}; same`);
    const { lines } = installed(`${attempts.join("; ")}; oakvoice keys list | grep -c active`);
    const expected = refused.flatMap(([, message]) => [expect.stringMatching(message), "same"]);
    expect(lines).toEqual([...expected, "1"]);
    for (const line of lines.filter((each) => each.includes(" "))) expect(line).toMatch(/^1 install: /u);
  });

  it("keeps configuration, program and unit when the new service does not come up", () => {
    const { lines } = installed(
      `with_systemd; install >/run/first; state >/run/before
       echo active >/run/fake/active; : >/run/fake/log; update; echo 'oakvoice: no' >/run/fake/journal
       attempt install --port 9999 --self-signed; same; tail -2 /run/fake/log
       rm /run/fake/journal; attempt install --port 9999; grep -h '^port' /etc/oakvoice/oakvoice.yaml{,.old}; ls /opt/oakvoice`,
    );
    expect(lines).toEqual([
      expect.stringMatching(/^1 install: the new service does not start/u),
      "same",
      "systemctl start oakvoice-b.service",
      'host: "127.0.0.1"',
      "0 ",
      "port: 9999",
      "port: 8787",
      "oakvoice",
      "program-a",
    ]);
  });

  it("stops a first service that does not come up, and installs it on the next run", () => {
    const { lines } = sandbox(`
      with_systemd; echo 'oakvoice: no' >/run/fake/journal
      install >/dev/null 2>&1 || echo "failed $?"
      ls /etc/systemd/system/oakvoice* 2>/dev/null || grep disable /run/fake/log
      rm /run/fake/journal; install >/dev/null && ls /etc/systemd/system/oakvoice* && readlink /usr/local/lib/systemd/system/oakvoice.service`);
    expect(lines).toEqual([
      "failed 1",
      "systemctl disable --quiet --now oakvoice-a.service",
      "/etc/systemd/system/oakvoice-a.service",
      "/etc/systemd/system/oakvoice.socket",
      "/etc/systemd/system/oakvoice-a.service",
    ]);
  });

  it.each([
    ["npm fails", "echo 'exit 1' >/run/fake/npm-ci"],
    ["the build is interrupted", "echo 'kill -INT $PPID; kill -INT $$' >/run/fake/npm-run"],
    ["the run is ended", "echo 'kill -TERM $PPID; exit 1' >/run/fake/npm-prune"],
    ["the program's disk is too small", "small /opt/oakvoice 200M"],
    [
      "the disk of the configuration is full",
      "small /etc/oakvoice 64k; ! head -c 1M /dev/zero 2>/dev/null >/etc/oakvoice/fill",
    ],
    ["/etc is read-only", "mount -o remount,ro /etc"],
    ["systemd fails", "with_systemd; touch /run/fake/fail-daemon-reload"],
  ])("leaves the old installation working when %s, and a later run updates it", (_, fault) => {
    const { lines, stderr } = installed(`
      small() { cp -a "$1" /run/copy; mount -t tmpfs -o size=$2,mode=755 tmpfs "$1"; cp -a /run/copy/. "$1"; }
      update
      ${fault}
      attempt install --port 9999 --host 127.0.0.1
      grep -h '^port' /etc/oakvoice/oakvoice.yaml; oakvoice keys list | grep -c active
      rm -f /run/fake/npm-* /run/fake/fail-* /opt/oakvoice/program.new/fill /etc/oakvoice/fill; mount -o remount,rw /etc 2>/dev/null || true
      if mountpoint -q /opt/oakvoice; then umount /opt/oakvoice; fi
      attempt install --port 9999; grep -h '^port' /etc/oakvoice/oakvoice.yaml; oakvoice keys list | grep -c active`);
    expect(stderr).toBe("");
    expect(lines).toEqual([expect.stringMatching(/^1[0-9]* install: /u), "port: 8787", "1", "0 ", "port: 9999", "1"]);
  });

  it("follows no link of the service's user, on a later run and an uninstall", () => {
    const { lines } = installed(`
      mkdir /srv/root; echo secret >/srv/root/file; cd /var/lib/oakvoice
      rm -rf voices .oakvoice; ln -s /srv/root/file .oakvoice; ln -s /srv/root voices; ln -s /srv/root models
      ln -s /etc/oakvoice up; echo x >/var/lib/linked; ln /var/lib/linked hard; cd /
      owners() { stat -c '%U %a' /srv/root /srv/root/file /var/lib/linked /etc/oakvoice/oakvoice.yaml | sort | uniq -c | tr -s ' '; }
      owners >/run/owners
      attempt install --no-systemd; owners | diff /run/owners - && echo 'not touched'
      attempt install --no-systemd --uninstall; owners | diff /run/owners - && echo 'not touched'
      attempt install --no-systemd; attempt install --no-systemd --uninstall --purge
      cat /srv/root/file; ls /var/lib/oakvoice`);
    expect(lines).toEqual(["0 ", "not touched", "0 ", "not touched", "0 ", "0 ", "secret", "hard", "up"]);
  });

  it("does not treat another folder as its installation", () => {
    const { lines } = sandbox(`
      attempt() { local status=0; install --no-systemd "$@" 2>&1 >/dev/null || status=$?; echo "$status"; }
      mkdir -p /srv/team/voices /srv/mine /srv/open; touch /srv/team/file; chown -R nobody /srv/team /srv/mine; chmod 777 /srv/open
      ln -s /srv/team /srv/link
      for data in /srv/team/none/.. /srv/team /srv/link /srv/team/new /srv/mine /srv/open/data /srv /usr/local/share /var/lib /opt/oakvoice/data /opt/oakvoice /run/data; do
        attempt --data "$data"
      done
      stat -c %U /srv/team /srv/team/file /srv/mine | uniq; ls /opt /etc/oakvoice 2>&1 | grep -c oakvoice:`);
    expect(lines.filter((line) => line === "1")).toHaveLength(12);
    expect(lines.filter((line) => line.startsWith("install: --"))).toHaveLength(12);
    expect(lines.slice(-2)).toEqual(["nobody", "0"]);
  });

  it("removes only its own files from a shared folder", () => {
    const { lines } = installed(`
      mkdir -p /usr/local/node /usr/local/program /opt/oakvoice/node; touch /usr/local/node/file /opt/oakvoice/node/file
      touch /etc/oakvoice/mine /var/lib/oakvoice/mine
      attempt install --no-systemd --uninstall --prefix /usr/local; ls -d /usr/local/node/file /usr/local/program; same >/dev/null
      attempt install --no-systemd --uninstall; id oakvoice 2>/dev/null || echo 'no user'
      find /opt/oakvoice /etc/oakvoice/mine /var/lib/oakvoice/mine /usr/local/bin/oakvoice 2>/dev/null || true
      attempt install --no-systemd --uninstall --purge; find /etc/oakvoice /var/lib/oakvoice; ls /opt/oakvoice`);
    expect(lines).toEqual([
      expect.stringMatching(/^1 install: --prefix \/usr\/local: Oakvoice is installed with/u),
      "/usr/local/node/file",
      "/usr/local/program",
      "0 ",
      "no user",
      "/opt/oakvoice",
      "/opt/oakvoice/node",
      "/opt/oakvoice/node/file",
      "/etc/oakvoice/mine",
      "/var/lib/oakvoice/mine",
      "0 ",
      "/etc/oakvoice",
      "/etc/oakvoice/mine",
      "/var/lib/oakvoice",
      "/var/lib/oakvoice/mine",
      "node",
    ]);
  });

  it("removes an installation of a version without a manifest and slots", () => {
    const { lines } = installed(`
      mv /opt/oakvoice/program-a /opt/oakvoice/program; sed -i s/program-a/program/ /opt/oakvoice/oakvoice
      rm /opt/oakvoice/.oakvoice /var/lib/oakvoice/.oakvoice; mkdir /opt/oakvoice/node
      attempt install --no-systemd --uninstall --purge; find /opt/oakvoice /etc/oakvoice /var/lib/oakvoice -maxdepth 1 2>/dev/null || true; id oakvoice 2>&1 | grep -c 'no such'`);
    expect(lines).toEqual(["0 ", "/opt/oakvoice", "/opt/oakvoice/node", "1"]);
  });

  it("does not use or remove a person's login as the service's user", () => {
    const { lines } = sandbox(`
      useradd --create-home --shell /bin/bash oakvoice
      install --no-systemd 2>&1 >/dev/null | head -1; install --no-systemd --uninstall 2>&1 >/dev/null | head -1; id -un oakvoice`);
    expect(lines).toEqual([expect.stringMatching(/may log in/u), expect.stringMatching(/may log in/u), "oakvoice"]);
  });

  it("installs its own Node when the service cannot see the existing one", () => {
    const { lines } = sandbox(`
      install --no-systemd --dry-run | grep -c node@22 || true
      mkdir /home/eve; ln -s "$(command -v node)" /home/eve; PATH=/home/eve:$PATH
      install --no-systemd --dry-run | grep -c node@22`);
    expect(lines).toEqual(["0", "1"]);
  });

  it("refuses a second run during the first", () => {
    const { lines } = installed(`
      exec 9>/run/oakvoice-install.lock; flock 9; attempt install --no-systemd; same`);
    expect(lines).toEqual([expect.stringMatching(/another run/u), "same"]);
  });

  it("gives the key of a certificate only to the service", () => {
    const { lines } = sandbox(`
      install --no-systemd --self-signed --host 0.0.0.0 >/dev/null; stat -c '%n %U %G %a' /etc/oakvoice/tls/*; cd /tmp
      openssl req -x509 -newkey rsa:512 -nodes -subj /CN=weak -keyout /run/k.pem -out /run/c.pem 2>/dev/null
      sha256sum /etc/oakvoice/tls/* >/run/sums
      install --no-systemd --cert /run/c.pem --key /run/k.pem >/run/said 2>&1 || tail -1 /run/said; sha256sum -c --quiet /run/sums && ls /etc/oakvoice/tls`);
    expect(lines).toEqual([
      "/etc/oakvoice/tls/cert.pem root root 644",
      "/etc/oakvoice/tls/key.pem root oakvoice 640",
      expect.stringMatching(/is as it was/u),
      "cert.pem",
      "key.pem",
    ]);
  });
});
