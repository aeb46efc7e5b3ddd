import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadAddon } from "../../../../src/engines/stt/whisper/addon.ts";
import { WhisperEncoder } from "../../../../src/engines/stt/whisper/whisper-encoder.ts";
import type { NativeLane } from "../../../../src/engines/stt/decoded.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { withShape } from "../damaged-models.ts";
import { clip16k, STARTER_MODEL } from "../support.ts";

const CLIPS = ["flite-lights.wav", "flite-timer.wav", "stt-reading.wav", "flite-stop.wav"];
const short = { audioContext: 512, threads: 1 };
const options = { ...short, beams: 1, maxTokens: 60, alignsWords: true, language: "en" };

describe("Whisper's encoder in onnxruntime", () => {
  let lane: NativeLane;
  let encoder: WhisperEncoder;
  beforeAll(() => {
    const loading = { alignment: "base", alignmentLayers: 1, flashAttention: true, gpu: false };
    lane = loadAddon().loadModel(STARTER_MODEL, loading).createLane();
    encoder = WhisperEncoder.open(STARTER_MODEL, 1)!;
  });
  const encode = async (clip: Float32Array, audioContext = 512, signal = new AbortController().signal) =>
    encoder.encode(await lane.logMel(clip, { ...short, audioContext }), signal);

  it.each(CLIPS)("gives the words, times and probabilities of whisper.cpp's encoder (%s)", async (name) => {
    const clip = clip16k(name);
    const expected = await lane.transcribe(clip, options);
    const heard = await lane.transcribe(clip, { ...options, encoded: await encode(clip) });
    expect(heard.tokens.map(({ bytes }) => bytes)).toEqual(expected.tokens.map(({ bytes }) => bytes));
    for (const [at, { probability, alignedSeconds }] of heard.tokens.entries()) {
      expect(probability).toBeCloseTo(expected.tokens[at]!.probability, 1);
      expect(Math.abs(alignedSeconds - expected.tokens[at]!.alignedSeconds)).toBeLessThan(0.1);
    }
    expect(heard.noSpeechProbability).toBeCloseTo(expected.noSpeechProbability, 1);
  });

  it("fits every context, up to the full one", async () => {
    const clip = clip16k("flite-lights.wav");
    for (const audioContext of [256, 320, 1_500]) {
      const states = await encode(clip, audioContext);
      expect(states).toHaveLength(audioContext * 512);
      const { tokens } = await lane.transcribe(clip, { ...options, audioContext, encoded: states });
      expect(tokens.map(({ bytes }) => bytes).join("")).toMatch(/lights/iu);
    }
  });

  it("identifies the same language", async () => {
    const clip = clip16k("stt-reading.wav");
    const own = await lane.identifyLanguage(clip, short);
    const other = await lane.identifyLanguage(clip, { ...short, encoded: await encode(clip) });
    expect(other["en"]).toBeCloseTo(own["en"]!, 1);
  });

  it("lets the event loop turn between two layers, and stops there", async () => {
    const mel = await lane.logMel(clip16k("flite-lights.wav"), { ...short, audioContext: 1_500 });
    const turnsUntil = async (abortAt: number) => {
      const stop = new AbortController();
      let turns = 0;
      const ticking = setInterval(() => ++turns === abortAt && stop.abort(new Error("the caller left")), 0);
      try {
        await encoder.encode(mel, stop.signal);
      } catch (error) {
        expect(error).toBe(stop.signal.reason);
      } finally {
        clearInterval(ticking);
      }
      return turns;
    };
    expect(await turnsUntil(Infinity)).toBeGreaterThanOrEqual(5);
    expect(await turnsUntil(2)).toBe(2);
  });

  it("is refused with the size of another context, and before the clip's log-mel", async () => {
    const clip = clip16k("flite-lights.wav");
    const states = await encode(clip, 256);
    await expect(async () => lane.transcribe(clip, { ...options, encoded: states })).rejects.toThrow(
      /encoded must have 262144 numbers/u,
    );
    const loading = { alignment: "base", alignmentLayers: 1, flashAttention: true, gpu: false };
    const other = loadAddon().loadModel(STARTER_MODEL, loading).createLane();
    await expect(async () =>
      other.transcribe(clip, { ...options, audioContext: 256, encoded: states }),
    ).rejects.toThrow(/logMel/u);
  });

  it("leaves wide models to whisper.cpp, and packings that it does not read", () => {
    const path = join(temporaryFolder(), "model.bin");
    writeFileSync(path, withShape({ width: 1_024 }));
    expect(WhisperEncoder.open(path, 1)).toBeUndefined();
    const whole = readFileSync(STARTER_MODEL);
    const head = whole.indexOf("encoder.blocks.0.attn.query.weight");
    const weights = head + "encoder.blocks.0.attn.query.weight".length;
    const blocks = (512 * 512) / 32;
    const packed = Buffer.concat([whole.subarray(0, weights + blocks * 22), whole.subarray(weights + blocks * 34)]);
    packed.writeInt32LE(6, head - 12); // 5 bits, 22 bytes a block; the shape has 8 bytes
    writeFileSync(path, packed);
    expect(WhisperEncoder.open(path, 1)).toBeUndefined();
  });
});
