import { OakError } from "../../shared/errors.ts";

/** The first descriptor that systemd passes to a program: sd_listen_fds(3). */
const FIRST_DESCRIPTOR = 3;

/**
 * Descriptor of the listening socket that systemd, or another parent, passed to this process. Two versions of the server listen
 * on one socket during an upgrade (docs/decisions/0082). Removes the variables: a child process must not use them.
 * @throws OakError `LISTEN_FAILED` when there are several sockets.
 */
export function takePassedSocket(environment: NodeJS.ProcessEnv, pid: number): number | undefined {
  const { LISTEN_PID: forPid, LISTEN_FDS: count } = environment;
  for (const name of ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]) delete environment[name];
  if (forPid !== String(pid) || count === undefined || count === "0") return undefined;
  if (count === "1") return FIRST_DESCRIPTOR;
  const message = `The server takes one socket from its parent, and ${count} were passed. Leave one ListenStream in the socket unit.`;
  throw new OakError(message, { code: "LISTEN_FAILED" });
}
