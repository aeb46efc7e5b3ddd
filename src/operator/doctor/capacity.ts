/** Times of single requests on an idle machine, ms. */
export interface Timings {
  /** Time of one frame. */
  readonly vadMs: number;
  readonly vadFrameMs: number;
  /** Time of a final decode of `sttClipMs` of speech. */
  readonly sttMs: number;
  readonly sttClipMs: number;
  readonly sttThreads: number;
  readonly llmFirstMs: number;
  readonly llmTokenMs: number;
  readonly llmThreads: number;
  readonly llmOnGpu: boolean;
  /** Time of a clause of `ttsClipMs` of speech. */
  readonly ttsMs: number;
  readonly ttsClipMs: number;
  /** Another machine speaks. */
  readonly ttsIsRemote: boolean;
}

export interface Capacity {
  /** Callers at once with three tenths of the machine left free. */
  readonly callers: number;
  readonly coresPerCaller: number;
  /** From the end of the turn to the reply's first sound, ms, with one caller and an unprepared reply. */
  readonly answerMs: number;
}

/** One turn and its reply in an unhurried conversation. */
const TURN = { speechMs: 3_000, replyMs: 4_000, pausesMs: 1_000, tokens: 40, tokensOfFirstClause: 10 };
/** Partials use at most this share of a core while the caller talks. */
const PARTIAL_SHARE = 0.5;
const USABLE = 0.7;

/** An estimate from single requests. The bench measures real callers. */
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
    ttsIsRemote,
  } = timings;
  const turnMs = TURN.speechMs + TURN.replyMs + TURN.pausesMs;
  const finalMs = (sttMs * TURN.speechMs) / sttClipMs;
  const partialsMs = Math.min(PARTIAL_SHARE * TURN.speechMs, (finalMs * TURN.speechMs) / 400 / 2);
  const llmMs = llmFirstMs + TURN.tokens * llmTokenMs;
  const coreMs =
    (vadMs * turnMs) / vadFrameMs +
    (partialsMs + finalMs) * sttThreads +
    (llmOnGpu ? 0 : llmMs * llmThreads) +
    (ttsIsRemote ? 0 : (ttsMs * TURN.replyMs) / ttsClipMs);
  const coresPerCaller = coreMs / turnMs;
  const byCores = (USABLE * cores) / coresPerCaller;
  const byGpu = llmOnGpu ? (USABLE * turnMs) / llmMs : Infinity;
  return {
    callers: Math.max(0, Math.floor(Math.min(byCores, byGpu))),
    coresPerCaller,
    answerMs: finalMs + llmFirstMs + TURN.tokensOfFirstClause * llmTokenMs + ttsMs,
  };
}
