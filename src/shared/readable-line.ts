/** Fields that every line has. */
const COMMON = new Set(["level", "time", "msg"]);
const LEVELS: Readonly<Record<number, string>> = {
  10: "trace",
  20: "debug",
  30: "",
  40: "warning",
  50: "error",
  60: "fatal",
};

/** A JSON line of the log as a line for a person at a terminal: "14:03:21 warning tool failed (tool book, code TOOL_FAILED)". */
export function readableLine(json: string): string {
  const line = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const time = new Date(String(line["time"])).toTimeString().slice(0, 8);
  const fields = Object.entries(line)
    .filter(([name, value]) => !COMMON.has(name) && value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  const details = fields.length === 0 ? "" : `(${fields.join(", ")})`;
  return `${[time, LEVELS[Number(line["level"])] ?? "", line["msg"], details].filter(Boolean).join(" ")}\n`;
}
