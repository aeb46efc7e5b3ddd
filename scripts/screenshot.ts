import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium, type Page } from "playwright-core";
import { numberOf } from "../src/shared/options.ts";
import { packageRoot } from "../src/shared/package-root.ts";
import { findServer } from "./find-server.ts";

const USAGE = `npm run screenshot -- [--out docs/playground.png] [--port 8787] [--dark] [--phone]
Has a conversation on the page in Chromium (OAKVOICE_CHROMIUM, /usr/bin/chromium) and takes its picture.`;

const QUESTIONS = ["flite-time.wav", "flite-timer.wav", "flite-lights.wav"];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: "string", default: join(packageRoot, "docs", "playground.png") },
      port: { type: "string", default: "8787" },
      dark: { type: "boolean", default: false },
      phone: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  using server = await findServer({ port: numberOf("port", values.port), configId: "default" });
  const { host, searchParams } = new URL(server.urlOf("any"));
  const browser = await chromium.launch({
    executablePath: process.env["OAKVOICE_CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required"],
  });
  try {
    const page = await browser.newPage({
      viewport: values.phone ? { width: 390, height: 844 } : { width: 1120, height: 980 },
      colorScheme: values.dark ? "dark" : "light",
    });
    await page.goto(`http://${host}/#api_key=${searchParams.get("api_key") ?? ""}`);
    await converse(page);
    await page.screenshot({ path: values.out });
    console.log(values.out);
  } finally {
    await browser.close();
  }
}

async function converse(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Without a microphone" }).click();
  const replies = page.locator("#conversation .box:not(.open)");
  for (const [index, question] of QUESTIONS.entries()) {
    await page.waitForTimeout(800);
    await page.locator("#file").setInputFiles(join(packageRoot, "test", "audio", question));
    await replies.nth(index).waitFor();
  }
}

main().catch((error: unknown) => {
  console.error(`screenshot: ${String(error)}`);
  process.exitCode = 1;
});
