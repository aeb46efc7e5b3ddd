import { join, relative } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** A server and its connections in real time. A busy machine only delays them. */
const live = [
  "test/conformance/{interface,interface-connect,interface-tools,phrases}.test.ts",
  "test/conformance/realtime-tools.test.ts",
  "test/engines/emotion/emotion-engine.test.ts",
  "test/{metrics,server}/*.test.ts",
  "test/playground/serving.test.ts",
];
/** Whole spoken calls in real time. No other file may run beside these. */
const calls = [
  "test/bench/scenario.test.ts",
  "test/conformance/interface-resume.test.ts",
  "test/conformance/realtime-{agents-sdk,doors,openai,python,turns}.test.ts",
  "test/conformance/telephone{,-asterisk}.test.ts",
  "test/engines/end-of-turn/fallback.test.ts",
  "test/engines/stt/parakeet-session.test.ts",
  "test/server/remote-{audio,language-model}.test.ts",
  "test/tracing/explained-turn.test.ts",
  "test/trust/{clock,faults}.test.ts",
];
/** Proofs that take minutes, most of them with waits in real time. Those that take longest begin first. */
const slow = [
  "test/scripts/installer/upgrade.test.ts",
  "test/playground/browser.test.ts",
  "test/trust/no-egress.test.ts",
  "test/trust/erased-calls.test.ts",
  "test/conversation/slow-recogniser.test.ts",
  "test/conformance/conversation.test.ts",
  "test/service/serve.test.ts",
  "test/operator/scenarios/test-command.test.ts",
  "test/operator/doctor/doctor.test.ts",
  "test/operator/rehearse/model-times.test.ts",
  "test/engines/vad/tone-rejection.test.ts",
  "test/playground/records.test.ts",
  "test/engines/llm/remote/llama-server.test.ts",
  "test/operator/rehearse/{rehearse,time-model}.test.ts",
  "test/examples/*.test.ts",
  "test/handover.test.ts",
];
/** Proofs that keep the processor busy for minutes and watch no clock. */
const heavy = [
  "test/gpu.test.ts",
  "test/scripts/installer/sandbox.test.ts",
  "test/language/heard-numbers.test.ts",
  "test/scripts/install.test.ts",
  "test/bench/allocations.test.ts",
  "test/train/{chat-template,deep-filter,drawn-calls,heart-voice,moonshine-tiny,speaker-encoder,whisper-base}.test.ts",
  "test/engines/stt/build-native.test.ts",
  "test/client/package.test.ts",
  "test/conversation/{long-turns,resume-any-order,tools-any-order}.test.ts",
  // Real engines in virtual time.
  "test/conversation/{barge-in,dictation,hold-music,offset-and-hum,push-to-talk,turn-limits}.test.ts",
  "test/conversation/ear/front-end/noise-suppression.test.ts",
  "test/engines/speaker/only-my-caller.test.ts",
  "test/engines/stt/whisper/addon.test.ts",
  "test/call-record/crash.test.ts",
  "test/language/spoken-linear.test.ts",
  "test/{auth,model-install}/full-disk.test.ts",
  "test/config/bad-voice-files.test.ts",
  "test/engines/stt/text/whisper-prompt.test.ts",
];
/** Minutes of training. CI leaves them out. */
const training = ["test/train/trainings.test.ts"];
/** Real engines in virtual time, and commands in processes of their own. */
const engines = [
  "test/*.test.ts",
  "test/deploy/*.test.ts",
  "test/conversation/reply/prompt-prefix.test.ts",
  "test/conversation/turn/settings-on-audio.test.ts",
  "test/{child-processes,service}/*.test.ts",
  "test/engines/**/*.test.ts",
  "test/scripts/{replay,talk}.test.ts",
  "test/server/http/passed-socket.test.ts",
];
const all = ["test/**/*.test.ts"];
/** The program is compiled before the tests. Child processes run the compiled code. */
const built = {
  globalSetup: ["test/support/built-program.ts"],
  alias: [
    {
      find: /^(?:\.|(?:\.\.\/)+child-processes)\/worker-url\.ts$/u,
      replacement: join(import.meta.dirname, "test/support/built-worker-url.ts"),
    },
  ],
} as const satisfies TestProjectInlineConfiguration["test"];

/** A process runs file after file. Its start and its imports take longer than most tests. */
const sharedProcess = {
  isolate: false,
  setupFiles: ["test/support/shared-process.ts"],
} as const satisfies TestProjectInlineConfiguration["test"];

/** Projects of a group run together, and the groups one after the other: up to `maxWorkers` files at once. */
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

/** Without it Vitest begins with the largest files, and a core waits at the end for a long test in a small file. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const file = relative(import.meta.dirname, moduleId);
      const found = [...slow, ...heavy].indexOf(file);
      return found === -1 ? files.length : found;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- no array
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    // The projects and later runs share the transformed modules.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    globalSetup: ["test/support/nothing-left-behind.ts"],
    projects: [
      project("unit", 0, {
        ...sharedProcess,
        include: all,
        exclude: [...engines, ...live, ...calls, ...slow, ...heavy, ...training],
        maxWorkers: 3,
      }),
      project("engines", 1, {
        ...sharedProcess,
        ...built,
        include: engines,
        exclude: [...live, ...calls, ...slow, ...heavy],
        maxWorkers: 3,
      }),
      project("live", 1, { ...sharedProcess, ...built, include: live, exclude: calls, maxWorkers: 3 }),
      // Concurrent tests: two at once.
      project("calls", 3, { ...sharedProcess, ...built, include: calls, maxWorkers: 1, maxConcurrency: 2 }),
      project("slow", 4, { ...built, include: slow, maxWorkers: 2 }),
      project("heavy", 5, { ...built, include: heavy, maxWorkers: 2, testTimeout: 600_000, hookTimeout: 600_000 }),
      project("training", 6, { include: training, maxWorkers: 2, testTimeout: 60 * 60_000 }),
    ],
  },
});
