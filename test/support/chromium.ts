import { existsSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { chromium, type Browser } from "playwright-core";

const EXECUTABLE = process.env["OAKVOICE_CHROMIUM"] ?? "/usr/bin/chromium";

/** A missing browser is shown in the test report. */
export const hasChromium = existsSync(EXECUTABLE);
if (!hasChromium)
  process.stderr.write(`the page in a browser: SKIPPED, ${EXECUTABLE} is missing (apt-get install chromium)\n`);

const FAKE_DEVICE = "--use-fake-device-for-media-stream";

/** @param microphone A WAV file that the fake microphone plays once. "none": no microphone. "refused": pages may not use it. */
export function launchChromium(microphone: string, ...more: string[]): Promise<Browser> {
  const devices =
    microphone === "none"
      ? []
      : microphone === "refused"
        ? [FAKE_DEVICE]
        : [FAKE_DEVICE, `--use-file-for-fake-audio-capture=${microphone}%noloop`];
  return chromium.launch({
    executablePath: EXECUTABLE,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      microphone === "refused" ? "--use-fake-ui-for-media-stream=deny" : "--use-fake-ui-for-media-stream",
      ...devices,
      "--autoplay-policy=no-user-gesture-required",
      ...more,
    ],
  });
}

/** A connection between a page and its server that the test can cut. */
export class Cable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(port: number): Promise<Cable> {
    const server = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        cable.#sockets.add(one);
        one.pipe(other);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          cable.#sockets.delete(one);
          other.destroy();
        });
      }
    });
    const cable = new Cable(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return cable;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks all open connections. New ones work. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}
