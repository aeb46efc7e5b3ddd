// Speaks lines of text with a model folder through sherpa-onnx-node, as the service does.
// usage: node speak.mjs <model folder> <out folder> <number of the voice> < lines
// sherpa-onnx-node is resolved from the working directory.
// Writes <out>/<line number>.f32 (16 kHz mono floats) and prints one JSON line per input line.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [model, out, voice] = process.argv.slice(2);
const sherpa = createRequire(join(process.cwd(), "package.json"))("sherpa-onnx-node");
const tts = new sherpa.OfflineTts({
  model: {
    vits: {
      model: join(model, "model.onnx"),
      tokens: join(model, "tokens.txt"),
      lexicon: join(model, "lexicon.txt"),
    },
    numThreads: 1,
    provider: "cpu",
    debug: process.env.DEBUG_TTS ? 1 : 0,
  },
  maxNumSentences: 1,
});
const lines = readFileSync(0, "utf8")
  .split("\n")
  .filter((line) => line !== "");
// Without silenceScale 1 the library cuts every pause of 0.2 s or more to a fifth.
const speak = (text, speed) => tts.generate({ text, generationConfig: { silenceScale: 1, sid: Number(voice), speed } });
speak("hello.", 1);
for (const [index, text] of lines.entries()) {
  const [spec, ...rest] = text.includes("\t") ? text.split("\t") : ["1", text];
  const start = performance.now();
  const cpuStart = process.cpuUsage();
  const { samples, sampleRate } = speak(rest.join("\t"), Number(spec));
  const ms = performance.now() - start;
  const cpu = process.cpuUsage(cpuStart);
  const cpuMs = (cpu.user + cpu.system) / 1000;
  const again = speak(rest.join("\t"), Number(spec)).samples;
  const equal = samples.length === again.length && samples.every((v, i) => v === again[i]);
  writeFileSync(join(out, `${index}.f32`), Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength));
  console.log(JSON.stringify({ index, samples: samples.length, sampleRate, ms, cpuMs, equal }));
}
