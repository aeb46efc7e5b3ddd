import { english } from "../../../src/language/packs/en/en.ts";
import { describe, expect, it } from "vitest";
import { SampleRing } from "../../../src/audio/ring-buffer.ts";
import { Decoder } from "../../../src/conversation/transcripts/decoder.ts";
import { OverlapListener } from "../../../src/conversation/transcripts/overlap-listener.ts";
import { OakError } from "../../../src/shared/errors.ts";
import type { SpeechRecognizer } from "../../../src/engines/stt/speech-to-text.ts";

/** `whileDecoding` is called during each decode. */
function overhearing(
  answers: readonly (string | OakError)[],
  echo = { suspectsEcho: false, hearsEcho: false, rulesOutEcho: false },
  whileDecoding = () => {},
  confidence = 1,
): OverlapListener {
  const waiting = [...answers];
  const recognizer: SpeechRecognizer = {
    transcribe: () => {
      whileDecoding();
      const next = waiting.shift() ?? "";
      if (next instanceof OakError) return Promise.reject(next);
      const words = next.split(" ").map((word) => ({ word, start: 0, end: 0, confidence }));
      return Promise.resolve({ text: next, confidence, words });
    },
    close: () => undefined,
  };
  const ring = new SampleRing(64_000);
  ring.write(new Float32Array(48_000));
  return new OverlapListener({
    language: () => english,
    decoder: new Decoder(recognizer, ring, () => ({ language: "en" })),
    signal: new AbortController().signal,
    echo,
  });
}
const REPLY = { speech: "", awaitsAnswer: false };
const busy = new OakError("The recogniser is busy.", { code: "STT_BUSY" });

describe("OverlapListener", () => {
  it("reports a decode that is skipped under load", async () => {
    const hearing = overhearing(["mm hmm", busy, "mm hmm"]);
    for (const [untilMs, ended, heard] of [
      [1250, false, "backchannel"],
      [1350, false, "undecoded"],
      [1500, true, "backchannel"],
    ] as const)
      expect(await hearing.listen(1000, { untilMs, ended }, REPLY)).toEqual({ startMs: 1000, untilMs, ended, heard });
  });

  it.each([
    { echo: { suspectsEcho: true, hearsEcho: false, rulesOutEcho: false }, becomes: {}, heard: "unclear" },
    {
      echo: { suspectsEcho: false, hearsEcho: false, rulesOutEcho: false },
      becomes: { suspectsEcho: true },
      heard: "word",
    },
    {
      echo: { suspectsEcho: false, hearsEcho: false, rulesOutEcho: false },
      becomes: { hearsEcho: true },
      heard: "unclear",
    },
  ])("counts a single word unless an echo was suspected at its end or is known by now: %o", async (given) => {
    const echo = { ...given.echo };
    const hearing = overhearing(["seven"], echo, () => Object.assign(echo, given.becomes));
    expect(await hearing.listen(1000, { untilMs: 1500, ended: true }, REPLY)).toMatchObject({ heard: given.heard });
  });

  it.each([
    { suspectsEcho: false, rulesOutEcho: true, confidence: 0.97, heard: "words" },
    { suspectsEcho: false, rulesOutEcho: true, confidence: 0.96, heard: "unclear" },
    { suspectsEcho: false, rulesOutEcho: false, confidence: 0.97, heard: "unclear" },
    { suspectsEcho: true, rulesOutEcho: true, confidence: 0.97, heard: "unclear" },
  ])(
    "counts the newest word of a continuing voice when its confidence is high and an echo is ruled out: %o",
    async (given) => {
      const { heard, confidence, ...echo } = given;
      const hearing = overhearing(["seven"], { ...echo, hearsEcho: false }, () => {}, confidence);
      expect(await hearing.listen(1000, { untilMs: 1500, ended: false }, REPLY)).toMatchObject({ heard });
    },
  );

  it.each([
    { said: "car", confidence: 0.44, heard: "unclear" },
    { said: "car", confidence: 0.45, heard: "word" },
    { said: "stop", confidence: 0.1, heard: "command" },
  ])("accepts only a command from a complete sound when all words have a low confidence: %o", async (given) => {
    const { said, confidence, heard } = given;
    const hearing = overhearing([said], undefined, () => {}, confidence);
    expect(await hearing.listen(1000, { untilMs: 1500, ended: true }, REPLY)).toMatchObject({ heard });
  });
});
