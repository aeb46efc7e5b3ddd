import fc from "fast-check";
import { expect, test } from "vitest";
import type { OverlapKind } from "../../../src/conversation/turn/evidence/judge-overlap.ts";
import type { TurnState } from "../../../src/conversation/turn/machine/turn-state.ts";
import { FRAME_MS, MachineRun } from "../../support/machine-run.ts";

test("property: all voice after a turn's start is in a turn until a silence ends it", () => {
  const stretch = (max: number) => fc.integer({ min: 1, max }).map((frames) => frames * FRAME_MS);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(stretch(100), stretch(15)), { minLength: 1, maxLength: 30 }),
      fc.constantFrom(100, 300, 2000, 5000),
      (stretches, minSpeakingMs) => {
        const call = new MachineRun({ maxTurnMs: 2000, naturalPauses: false, minSpeakingMs });
        call.speak(minSpeakingMs);
        const voiced: number[] = [];
        for (const [voiceMs, pauseMs] of stretches) {
          call.speak(voiceMs);
          for (let atMs = call.atMs; atMs > call.atMs - voiceMs; atMs -= FRAME_MS) voiced.push(atMs);
          call.pause(pauseMs);
        }
        call.pause(4000);
        const turns = call.effects.filter((effect) => effect.type === "commit-turn");
        const lost = voiced.filter((atMs) => !turns.some(({ startMs, endMs }) => startMs < atMs && atMs <= endMs));
        expect(lost).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

const eventArbitrary = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("voice" as const),
      p: fc.constantFrom(0, 0.2, 0.5, 0.99),
      n: fc.integer({ min: 1, max: 60 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("greet" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("text-given" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("respond" as const, "stop-reply" as const, "drop-turn" as const, "end-turn" as const),
      flag: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("final", "prepared", "pause-judged", "reply-audible", "reply-finished", "reply-failed"),
      turn: fc.integer({ min: 0, max: 8 }),
      flag: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("overlap-decoded" as const),
      heard: fc.constantFrom<OverlapKind[]>(
        "undecoded",
        "unclear",
        "nothing",
        "backchannel",
        "word",
        "words",
        "command",
      ),
    }),
  },
);

const settingsArbitrary = fc.record({
  mode: fc.constantFrom("standard" as const, "adaptive" as const, "aggressive" as const, "conservative" as const),
  maxTurnMs: fc.constantFrom(1000, 30_000),
});

test("property: there is one live reply, turns open and commit once, and each question is answered", () => {
  fc.assert(
    fc.property(settingsArbitrary, fc.array(eventArbitrary, { maxLength: 80 }), (settings, events) => {
      const call = new MachineRun(settings);
      for (const event of events) {
        if (event.kind === "voice") call.hear(event.p, event.n * FRAME_MS);
        else if (event.kind === "overlap-decoded") {
          const { user } = call.state;
          if (user.name === "overlapping" && user.decoding !== undefined)
            call.send({
              type: "overlap-decoded",
              startMs: user.startMs,
              ...user.decoding,
              heard: event.heard,
            });
        } else if (event.kind === "greet") call.send({ type: "greet" });
        else if (event.kind === "text-given") call.send({ type: "text-given" });
        else if (event.kind === "respond") call.send({ type: "respond", ...(event.flag ? { isSide: true } : {}) });
        else if (event.kind === "stop-reply") call.send({ type: "stop-reply" });
        else if (event.kind === "drop-turn") call.send({ type: "drop-turn" });
        // A door refuses to end a turn without audio.
        else if (event.kind === "end-turn" && call.atMs > 0)
          call.send({ type: "end-turn", fromMs: 0, atMs: call.atMs });
        else if (event.kind === "final") call.send({ type: "final", turn: event.turn, empty: event.flag });
        else if (event.kind === "prepared") call.send({ type: "prepared", turn: event.turn, unfinished: event.flag });
        else if (event.kind === "pause-judged") {
          const { user } = call.state;
          const pauseMs = user.name === "pausing" && event.turn < 7 ? user.lastVoicedMs : 0;
          const turn = user.name === "pausing" ? user.turn : event.turn;
          call.send({ type: "pause-judged", turn, pauseMs, probability: event.flag ? 0.99 : 0.01 });
        } else if ("turn" in event) call.send({ type: event.kind as "reply-audible", turn: event.turn });
      }
      let live: number | undefined;
      let held = false;
      const opened = new Map<number, number>();
      const committed = new Set<number>();
      for (const effect of call.effects) {
        if (effect.type === "open-turn") {
          expect(opened.has(effect.turn)).toBe(false);
          opened.set(effect.turn, effect.atMs);
        } else if (effect.type === "commit-turn") {
          expect(opened.has(effect.turn) && !committed.has(effect.turn)).toBe(true);
          expect(effect.endMs).toBeGreaterThan(effect.startMs);
          // With a very short maximum, a sound over a reply may last longer than the maximum before it becomes a turn.
          const openedMs = settings.maxTurnMs === 1000 ? (opened.get(effect.turn) ?? 0) : 0;
          const longest = Math.max(effect.startMs + call.policy.maxTurnMs, openedMs);
          expect(effect.endMs).toBeLessThanOrEqual(longest + FRAME_MS);
          expect(effect.confidence >= 0 && effect.confidence <= 1).toBe(true);
          committed.add(effect.turn);
        } else if (effect.type === "cancel-reply") {
          expect(effect.turn).toBe(live);
          live = undefined;
          held = false;
        } else if (effect.type === "hold-reply") {
          expect([effect.turn, held]).toEqual([live, false]);
          held = true;
        } else if (effect.type === "resume-reply") {
          expect([effect.turn, held]).toEqual([live, true]);
          held = false;
        } else if (effect.type === "start-reply") {
          live = effect.turn;
          held = false;
        }
      }
      // Without further events the machine comes to rest. All turns are committed, and finals lead to a reply or to silence.
      call.pause(4000);
      // A sound over a reply waits for its decode only. A decode that began before the sound went on needs a second one.
      for (let decodes = 0; decodes < 2; decodes += 1) {
        const { user } = call.state;
        if (user.name !== "overlapping") break;
        expect(user.decoding).toMatchObject({ ended: true });
        if (user.decoding)
          call.send({ type: "overlap-decoded", startMs: user.startMs, ...user.decoding, heard: "unclear" });
        call.pause(4000);
      }
      expect(call.state.user.name).toBe("silent");
      for (const turn of call.state.pendingFinals) call.send({ type: "final", turn, empty: true });
      expect(call.state.pendingFinals).toEqual([]);
      const { reply, owed, side } = call.state;
      if (owed !== undefined || side !== undefined) expect(reply.name).not.toBe("none");
    }),
    { numRuns: 500 },
  );
});

/** The open requests that the machine knows. */
const requestsIn = ({ owed, side, reply }: TurnState): number[] =>
  [owed?.request, side?.request, reply.name === "thinking" ? reply.request : undefined]
    .filter((request) => request !== undefined)
    .toSorted((a, b) => a - b);

test("property: each request for a reply is owed or being answered until it ends, once", () => {
  const requestEvent = fc.record({
    kind: fc.constantFrom("respond", "side", "left", "back", "rest", "text", "stop", "greet", "drop", "commit"),
  });
  const callerEvent = fc.record({
    kind: fc.constantFrom("voice", "words", "noise", "audible", "finished", "failed"),
  });
  const policies = fc.constantFrom(
    {},
    { interruptible: false },
    { endedBy: "client" as const },
    { answers: false, interruptible: true },
  );
  fc.assert(
    fc.property(policies, fc.array(fc.oneof(requestEvent, callerEvent), { maxLength: 60 }), (settings, events) => {
      const call = new MachineRun(settings);
      const ended: number[] = [];
      let last = 0;
      for (const { kind } of events) {
        const { reply, pendingFinals } = call.state;
        const before = call.effects.length;
        const turn = reply.name === "none" ? 0 : reply.turn;
        if (kind === "respond" || kind === "side")
          call.send({ type: "respond", request: (last += 1), ...(kind === "side" ? { isSide: true } : {}) });
        else if (kind === "left") call.send({ type: "caller-left" });
        else if (kind === "back") call.send({ type: "caller-back", owesReply: false });
        else if (kind === "rest" && call.state.isAway)
          call.send({ type: "caller-back", owesReply: true, request: (last += 1) });
        else if (kind === "text") call.send({ type: "text-given", text: 1 });
        else if (kind === "stop") call.send({ type: "stop-reply" });
        else if (kind === "greet") call.send({ type: "greet" });
        else if (kind === "drop") call.send({ type: "drop-turn" });
        else if (kind === "commit" && call.atMs > 0) call.send({ type: "end-turn", fromMs: 0, atMs: call.atMs });
        else if (kind === "voice") call.speak(600).pause(900);
        else if ((kind === "words" || kind === "noise") && pendingFinals[0] !== undefined)
          call.send({ type: "final", turn: pendingFinals[0], empty: kind === "noise" });
        else if (kind === "audible") call.send({ type: "reply-audible", turn });
        else if (kind === "finished") call.send({ type: "reply-finished", turn });
        else if (kind === "failed") call.send({ type: "reply-failed", turn });
        for (const effect of call.effects.slice(before)) if (effect.type === "end-request") ended.push(effect.request);
        expect(new Set(ended).size).toBe(ended.length);
        const open = Array.from({ length: last }, (_, index) => index + 1).filter((number) => !ended.includes(number));
        expect(requestsIn(call.state)).toEqual(open);
      }
    }),
    { numRuns: 1000 },
  );
});
