export interface Span {
  readonly kind: "turn" | "reply" | "emotion";
  readonly id?: string;
  readonly fromMs: number;
  /** Infinity while the span is open. */
  toMs: number;
  readonly label: string;
}

export interface Point {
  readonly atMs: number;
  /** 0 to 1. */
  readonly value: number;
}

export interface Mark {
  readonly atMs: number;
  readonly label: string;
}

/** Recent events for drawing. Older ones are dropped. Times in ms on one clock. Pure. */
export class TimelineModel {
  readonly #keepMs: number;
  #levels: Point[] = [];
  #activity: Point[] = [];
  #spans: Span[] = [];
  #marks: Mark[] = [];

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  get levels(): readonly Point[] {
    return this.#levels;
  }
  get activity(): readonly Point[] {
    return this.#activity;
  }
  get spans(): readonly Span[] {
    return this.#spans;
  }
  get marks(): readonly Mark[] {
    return this.#marks;
  }

  /** @param db Level of the sent audio, dBFS. -60 is drawn as 0, -10 as full. */
  level(db: number, atMs: number): void {
    this.#levels.push({ atMs, value: Math.max(0, Math.min(1, (db + 60) / 50)) });
    this.#forget(atMs);
  }

  voiceActivity(value: number, atMs: number): void {
    this.#activity.push({ atMs, value });
  }

  /** Speech belongs to the newest turn, even if the previous turn has not ended yet. */
  begin(kind: Span["kind"], id: string, atMs: number): void {
    this.end(kind, atMs);
    this.#spans.push({ kind, id, fromMs: atMs, toMs: Infinity, label: "" });
  }

  /** Consecutive updates with the same emotion form one span. */
  continue(kind: Span["kind"], label: string, atMs: number, untilMs: number): void {
    const last = this.#spans.findLast((span) => span.kind === kind);
    if (last !== undefined && last.label === label && last.toMs >= atMs) last.toMs = untilMs;
    else {
      if (last !== undefined) last.toMs = Math.min(last.toMs, atMs);
      this.#spans.push({ kind, fromMs: atMs, toMs: untilMs, label });
    }
  }

  /** The open span of this kind, if it has this id. */
  end(kind: Span["kind"], atMs: number, id?: string): void {
    const last = this.#spans.findLast((span) => span.kind === kind);
    if (last?.toMs === Infinity && (id === undefined || last.id === id)) last.toMs = atMs;
  }

  mark(label: string, atMs: number): void {
    this.#marks.push({ atMs, label });
  }

  #forget(nowMs: number): void {
    const since = nowMs - this.#keepMs;
    // Not at every call, because it copies.
    if ((this.#levels[0]?.atMs ?? nowMs) > since - this.#keepMs) return;
    const isRecent = ({ atMs }: { readonly atMs: number }) => atMs >= since;
    this.#levels = this.#levels.filter(isRecent);
    this.#activity = this.#activity.filter(isRecent);
    this.#marks = this.#marks.filter(isRecent);
    this.#spans = this.#spans.filter(({ toMs }) => toMs >= since);
  }
}
