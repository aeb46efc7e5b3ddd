import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadAddon, type DecodeOptions, type NativePhrases } from "../../../src/engines/stt/addon.ts";
import { readSoundModel, type SoundModel } from "../../../src/engines/stt/sound-model.ts";
import { SoundNetwork } from "../../../src/engines/stt/sound-network.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { clip16k, noise, STARTER_MODEL } from "./support.ts";

const FACTS = { sounds: ["aa", "ae"], soundsShare: 0.3, wordsShare: 0.4 };

function beside(facts: unknown): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "model.sounds.json"), typeof facts === "string" ? facts : JSON.stringify(facts));
  return join(folder, "model.bin");
}

it("is read from the files beside a model, and absent without them", () => {
  const path = beside(FACTS);
  expect(readSoundModel(path)).toEqual({
    ...FACTS,
    wordsFile: path.replace(".bin", ".words"),
    networkFile: path.replace(".bin", ".sounds.onnx"),
  });
  expect(readSoundModel(join(temporaryFolder(), "model.bin"))).toBeUndefined();
  expect(readSoundModel(STARTER_MODEL)?.sounds).toContain("zh");
});

it.each([
  ["no JSON", "{"],
  ["a share above 1", { ...FACTS, soundsShare: 2 }],
  ["no sounds", { ...FACTS, sounds: [] }],
])("with %s is refused with its path", (_, facts) => {
  expect(() => readSoundModel(beside(facts))).toThrow(/model\.sounds\.json/u);
});

function ownModel(): SoundModel {
  const model = readSoundModel(STARTER_MODEL);
  if (model === undefined) throw new Error("the starter model has no sound model");
  return model;
}

const addon = loadAddon();
const loading = { alignment: "all", alignmentLayers: 1, flashAttention: false, gpu: false };
const options: DecodeOptions = { audioContext: 192, threads: 1, beams: 5, temperatureStep: 0, language: "en" };
const load = (soundModel: SoundModel | undefined) => addon.loadModel(STARTER_MODEL, { ...loading, soundModel });

async function heard(model: SoundModel | undefined, clip: Float32Array, sounds?: Float32Array): Promise<string> {
  const { tokens } = await load(model)
    .createLane()
    .transcribe(clip, { ...options, sounds });
  return tokens.map(({ bytes }) => bytes).join("");
}

describe("the sound model of the starter model", () => {
  let model: SoundModel;
  let network: SoundNetwork;
  /** The sounds of a clip in which each sound is as likely as another one. `none`: how much likelier no sound is (log). */
  const anySounds = (none: number, positions = 40) => {
    const position = [Math.exp(none), ...model.sounds.map(() => 1)];
    const total = position.reduce((sum, part) => sum + part);
    return Float32Array.from(
      { length: positions * position.length },
      (_, at) => position[at % position.length]! / total,
    );
  };
  // With a little hiss, as on a telephone line.
  const hiss = noise(4, 0.02);
  const clip = clip16k("flite-timer.wav").map((sample, at) => sample + (hiss[at] ?? 0));

  beforeAll(async () => {
    model = ownModel();
    network = await SoundNetwork.open(model.networkFile, model.sounds.length);
  });

  it("decides alone where its share is 1 and the sounds are given", async () => {
    const alone = { ...model, soundsShare: 1 };
    expect(await heard(alone, clip, network.hear(clip16k("flite-time.wav")))).toBe(" what time is it");
    expect(await heard(alone, clip)).toBe(await heard(undefined, clip));
  });

  it("drops a text whose sounds are less probable than none", async () => {
    expect(await heard(model, clip, network.hear(clip))).not.toBe("");
    expect(await heard(model, clip, anySounds(9))).toBe("");
  });

  it("finds the text by its sounds alone, with its times", async () => {
    const spoken = clip16k("flite-timer.wav");
    const { tokens } = await load({ ...model, soundsShare: 1 })
      .createLane()
      .transcribe(spoken, { ...options, sounds: network.hear(spoken) });
    expect(tokens.map(({ bytes }) => bytes).join("")).toBe(" set a timer for ten minutes");
    // It has the same pieces as the decoder's own text.
    const decoded = await load(undefined).createLane().transcribe(spoken, options);
    expect(tokens.map(({ id }) => id)).toEqual(decoded.tokens.map(({ id }) => id));
    const times = tokens.map(({ alignedSeconds }) => alignedSeconds);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.every((seconds) => seconds >= 0 && seconds <= spoken.length / 16_000)).toBe(true);
  });

  describe("with phrases", () => {
    const doctor = clip16k("flite-doctor.wav");
    const zorvath = "zorvath z ao r v ae th";
    const hear = async (phrases: NativePhrases, sounds = network.hear(doctor)) => {
      const lane = load(model).createLane();
      const { tokens } = await lane.transcribe(doctor, { ...options, sounds, phrases });
      return tokens.map(({ bytes }) => bytes).join("");
    };

    it("hears a word that the words file lacks", async () => {
      const texts = ["zorvath"];
      expect(await hear({ texts, pronunciations: [zorvath] })).toBe(" i'd like to see doctor zorvath on tuesday");
      expect(await hear({ texts: [], pronunciations: [] })).not.toContain("zorvath");
      // A word without sounds cannot be heard.
      expect(await hear({ texts, pronunciations: ["zorvath"] })).not.toContain("zorvath");
    });

    it("does not hear phrases that are not said", async () => {
      const texts = ["quenby okonkwo", "lindenhof", "suite"];
      const pronunciations = ["quenby k w eh n b iy", "okonkwo ow k aa n k w ow", "lindenhof l ih n d ax n hh aa f"];
      expect(await hear({ texts, pronunciations })).toBe(await hear({ texts: [], pronunciations: [] }));
    });

    it("refuses a pronunciation with a sound that the network does not hear, and goes on", async () => {
      await expect(hear({ texts: ["zorvath"], pronunciations: ["zorvath z xx"] })).rejects.toThrow(/not hear: xx/u);
      expect(await hear({ texts: [], pronunciations: [] })).toContain("tuesday");
    });
  });

  it("leaves a lane usable after an abort", async () => {
    const lane = load(model).createLane();
    const withSounds = { ...options, sounds: network.hear(clip) };
    const aborted = lane.transcribe(clip, withSounds);
    lane.abort();
    await expect(aborted).rejects.toMatchObject({ code: "ABORTED" });
    expect((await lane.transcribe(clip, withSounds)).tokens.length).toBeGreaterThan(0);
  });

  it("ends the search for texts when the decode is aborted", async () => {
    const lane = load(model).createLane();
    // The clip is decoded in a tenth of a second, but the search would take minutes.
    const searching = lane.transcribe(clip, { ...options, sounds: anySounds(0, 200_000) });
    setTimeout(() => lane.abort(), 1000);
    await expect(searching).rejects.toMatchObject({ code: "ABORTED" });
    expect((await lane.transcribe(clip, options)).tokens.length).toBeGreaterThan(0);
  });

  it("refuses sounds of another network, and a model without it refuses all", () => {
    const sounds = new Float32Array(42);
    expect(() =>
      load(model)
        .createLane()
        .transcribe(clip, { ...options, sounds }),
    ).toThrow(/not those of this model/u);
    expect(() =>
      load(undefined)
        .createLane()
        .transcribe(clip, { ...options, sounds }),
    ).toThrow(/not those of this model/u);
  });
});

