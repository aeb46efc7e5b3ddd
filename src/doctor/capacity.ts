/** Times of single requests on an idle box, ms, and real-time factors. */
export interface Timings {
  /** One frame. */
  readonly vadMs: number;
  readonly vadFrameMs: number;
  /** A final of `sttClipMs` of speech. */
  readonly sttMs: number;
  readonly sttClipMs: number;
  readonly sttThreads: number;
  readonly llmFirstMs: number;
  readonly llmTokenMs: number;
  readonly llmThreads: number;
  readonly llmOnGpu: boolean;
  /** A clause of `ttsClipMs` of speech. */
  readonly ttsMs: number;
  readonly ttsClipMs: number;
}

export interface Capacity {
  /** Callers at once that leave three tenths of the machine free. */
  readonly callers: number;
  readonly coresPerCaller: number;
  /** From the end of the turn to the reply's first sound, one caller, when nothing was prepared. */
  readonly answerMs: number;
}

/** An unhurried conversation: what one turn and its answer hold. */
const TURN = { speechMs: 3_000, replyMs: 4_000, pausesMs: 1_000, tokens: 40, tokensOfFirstClause: 10 };
/** Partials take no more than this share of a core while the caller talks. */
const PARTIAL_SHARE = 0.5;
const USABLE = 0.7;

/** A rule of thumb from single requests; the bench measures the real thing. */
export function estimateCapacity(timings: Timings, cores: number): Capacity {
  const {
    vadMs,
    vadFrameMs,
    sttMs,
    sttClipMs,
    sttThreads,
    llmFirstMs,
    llmTokenMs,
    llmThreads,
    llmOnGpu,
    ttsMs,
    ttsClipMs,
  } = timings;
  const turnMs = TURN.speechMs + TURN.replyMs + TURN.pausesMs;
  const finalMs = (sttMs * TURN.speechMs) / sttClipMs;
  const partialsMs = Math.min(PARTIAL_SHARE * TURN.speechMs, (finalMs * TURN.speechMs) / 400 / 2);
  const llmMs = llmFirstMs + TURN.tokens * llmTokenMs;
  const coreMs =
    (vadMs * turnMs) / vadFrameMs +
    (partialsMs + finalMs) * sttThreads +
    (llmOnGpu ? 0 : llmMs * llmThreads) +
    (ttsMs * TURN.replyMs) / ttsClipMs;
  const coresPerCaller = coreMs / turnMs;
  const byCores = (USABLE * cores) / coresPerCaller;
  const byGpu = llmOnGpu ? (USABLE * turnMs) / llmMs : Infinity;
  return {
    callers: Math.max(0, Math.floor(Math.min(byCores, byGpu))),
    coresPerCaller,
    answerMs: finalMs + llmFirstMs + TURN.tokensOfFirstClause * llmTokenMs + ttsMs,
  };
}
