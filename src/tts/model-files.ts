import { access, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { OakError } from "../shared/errors.ts";

/** Where the parts of a VITS or Piper voice lie; "" stands for a part that the voice does not have. */
export interface VoiceFiles {
  readonly model: string;
  readonly tokens: string;
  /** Word, then phones, one word a line. */
  readonly lexicon: string;
  /** espeak-ng's data, which Piper voices use instead of a lexicon. */
  readonly dataDir: string;
  /** Speaker name to number. */
  readonly speakers: ReadonlyMap<string, number>;
}

const piperConfig = z.object({ speaker_id_map: z.record(z.string(), z.number().int()).optional() });

/** Rejects with MODEL_MISSING when the folder holds no complete voice. */
export async function findVoiceFiles(modelDir: string): Promise<VoiceFiles> {
  const names = await readdir(modelDir).catch((cause: unknown) => {
    throw new OakError("the folder does not exist or cannot be read", { code: "MODEL_MISSING", cause });
  });
  const models = names.filter((name) => name.endsWith(".onnx"));
  const model = models.find((name) => name === "model.onnx") ?? models[0];
  if (model === undefined) throw missing(".onnx file");
  if (models.length > 1 && model !== "model.onnx") throw missing('one .onnx file, or one named "model.onnx"');
  if (!names.includes("tokens.txt")) throw missing("tokens.txt");
  const lexicon = names.includes("lexicon.txt");
  const espeak = names.includes("espeak-ng-data");
  if (!lexicon && !espeak) throw missing("lexicon.txt or espeak-ng-data");
  return {
    model: path.join(modelDir, model),
    tokens: path.join(modelDir, "tokens.txt"),
    lexicon: lexicon ? path.join(modelDir, "lexicon.txt") : "",
    dataDir: espeak ? path.join(modelDir, "espeak-ng-data") : "",
    speakers: await readSpeakers(path.join(modelDir, `${model}.json`)),
  };
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
