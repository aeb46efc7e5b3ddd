import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";
import { TestBox } from "../support/box.ts";
import { hasChromium, launchChromium } from "../support/chromium.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const GREETING = "Good morning, this is the desk of the Oak Hotel.";
/** A name that a hostile client gave. */
const MARKUP = "<img src=x onerror=alert(1)>";
const DESK = `config_id: desk
system_prompt: Answer briefly.
greeting: ${GREETING}
record: { consent: none, keep: [words, tools, audio] }
`;

describe.skipIf(!hasChromium)("the operators' page in a browser", () => {
  let box: TestBox;
  let browser: Browser;
  let page: Page;
  const troubles: string[] = [];

  beforeAll(async () => {
    const keyFile = join(temporaryFolder(), "record.key");
    writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
    // The page is there without the playground.
    box = await TestBox.start({ desk: DESK }, `playground: false\ncall_record: { key_file: ${keyFile} }\n`);
    for (const caller_id of ["guest-17", MARKUP]) {
      const caller = await box.call({ caller_id }, "desk");
      await caller.next("tts_chunk");
      // The caller hears a part of the greeting.
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      caller.client.typeText("my name is Henrietta Blackwood");
      await caller.next("llm_response_chunk");
      await caller.next("tts_chunk");
      caller.client.close();
    }
    browser = await launchChromium(join(packageRoot, "scripts", "talk-sample.wav"));
    page = await browser.newPage();
    page.on("pageerror", (error) => troubles.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") troubles.push(message.text());
    });
    await page.goto(`http://127.0.0.1:${String(box.box.port)}/records`);
  });
  afterAll(async () => {
    await browser.close();
    await box.close();
  });

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const rows = () => page.locator("#rows tr");
  const lines = () => page.locator("#lines li");
  const find = async (search = "") => {
    await page.getByLabel("Words").fill(search);
    await button("Find").click();
  };

  test("a caller's key opens nothing", async () => {
    await page.getByLabel("Operator's key").fill(box.key);
    await find();
    await page.getByRole("alert").filter({ hasText: "not an operator's key" }).waitFor();
    expect(await rows().count()).toBe(0);
    // The browser's own words about status 401.
    expect(troubles.splice(0)).toEqual([expect.stringContaining("401")]);
  });

  test("lists, searches, shows and plays", async () => {
    await page.getByLabel("Operator's key").fill(box.operatorKey());
    // The end of a call is on the disk within a second.
    await expect
      .poll(async () => {
        await find();
        return (await rows().allTextContents()).filter((text) => text.includes("ended")).length;
      })
      .toBe(2);
    expect((await rows().allTextContents()).join()).toContain(MARKUP);
    await find("no such words");
    await page.getByRole("alert").filter({ hasText: "No record matches." }).waitFor();
    await find("oak hotel");
    await expect.poll(() => rows().count()).toBe(2);
    await rows().filter({ hasText: "guest-17" }).getByRole("button").click();
    await lines().first().waitFor();
    const texts = (await lines().allTextContents()).join("\n");
    expect(texts).toContain("assistant: Good");
    expect(texts).toContain("caller: my name is [name]");
    expect(texts).not.toMatch(/Henrietta|Blackwood/u);
    expect(await page.locator("#about").textContent()).toContain("ended. Consent: not asked (configuration");
    // The picture shows the reply: not all of its pixels are alike.
    const colours = () =>
      page.evaluate(`{
        const canvas = document.getElementById("wave");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        new Set(new Uint32Array(data.buffer)).size;
      }`);
    await expect.poll(colours).toBeGreaterThan(1);
    await button("Play").click();
    await button("Stop").waitFor();
    await button("Stop").click();
    await button("Play").waitFor();
    expect(troubles).toEqual([]);
  });

  test("erases after a question", async () => {
    page.once("dialog", (dialog) => void dialog.dismiss());
    await button("Erase this record").click();
    await find();
    await expect.poll(() => rows().count()).toBe(2);
    page.once("dialog", (dialog) => void dialog.accept());
    await button("Erase this record").click();
    await expect.poll(() => rows().count()).toBe(1);
    expect(await page.locator("#record").isVisible()).toBe(false);
    expect(await rows().allTextContents()).toEqual([expect.not.stringContaining("guest-17")]);
    expect(troubles).toEqual([]);
  });

  test("its key is not kept by the browser", async () => {
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])")).not.toContain("oakop_"); // prettier-ignore
  });
});
