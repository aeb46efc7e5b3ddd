import { lstat, readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { backOffMs, type BackOff } from "../shared/back-off.ts";
import { systemClock, type Clock } from "../shared/clock.ts";
import { errorCode, errorMessage, OakError } from "../shared/errors.ts";
import { FailureReporter } from "../shared/failure-reporter.ts";
import { fileStamp } from "../shared/files/file-stamp.ts";
import type { Log } from "../shared/log.ts";
import { configInvalid } from "../shared/files/read-structured-file.ts";
import { embeddedDefault, voiceConfigurationSchema, type VoiceConfiguration } from "./voice-configuration.ts";
import { ParsingStopped, VoiceFileReader } from "./voice-file-reader.ts";

export interface VoiceStore {
  /**
   * Reads changed files again first, for `MAX_WAIT_MS` at most. Calls in progress keep their configuration.
   */
  get(configId: string): Promise<VoiceConfiguration | undefined>;
  list(): readonly VoiceConfiguration[];
  /** Reads every file again. Never throws: for a bad file, the old version stays and one line is logged. */
  reload(): Promise<void>;
}

/** A part of the program that configurations need, such as their tools. */
export interface VoiceUser {
  /** @throws OakError `CONFIG_INVALID`: the file is refused. */
  load(voice: VoiceConfiguration, file: string): void;
  /** The configurations that are now in force. */
  use(voices: readonly VoiceConfiguration[]): void;
}

interface LoadedFile {
  readonly stamp: string;
  /** Undefined when the file was never valid. */
  readonly voice: VoiceConfiguration | undefined;
  /** The file could not be read so many times, and is read again at this clock time. */
  readonly failed?: { readonly times: number; readonly againMs: number } | undefined;
}

const EXTENSIONS = new Set([".yaml", ".yml", ".json"]);
const MAX_FILES = 500;
const MAX_WAIT_MS = 5_000;
/** Before a file that could not be read, or took too long to parse, is read again. */
const RETRY: BackOff = { firstMs: 30_000, longestMs: 3_600_000, attempts: Infinity };

/**
 * The configurations of a folder, and the built-in `default`. The folder may be missing.
 * At the start, an unreadable file is logged, and wrong content is an error.
 * @throws OakError `CONFIG_INVALID`; `CONFIG_UNREADABLE` when the folder itself cannot be read.
 */
export async function openVoiceStore(
  folder: string,
  log: Log,
  user?: VoiceUser,
  clock: Clock = systemClock,
): Promise<VoiceStore> {
  const files = new Map<string, LoadedFile>();
  let voices: ReadonlyMap<string, VoiceConfiguration> = new Map();
  /** Names and stamps of the files at the last read of the folder. */
  let shape: string | undefined;

  const logError = (error: unknown) => log.error({ code: errorCode(error) }, errorMessage(error));
  const folderFailures = new FailureReporter(logError);

  /** Reads changed files. `onInvalid` may throw for wrong content. */
  const refresh = async (isForced: boolean, onInvalid: (error: unknown) => void) => {
    const { stamps, left } = await stampsOf(folder);
    const now = [...stamps].flat().join("\n");
    const isDue = (loaded: LoadedFile | undefined) => (loaded?.failed?.againMs ?? Infinity) <= clock.nowMs();
    if (!isForced && now === shape && ![...files.values()].some(isDue)) return;
    if (left > 0)
      log.error({ code: "CONFIG_INVALID" }, `${folder}: holds more than ${String(MAX_FILES)} files; ${String(left)} are not read.`); // prettier-ignore
    let changed = 0;
    for (const file of files.keys()) if (!stamps.has(file) && files.delete(file)) changed += 1;
    using reader = new VoiceFileReader();
    for (const [file, stamp] of stamps) {
      const loaded = files.get(file);
      if (!isForced && loaded?.stamp === stamp && !isDue(loaded)) continue;
      let voice = loaded?.voice;
      let failed: LoadedFile["failed"];
      try {
        const parsed = parseVoice(file, await reader.read(file));
        user?.load(parsed, file);
        voice = parsed;
        changed += 1;
      } catch (error) {
        if (mayPass(error)) {
          const times = loaded?.failed?.times ?? 0;
          failed = { times: times + 1, againMs: clock.nowMs() + backOffMs(RETRY, times, 1) };
        }
        if (errorCode(error) === "CONFIG_UNREADABLE") logError(error);
        else onInvalid(error);
      }
      files.set(file, { stamp, voice, failed });
    }
    const isFirst = voices.size === 0;
    voices = index(files, onInvalid);
    if (changed > 0 && !isFirst && !isForced)
      log.info({ changed, voices: voices.size }, "voice configurations read again");
    user?.use([...voices.values()]);
    shape = now;
  };

  const faults: unknown[] = [];
  await refresh(true, (error) => void faults.push(error));
  if (faults.length === 1) throw faults[0];
  if (faults.length > 1) throw new OakError(faults.map(errorMessage).join("\n"), { code: "CONFIG_INVALID" });

  let running: Promise<void> = Promise.resolve();
  /** A refresh that has not started, which later callers share. */
  let next: Promise<void> | undefined;
  const refreshInTurn = (isForced: boolean) => {
    running = running.then(async () => {
      next = undefined;
      try {
        await refresh(isForced, logError);
        folderFailures.succeeded();
      } catch (error) {
        // The configurations of the last successful read stay in force.
        folderFailures.failed(error, errorMessage(error));
      }
    });
    return running;
  };

  return {
    async get(configId) {
      next ??= refreshInTurn(false);
      await withinMs(MAX_WAIT_MS, next);
      return voices.get(configId);
    },
    list: () => [...voices.values()],
    reload: () => refreshInTurn(true),
  };
}

/** The disk or the machine failed, not the content of the file. */
const mayPass = (error: unknown): boolean =>
  errorCode(error) === "CONFIG_UNREADABLE" || (error instanceof OakError && error.cause instanceof ParsingStopped);

async function withinMs(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, deadline]);
  clearTimeout(timer);
}

