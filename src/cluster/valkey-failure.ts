import type { ClusterFailure } from "./cluster.ts";

/** The class of a failure of the client, and a sentence for the operator without the command or its values. */
export function describeFailure(error: unknown): { readonly reason: ClusterFailure; readonly text: string } {
  const { message, code = "" } = error as NodeJS.ErrnoException;
  if (message === "Command timed out") {
    return { reason: "late", text: "cluster.url: the store did not answer in time." };
  }
  // Redis 6 puts the class of an error in a script at its end: "ERR Error running script ...: @user_script: 1: -OOM command ...".
  const [, word = ""] = Array.from(message.matchAll(/(?:^|: -?)([A-Z]{3,})\b/gu)).at(-1) ?? [];
  if (word === "WRONGPASS" || word === "NOAUTH" || message.includes("invalid password")) {
    return { reason: "refused", text: "cluster.url: the store refuses the password. Check cluster.password_file." };
  }
  // A script's own message names no class.
  if (word === "NOPERM" || message.includes("can't run this command")) {
    const text = "cluster.url: the store refuses a command. Its user needs the permissions of docs/operations.md.";
    return { reason: "refused", text };
  }
  if (word === "OOM") return { reason: "refused", text: "cluster.url: the store is full. Raise its maxmemory." };
  // A command that fails in a script has its own class. Other faults of a script have ERR.
  if (word === "WRONGTYPE" || (word === "ERR" && message.includes("user_script"))) {
    const text = "cluster.name: the store has a value of the wrong kind. Another program may use the same name.";
    return { reason: "data", text };
  }
  const known = code || word;
  return { reason: "unreachable", text: `cluster.url: the store cannot be used${known && ` (${known})`}.` };
}
