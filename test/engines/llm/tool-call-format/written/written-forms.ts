import { gemmaStyle, jsonStyle, pythonStyle } from "../../../../../src/engines/llm/tool-call-format/argument-style.ts";

export type Values = Readonly<Record<string, string | number | boolean>>;
type Write = (name: string, args: Values) => string;

const object = (args: Values) => JSON.stringify(args);
const call = (name: string, args: Values, key = "arguments") => `{"name": "${name}", "${key}": ${object(args)}}`;
const python = (name: string, args: Values) =>
  `${name}(${Object.entries(args)
    .map(([key, value]) => `${key}=${pythonStyle.literal(value)}`)
    .join(", ")})`;
const plain = (value: Values[string]) => (typeof value === "string" ? value : jsonStyle.literal(value));
const each = (args: Values, write: (key: string, value: string) => string) =>
  Object.entries(args)
    .map(([key, value]) => write(key, plain(value)))
    .join("");

/** Calls as the documents and templates of open models write them. */
export const WRITTEN: Readonly<Record<string, Write>> = {
  "Hermes, Qwen": (name, args) => `<tool_call>\n${call(name, args)}\n</tool_call>`,
  "bare JSON": call,
  "Llama 3": (name, args) => call(name, args, "parameters"),
  "Llama 3 with a tag": (name, args) => `<|python_tag|>${call(name, args, "parameters")}<|eom_id|>`,
  "Llama 3 function": (name, args) => `<function=${name}>${object(args)}</function>`,
  "Llama 3 built-in": (name, args) => `<|python_tag|>${python(`${name}.call`, args)}`,
  "Llama 4": (name, args) => `[${python(name, args)}]`,
  "Llama 4 with tags": (name, args) => `<|python_start|>[${python(name, args)}]<|python_end|>`,
  "OpenAI in text": (name, args) => `{"type": "function", "function": ${call(name, args)}}`,
  "arguments in a string": (name, args) => `{"name": "${name}", "arguments": ${JSON.stringify(object(args))}}`,
  "arguments first": (name, args) => `{"arguments": ${object(args)}, "name": "${name}"}`,
  tool_calls: (name, args) => `{"tool_calls": [${call(name, args)}]}`,
  compact: (name, args) => `{"name":"${name}","arguments":${object(args)}}`,
  pretty: (name, args) => JSON.stringify({ name, arguments: args }, null, 2),
  fenced: (name, args) => `\`\`\`json\n${JSON.stringify({ name, arguments: args }, null, 4)}\n\`\`\``,
  "fence without a language": (name, args) => `\`\`\`\n${call(name, args)}\n\`\`\``,
  array: (name, args) => `[${call(name, args)}]`,
  "double braces": (name, args) => `{${call(name, args)}}`,
  "double braces inside": (name, args) => `{{"name": "${name}", "arguments": {${object(args)}}}}`,
  "double braces in tags": (name, args) => `<tool_call>\n{${call(name, args)}}\n</tool_call>`,
  "double braces, closed once": (name, args) => `{${call(name, args)}`,
  "trailing commas": (name, args) => `{"name": "${name}", "arguments": ${object(args).replace(/\}$/u, ",}")},}`,
  "cut after the arguments": (name, args) => `{"name": "${name}", "arguments": ${object(args)}`,
  "literals of Python": (name, args) => `{'name': '${name}', 'arguments': ${pythonStyle.literal(args)}}`,
  "Mistral Nemo": (name, args) => `[TOOL_CALLS][${call(name, args)}]`,
  "Mistral Small 3.2": (name, args) => `[TOOL_CALLS]${name}[ARGS]${object(args)}`,
  Magistral: (name, args) => `[THINK]Let me see.[/THINK][TOOL_CALLS]${name}[CALL_ID]a1B2c3D4e[ARGS]${object(args)}`,
  "Phi, Firefunction": (name, args) => `functools[${call(name, args)}]`,
  "Phi 4 mini": (name, args) => `<|tool_call|>[${call(name, args)}]<|/tool_call|>`,
  Granite: (name, args) => `<|tool_call|>[${call(name, args)}]`,
  Nemotron: (name, args) => `<TOOLCALL>[${call(name, args)}]</TOOLCALL>`,
  Jamba: (name, args) => `<tool_calls>[${call(name, args)}]</tool_calls>`,
  "InternLM 2": (name, args) => `<|action_start|><|plugin|>\n${call(name, args, "parameters")}<|action_end|>`,
  "Command R": (name, args) => `Action: \`\`\`json\n[{"tool_name": "${name}", "parameters": ${object(args)}}]\n\`\`\``,
  "Command R7B": (name, args) =>
    `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "${name}", "parameters": ${object(args)}}]<|END_ACTION|>`,
  ReAct: (name, args) => `Action: ${name}\nAction Input: ${object(args)}`,
  Apertus: (name, args) => `<|tools_prefix|>[{"${name}": ${object(args)}}]<|tools_suffix|>`,
  "DeepSeek V3": (name, args) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${object(args)}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  "DeepSeek V3.1": (name, args) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${object(args)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  "DeepSeek V3.2": (name, args) =>
    `<｜DSML｜function_calls>\n<｜DSML｜invoke name="${name}">\n${each(args, (key, value) => `<｜DSML｜parameter name="${key}" string="true">${value}</｜DSML｜parameter>\n`)}</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  "Kimi K2": (name, args) =>
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>${object(args)}<|tool_call_end|><|tool_calls_section_end|>`,
  "Qwen3-Coder": (name, args) =>
    `<tool_call>\n<function=${name}>\n${each(args, (key, value) => `<parameter=${key}>\n${value}\n</parameter>\n`)}</function>\n</tool_call>`,
  Seed: (name, args) =>
    `<seed:tool_call><function=${name}>${each(args, (key, value) => `<parameter=${key}>${value}</parameter>`)}</function></seed:tool_call>`,
  MiniMax: (name, args) =>
    `<minimax:tool_call>\n<invoke name="${name}">\n${each(args, (key, value) => `<parameter name="${key}">${value}</parameter>\n`)}</invoke>\n</minimax:tool_call>`,
  "GLM 4": (name, args) => `${name}\n${object(args)}`,
  "GLM 4.5": (name, args) =>
    `<tool_call>${name}\n${each(args, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`)}</tool_call>`,
  "Gemma 3": (name, args) => `\`\`\`tool_code\n${python(name, args)}\n\`\`\``,
  "Gemma 3 printed": (name, args) => `\`\`\`tool_code\nprint(${python(name, args)})\n\`\`\``,
  FunctionGemma: (name, args) =>
    `<start_function_call>call:${name}${gemmaStyle.literal(args).replaceAll('<|"|>', "<escape>")}<end_function_call>`,
  "Gemma 4": (name, args) => `<|tool_call>call:${name}${gemmaStyle.literal(args)}<tool_call|>`,
  LFM2: (name, args) => `<|tool_call_start|>[${python(name, args)}]<|tool_call_end|>`,
  MiniCPM: (name, args) => `<|tool_call_start|>\n\`\`\`python\n${python(name, args)}\n\`\`\`\n<|tool_call_end|>`,
  "gpt-oss": (name, args) =>
    `<|channel|>analysis<|message|>The user wants "${name}".<|end|><|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${object(args)}<|call|>`,
  "gpt-oss, recipient first": (name, args) =>
    `<|start|>assistant to=functions.${name}<|channel|>commentary json<|message|>${object(args)}<|call|>`,
  "tag of the tool": (name, args) => `<${name}>${object(args)}</${name}>`,
  "thought before": (name, args) =>
    `<think>\nI call {"name": "${name}"}.\n</think>\n\n<tool_call>\n${call(name, args)}\n</tool_call>`,
};
