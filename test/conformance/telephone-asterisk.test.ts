import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pcm16ToFloat } from "../../src/audio/pcm16.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { Asterisk, findAsterisk } from "../support/asterisk.ts";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";
import { makeCertificate } from "../support/certificate.ts";

const asterisk = findAsterisk();
if (asterisk === undefined)
  process.stderr.write("a real Asterisk: NOT TRIED, for want of chan_websocket (set ASTERISK_PREFIX)\n");

const GREETER = `
config_id: greeter
system_prompt: You are Oak, a friendly voice assistant. Answer in one to three short spoken sentences.
greeting: Hello, this is Oak, the assistant of the house. You can ask me about the time, about the lights, or about the weather.
telephone: { hang_up_key: "0" }
`;

/** The caller plays a recording; the service is dialled as the other side, and each direction is recorded. */
const call = (name: string, format: string, control: string, parameters: string) => `
exten => ${name},1,Answer()
 same => n,Set(CALL=${name})
 same => n,MixMonitor(FOLDER/${name}-both.wav,r(FOLDER/${name}-caller.wav)t(FOLDER/${name}-oak.wav))
 same => n,Dial(WebSocket/oakvoice/c(${format})f(${control})nv(${parameters}),10,g)
 same => n,Log(NOTICE,dialplan after ${name}: \${DIALSTATUS})
 same => n,Hangup()
`;

const DIALPLAN = `
[caller]
exten => question,1,Answer()
 same => n,Playback(FOLDER/question)
 same => n,Hangup()
exten => stop,1,Answer()
 same => n,Playback(FOLDER/stop)
 same => n,Hangup()
exten => zero,1,Answer()
 same => n,Wait(2)
 same => n,SendDTMF(0)
 same => n,Wait(10)
 same => n,Hangup()
[oak]
exten => h,1,StopMixMonitor()
 same => n,Log(NOTICE,end of \${CALL})
${["slin24", "slin16", "slin", "ulaw", "alaw"].map((format, n) => call(`ask-${format}`, format, n % 2 === 0 ? "json" : "plain-text", "config_id=default")).join("")}
${call("greet", "slin24", "json", "config_id=greeter,caller=Ada%20L")}
${call("transfer", "ulaw", "plain-text", "config_id=greeter")}
${call("refused", "ulaw", "json", "config_id=nowhere")}
`;

describe.skipIf(asterisk === undefined)("a real Asterisk over TLS", () => {
  let box: TestBox;
  let phone: Asterisk;

  beforeAll(async () => {
    const { cert_file, key_file } = makeCertificate();
    box = await TestBox.start({ greeter: GREETER }, `tls: { cert_file: ${cert_file}, key_file: ${key_file} }\n`);
    // Asterisk compares names only, so the address must not be a number.
    const uri = `wss://localhost:${String(box.box.port)}/ws/asterisk`;
    phone = await Asterisk.start(asterisk!, { uri, password: box.key, certificate: cert_file, dialplan: DIALPLAN });
    phone.writeRecording("question", telephone(silence(0.5), clip("flite-time.wav"), silence(5)), 8000);
    phone.writeRecording("stop", telephone(silence(2.5), clip("flite-stop.wav"), silence(3)), 8000);
  });
  afterAll(async () => {
    await phone.stop();
    await box.close();
  });

  const dial = async (caller: string, name: string) => {
    await phone.command(`channel originate Local/${caller}@caller extension ${name}@oak`);
    await phone.untilLogged(`end of ${name}`);
  };

  test("every format carries a question and its answer", async () => {
    const formats = ["slin24", "slin16", "slin", "ulaw", "alaw"];
    await Promise.all(formats.map((format) => dial("question", `ask-${format}`)));
    for (const format of formats) {
      const loud = loudSpans(phone.recording(`ask-${format}-oak`));
      expect(loud.length, format).toBeGreaterThan(0);
      // The question ends 2 s after the start of the recording.
      expect(loud[0], format).toBeGreaterThan(1.5);
    }
  });

  test("an interruption flushes the greeting", async () => {
    await dial("stop", "greet");
    const loud = loudSpans(phone.recording("greet-oak"));
    expect(loud[0]).toBeLessThan(1);
    // The caller says "stop" 2.7 s after the answer. Then the greeting, 8 s long, is silent.
    const last = loud.findIndex((atSeconds, n) => (loud[n + 1] ?? Infinity) - atSeconds > 0.6);
    expect(loud[last]).toBeGreaterThan(2.4);
    expect(loud[last]).toBeLessThan(4);
  });

  test("the hang-up key gives the call back to the dialplan, and a refusal does not answer the call", async () => {
    await dial("zero", "transfer");
    expect(phone.log).toMatch(/dialplan after transfer: ANSWER/u);
    expect(phone.log).not.toMatch(/chan_websocket\.c.*(?:unknown|Unable|exceeds)/u);
    await dial("zero", "refused");
    expect(phone.log).toMatch(/dialplan after refused: (?:CHANUNAVAIL|NOANSWER|CONGESTION)/u);
  });
});

function telephone(...parts: Buffer[]): Float32Array {
  const pcm = Buffer.concat(parts);
  const samples = new Float32Array(pcm.length / 2);
  pcm16ToFloat(pcm, samples);
  return resampleAll(samples, 24_000, 8_000);
}

/** Seconds with speech, in steps of 100 ms. */
function loudSpans(samples: Float32Array): number[] {
  const step = 800;
  return Array.from({ length: Math.floor(samples.length / step) }, (_, n) => n)
    .filter((n) => samples.subarray(n * step, (n + 1) * step).some((sample) => Math.abs(sample) > 0.03))
    .map((n) => n / 10);
}
