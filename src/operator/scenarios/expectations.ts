import type { CallView, ToolUse, TurnView } from "./call-view.ts";
import { hasWords, isValue } from "./match-words.ts";
import type { ScenarioFile, TurnExpectation, WantedCall } from "./scenario-file.ts";

/** One line for each expectation that the call does not meet. `language`: of the words. */
export function failuresOf({ turns, expect }: ScenarioFile, call: CallView, language: string): string[] {
  const failures = call.turns.flatMap((turn, index) => {
    const wanted = turns[index];
    if (wanted === undefined) return [];
    const own = [
      ...turnFailures(wanted.expect, turn, language),
      ...(wanted.over_reply !== undefined && !turn.overReply
        ? ["no reply played when the caller wanted to interrupt"]
        : []),
    ];
    return own.map((failure) => `turn ${String(index + 1)}: ${failure}`);
  });
  const replies = [call.greeting, ...call.turns.map(({ replied }) => replied)].join(" ");
  failures.push(
    ...wordFailures(
      expect,
      replies,
      call.turns.flatMap(({ tools }) => tools),
      language,
    ),
  );
  if (expect.within !== undefined)
    for (const [index, { answeredMs = 0 }] of call.turns.entries())
      if (answeredMs > expect.within * 1000)
        failures.push(
          `turn ${String(index + 1)}: answered after ${seconds(answeredMs)} s, wanted within ${String(expect.within)} s`,
        );
  if (expect.ended !== undefined && expect.ended !== call.isEndedByAssistant)
    failures.push(expect.ended ? "the assistant did not end the call" : "the assistant ended the call");
  if (expect.transferred_to !== undefined && expect.transferred_to !== call.transferredTo)
    failures.push(`transferred to ${call.transferredTo ?? "nobody"}, wanted ${expect.transferred_to}`);
  if (expect.language !== undefined && expect.language !== call.language)
    failures.push(`heard the language ${call.language ?? "of the configuration"}, wanted ${expect.language}`);
  if (call.closed !== undefined) failures.push(`the connection ended: ${call.closed}`);
  if (call.unspoken > 0) failures.push(`the call ended before the last ${String(call.unspoken)} turns of the caller`);
  return failures;
}

function turnFailures(wanted: TurnExpectation, turn: TurnView, language: string): string[] {
  const failures = wordFailures(wanted, turn.replied, turn.tools, language);
  for (const words of wanted.heard)
    if (!hasWords(turn.heard, words, language)) failures.push(`heard "${turn.heard}", wanted "${words}"`);
  if (wanted.within !== undefined && !(turn.answeredMs !== undefined && turn.answeredMs <= wanted.within * 1000)) {
    const found =
      turn.answeredMs === undefined
        ? "no answer that began after the caller's words"
        : `answered after ${seconds(turn.answeredMs)} s`;
    failures.push(`${found}, wanted within ${String(wanted.within)} s`);
  }
  if (wanted.stops_reply !== undefined && wanted.stops_reply !== turn.stoppedReply)
    failures.push(wanted.stops_reply ? "the reply went on" : "the reply stopped");
  for (const code of turn.errors) failures.push(`the server reported ${code}`);
  return failures;
}

type WordExpectation = Pick<TurnExpectation, "reply" | "not_reply" | "tools">;

function wordFailures(wanted: WordExpectation, replied: string, used: readonly ToolUse[], language: string): string[] {
  const failures: string[] = [];
  for (const words of wanted.reply)
    if (!hasWords(replied, words, language)) failures.push(`replied "${replied}", wanted "${words}"`);
  for (const words of wanted.not_reply)
    if (hasWords(replied, words, language)) failures.push(`replied "${replied}", which must not have "${words}"`);
  if (wanted.tools !== undefined) failures.push(...toolFailures(wanted.tools, used, language));
  return failures;
}

function toolFailures(wanted: readonly WantedCall[], used: readonly ToolUse[], language: string): string[] {
  const isSame = wanted.length === used.length && wanted.every(({ name }, at) => used[at]?.name === name);
  if (!isSame) return [`called ${listOf(used)}, wanted ${listOf(wanted)}`];
  return wanted.flatMap((want, at) => {
    const found = used[at]?.arguments;
    if (Object.keys(want.arguments).length === 0) return [];
    if (found === undefined)
      return [`the server does not show the arguments of ${want.name}: its key needs --allow inspect`];
    return Object.entries(want.arguments)
      .filter(([key, value]) => !isValue(value, found[key], language))
      .map(
        ([key, value]) =>
          `called ${want.name} with ${key} ${JSON.stringify(found[key]) ?? "left out"}, wanted ${JSON.stringify(value)}`,
      );
  });
}

const listOf = (calls: readonly { readonly name: string; readonly arguments?: unknown }[]) =>
  calls.length === 0
    ? "no tool"
    : calls.map(({ name, arguments: args }) => `${name}(${JSON.stringify(args ?? {})})`).join(", ");

const seconds = (ms: number) => (ms / 1000).toFixed(2);
