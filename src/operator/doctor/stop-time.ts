import { spawnSync } from "node:child_process";
import { childEnvironment } from "../../child-processes/child-environment.ts";
import type { Limits } from "../../config/server-config-schema.ts";

const UNIT = "oakvoice";
/** For engines and other parts that close after the calls. */
const OTHERS_SECONDS = 10;
const SPAN_SECONDS: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, min: 60, s: 1, ms: 0.001 };

/** A finding when systemd ends the service before its calls may end. Empty without the unit. */
export function stopTimeFaults(limits: Limits, show: () => string = showUnit): string[] {
  const { LoadState, TimeoutStopUSec = "" } = Object.fromEntries(
    show()
      .split("\n")
      .map((line) => line.split("=")),
  ) as Readonly<Record<string, string>>;
  if (LoadState !== "loaded" || TimeoutStopUSec === "infinity") return [];
  const allowed = secondsOf(TimeoutStopUSec);
  const needed = Math.ceil(limits.drain_timeout_seconds + limits.shutdown_timeout_seconds + OTHERS_SECONDS);
  if (!(allowed < needed)) return [];
  const remedy = `Run: systemctl edit ${UNIT}, and write [Service] and TimeoutStopSec=${String(needed)}.`;
  return [
    `systemd ends the service ${String(allowed)} s after the beginning of a stop, and limits.drain_timeout_seconds is ` +
      `${String(limits.drain_timeout_seconds)}: calls are cut. ${remedy}`,
  ];
}

/** A span as systemd prints it: `1min 30s`. NaN for any other text. */
function secondsOf(span: string): number {
  const parts = span.split(" ").map((part) => /^(\d+)([a-z]+)$/u.exec(part));
  return parts.reduce((sum, part) => sum + Number(part?.[1]) * (SPAN_SECONDS[part?.[2] ?? ""] ?? NaN), 0);
}

function showUnit(): string {
  const words = ["show", UNIT, "--property=LoadState,TimeoutStopUSec"];
  const { status, stdout } = spawnSync("systemctl", words, { env: childEnvironment(), encoding: "utf8" });
  return status === 0 ? stdout : "";
}