describe("the sound network", () => {
  it("is refused with its path when it is missing, damaged, or knows other sounds", async () => {
    const path = ownModel().networkFile;
    const missing = join(temporaryFolder(), "model.sounds.onnx");
    await expect(SoundNetwork.open(missing, 40)).rejects.toThrow(missing);
    writeFileSync(missing, readFileSync(path).subarray(0, 1000));
    await expect(SoundNetwork.open(missing, 40)).rejects.toThrow(missing);
    await expect(SoundNetwork.open(path, 39)).rejects.toThrow(/it knows 40 sounds instead of 39/u);
  });

  it("hears a position each 30 ms, with probabilities", async () => {
    const network = await SoundNetwork.open(ownModel().networkFile, 40);
    const sounds = network.hear(clip16k("flite-timer.wav").subarray(0, 16_000));
    // 1 s, 0.5 s of silence after it, and the first position.
    expect(sounds.length).toBe((1500 / 30 + 1) * 41);
    expect(sounds.subarray(0, 41).reduce((sum, part) => sum + part)).toBeCloseTo(1, 4);
  });
});

it("without a sound of the words is refused with its name", () => {
  const model = ownModel();
  const sounds = model.sounds.map((sound) => (sound === "zh" ? "other" : sound));
  expect(() => load({ ...model, sounds })).toThrow(/a sound .* does not hear: zh/u);
});

it.each([
  ["missing", undefined],
  ["of another kind", () => Buffer.from("OAKNGRAMS")],
  ["empty", () => Buffer.alloc(0)],
  ["cut", (whole: Buffer) => whole.subarray(0, whole.length - 1)],
  ["with a count of words that is too large", (whole: Buffer) => withCount(whole, 8, 0xffffffff)],
  ["with a count of texts that is too large", (whole: Buffer) => withCount(whole, 20, 0xffffffff)],
])("a file of words that is %s is refused with its path", (_, damage) => {
  const path = beside(JSON.parse(readFileSync(STARTER_MODEL.replace(".bin", ".sounds.json"), "utf8")));
  copyFileSync(STARTER_MODEL, path);
  const words = path.replace(".bin", ".words");
  if (damage !== undefined) writeFileSync(words, damage(readFileSync(STARTER_MODEL.replace(".bin", ".words"))));
  expect(() => load(readSoundModel(path))).toThrow(`${words} is missing or damaged`);
});

function withCount(whole: Buffer, at: number, count: number): Buffer {
  whole.writeUInt32LE(count, at);
  return whole;
}
