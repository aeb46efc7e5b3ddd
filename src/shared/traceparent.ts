/** The position in a trace of another system, as W3C Trace Context writes it. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/u;

/** Undefined for a header that is missing or wrong: it is ignored then, as the standard says. */
export function parseTraceParent(header: string | undefined): TraceParent | undefined {
  const [, version = "ff", traceId = "", spanId = "", flags = "", more] = FORM.exec(header ?? "") ?? [];
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/u.test(traceId) || /^0+$/u.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export const formatTraceParent = ({ traceId, spanId, flags }: TraceParent): string =>
  `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, "0")}`;
