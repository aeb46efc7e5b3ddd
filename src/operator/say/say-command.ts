import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { writeWav } from "../../audio/wav.ts";
import type { ServerConfig } from "../../config/server-config.ts";
import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import { loadModelCatalog, modelPath, namedModel } from "../../config/model-catalog.ts";
import { engineStarters } from "../../service/engine-starters.ts";
import { warnOfUnknownSpeaker } from "../../engines/tts/speaker-choice.ts";
import { DEFAULT_LANGUAGE, tagsOf } from "../../language/language-setting.ts";
import { languageOf } from "../../language/packs/languages.ts";
import { errorMessage, OakError } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import { parseOptions, usageError } from "../../shared/options.ts";
import { readVoices } from "../../service/read-voices.ts";
import { speakText } from "./spoken-text.ts";

/** Texts of one call of the command. */
const MOST_TEXTS = 10_000;

/**
 * Writes one WAV file for each text, as a caller would hear it, and prints its name and text.
 * @throws OakError `USAGE`, `CONFIG_INVALID` and those of the speech model.
 */
export async function sayCommand(
  args: readonly string[],
  config: ServerConfig,
  print: (line: string) => Promise<void>,
  log: Log,
): Promise<void> {
  const { texts, out, configId, voice: speaker } = readArguments(args);
  const voice = configId === undefined ? undefined : await readVoice(config, configId);
  const named = voice?.models.tts;
  const folder =
    named === undefined ? undefined : modelPath(namedModel(loadModelCatalog(), "tts", named), config.dataDir);
  await mkdir(out, { recursive: true });
  const speech = await engineStarters(config, 1, log).tts(folder);
  const used = speaker ?? voice?.voice ?? "default";
  warnOfUnknownSpeaker(
    speaker === undefined ? `Voice configuration ${configId ?? ""}` : "--voice",
    used,
    speech.speakers,
    log,
  );
  const language = languageOf(tagsOf(voice?.language ?? DEFAULT_LANGUAGE)[0] ?? DEFAULT_LANGUAGE);
  try {
    for (const [index, text] of texts.entries()) {
      const speaking = { language, voice: used, speed: voice?.speed ?? 1 };
      const wav = await speakText(speech, text, speaking, new AbortController().signal);
      const name = `${String(index + 1).padStart(String(texts.length).length, "0")}.wav`;
      await writeFile(path.join(out, name), writeWav(wav));
      await print(`${name} ${text}`);
    }
  } finally {
    await speech.close();
  }
}

function readArguments(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = { file: text, out: text, voice: text, "config-id": text } as const;
  const { values, positionals } = parseOptions("say", args, options);
  const { file, out, voice, "config-id": configId } = values;
  if (out === undefined) throw usageError("say", "--out names no folder");
  if ((file === undefined) === (positionals.length === 0)) throw usageError("say", "Give a text or --file");
  if (positionals.length > 1) throw usageError("say", "Put the text in quotation marks");
  const texts = file === undefined ? positionals : linesOf(file);
  if (texts.length > MOST_TEXTS) throw usageError("say", `At most ${String(MOST_TEXTS)} lines are spoken`);
  return { texts, out, voice, configId };
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8")
      .split(/\r?\n/u)
      .filter((line) => line.trim() !== "");
  } catch (cause) {
    throw new OakError(`Cannot read ${file}: ${errorMessage(cause)}`, { code: "CONFIG_UNREADABLE", cause });
  }
}

async function readVoice(config: ServerConfig, configId: string): Promise<VoiceConfiguration> {
  const voices = await readVoices(config);
  const voice = voices.find(({ config_id }) => config_id === configId);
  if (voice !== undefined) return voice;
  const known = voices.map(({ config_id }) => config_id).join(", ");
  throw new OakError(`There is no voice configuration "${configId}". There are: ${known}.`, { code: "CONFIG_INVALID" });
}
