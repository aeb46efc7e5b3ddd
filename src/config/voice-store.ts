import { readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { errorCode, errorMessage, OakError } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import { configInvalid, readStructuredFile } from "./read-structured-file.ts";
import { embeddedDefault, voiceConfigurationSchema, type VoiceConfiguration } from "./voice-configuration.ts";

export interface VoiceStore {
  /** The configuration as its file is now: changed files are read again before each answer. Calls under way keep theirs. */
  get(configId: string): VoiceConfiguration | undefined;
  list(): readonly VoiceConfiguration[];
  /** Reads every file again, whether it changed or not. Never throws: a bad file keeps its old version and logs one line. */
  reload(): void;
}

interface LoadedFile {
  readonly stamp: string;
  /** Undefined while the file has never been good. */
  readonly voice: VoiceConfiguration | undefined;
}

const EXTENSIONS = new Set([".yaml", ".yml", ".json"]);

/**
 * The configurations of a folder, and `default`, which is always there. A missing folder holds none.
 * @throws OakError `CONFIG_INVALID` or `CONFIG_UNREADABLE` when a file is bad at the start, or two share a config_id.
 */
export function openVoiceStore(folder: string, log: Log): VoiceStore {
  const files = new Map<string, LoadedFile>();
  let voices: ReadonlyMap<string, VoiceConfiguration> = new Map();

  /** Reads what changed; `onError` decides whether one bad file is the end. */
  const refresh = (isForced: boolean, onError: (error: unknown) => void) => {
    const seen = stampsOf(folder);
    for (const file of files.keys()) if (!seen.has(file)) files.delete(file);
    for (const [file, stamp] of seen) {
      const loaded = files.get(file);
      if (!isForced && loaded?.stamp === stamp) continue;
      let voice = loaded?.voice;
      try {
        voice = readVoice(file);
      } catch (error) {
        onError(error);
      }
      files.set(file, { stamp, voice });
    }
    voices = index(files, onError);
  };
  const logError = (error: unknown) => log.error({ code: errorCode(error) }, errorMessage(error));
  /** What was read before stays in force when the folder itself cannot be read. */
  const refreshIfChanged = (isForced: boolean) => {
    try {
      const now = shapeOf(folder);
      if (!isForced && now === shape) return;
      shape = now;
      refresh(isForced, logError);
    } catch (error) {
      logError(error);
    }
  };

  refresh(true, (error) => {
    throw error;
  });
  let shape = shapeOf(folder);

  return {
    get(configId) {
      refreshIfChanged(false);
      return voices.get(configId);
    },
    list: () => [...voices.values()],
    reload: () => refreshIfChanged(true),
  };
}

/** By config_id. The first file by name keeps an id that two claim. */
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

function readVoice(file: string): VoiceConfiguration {
  const parsed = voiceConfigurationSchema.safeParse(readStructuredFile(file));
  if (!parsed.success) throw configInvalid(() => file, parsed.error);
  return parsed.data;
}

const shapeOf = (folder: string) => [...stampsOf(folder)].flat().join("\n");

/** What changes when a file does: an editor's rename changes the inode, a write in place the time or the size, a mend of owner or mode the ctime. */
function stampsOf(folder: string): Map<string, string> {
  const stamps = new Map<string, string>();
  for (const name of namesIn(folder)) {
    if (!EXTENSIONS.has(extname(name))) continue;
    const file = join(folder, name);
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (stat?.isFile() === true) stamps.set(file, `${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.size}`);
  }
  return stamps;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new OakError(`${folder}: the folder of voice configurations cannot be read.`, {
      code: "CONFIG_UNREADABLE",
      cause: error,
    });
  }
}
