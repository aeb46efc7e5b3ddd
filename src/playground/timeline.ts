import type { Call } from "./call.ts";
import { byId } from "./dom.ts";
import { TimelineModel, type Span } from "./timeline-model.ts";

const SECONDS = { wide: 24, narrow: 12 };
const NARROW_PX = 520;
const FRAME_MS = 50;
const FRAME_MS_CALM = 500;
/** An emotion lasts until the next update, at most this long. */
const EMOTION_MS = 1_200;
const LABEL_PX = 76;

/** Draws who spoke when on a canvas. The conversation and the event log show the same as text. */
export class Timeline {
  readonly #canvas = byId("timeline", HTMLCanvasElement);
  readonly #calm = matchMedia("(prefers-reduced-motion: reduce)");
  #model = new TimelineModel(SECONDS.wide * 1000);
  #isRunning = false;
  #drawnMs = 0;
  #colours = new Map<string, string>();

  constructor() {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.#colours.clear();
      this.#draw(performance.now());
    });
    new ResizeObserver(() => this.#draw(performance.now())).observe(this.#canvas);
  }

  attach(call: Call): void {
    const model = new TimelineModel(SECONDS.wide * 1000);
    this.#model = model;
    const now = () => performance.now();
    call.on("level", ({ db, atMs }) => model.level(db, atMs));
    call.client.on("voice_activity", ({ activity_level }) => model.voiceActivity(activity_level, now()));
    call.client.on("turn_start", ({ turn_id, interrupted_tts }) => {
      model.begin("turn", turn_id, now());
      if (interrupted_tts) model.mark("interrupted", now());
    });
    call.client.on("turn_end", ({ turn_id }) => model.end("turn", now(), turn_id));
    call.client.on("emotion_update", ({ dominant_emotion }) =>
      model.continue("emotion", dominant_emotion, now(), now() + EMOTION_MS),
    );
    let wasPlaying = false;
    call.on("report", ({ isPlaying }) => {
      if (isPlaying && !wasPlaying) model.begin("reply", "", now());
      if (!isPlaying && wasPlaying) model.end("reply", now());
      wasPlaying = isPlaying;
    });
    call.client.on("retry", () => {
      model.end("turn", now());
      model.mark("connection lost", now());
    });
    call.client.on("closed", () => {
      this.#isRunning = false;
      model.end("turn", now());
      model.end("reply", now());
    });
    if (!this.#isRunning) requestAnimationFrame(() => this.#run());
    this.#isRunning = true;
  }

  #run(): void {
    const nowMs = performance.now();
    if (nowMs - this.#drawnMs >= (this.#calm.matches ? FRAME_MS_CALM : FRAME_MS)) this.#draw(nowMs);
    if (this.#isRunning) requestAnimationFrame(() => this.#run());
  }

  #draw(nowMs: number): void {
    this.#drawnMs = nowMs;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const scale = devicePixelRatio;
    if (this.#canvas.width !== Math.round(width * scale) || this.#canvas.height !== Math.round(height * scale)) {
      this.#canvas.width = Math.round(width * scale);
      this.#canvas.height = Math.round(height * scale);
    }
    const pen = this.#canvas.getContext("2d");
    if (pen === null) return;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const seconds = width < NARROW_PX ? SECONDS.narrow : SECONDS.wide;
    const lane = (height - 18) / 3;
    const x = (ms: number) => LABEL_PX + ((ms - nowMs) / (seconds * 1000) + 1) * (width - LABEL_PX);
    this.#grid(pen, width, height, nowMs, seconds, x);
    pen.save();
    pen.beginPath();
    pen.rect(LABEL_PX, 0, width - LABEL_PX, height);
    pen.clip();
    this.#spans(pen, "turn", 0, lane, nowMs, x);
    this.#voice(pen, lane, x);
    this.#spans(pen, "reply", lane, lane, nowMs, x);
    this.#spans(pen, "emotion", 2 * lane, lane, nowMs, x);
    this.#marks(pen, height - 18, x);
    pen.restore();
    pen.fillStyle = this.#colour("--muted");
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    for (const [index, label] of ["You", "Reply", "Emotion"].entries()) pen.fillText(label, 0, lane * (index + 0.5));
  }

  #grid(
    pen: CanvasRenderingContext2D,
    width: number,
    height: number,
    nowMs: number,
    seconds: number,
    x: (ms: number) => number,
  ): void {
    pen.strokeStyle = this.#colour("--line");
    pen.fillStyle = this.#colour("--muted");
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "bottom";
    pen.textAlign = "center";
    pen.lineWidth = 1;
    const steps = width < NARROW_PX ? 3 : 6;
    for (let step = 0; step <= steps; step += 1) {
      const ago = (step * seconds) / steps;
      const at = Math.round(x(nowMs - ago * 1000)) - 0.5;
      pen.beginPath();
      pen.moveTo(at, 0);
      pen.lineTo(at, height - 18);
      pen.stroke();
      pen.textAlign = step === 0 ? "right" : "center";
      if (step < steps) pen.fillText(step === 0 ? "now" : `${String(ago)} s ago`, at, height);
    }
    pen.textAlign = "left";
  }

  /** Bars show the sent level. The line over them is the server's voice activity. */
  #voice(pen: CanvasRenderingContext2D, lane: number, x: (ms: number) => number): void {
    pen.fillStyle = this.#colour("--you");
    for (const { atMs, value } of this.#model.levels) {
      const size = Math.max(1.5, value * (lane - 14));
      pen.fillRect(x(atMs), (lane - size) / 2, 2, size);
    }
    pen.strokeStyle = this.#colour("--accent");
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const { atMs, value } of this.#model.activity) pen.lineTo(x(atMs), lane - 4 - value * (lane - 8));
    pen.stroke();
  }

  #spans(
    pen: CanvasRenderingContext2D,
    kind: Span["kind"],
    top: number,
    lane: number,
    nowMs: number,
    x: (ms: number) => number,
  ): void {
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    for (const span of this.#model.spans) {
      if (span.kind !== kind) continue;
      const from = x(span.fromMs);
      const to = x(Math.min(span.toMs, nowMs));
      if (to < LABEL_PX) continue;
      pen.fillStyle = this.#colour(kind === "turn" ? "--you-soft" : kind === "reply" ? "--accent" : "--emotion-soft");
      const inset = kind === "turn" ? 2 : lane * 0.24;
      pen.beginPath();
      pen.roundRect(from, top + inset, Math.max(2, to - from), lane - 2 * inset, 5);
      pen.fill();
      if (span.label === "" || to - from < pen.measureText(span.label).width + 8) continue;
      pen.fillStyle = this.#colour("--ink");
      pen.fillText(span.label, Math.max(from, LABEL_PX) + 4, top + lane / 2);
    }
  }

  #marks(pen: CanvasRenderingContext2D, bottom: number, x: (ms: number) => number): void {
    pen.strokeStyle = pen.fillStyle = this.#colour("--warn");
    pen.lineWidth = 2;
    pen.textBaseline = "top";
    pen.font = "11px system-ui, sans-serif";
    for (const { atMs, label } of this.#model.marks) {
      const at = x(atMs);
      pen.beginPath();
      pen.moveTo(at, 0);
      pen.lineTo(at, bottom);
      pen.stroke();
      pen.fillText(label, at + 4, 2);
    }
  }

  #colour(name: string): string {
    let value = this.#colours.get(name);
    if (value === undefined) {
      value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      this.#colours.set(name, value);
    }
    return value;
  }
}
