import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readWav } from "../../../src/audio/wav.ts";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { initCommand } from "../../../src/operator/init/init-command.ts";
import { testCommand } from "../../../src/operator/scenarios/test-command.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { TestBox } from "../../support/box.ts";
import { MAIN } from "../../support/built-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function run(folder: string, ...options: string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const print = (line: string) => Promise.resolve(void lines.push(line));
  const { config } = loadServerConfig(join(folder, "oakvoice.yaml"), {});
  await testCommand([folder, ...options], config, print, silentLog).catch((error: unknown) =>
    lines.push(String(error)),
  );
  return lines;
}

test("an example passes its tests, and fails them when a fact is changed for the worse", async () => {
  const folder = join(temporaryFolder(), "hotel");
  initCommand(["hotel", folder], "oakvoice");
  expect((await run(folder)).at(-1)).toBe("3 of 3 calls passed.");

  const file = join(folder, "voices", "hotel.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("from 7 to 10 in", "from 8 to 9 in"));
  const report = join(folder, "report");
  const lines = await run(folder, "--only", "question", "--report", report, "--junit", join(folder, "junit.xml"));
  expect(lines[0]).toMatch(/^FAILED {2}1-a-question .*\n.*turn 1: replied ".*", wanted "seven to ten"/u);
  expect(lines.at(-1)).toMatch(/0 of 1 calls passed/u);
  expect(readdirSync(report).toSorted()).toEqual(["001.wav", "index.html"]);
  expect(readWav(readFileSync(join(report, "001.wav"))).samples.length).toBeGreaterThan(48_000);
  expect(readFileSync(join(folder, "junit.xml"), "utf8")).toContain('failures="1"');
});

const DESK = `
config_id: desk
system_prompt: You are the front desk of the Oak Hotel. Answer in one or two short spoken sentences.
facts: [Breakfast is from 7 to 10 in the morning.]
tools:
  - name: bring_to_room
    description: Brings something to a room.
    client: true
    parameters: { type: object, properties: { room: { type: integer }, item: { type: string } }, required: [room, item] }
  - name: plan_wake_up
    description: Plans a wake-up call for a room.
    webhook: { url: "http://127.0.0.1:9/", secret_env: DESK_SECRET }
    parameters: { type: object, properties: { room: { type: integer } }, required: [room] }
`;

const EGRESS = "egress: { allowed_hosts: [127.0.0.1:9] }\n";

test("--url drives a running server, typed and spoken, with the page's address or a key", async () => {
  vi.stubEnv("DESK_SECRET", "whsec_c2VjcmV0IG9mIHRoZSB3ZWJob29r");
  const box = await TestBox.start({ desk: DESK }, EGRESS);
  const folder = temporaryFolder();
  mkdirSync(join(folder, "voices"));
  writeFileSync(join(folder, "voices", "desk.yaml"), DESK);
  writeFileSync(join(folder, "oakvoice.yaml"), `voices_dir: voices\n${EGRESS}`);
  mkdirSync(join(folder, "tests"));
  const scenario = (name: string, text: string) => writeFileSync(join(folder, "tests", name), text);
  scenario("1-spoken.yaml", "turns: [{ say: when is breakfast, expect: { reply: seven to ten } }]");
  scenario(
    "2-typed.yaml",
    `caller: types
turns:
  - { say: please bring towels to room 204, expect: { tools: [{ bring_to_room: { room: 204, item: towels } }] } }
answers: { bring_to_room: { sent: towels } }`,
  );
  try {
    const page = box.pageUrlFor(["inspect"]);
    expect(await run(folder, "--url", page)).toEqual([
      expect.stringMatching(/^passed {2}1-spoken/u),
      expect.stringMatching(/^passed {2}2-typed/u),
      "2 of 2 calls passed.",
    ]);
    scenario("2-typed.yaml", "caller: types\nturns: [hello]\nanswers: { plan_wake_up: {} }");
    const [base = "", key = ""] = page.split("/#api_key=");
    const lines = await run(folder, "--url", base, "--key", `${key.slice(0, -4)}0000`, "--only", "typed");
    expect(lines[0]).toMatch(/plan_wake_up for real/u);
    expect(lines[1]).toMatch(/^FAILED.*\n.*API key is not known/u);
    expect(lines[2]).not.toMatch(/heard/u);
  } finally {
    await box.close();
    vi.unstubAllEnvs();
  }
});

test("Ctrl-C during a call ends the test and leaves no file of its server", async () => {
  const folder = join(temporaryFolder(), "hotel");
  initCommand(["hotel", folder], "oakvoice");
  const temporary = temporaryFolder();
  const child = spawn(process.execPath, [MAIN, "test", folder, "--at-once", "1"], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout.on("data", (data: Buffer) => (printed += data.toString()));
  await once(child.stdout, "data");
  child.kill("SIGINT");
  const [status, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect([status, signal]).toEqual([1, null]);
  expect(printed).not.toContain("FAILED");
  expect(readdirSync(temporary)).toEqual([]);
});
