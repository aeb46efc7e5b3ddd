import type { ServerConfig } from "../../config/server-config.ts";
import { embeddedDefault, type VoiceConfiguration } from "../../config/voice-configuration.ts";
import { languageOf } from "../../language/packs/languages.ts";
import { DEFAULT_LANGUAGE, tagsOf } from "../../language/language-setting.ts";
import { engineStarters } from "../../service/engine-starters.ts";
import { errorMessage, OakError } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import type { CallView } from "./call-view.ts";
import { failuresOf } from "./expectations.ts";
import { inventedIn } from "./invented.ts";
import { unconfirmed } from "./judge.ts";
import { makeCall } from "./make-call.ts";
import { withOwnBox, type Box } from "./own-box.ts";
import type { ScenarioFile } from "./scenario-file.ts";
import { callerVoice, scenarioOf } from "./speak-turns.ts";
import { readVoiceFiles, variantsFor, type VoiceFile } from "./voice-variants.ts";

export interface ScenarioResult {
  readonly name: string;
  readonly file: string;
  /** Counts from 1. */
  readonly run: number;
  readonly seconds: number;
  readonly failures: readonly string[];
  /** Undefined when the call could not be made. */
  readonly call: CallView | undefined;
  readonly wav: (() => Uint8Array) | undefined;
}

export interface RunOptions {
  readonly config: ServerConfig;
  /** A running server. Undefined: one is started with `config`. */
  readonly box: Box | undefined;
  readonly atOnce: number;
  readonly log: Log;
  readonly onResult: (result: ScenarioResult) => void;
  /** A note for the operator, before the first call. */
  readonly onNote: (note: string) => void;
}

/** Makes the calls of all scenarios, `atOnce` at a time. The results are in the order of the scenarios. */
export async function runScenarios(
  scenarios: readonly ScenarioFile[],
  options: RunOptions,
): Promise<readonly ScenarioResult[]> {
  const { config, box, log } = options;
  const files = await readVoiceFiles(config);
  const named = scenarios.map((scenario) => ({ scenario, voice: voiceFor(scenario, files, box !== undefined) }));
  if (box !== undefined) {
    const real = named.flatMap(({ scenario, voice }) => Object.keys(scenario.answers).filter(isReal(voice)));
    if (real.length > 0)
      options.onNote(
        `note: with --url the server carries out ${[...new Set(real)].join(", ")} for real. The answers are not used.`,
      );
    return callAll(
      named.map((one) => ({ ...one, configId: one.voice.config_id })),
      box,
      options,
    );
  }
  const { voices, configIds } = variantsFor(named, files);
  const all = named.map((one, index) => ({ ...one, configId: configIds[index] ?? one.voice.config_id }));
  return withOwnBox(config, voices, log, async (own, signal) => callAll(all, own, options, signal));
}

interface Prepared {
  readonly scenario: ScenarioFile;
  /** The configuration as far as it is known here. */
  readonly voice: VoiceConfiguration;
  /** The id under which the server has it. */
  readonly configId: string;
}

/** @throws the reason of `signal` when it aborts. The calls under way end with the server. */
async function callAll(
  prepared: readonly Prepared[],
  box: Box,
  options: RunOptions,
  signal?: AbortSignal,
): Promise<ScenarioResult[]> {
  const { config, log, atOnce, onResult } = options;
  const starters = engineStarters(config, 1, log);
  const speech = prepared.some(({ scenario }) => scenario.caller === "speaks") ? await starters.tts() : undefined;
  const judge = prepared.some(({ scenario }) => scenario.expect.judge.length > 0) ? await starters.llm() : undefined;
  try {
    const runs = prepared.flatMap((one) =>
      Array.from({ length: one.scenario.repeat }, (_, at) => ({ ...one, run: at + 1 })),
    );
    const results: ScenarioResult[] = [];
    const waiting = [...runs.entries()];
    let judging: Promise<unknown> = Promise.resolve();
    const callOne = async ({ scenario, voice, configId, run }: (typeof runs)[number]): Promise<ScenarioResult> => {
      const language = languageOf(tagsOf(voice.language)[0] ?? DEFAULT_LANGUAGE);
      const about = { name: scenario.name, file: scenario.file, run };
      const speak = speech === undefined ? noVoice : callerVoice(speech, scenario, language);
      const calls = await scenarioOf(scenario, configId, speak);
      try {
        const { call, seconds, wav } = await makeCall(box, calls, scenario.turns, answerFrom(scenario));
        const failures = failuresOf(scenario, call, language.code);
        if (scenario.expect.nothing_invented) failures.push(...inventedFailures(call, voice, language));
        if (judge !== undefined && scenario.expect.judge.length > 0) {
          const answers = judging.then(async () => unconfirmed(scenario.expect.judge, call, judge));
          judging = answers.catch(() => undefined);
          failures.push(...(await answers).map((statement) => `the judge says no: ${statement}`));
        }
        return { ...about, seconds, failures, call, wav };
      } catch (error) {
        if (!(error instanceof OakError)) throw error;
        return { ...about, seconds: 0, failures: [errorMessage(error)], call: undefined, wav: undefined };
      }
    };
    const line = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        signal?.throwIfAborted();
        const [index, run] = next;
        const result = await callOne(run);
        signal?.throwIfAborted();
        results[index] = result;
        onResult(result);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, line));
    return results;
  } finally {
    await speech?.close();
    await judge?.close();
  }
}

const noVoice = (): Promise<Float32Array> => Promise.resolve(new Float32Array(0));

const inventedFailures = (
  call: CallView,
  { system_prompt, facts, greeting = "" }: VoiceConfiguration,
  language: ReturnType<typeof languageOf>,
) =>
  inventedIn(call, [system_prompt, ...facts, greeting], language).map((value) => `the assistant invented "${value}"`);

/** The test carries out client tools only. */
const isReal =
  ({ tools }: VoiceConfiguration) =>
  (name: string) =>
    !tools.some((tool) => "client" in tool && tool.name === name);

/** `{ error: ... }` alone is a failed call. */
const answerFrom =
  ({ answers }: ScenarioFile) =>
  (name: string) => {
    if (!Object.hasOwn(answers, name))
      return { output: "no program carries this tool out in the test.", isError: true };
    const answer = answers[name];
    const { error } = (typeof answer === "object" && answer !== null ? answer : {}) as { readonly error?: unknown };
    const isError = error !== undefined && Object.keys(answer as object).length === 1;
    const value = isError ? error : answer;
    return { output: typeof value === "string" ? value : JSON.stringify(value), isError };
  };

/** @throws OakError `SCENARIO_INVALID`. */
function voiceFor(
  { config_id: wanted, file }: ScenarioFile,
  files: readonly VoiceFile[],
  isElsewhere: boolean,
): VoiceConfiguration {
  const own = files.map(({ voice }) => voice);
  if (wanted === undefined && own.length === 1 && own[0] !== undefined) return own[0];
  const known = own.some(({ config_id }) => config_id === "default") ? own : [...own, embeddedDefault];
  const id = wanted ?? (own.length === 0 ? "default" : undefined);
  const found = known.find(({ config_id }) => config_id === id);
  if (found !== undefined) return found;
  if (isElsewhere && id !== undefined) return { ...embeddedDefault, config_id: id, tools: [] };
  const names = known.map(({ config_id }) => config_id).join(", ");
  const fault = id === undefined ? "config_id: name one of" : `config_id: there is no "${id}". There are:`;
  throw new OakError(`${file}: ${fault} ${names}.`, { code: "SCENARIO_INVALID" });
}
