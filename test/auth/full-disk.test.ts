import { expect, test } from "vitest";
import { canMount, onSmallDisk } from "../support/small-disk.ts";

const KEY_ID = 'id=$(grep -o "key_[0-9a-f]*" "$DISK/api-keys.json" | head -1)';

test.skipIf(!canMount)(
  "a full disk accepts a revocation, refuses a new key in one line and works again after space is freed",
  () => {
    const said = onSmallDisk(`
    oakvoice keys create --name first | cat >/dev/null
    ${KEY_ID}
    fill
    oakvoice keys create --name second
    oakvoice keys revoke "$id"
    free
    oakvoice keys create --name third | cat >/dev/null
    oakvoice keys list
    ls -A "$DISK"
  `);
    const [refused, failed, revoked, done, , ...rows] = said.trim().split("\n");
    expect([refused, failed]).toEqual([
      expect.stringMatching(/^oakvoice: .*api-keys\.json: not changed: the disk is full \(ENOSPC\)\. Make room/u),
      "exit 1",
    ]);
    expect([revoked, done]).toEqual([expect.stringContaining("is revoked"), "exit 0"]);
    expect(rows).toEqual([
      expect.stringMatching(/ first .*Z +20\d\d-.*Z /u),
      expect.stringMatching(/ third .* active /u),
      "exit 0",
      "api-keys.json",
    ]);
  },
);

test.skipIf(!canMount)("a read-only disk refuses a change in one line", () => {
  const said = onSmallDisk(`
    oakvoice keys create --name first | cat >/dev/null
    ${KEY_ID}
    mount -o remount,ro "$DISK"
    oakvoice keys revoke "$id"
    mount -o remount,rw "$DISK"
    oakvoice keys revoke "$id" | tail -1
  `);
  expect(said.trim().split("\n")).toEqual([
    expect.stringMatching(/^oakvoice: .*api-keys\.json: not changed: the file system is read-only \(EROFS\)\. /u),
    "exit 1",
    "exit 0",
  ]);
});

test.skipIf(!canMount)("the server's local key is revoked when a full disk prevents its removal", () => {
  const script = `
    const { createLocalKey, removeLocalKey } = await import(process.env.LOCAL_KEY);
    createLocalKey(process.env.DISK, "start", 0);
    (await import("node:child_process")).spawnSync("bash", ["-c", 'cat /dev/zero >"$DISK/filler"']);
    removeLocalKey(process.env.DISK, "start");
  `;
  const said = onSmallDisk(
    '"$NODE" --import tsx --input-type=module --eval "$SCRIPT"; grep revoked_at "$DISK/api-keys.json"',
    { SCRIPT: script, LOCAL_KEY: new URL("../../src/auth/local-key.ts", import.meta.url).href },
  );
  expect(said).toMatch(/^ +"revoked_at": "20.*Z"$/mu);
});
