import type { CallCommand } from "../telephone/call-protocol.ts";

const COMMANDS: Readonly<Record<Exclude<CallCommand["type"], "audio">, string>> = {
  mark: "MARK_MEDIA",
  flush: "FLUSH_MEDIA",
  pause: "PAUSE_MEDIA",
  continue: "CONTINUE_MEDIA",
  answer: "ANSWER",
  "hang-up": "HANGUP",
};

/** Asterisk takes text of at most 128 bytes. */
export function encodePlain(command: CallCommand): string | Uint8Array {
  if (command.type === "audio") return command.bytes;
  const name = COMMANDS[command.type];
  return command.type === "mark" ? `${name} ${command.name}` : name;
}

export function encodeJson(command: CallCommand): string | Uint8Array {
  if (command.type === "audio") return command.bytes;
  const id = command.type === "mark" ? { correlation_id: command.name } : {};
  return JSON.stringify({ command: COMMANDS[command.type], ...id });
}
