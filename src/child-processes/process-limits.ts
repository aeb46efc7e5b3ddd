export interface ProcessLimits {
  /** From fork to ready. Long enough for a large model on a slow disk. */
  readonly startMs: number;
  /** To a call's answer, or between two items of a stream. A late request is cancelled and fails alone. */
  readonly requestMs: number;
  /** How long a child may take to confirm that cancel before it is killed. */
  readonly cancelMs: number;
  /** How long a request waits for a restart. */
  readonly restartWaitMs: number;
  readonly pingEveryMs: number;
  /** Silence after a ping that means the child hangs. */
  readonly pingMs: number;
  /** How long a closing child may take before it is killed. */
  readonly closeMs: number;
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
  /** A child that lived this long resets the back-off. */
  readonly stableMs: number;
  /** Requests in the child, including unconfirmed cancels. As many may wait for a restart. */
  readonly maxPending: number;
  /** Unread items of one stream. */
  readonly streamItems: number;
}

export const DEFAULT_LIMITS: ProcessLimits = {
  startMs: 120_000,
  requestMs: 30_000,
  cancelMs: 10_000,
  restartWaitMs: 3_000,
  pingEveryMs: 4_000,
  pingMs: 8_000,
  closeMs: 2_000,
  backoffMinMs: 200,
  backoffMaxMs: 10_000,
  stableMs: 30_000,
  maxPending: 256,
  streamItems: 64,
};

/** The operator's deadline for one engine; undefined keeps the defaults. A machine that needs longer also answers pings later. */
export function deadlineLimit(seconds: number | undefined): Partial<ProcessLimits> {
  if (seconds === undefined) return {};
  const requestMs = seconds * 1000;
  const { requestMs: usualMs, pingMs } = DEFAULT_LIMITS;
  return { requestMs, pingMs: pingMs * Math.max(1, requestMs / usualMs) };
}
