/** A line of the log of deploy/haproxy/haproxy.cfg. */
const LINE = /^\S+ \[[^\]]*\] calls (\S+)\/(\S+) \S+ (-?\d+) /u;

export interface BalancerLog {
  /** Connections that became calls, by box. */
  readonly callsByBox: Readonly<Record<string, number>>;
  /** Requests that no box took. */
  readonly refused: number;
  /** Times at which a box was marked down, by the reason of the failed check. */
  readonly markedDown: Readonly<Record<string, number>>;
}

/** `lines`: of the log. `notices`: HAProxy's standard error. */
export function readBalancerLog(lines: readonly string[], notices: string): BalancerLog {
  const callsByBox: Record<string, number> = {};
  let refused = 0;
  for (const line of lines) {
    const [, , box = "", status] = LINE.exec(line) ?? [];
    if (status === "101") callsByBox[box] = (callsByBox[box] ?? 0) + 1;
    else if (status === "503") refused += 1;
  }
  const markedDown: Record<string, number> = {};
  for (const [, reason = ""] of notices.matchAll(/Server boxes\/\S+ is DOWN, reason: ([^,]*)/gu))
    markedDown[reason] = (markedDown[reason] ?? 0) + 1;
  return { callsByBox, refused, markedDown };
}
