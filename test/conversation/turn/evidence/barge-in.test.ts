import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../../../src/config/settings/session-settings.ts";
import type { OverlapSpan } from "../../../../src/conversation/turn/evidence/barge-in.ts";
import {
  initialTurnState,
  type TurnEffect,
  type TurnEvent,
} from "../../../../src/conversation/turn/machine/turn-state.ts";
import { step } from "../../../../src/conversation/turn/machine/machine.ts";
import type { OverlapKind } from "../../../../src/conversation/turn/evidence/judge-overlap.ts";
import { turnPolicy } from "../../../../src/conversation/turn/evidence/policy.ts";

const FRAME_MS = 32;
const policy = turnPolicy({ ...DEFAULT_SETTINGS.turnDetection, naturalPauses: false });
/** Time by which a player sends ahead of playback. */
const LEAD_MS = 360;
/** Time after which each sound is decided and the reply has ended. */
const LONG_MS = 30_000;

type Said = "command" | "words" | "backchannel" | "nothing";

interface Sound {
  readonly says: Said;
  readonly pauseMs: number;
  readonly voiceMs: number;
}

interface Scene {
  readonly sounds: readonly Sound[];
  readonly replyMs: number;
  /** Duration of each decode in order, and whether the budget or the load skips it. */
  readonly decodes: readonly { readonly tookMs: number; readonly leftOut: boolean }[];
}

interface Span {
  readonly says: Said;
  readonly startMs: number;
  readonly endMs: number;
  /** The sound began while the reply was audible. */
  readonly over: boolean;
}

/** Runs the turn machine on a scene, with a correct but slow recogniser and a player. */
class Stage {
  readonly spans: Span[] = [];
  readonly done: (TurnEffect & { readonly atMs: number })[] = [];
  readonly sentMs = () => this.#sentMs;
  #state = initialTurnState;
  #atMs = 0;
  #sentMs = 0;
  #playedOutMs = 0;
  #reply: "none" | "sending" | "held" = "none";
  #decode: (OverlapSpan & { readonly startMs: number; readonly dueMs: number; readonly leftOut: boolean }) | undefined;
  #decodes = 0;
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  play(): void {
    // The caller asks a question, and its reply becomes audible.
    for (let said = 0; said < 640; said += FRAME_MS) this.#frame(true);
    for (let quiet = 0; quiet < 640; quiet += FRAME_MS) this.#frame(false);
    this.#send({ type: "final", turn: 1, empty: false });
    this.#reply = "sending";
    this.#send({ type: "reply-audible", turn: 1 });
    this.done.length = 0;
    for (const { says, pauseMs, voiceMs } of this.#scene.sounds) {
      for (let quiet = 0; quiet < pauseMs; quiet += FRAME_MS) this.#frame(false);
      const startMs = this.#atMs;
      let over = true;
      const index = this.spans.length;
      for (let said = 0; said < voiceMs; said += FRAME_MS) {
        this.spans[index] = { says, startMs, endMs: this.#atMs + FRAME_MS, over };
        this.#frame(true);
        if (said === 0) over = this.#audible;
      }
    }
    for (let quiet = 0; quiet < LONG_MS && !this.#atRest; quiet += FRAME_MS) this.#frame(false);
  }

  get #atRest(): boolean {
    return this.#state.user.name === "silent" && !this.#audible;
  }

  get state() {
    return this.#state;
  }

  #frame(voiced: boolean): void {
    this.#atMs += FRAME_MS;
    this.#stream();
    this.#answer();
    this.#send({ type: "frame", atMs: this.#atMs, frameMs: FRAME_MS, probability: voiced ? 0.99 : 0 });
  }

