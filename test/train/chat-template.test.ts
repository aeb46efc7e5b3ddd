import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { JinjaTemplateChatWrapper, type ChatHistoryItem } from "node-llama-cpp";
import { expect, it } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";

const folder = join(packageRoot, "scripts", "train", "llm");
const template = readFileSync(join(folder, "chat-template.jinja"), "utf8").trimEnd();
const python = process.env["OAKVOICE_TRAIN_PYTHON"] ?? "";

const wrapper = new JinjaTemplateChatWrapper({ template, reasoning: false });
const availableFunctions = {
  set_light: {
    description: "Switches a light.",
    params: {
      type: "object",
      properties: { room: { enum: ["hall", "living room"] }, on: { type: "boolean" }, brightness: { type: "integer" } },
      required: ["room", "on"],
    },
  },
  get_house: { description: "Tells the state.", params: { type: "object", properties: {} } },
} as const;
const chatHistory: ChatHistoryItem[] = [
  { type: "system", text: "You are Oak." },
  { type: "user", text: "hall and living room on" },
  {
    type: "model",
    response: [
      {
        type: "functionCall",
        name: "set_light",
        params: { room: "hall", on: true },
        result: "ok",
        startsNewChunk: true,
      },
      { type: "functionCall", name: "set_light", params: { room: "living room", on: true }, result: { ok: true } },
      "Both are on.",
    ],
  },
];

const documented = `You are Oak.

Tools:
set_light(room: hall|living room, on: boolean, brightness?: integer): Switches a light.
get_house(): Tells the state.`;
const calls = `<tool_call>
{"name": "set_light", "arguments": {"room": "hall", "on": true}}
</tool_call>
<tool_call>
{"name": "set_light", "arguments": {"room": "living room", "on": true}}
</tool_call>`;
const responses = `<tool_response>
"ok"
</tool_response>
<tool_response>
{"ok": true}
</tool_response>`;

it("shows tools, calls and results as the starter model learned them", () => {
  expect(wrapper.usingJinjaFunctionCallTemplate).toBe(true);
  expect(wrapper.generateContextState({ chatHistory, availableFunctions }).contextText.toString()).toBe(
    `<|im_start|>system\n${documented}<|im_end|>\n<|im_start|>user\nhall and living room on<|im_end|>\n<|im_start|>assistant\n${calls}<|im_end|>\n<|im_start|>user\n${responses}<|im_end|>\n<|im_start|>assistant\nBoth are on.`,
  );
});

it("shows no list without tools", () => {
  const [system, user] = chatHistory;
  const history = [system, user].filter((item) => item !== undefined);
  expect(wrapper.generateContextState({ chatHistory: history }).contextText.toString()).toContain(
    "You are Oak.<|im_end|>",
  );
});

it.skipIf(python === "")("the training writes the same text", () => {
  const script = `
from tool_format import Tool, call_text, documented, response_text
light = Tool("set_light", "Switches a light.", {"room": {"enum": ["hall", "living room"]}, "on": {"type": "boolean"}, "brightness": {"type": "integer"}}, ("room", "on"))
print(documented("You are Oak.", [light, Tool("get_house", "Tells the state.")]))
print("\\n".join(call_text("set_light", {"room": room, "on": True}) for room in ("hall", "living room")))
print(response_text(['"ok"', '{"ok": true}']))`;
  const { stdout, stderr } = spawnSync(python, ["-c", script], { cwd: folder, encoding: "utf8" });
  expect(stdout, stderr).toBe(`${documented}\n${calls}\n${responses}\n`);
});
