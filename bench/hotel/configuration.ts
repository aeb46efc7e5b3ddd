import type { HotelScript } from "./script.ts";
import { MCP_TOOLS } from "./systems.ts";

/** The variable with the webhooks' signing key. */
export const SECRET_NAME = "OAKVOICE_HOTEL_SECRET";
/** A fault that hangs is over after this time. */
const TIMEOUT_SECONDS = 3;

/** The voice configuration of one caller, whose systems are at `host`. */
export function configuration(script: HotelScript, host: string, id: string): object {
  const { system_prompt, facts, webhooks, targets } = script;
  const hook = { url: `http://${host}/${id}/hook`, secret_env: SECRET_NAME, timeout_seconds: TIMEOUT_SECONDS };
  const mcp = { url: `http://${host}/${id}/mcp`, tools: MCP_TOOLS, timeout_seconds: TIMEOUT_SECONDS };
  const builtin = [{ builtin: "transfer", targets }, { builtin: "end_call" }];
  const tools = [...webhooks.map((tool) => ({ ...tool, webhook: hook })), { mcp }, ...builtin];
  return { system_prompt, facts, temperature: 0, tools };
}
