import type { ClusterFailure } from "./cluster.ts";

/** The class of a failure of the client, and a sentence for the operator without the command or its values. */
export function describeFailure(error: unknown): { readonly reason: ClusterFailure; readonly text: string } {
  const { message, code = "" } = error as NodeJS.ErrnoException;
  if (message === "Command timed out") {
    return { reason: "late", text: "cluster.url: the store did not answer in time." };
  }
  const word = /^[A-Z]+/u.exec(message)?.[0] ?? "";
  if (word === "WRONGPASS" || word === "NOAUTH" || message.includes("invalid password")) {
    return { reason: "refused", text: "cluster.url: the store refuses the password. Check cluster.password_file." };
  }
  // A script's own message names no class.
  if (word === "NOPERM" || message.includes("can't run this command")) {
    const text = "cluster.url: the store refuses a command. Its user needs the permissions of docs/operations.md.";
    return { reason: "refused", text };
  }
  if (word === "WRONGTYPE" || message.includes("user_script")) {
    const text = "cluster.name: the store has a value of the wrong kind. Another program may use the same name.";
    return { reason: "data", text };
  }
  if (word === "OOM") return { reason: "refused", text: "cluster.url: the store is full. Raise its maxmemory." };
  const known = code || word;
  return { reason: "unreachable", text: `cluster.url: the store cannot be used${known && ` (${known})`}.` };
}
