import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page, WebSocketRoute } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CALL_HZ } from "../../src/audio/format.ts";
import { readWav, writeWav } from "../../src/audio/wav.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { encodeServerMessage } from "../../src/doors/voice/server-messages.ts";
import { TestBox } from "../support/box.ts";
import { Cable, hasChromium, launchChromium } from "../support/chromium.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const clip = (name: string) => join(packageRoot, "test", "audio", name);
const SAMPLE = join(packageRoot, "scripts", "talk-sample.wav");
const SHORT_GREETING = "config_id: brief\nsystem_prompt: Answer briefly.\ngreeting: Good morning.\n";
const UNTOLD_TURNS = "config_id: untold\nsystem_prompt: Answer briefly.\nturn_detection: { enabled: false }\n";
const LONG_GREETING = `config_id: talkative
system_prompt: Answer briefly.
greeting: ${"Good morning, and welcome to the house, where there is a great deal to tell. ".repeat(4)}
`;
const TELEPHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, colorScheme: "dark" };
/** Keeps each state that the page shows. Some are visible for a quarter of a second. */
const KEEP_STATES = `
  const shown = (globalThis.shownStates = []);
  addEventListener("DOMContentLoaded", () => {
    const state = document.querySelector("#state");
    if (state) new MutationObserver(() => shown.push(state.textContent)).observe(state, { childList: true, characterData: true, subtree: true });
  });
`;
/** A host name that is not a loopback name, so that its pages are not a secure context. */
const ELSEWHERE = "box.test";