  get #audible(): boolean {
    return this.#reply !== "none";
  }

  /** Sends the reply a little ahead of its playback unless it is held. */
  #stream(): void {
    if (!this.#audible) return;
    const { replyMs } = this.#scene;
    while (this.#reply === "sending" && this.#sentMs < replyMs && this.#playedOutMs - this.#atMs < LEAD_MS) {
      this.#playedOutMs = Math.max(this.#playedOutMs, this.#atMs) + 120;
      this.#sentMs += 120;
    }
    if (this.#sentMs < replyMs || this.#playedOutMs > this.#atMs) return;
    this.#reply = "none";
    this.#send({ type: "reply-finished", turn: 1 });
  }

  #answer(): void {
    const decode = this.#decode;
    if (decode === undefined || decode.dueMs > this.#atMs) return;
    this.#decode = undefined;
    const { startMs, untilMs, ended, leftOut } = decode;
    this.#send({ type: "overlap-decoded", startMs, untilMs, ended, heard: leftOut ? "undecoded" : this.#hear(decode) });
  }

  /** The decode of a span. While the voice goes on, only a command is known of the sound that has not ended. */
  #hear({ startMs, untilMs, ended }: OverlapSpan & { readonly startMs: number }): OverlapKind {
    const heard = this.spans.filter((span) => span.endMs > startMs && span.startMs < untilMs);
    const says = (said: Said) => heard.some((span) => span.says === said && (ended || span.endMs < untilMs));
    if (heard.some((span) => span.says === "command" && untilMs - span.startMs >= 128)) return "command";
    if (says("words")) return "words";
    if (heard.some((span) => span.says === "words" || span.says === "command")) return ended ? "word" : "unclear";
    return heard.some((span) => span.says === "backchannel") ? "backchannel" : "nothing";
  }

  #send(event: TurnEvent): void {
    const { state, effects } = step(this.#state, event, policy);
    this.#state = state;
    for (const effect of effects) {
      this.done.push({ ...effect, atMs: this.#atMs });
      if (effect.type === "hold-reply") this.#reply = "held";
      else if (effect.type === "resume-reply") this.#reply = "sending";
      else if (effect.type === "cancel-reply") this.#reply = "none";
      else if (effect.type === "open-turn" || effect.type === "dismiss-sound") this.#decode = undefined;
      else if (effect.type === "decode-overlap") {
        const { tookMs, leftOut } = this.#scene.decodes[this.#decodes++ % this.#scene.decodes.length] ?? {
          tookMs: 0,
          leftOut: false,
        };
        const { startMs, untilMs, ended } = effect;
        // The decode at a sound's end is never skipped.
        this.#decode = { startMs, untilMs, ended, dueMs: this.#atMs + tookMs, leftOut: leftOut && !ended };
      }
    }
  }
}

const sound = (...says: Said[]) =>
  fc.record<Sound>({
    says: fc.constantFrom(...says),
    pauseMs: fc.integer({ min: 1, max: 80 }).map((frames) => frames * FRAME_MS),
    voiceMs: fc.integer({ min: 1, max: 35 }).map((frames) => frames * FRAME_MS),
  });
const scenes = (...says: Said[]) =>
  fc.record<Scene>({
    sounds: fc.array(sound(...says), { minLength: 1, maxLength: 6 }),
    replyMs: fc.integer({ min: 120, max: 12_000 }),
    decodes: fc.array(fc.record({ tookMs: fc.integer({ min: 0, max: 5000 }), leftOut: fc.boolean() }), {
      minLength: 1,
      maxLength: 8,
    }),
  });

function played(scene: Scene): Stage {
  const stage = new Stage(scene);
  stage.play();
  return stage;
}

test("property: with any slow recogniser each hold ends, each stopped reply has a turn, and no sound is left pending", () => {
  fc.assert(
    fc.property(scenes("command", "words", "backchannel", "nothing"), (scene) => {
      const stage = played(scene);
      let heldAtMs: number | undefined;
      for (const [index, effect] of stage.done.entries()) {
        if (effect.type === "hold-reply") {
          expect(heldAtMs).toBeUndefined();
          heldAtMs = effect.atMs;
        } else if (effect.type === "resume-reply" || effect.type === "cancel-reply") {
          if (effect.type === "resume-reply") expect(heldAtMs).toBeDefined();
          if (heldAtMs !== undefined) expect(effect.atMs - heldAtMs).toBeLessThanOrEqual(policy.holdLimitMs + FRAME_MS);
          heldAtMs = undefined;
          if (effect.type === "cancel-reply") expect(stage.done[index + 1]?.type).toBe("open-turn");
        }
      }
      expect(stage.state.user.name).toBe("silent");
      const cancelled = stage.done.some(({ type }) => type === "cancel-reply");
      if (!cancelled) expect(stage.sentMs()).toBeGreaterThanOrEqual(scene.replyMs);
      expect(stage.done.filter(({ type }) => type === "open-turn").length).toBe(
        stage.done.filter(({ type }) => type === "commit-turn").length,
      );
    }),
    { numRuns: 300 },
  );
});

test("property: with any slow recogniser words over the reply become a turn that has them all", () => {
  fc.assert(
    fc.property(scenes("command", "words", "backchannel", "nothing"), (scene) => {
      const stage = played(scene);
      const turns = stage.done.filter((effect) => effect.type === "commit-turn");
      for (const { says, startMs, endMs, over } of stage.spans) {
        if (!over || (says !== "command" && says !== "words") || endMs - startMs < policy.holdMs) continue;
        expect(turns.some((turn) => turn.startMs <= startMs && turn.endMs >= endMs)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test("property: with any slow recogniser short back-channels and noises do not stop the reply", () => {
  fc.assert(
    fc.property(scenes("backchannel", "nothing"), (scene) => {
      const apart = scene.sounds.map((one) => ({ ...one, pauseMs: Math.max(one.pauseMs, 256) }));
      const stage = played({ ...scene, sounds: apart });
      expect(stage.done.map(({ type }) => type)).not.toContain("cancel-reply");
    }),
    { numRuns: 300 },
  );
});
