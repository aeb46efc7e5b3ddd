import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Another project in which this package is installed. */
const project = temporaryFolder();

beforeAll(() => {
  mkdirSync(join(project, "node_modules"));
  symlinkSync(packageRoot, join(project, "node_modules", "oakvoice"));
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
});

function check(source: string): string {
  writeFileSync(join(project, "program.ts"), source);
  const tsc = join(packageRoot, "node_modules", ".bin", "tsc");
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--lib", "es2023,dom"];
  return spawnSync(tsc, [...options, "program.ts"], { cwd: project, encoding: "utf8" }).stdout;
}

const documented = () =>
  /```ts\n(?<code>.*?)```/su.exec(readFileSync(join(packageRoot, "docs", "client.md"), "utf8"))?.groups?.["code"] ?? "";

it("the example in docs/client.md compiles in another project for browsers and Node", () => {
  const names = `
    declare const apiKey: string, pcm: Uint8Array;
    declare const loudspeaker: { add(pcm: Uint8Array): void; stop(): void };
    declare function show(text: string, isFinal: boolean): void;
    declare function showWaiting(attempt: number, delayMs: number): void;
    declare function showBack(messages: number, reply: object | undefined): void;
    declare function showEnd(error: Error | undefined): void;`;
  const onNode = `
    import { onNode } from "oakvoice/client/node";
    import { PlaybackClock } from "oakvoice/client/playback-clock";
    import { Playback } from "oakvoice/client/playback";
    export const heardOf: PlaybackClock = new Playback().clock;
    new VoiceClient({ address: () => "", ...onNode({ Authorization: "Bearer ..." }) });`;
  expect(documented()).toContain("new VoiceClient");
  expect(check(`${documented()}${names}${onNode}`)).toBe("");
});

it("settings with the interface's field names compile", () => {
  const settings = '{ response_style: { empathy_level: 0.8 }, emotion_detection: { emotions_to_track: ["Joy"] } }';
  const use = `new VoiceClient({ address: () => "", settings: ${settings} }).configure(${settings});`;
  expect(check(`import { VoiceClient } from "oakvoice/client/voice-client"; ${use}`)).toBe("");
});

it("settings outside the interface do not compile", () => {
  expect(check(documented().replace("accumulated_transcript,", "invented,"))).toMatch(/invented.*does not exist/u);
});