describe.skipIf(!hasChromium)("the page in a browser", () => {
  let box: TestBox;
  let browser: Browser;
  let page: Page;
  let requests: string[];
  let troubles: string[];

  beforeAll(async () => {
    // The fake microphone starts when the page opens it, so the question follows a second of room noise.
    const { samples, sampleRateHz } = readWav(readFileSync(SAMPLE));
    const padded = new Float32Array(samples.length + sampleRateHz);
    padded.set(samples, sampleRateHz);
    const microphone = join(temporaryFolder(), "microphone.wav");
    writeFileSync(microphone, writeWav({ samples: padded, sampleRateHz }));
    box = await TestBox.start({ brief: SHORT_GREETING, untold: UNTOLD_TURNS, talkative: LONG_GREETING });
    browser = await launchChromium(microphone, `--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`);
  });
  afterAll(async () => {
    await browser.close();
    await box.close();
  });
  beforeEach(() => {
    requests = [];
    troubles = [];
  });
  afterEach(async () => {
    await page.context().close();
    const origins = new Set(requests.map((url) => new URL(url).hostname));
    expect([...origins].filter((name) => name !== "127.0.0.1" && name !== ELSEWHERE)).toEqual([]);
    expect(troubles).toEqual([]);
  });

  async function openPage(url: string, options: BrowserContextOptions = {}, within = browser): Promise<void> {
    const context = await within.newContext({ acceptDownloads: true, ...options });
    await context.addInitScript(KEEP_STATES);
    page = await context.newPage();
    page.on("request", (request) => requests.push(request.url()));
    page.on("websocket", (socket) => requests.push(socket.url()));
    page.on("pageerror", (error) => troubles.push(error.message));
    // The console has violations of the content policy, and broken connections, which some tests cause.
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("WebSocket")) troubles.push(message.text());
    });
    await page.goto(url);
  }

  const state = (text: string) =>
    expect.poll(() => page.locator("#state").textContent(), { interval: 20, timeout: 20_000 }).toContain(text);
  /** The page has shown this state, or shows it soon. */
  const passed = (text: string) =>
    expect.poll(() => page.evaluate("shownStates.join()"), { interval: 100, timeout: 20_000 }).toContain(text);
  async function isAboveButtons(selector: string): Promise<void> {
    const [bar, part] = await Promise.all([".bar", selector].map((each) => page.locator(each).boundingBox()));
    expect(part!.y + part!.height).toBeLessThanOrEqual(bar!.y);
  }
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const said = (who: "you" | "box") => page.locator(`#conversation .${who}:not(.open) p`);

  test("reports a missing loudspeaker although the browser waits for one silently", async () => {
    await openPage(box.pageUrl);
    // Firefox does this on a machine without a loudspeaker. Chromium plays without an output.
    await page.evaluate(() => {
      const { AudioContext } = globalThis as unknown as { AudioContext: { prototype: object } };
      Object.assign(AudioContext.prototype, { resume: () => new Promise(() => undefined) });
    });
    await button("Start talking").click();
    await page.getByRole("alert").filter({ hasText: "no loudspeaker" }).waitFor({ timeout: 20_000 });
    await state("Not connected");
    await button("Without a microphone").waitFor();
  });

  test("says what to press, what to say, and what the starter talks about", async () => {
    await openPage(box.pageUrl);
    const start = page.getByRole("region", { name: "Talk to this server" });
    expect(await start.getByText("Press Start talking, allow the microphone, and say").textContent()).toContain(
      "What time is it?",
    );
    await start.getByText("time, timers, the lights of a demonstration house, and small talk").waitFor();
  });

  test("names the configurations that a key opens when one is mistyped", async () => {
    await openPage(box.pageUrl);
    await page.getByLabel("Voice configuration").fill("breif");
    await button("Without a microphone").click();
    const alert = page.getByRole("alert");
    await alert.filter({ hasText: "Did you mean brief?" }).waitFor();
    expect(await alert.textContent()).toMatch(/open: brief, default, talkative, untold\.$/u);
    await page.getByLabel("Protocol").selectOption("realtime");
    await button("Without a microphone").click();
    await alert.filter({ hasText: "Did you mean brief?" }).waitFor();
  });

  test("names model, voice and language to a key that may inspect calls", async () => {
    await openPage(box.pageUrlFor(["inspect"]));
    await button("Without a microphone").click();
    await page.locator("#assistant", { hasText: "language en" }).waitFor();
    expect(await page.locator("#assistant").textContent()).toBe(
      "Configuration default · model starter-llm · voice heart of starter-tts · recogniser starter-stt · language en",
    );
  });

  test.each([
    ["refused", "allow the microphone, and press “Start talking” again. “Without a microphone” works now"],
    ["none", "No microphone was found. Connect one"],
  ])("with a microphone that is %s it says what to do, and a call without one works", async (microphone, advice) => {
    const other = await launchChromium(microphone);
    try {
      await openPage(box.pageUrl, {}, other);
      await button("Start talking").click();
      await page.getByRole("alert").filter({ hasText: advice }).waitFor();
      await state("Not connected");
      await button("Without a microphone").click();
      await state("Listening");
      expect(await page.getByRole("alert").textContent()).toBe("");
      await button("Hang up").click();
    } finally {
      await other.close();
    }
  });

  test("asks for the microphone's switch while no sound comes, until one comes", async () => {
    const silence = join(temporaryFolder(), "silence.wav");
    writeFileSync(silence, writeWav({ samples: new Float32Array(30 * CALL_HZ), sampleRateHz: CALL_HZ }));
    const other = await launchChromium(silence);
    try {
      await openPage(box.pageUrl, TELEPHONE, other);
      await page.getByLabel("Voice configuration").fill("talkative");
      await button("Start talking").click();
      const advice = page.getByRole("status").getByText("No sound comes from the microphone");
      await advice.waitFor({ timeout: 20_000 });
      await said("box").first().waitFor({ timeout: 20_000 });
      await isAboveButtons("#conversation");
      await button("Mute").click();
      await advice.waitFor({ state: "hidden" });
      await button("Muted").click();
      await advice.waitFor();
      await page.setViewportSize({ width: 1_280, height: 720 }); // a telephone's page has no sample question
      await button("Ask a sample question").click();
      await advice.waitFor({ state: "hidden" });
      await button("Hang up").click();
    } finally {
      await other.close();
    }
  });

  test("releases the microphone when its worklet does not load", async () => {
    await openPage(box.pageUrl);
    // The module is replaced here, because the test cannot intercept the network requests of worklets.
    await page.evaluate(`{
      const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      navigator.mediaDevices.getUserMedia = async (wanted) => (globalThis.given = await open(wanted));
      const { addModule } = AudioWorklet.prototype;
      AudioWorklet.prototype.addModule = function (url) {
        return addModule.call(this, /capture/.test(url) ? "data:text/javascript,throw 1" : url);
      };
    }`);
    await button("Start talking").click();
    await page.getByRole("alert").waitFor();
    expect(await page.evaluate("given.getTracks().map((track) => track.readyState)")).toEqual(["ended"]);
    troubles = troubles.filter((trouble) => !trouble.includes("data:text/javascript"));
  });

  test("reports a missing sample question", async () => {
    await openPage(box.pageUrl);
    await button("Without a microphone").click();
    await state("Listening");
    const notes = page.locator("#conversation .note", { hasText: "sample question" });
    for (const [count, answer] of ["none", "an error"].entries()) {
      await page.route("**/sample.wav", (route) =>
        answer === "none" ? route.abort() : route.fulfill({ status: 503 }),
      );
      await button("Ask a sample question").click();
      await notes.nth(count).waitFor();
      // The browser's own words.
      expect(troubles.splice(0)).toEqual([expect.stringContaining("Failed to load resource")]);
    }
  });

  test("hears the microphone, answers aloud and shows the delay", async () => {
    await openPage(box.pageUrl);
    // The key of the start link is in the form, and no longer in the address.
    expect(page.url()).not.toContain("oak_");
    await button("Start talking").click();
    await state("Listening");
    await passed("You are speaking");
    await state("Oakvoice is speaking");
    await said("you").first().waitFor();
    expect(await said("you").first().textContent()).toMatch(/what time it is/u);
    await said("box").first().waitFor();
    expect(await said("box").first().textContent()).toMatch(/\d/u);
    expect(await page.locator("#times tr").count()).toBe(1);
    expect(await page.locator("#times td:last-child").textContent()).toMatch(
      /^silence \d+ ms, decode \d+ ms, first words \d+ ms, first sound \d+ ms$/u,
    );
    // The same turn as a picture: the caller's speech first.
    const stages = await page.locator("#stages li").allTextContents();
    expect(stages.map((stage) => stage.replace(/ \d+ ms$/u, ""))).toEqual([
      "speech",
      "silence",
      "decode",
      "first words",
      "first sound",
    ]);
    expect(await page.locator("#turn-picture rect").count()).toBe(5);
    expect(await page.locator("#assistant").textContent()).toBe("Configuration default · language en");
    expect(await page.locator("#emotions meter").count()).toBeGreaterThan(0);

    await page.getByText("Events", { exact: true }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), button("Save as JSON lines").click()]);
    const text = readFileSync(await download.path(), "utf8");
    const types = text
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    for (const type of ["connection_metadata", "turn_end", "transcription", "tts_chunk", "client_turn_times"])
      expect(types).toContain(type);
    expect(text).not.toContain("oak_");
  });

  test("the word “stop” and the button end a reply at once", async () => {
    await openPage(box.pageUrl);
    await page.getByLabel("Voice configuration").fill("talkative");
    await button("Without a microphone").click();
    await state("Oakvoice is speaking");
    await page.locator("#file").setInputFiles(clip("flite-stop.wav"));
    await page.locator("#conversation .box .unheard").waitFor({ timeout: 20_000 });
    await page.locator("#conversation .box .aside", { hasText: "interrupted" }).waitFor();
    // The heard text does not change.
    const heard = await page.locator("#conversation .box .said").first().textContent();
    expect(heard).toMatch(/^Good morning/u);
    await button("Hang up").click();
    await state("Not connected");

    await button("Without a microphone").click();
    await state("Oakvoice is speaking");
    await button("Interrupt").click();
    await page.locator("#conversation .box .unheard").waitFor();
    await state("Listening");
  });

  test("a question through the OpenAI Realtime door is answered", async () => {
    await openPage(box.pageUrl);
    await page.getByLabel("Protocol").selectOption("realtime");
    await button("Without a microphone").click();
    await state("Listening");
    await button("Ask a sample question").click();
    await page.locator("#conversation .you", { hasText: "time" }).waitFor({ timeout: 20_000 });
    await page.locator("#conversation .box .said").first().waitFor({ timeout: 20_000 });
    await button("Hang up").click();
  });

  test("a lost connection is opened again, and the conversation continues", async () => {
    const cable = await Cable.to(box.box.port);
    try {
      await openPage(box.pageUrl.replace(String(box.box.port), String(cable.port)));
      await button("Without a microphone").click();
      await state("Listening");
      cable.cut();
      await passed("Connection lost");
      await state("Listening");
      await button("Ask a sample question").click();
      await said("you").first().waitFor({ timeout: 20_000 });
      await said("box").first().waitFor({ timeout: 20_000 });
    } finally {
      cable.close();
    }
  });

  test("a reply that was lost with its connection counts as incomplete", async () => {
    const cable = await Cable.to(box.box.port);
    try {
      await openPage(box.pageUrl.replace(String(box.box.port), String(cable.port)));
      await page.getByLabel("Voice configuration").fill("talkative");
      await button("Without a microphone").click();
      await state("Oakvoice is speaking");
      cable.cut();
      await passed("Connection lost");
      await page.locator("#conversation .box .unheard").waitFor();
      await state("Oakvoice is speaking");
      expect(await page.locator("#conversation .box .unheard").count()).toBe(1);
    } finally {
      cable.close();
    }
  });

  test("a turn that was lost with its connection is not answered by the next greeting", async () => {
    await openPage(box.pageUrl);
    let losses = 0;
    await page.routeWebSocket(/.*/u, (near) => {
      const far = near.connectToServer();
      far.onMessage((message) => {
        near.send(message);
        if (losses > 0 || !/"type":"turn_end"/u.test(String(message))) return;
        losses += 1;
        void near.close({ code: 4000 });
      });
    });
    await page.getByLabel("Voice configuration").fill("brief");
    await button("Without a microphone").click();
    await state("Oakvoice is speaking");
    await state("Listening");
    await button("Ask a sample question").click();
    await passed("Connection lost");
    await state("Oakvoice is speaking");
    await state("Listening");
    expect(losses).toBe(1);
    expect(await page.locator("#times tr").count()).toBe(0);
  });

  test("a turn without turn events grows in one line, and a back-channel gets no line", async () => {
    await openPage(box.pageUrl);
    let far: WebSocketRoute | undefined;
    await page.routeWebSocket(/.*/u, (near) => {
      far = near;
      near.connectToServer();
    });
    const hear = (transcript: string, isFinal: boolean, isSpeechFinal: boolean, isIncomplete: boolean) =>
      far?.send(
        encodeServerMessage(
          "transcription",
          {
            transcript,
            confidence: 1,
            is_final: isFinal,
            is_speech_final: isSpeechFinal,
            session_id: "any",
            words: [],
            accumulated_transcript: transcript,
            is_turn_incomplete: isIncomplete,
            original_fragment: transcript,
          },
          0,
        ),
      );
    await page.getByLabel("Voice configuration").fill("untold");
    await button("Without a microphone").click();
    await state("Listening");
    await button("Ask a sample question").click();
    await said("you").first().waitFor({ timeout: 20_000 });
    expect(await said("you").allTextContents()).toEqual([expect.stringMatching(/what time it is/u)]);
    hear("and", false, false, true);
    hear("and the day", false, false, true);
    hear("and the day too", true, true, false);
    hear("mm-hmm", true, false, false);
    hear("thanks", false, false, true);
    await page.locator("#conversation .you.open", { hasText: "thanks" }).waitFor();
    expect(await said("you").nth(1).textContent()).toBe("and the day too");
    expect(await page.locator("#conversation .you").count()).toBe(3);
    expect(await page.locator("#conversation .note").allTextContents()).toEqual(["You, in passing: “mm-hmm”"]);
  });

  test("shows a tool while it runs, its end, and the demonstration house", async () => {
    await openPage(box.pageUrl);
    let far: WebSocketRoute | undefined;
    await page.routeWebSocket(/.*/u, (near) => {
      far = near;
      near.connectToServer();
    });
    await button("Without a microphone").click();
    await state("Listening");
    const call = { call_id: "1", name: "set_light" };
    far?.send(encodeServerMessage("tool_call", { run_by: "server", ...call }, 0));
    await page.locator("#tools li", { hasText: "set_light running" }).waitFor();
    const kitchen = { light: true, brightness: 40, degrees: 20 };
    far?.send(encodeServerMessage("tool_state", { tool: "demo_house", state: { kitchen } }, 0));
    far?.send(encodeServerMessage("tool_call_end", { ...call, outcome: "done", duration: 0.2 }, 0));
    await page.locator("#tools li", { hasText: "set_light done after 0.2 s" }).waitFor();
    expect(await page.locator("#house li.lit").textContent()).toBe("kitchen light on, 40 % · 20 °C");
    expect(await page.locator("#tools li").count()).toBe(1);
  });

  test("works with the keyboard, and settings change during a reply", async () => {
    const key = new URLSearchParams(new URL(box.pageUrl).hash.slice(1)).get("api_key") ?? "";
    await openPage(box.pageUrl.replace(/#.*/u, ""));
    const press = async (...keys: string[]) => {
      for (const each of keys) await page.keyboard.press(each);
    };
    const focused = async () => String(await page.evaluate("document.activeElement.id"));
    const tabTo = async (id: string) => {
      for (let count = 0; (await focused()) !== id; count += 1) {
        expect(count, `Tab reaches ${id}`).toBeLessThan(40);
        await press("Tab");
      }
    };
    await tabTo("key");
    await page.keyboard.type("oak_wrong");
    await press("Enter");
    await page.getByRole("alert").filter({ hasText: "does not know this key" }).waitFor();
    await tabTo("key");
    await press("Control+A");
    await page.keyboard.type(key);
    await press("Tab");
    await press("Control+A");
    await page.keyboard.type("talkative");
    await press("Enter");
    await state("Oakvoice is speaking");
    await press("Escape");
    await state("Listening");
    expect(await focused()).toBe("mute");
    await page.locator("#settings summary").focus();
    await press("Enter");
    await tabTo("turn_detection-silence_threshold");
    await press("ArrowRight");
    await page.getByText("In force.").waitFor();
    await page.locator("output", { hasText: "0.55 s" }).waitFor();
    await page.locator("#language").focus();
    await press("Control+A");
    await page.keyboard.type("EN, xx");
    await press("Tab");
    await page.getByText("Refused: data.language").waitFor();
    await page.locator("#language").focus();
    await press("Control+A");
    await page.keyboard.type("EN, de");
    await press("Tab");
    await page.getByText("In force.").waitFor();
    expect(await page.getByLabel("Language you speak").inputValue()).toBe("en, de");
    await page.locator("#mute").focus();
    await press("Space");
    expect(await page.getByRole("button", { name: "Muted" }).getAttribute("aria-pressed")).toBe("true");
    const nameless = await page.evaluate(
      `[...document.querySelectorAll("button, input, select, [role=img], [tabindex='0']")]
        .filter((one) => !(one.labels?.length || one.ariaLabel || one.getAttribute("aria-labelledby") || one.textContent.trim()))
        .map((one) => one.outerHTML)`,
    );
    expect(nameless).toEqual([]);
  });

  test("explains the missing microphone over plain http from another machine, and still speaks", async () => {
    await openPage(box.pageUrl.replace("127.0.0.1", ELSEWHERE));
    await page.getByRole("heading", { name: "Why there is no microphone here" }).waitFor();
    expect(await button("Start talking").isDisabled()).toBe(true);
    expect(await page.locator("#tunnel").textContent()).toContain(`ssh -L ${String(box.box.port)}`);
    await button("Without a microphone").click();
    await state("Listening");
    await button("Ask a sample question").click();
    await state("Oakvoice is speaking");
    await state("Listening");
    await said("box").first().waitFor();
    expect(await page.locator("#times tr").count()).toBe(1);
  });

  test("fits the screen of a telephone", async () => {
    await openPage(box.pageUrl, TELEPHONE);
    await page.getByLabel("Voice configuration").fill("talkative");
    await button("Start talking").click();
    await said("you").first().waitFor({ timeout: 20_000 });
    await said("box").nth(1).waitFor({ timeout: 20_000 });
    // The buttons are in one row, and the newest words above them.
    await isAboveButtons("#conversation");
    expect((await page.locator(".bar").boundingBox())!.height).toBeLessThan(64);
    for (const details of await page.locator("details summary").all()) await details.click();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
  });
});