/** By config_id. If two files have the same id, the first one by name keeps it. */
function index(
  files: ReadonlyMap<string, LoadedFile>,
  onError: (error: unknown) => void,
): Map<string, VoiceConfiguration> {
  const owners = new Map<string, string>();
  const voices = new Map([[embeddedDefault.config_id, embeddedDefault]]);
  for (const [file, { voice }] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    if (voice === undefined) continue;
    const owner = owners.get(voice.config_id);
    if (owner !== undefined) {
      const message = `${file}: config_id: ${voice.config_id} is already used by ${owner}; give it another.`;
      onError(new OakError(message, { code: "CONFIG_INVALID" }));
      continue;
    }
    owners.set(voice.config_id, file);
    voices.set(voice.config_id, voice);
  }
  return voices;
}

function parseVoice(file: string, value: unknown): VoiceConfiguration {
  const parsed = voiceConfigurationSchema.safeParse(value);
  if (!parsed.success) throw configInvalid(() => file, parsed.error, voiceConfigurationSchema);
  return parsed.data;
}

/** The stamps of the first `MAX_FILES` files by name, and how many more there are. */
async function stampsOf(folder: string): Promise<{ stamps: ReadonlyMap<string, string>; left: number }> {
  const names = (await namesIn(folder)).filter((name) => EXTENSIONS.has(extname(name))).toSorted();
  const paths = names.slice(0, MAX_FILES).map((name) => join(folder, name));
  const stamps = await Promise.all(paths.map(async (file) => [file, await stampOf(file)] as const));
  return {
    stamps: new Map(stamps.filter((entry): entry is [string, string] => entry[1] !== undefined)),
    left: names.length - paths.length,
  };
}

/** Undefined when the file is gone; an error code when it cannot be read. */
async function stampOf(file: string): Promise<string | undefined> {
  try {
    return fileStamp(await stat(file, { bigint: true }));
  } catch (error) {
    // A broken link is a bad file, not a missing one.
    const isGone = errno(error) === "ENOENT" && (await lstat(file).catch(() => undefined)) === undefined;
    return isGone ? undefined : errno(error);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errno(error) === "ENOENT") return [];
    throw new OakError(`${folder}: the folder of voice configurations cannot be read.`, {
      code: "CONFIG_UNREADABLE",
      cause: error,
    });
  }
}

const errno = (error: unknown) => (error as NodeJS.ErrnoException).code;
