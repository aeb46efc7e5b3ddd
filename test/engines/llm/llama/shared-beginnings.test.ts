import { readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Token } from "node-llama-cpp";
import { expect, it } from "vitest";
import type { ChatPrompt } from "../../../../src/engines/llm/prompt/chat-prompt.ts";
import type { SequenceCache } from "../../../../src/engines/llm/llama/sequence-cache.ts";
import { SharedBeginnings } from "../../../../src/engines/llm/llama/shared-beginnings.ts";

const prompt = { commonTokens: () => [1, 2, 3] as Token[] } as unknown as ChatPrompt;
const files = () =>
  ["/dev/shm", tmpdir()]
    .flatMap((folder) => readdirSync(folder))
    .filter((name) => /^oakvoice-[0-9a-f]{8}-/u.test(name));

/** A cache whose state has three bytes. */
function cacheWith({ save = (_path: string) => {}, written = 3, loaded = async () => {} }): SequenceCache {
  const cache = {
    save: async (path: string) => {
      save(path);
      writeFileSync(path, "abc");
      return written;
    },
    load: loaded,
  };
  return cache as unknown as SequenceCache;
}

const of = (system: string) => ({ system, tools: [] });

it("loads a saved state, and leaves no named file", async () => {
  const beginnings = new SharedBeginnings(prompt);
  expect(await beginnings.load(of("You are Oak."), cacheWith({}))).toBe(false);
  let during = ["not looked at"];
  await beginnings.save(of("You are Oak."), cacheWith({ save: () => (during = files()) }));
  expect(during).toEqual([]);
  expect(await beginnings.load(of("You are Oak."), cacheWith({}))).toBe(true);
  expect(await beginnings.load(of("You are Elm."), cacheWith({}))).toBe(false);
});

it.each([
  [
    "cannot be written",
    {
      save: () => {
        throw new Error("no space");
      },
    },
  ],
  ["is cut short", { written: 4 }],
])("does not load a file that %s", async (_, fault) => {
  const beginnings = new SharedBeginnings(prompt);
  await beginnings.save(of("You are Oak."), cacheWith(fault));
  expect(await beginnings.load(of("You are Oak."), cacheWith({}))).toBe(false);
});

it("evaluates the prefix again when a load fails", async () => {
  const beginnings = new SharedBeginnings(prompt);
  await beginnings.save(of("You are Oak."), cacheWith({}));
  const fails = cacheWith({ loaded: () => Promise.reject(new Error("broken")) });
  expect(await beginnings.load(of("You are Oak."), fails)).toBe(false);
});

it("keeps the prefixes that were used last", async () => {
  const beginnings = new SharedBeginnings(prompt);
  for (const text of ["a", "b", "c", "d", "a", "e"]) await beginnings.save(of(text), cacheWith({}));
  const kept = [];
  for (const text of ["a", "c", "d", "e"]) kept.push(await beginnings.load(of(text), cacheWith({})));
  expect(kept).toEqual([true, true, true, true]);
  expect(await beginnings.load(of("b"), cacheWith({}))).toBe(false);
});
