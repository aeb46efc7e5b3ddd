import { access, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { VoiceModel } from "sherpa-onnx-node";
import { z } from "zod";
import { OakError } from "../../../shared/errors.ts";

export interface VoiceFiles {
  /** As sherpa-onnx is given it: the family is the key. "" stands for a part that the voice does not have. */
  readonly model: VoiceModel;
  /** The folder of a voice whose words this program reads (see lexicon-voice/); "" when sherpa-onnx reads them, from espeak-ng's data. */
  readonly pronunciation: string;
  /** Speaker name to number. */
  readonly speakers: ReadonlyMap<string, number>;
}

/** A voice with this file has its words read by lexicon-voice/. */
const LEXICON = "lexicon.txt.gz";
const READING_FILES: readonly string[] = ["parts-of-speech.txt.gz", "unknown-words.onnx", "unknown-words.json"];
const piperConfig = z.object({ speaker_id_map: z.record(z.string(), z.number().int()).optional() });
const isVocoder = (name: string): boolean => /^(vocos|hifigan|vocoder)/u.test(name);

/**
 * Tells the family by its files: Kokoro has voices.bin, Matcha a vocoder beside its model; VITS and Piper have neither.
 * A voice with its own lexicon has lexicon.txt.gz.
 * Rejects with MODEL_MISSING when the folder holds no complete voice.
 */
export async function findVoiceFiles(modelDir: string): Promise<VoiceFiles> {
  const names = await readdir(modelDir).catch((cause: unknown) => {
    throw new OakError("the folder does not exist or cannot be read", { code: "MODEL_MISSING", cause });
  });
  const at = (name: string): string => (names.includes(name) ? path.join(modelDir, name) : "");
  const vocoder = names.find((name) => name.endsWith(".onnx") && isVocoder(name));
  const models = names.filter((name) => name.endsWith(".onnx") && name !== vocoder && !READING_FILES.includes(name));
  const model = models.find((name) => name === "model.onnx") ?? models[0];
  if (model === undefined) throw missing(".onnx file");
  if (models.length > 1 && model !== "model.onnx") throw missing('one .onnx file, or one named "model.onnx"');
  const [file, tokens, dataDir] = [path.join(modelDir, model), at("tokens.txt"), at("espeak-ng-data")];
  if (tokens === "") throw missing("tokens.txt");

  const voices = at("voices.bin");
  if (voices !== "") {
    if (dataDir === "") throw missing("espeak-ng-data");
    const kokoro = { model: file, voices, tokens, dataDir, lexicon: at("lexicon-us-en.txt") };
    return { model: { kokoro }, pronunciation: "", speakers: new Map() };
  }
  if (at(LEXICON) !== "") {
    for (const name of READING_FILES) if (at(name) === "") throw missing(name);
    const vits = { model: file, tokens, lexicon: "", dataDir: "" };
    return { model: { vits }, pronunciation: modelDir, speakers: await readSpeakers(`${file}.json`) };
  }
  // With a lexicon alone, sherpa-onnx prints the words that it does not know and leaves them out.
  if (dataDir === "") throw missing("espeak-ng-data");
  const lexicon = at("lexicon.txt");
  if (vocoder !== undefined) {
    const matcha = { acousticModel: file, vocoder: path.join(modelDir, vocoder), tokens, dataDir, lexicon };
    return { model: { matcha }, pronunciation: "", speakers: new Map() };
  }
  const speakers = await readSpeakers(`${file}.json`);
  return { model: { vits: { model: file, tokens, lexicon, dataDir } }, pronunciation: "", speakers };
}

/** The number of a speaker given by name or number; the first one when the model has no such speaker. */
export function speakerNumber(voice: string, speakers: ReadonlyMap<string, number>, count: number): number {
  const number = speakers.get(voice) ?? (/^\d+$/.test(voice) ? Number(voice) : 0);
  return number < count ? number : 0;
}

async function readSpeakers(file: string): Promise<ReadonlyMap<string, number>> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (!exists) return new Map();
  const config = piperConfig.safeParse(JSON.parse(await readFile(file, "utf8")));
  return new Map(Object.entries(config.data?.speaker_id_map ?? {}));
}

function missing(what: string): OakError {
  return new OakError(`the folder has no ${what}`, { code: "MODEL_MISSING" });
}
