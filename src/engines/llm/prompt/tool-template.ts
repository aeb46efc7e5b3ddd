import { randomBytes } from "node:crypto";
import { Template } from "@huggingface/jinja";
import { LlamaText, SpecialTokensText, type LlamaModel } from "node-llama-cpp";
import { OakError } from "../../../shared/errors.ts";
import { argumentsIn, callText, formOf, lfmForm, PROBE, type CallForm } from "../tool-call-format/call-form.ts";
import type { Arguments } from "../tool-call-format/call-syntax.ts";
import type { ChatMessage, ToolDefinition } from "../language-model.ts";
import { defuse, defuseAll, isSpecial } from "../tool-call-format/special-text.ts";

/** A message as chat templates know it. */
interface TemplateMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly [more: string]: unknown;
}

/** Part of the prompt: words, data, or text that may contain special tokens. */
type Part = string | SpecialTokensText;

/** Texts in the template's output are replaced by such marks, so that nothing in them is read as a special token. */
const nonce = randomBytes(8).toString("hex");
const mark = (index: number): string => `oak${nonce}at${String(index)}end`;
const MARKS = new RegExp(`oak${nonce}at(\\d+)end`);

/** Renders prompts with tools and calls by the chat template of a model file, in the form that the model learned. */
export class ToolTemplate {
  readonly form: CallForm;
  readonly #model: LlamaModel;
  readonly #template: Template;

  /** Undefined when the template knows no tools, or its calls have an unknown form. */
  static of(model: LlamaModel): ToolTemplate | undefined {
    const text = model.fileInfo.metadata.tokenizer.chat_template;
    if (typeof text !== "string") return undefined;
    try {
      const template = new Template(text);
      const form = findForm(model, template);
      return form && new ToolTemplate(model, template, form);
    } catch {
      // The template refuses tools, or a system message, or uses what the renderer does not know.
      return undefined;
    }
  }

  private constructor(model: LlamaModel, template: Template, form: CallForm) {
    this.#model = model;
    this.#template = template;
    this.form = form;
  }

  /** The prompt up to the place where the reply begins. */
  render(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): LlamaText {
    const parts: Part[][] = [];
    const content = (...part: Part[]): string => mark(parts.push(part) - 1);
    const items: TemplateMessage[] = [];
    let calls = 0;
    for (const message of messages) {
      if (message.role !== "call") {
        items.push({ role: message.role, content: content(message.content) });
        continue;
      }
      const { name } = message;
      const args = defuseAll(this.#model, argumentsIn(message.arguments), this.form.marks) as Arguments;
      const id = `call${String((calls += 1)).padStart(5, "0")}`;
      const before = items.at(-1)?.role === "assistant" ? items.pop() : undefined;
      if (this.form === lfmForm) {
        const text = new SpecialTokensText(callText(this.form, name, args));
        const said = before === undefined ? [] : (parts[parts.length - 1] ?? []);
        items.push({ role: "assistant", content: content(...said, text) });
      } else {
        const call = { id, type: "function", function: { name, arguments: args } };
        items.push({ role: "assistant", content: before?.content ?? "", tool_calls: [call] });
      }
      const result = content(defuse(this.#model, message.content, this.form.marks));
      items.push({ role: "tool", name, tool_call_id: id, content: result });
    }
    const known = tools.map((tool) => defuseAll(this.#model, toolOf(tool), this.form.marks));
    return LlamaText(between(this.#write(items, known), parts));
  }

  #write(items: readonly TemplateMessage[], tools: unknown[]): string {
    try {
      return renderWith(this.#template, this.#model, items, tools);
    } catch (cause) {
      const message =
        "The model's chat template refuses the tools or the order of the messages. Make the parameters simpler.";
      throw new OakError(message, { code: "TOOL_UNUSABLE", cause });
    }
  }
}

/** Replaces the marks. A text inside the quotation marks of a template's JSON is escaped. */
function between(text: string, parts: readonly (readonly Part[])[]): Part[] {
  const pieces = text.split(MARKS);
  return pieces.flatMap((piece, at): readonly Part[] => {
    if (at % 2 === 0) return [new SpecialTokensText(piece)];
    const part = parts[Number(piece)] ?? [];
    const isQuoted = pieces[at - 1]?.endsWith('"') === true && pieces[at + 1]?.startsWith('"') === true;
    return isQuoted ? part.map((each) => (typeof each === "string" ? JSON.stringify(each).slice(1, -1) : each)) : part;
  });
}

function renderWith(
  template: Template,
  model: LlamaModel,
  messages: readonly TemplateMessage[],
  tools: unknown[],
): string {
  return template.render({
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    bos_token: model.tokens.bosString ?? "",
    eos_token: model.tokens.eosString ?? "",
    add_generation_prompt: true,
    // A voice reply must start at once.
    enable_thinking: false,
  });
}

/** Derives the form of calls from a conversation with a probe call. */
function findForm(model: LlamaModel, template: Template): CallForm | undefined {
  const { name, key, value } = PROBE;
  const [asked, result] = [mark(0), mark(1)];
  const parameters = { type: "object", properties: { [key]: { type: "string" } }, required: [key] };
  const tools = [toolOf({ name, description: "", parameters })];
  const begin: TemplateMessage[] = [
    { role: "system", content: "" },
    { role: "user", content: asked },
  ];
  const call = { id: "call00001", type: "function", function: { name, arguments: { [key]: value } } };
  const withCall = renderWith(
    template,
    model,
    [
      ...begin,
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", name, tool_call_id: call.id, content: result },
    ],
    tools,
  );
  const resultAt = withCall.indexOf(result);
  if (!withCall.includes(key) || resultAt < 0) return undefined;
  const header = headersOf((messages) => renderWith(template, model, [...begin, ...messages], tools)).find(
    (text) => text.length > withCall.indexOf(asked) && withCall.startsWith(text),
  );
  if (header === undefined) return undefined;
  const form = formOf(model, withCall.slice(header.length, resultAt), withCall.slice(resultAt + result.length));
  if (form !== undefined) return form;
  const [lfm] = model.tokenize(lfmForm.prefix, true);
  return lfm !== undefined && isSpecial(model, lfm) ? lfmForm : undefined;
}

/** Prompts up to the beginning of the model's message. A template may write something between that and the first word. */
function headersOf(render: (messages: readonly TemplateMessage[]) => string): string[] {
  const said: TemplateMessage = { role: "assistant", content: mark(2) };
  const more: TemplateMessage = { role: "user", content: mark(3) };
  const before = (text: string) => text.slice(0, Math.max(0, text.indexOf(said.content)));
  return [before(render([said])), before(render([said, more])), render([])];
}

const toolOf = ({ name, description, parameters }: ToolDefinition) => ({
  type: "function",
  function: { name, description, parameters: parameters ?? { type: "object", properties: {} } },
});
