import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** Calls to a server in real time. No other file may run beside these. */
const live = [
  "test/bench/scenario.test.ts",
  "test/conformance/{interface,realtime,telephone}*.test.ts",
  "test/engines/emotion/emotion-engine.test.ts",
  "test/engines/end-of-turn/fallback.test.ts",
  "test/engines/stt/parakeet-session.test.ts",
  "test/{metrics,server}/*.test.ts",
  "test/playground/serving.test.ts",
  "test/trust/clock.test.ts",
];
/** Proofs that take minutes. */
const slow = [
  "test/examples/*.test.ts",
  "test/{auth,model-install}/full-disk.test.ts",
  "test/bench/allocations.test.ts",
  "test/client/package.test.ts",
  "test/conformance/conversation.test.ts",
  "test/operator/doctor/doctor.test.ts",
  "test/engines/llm/remote/llama-server.test.ts",
  "test/engines/stt/build-native.test.ts",
  "test/gpu.test.ts",
  "test/language/heard-numbers.test.ts",
  "test/playground/{browser,records}.test.ts",
  "test/operator/rehearse/{time-model,model-times,rehearse}.test.ts",
  "test/operator/scenarios/test-command.test.ts",
  "test/scripts/{install,installer/*}.test.ts",
  "test/trust/{faults,no-egress}.test.ts",
];
const training = ["test/train/*.test.ts"];
/** Real engines in virtual time, and commands in processes of their own. */
const engines = [
  "test/*.test.ts",
  "test/deploy/*.test.ts",
  "test/conversation/{barge-in,dictation,offset-and-hum,push-to-talk,slow-recogniser,turn-limits}.test.ts",
  "test/conversation/reply/prompt-prefix.test.ts",
  "test/conversation/turn/settings-on-audio.test.ts",
  "test/{child-processes,service}/*.test.ts",
  "test/engines/**/*.test.ts",
  "test/scripts/{replay,talk}.test.ts",
  "test/server/http/passed-socket.test.ts",
];
const all = ["test/**/*.test.ts"];
const globalSetup = ["test/support/built-program.ts"];

/** The projects run one after the other in this order, up to `maxWorkers` files of a project at once. */
const project = (
  name: string,
  groupOrder: number,
  test: TestProjectInlineConfiguration["test"],
): TestProjectInlineConfiguration => ({
  test: {
    name,
    sequence: { groupOrder },
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 10_000 } },
    ...test,
  },
});

export default defineConfig({
  test: {
    globalSetup: ["test/support/nothing-left-behind.ts"],
    projects: [
      project("unit", 0, { include: all, exclude: [...engines, ...live, ...slow, ...training], maxWorkers: 3 }),
      project("engines", 1, { include: engines, globalSetup, exclude: [...live, ...slow], maxWorkers: 3 }),
      project("live", 2, { include: live, globalSetup, maxWorkers: 1 }),
      project("slow", 3, { include: slow, globalSetup, maxWorkers: 2 }),
      project("training", 4, { include: training, maxWorkers: 2, testTimeout: 60 * 60_000 }), // CI gives them the lowest priority
    ],
  },
});
