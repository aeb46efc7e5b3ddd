import { expect, test } from "vitest";
import { answered, MachineRun } from "../../support/machine-run.ts";

test("text during silence is taken and answered at once", () => {
  const call = new MachineRun();
  call.send({ type: "text-given" });
  expect(call.effects).toMatchObject([{ type: "take-text" }, { type: "start-reply", turn: 1 }]);
  call.speak(1000);
  expect(call.effects.at(-1)).toMatchObject({ type: "open-turn", turn: 2 });
});

test("text stops the audible reply before it is taken", () => {
  const call = answered();
  call.send({ type: "text-given" });
  expect(call.effects.slice(-3)).toMatchObject([
    { type: "cancel-reply", turn: 1, audible: true },
    { type: "take-text" },
    { type: "start-reply", turn: 2 },
  ]);
});

test("text during a turn is answered with the turn", () => {
  const call = new MachineRun();
  call.speak(1000);
  call.send({ type: "text-given" });
  expect(call.effects.at(-1)).toMatchObject({ type: "take-text" });
  call.pause(700);
  expect(call.names()).not.toContain("start-reply");
  call.send({ type: "final", turn: 1, empty: true });
  expect(call.names().filter((name) => name === "start-reply")).toHaveLength(1);
});
