import type { ChatFormat } from "../../support/models/llama-tokenizer.ts";

const system =
  "{% if messages[0].role == 'system' %}{% set said = messages[0].content %}{% else %}{% set said = '' %}{% endif %}";
const tools = "{% if tools %}\nTools:{% for tool in tools %}\n{{ tool | tojson }}{% endfor %}{% endif %}";

/** ChatML with calls and results of a form. */
const chatMl = (call: string, result: string): string =>
  `${system}<|im_start|>system\n{{ said }}${tools}<|im_end|>\n` +
  "{% for message in messages %}{% if message.role == 'user' %}<|im_start|>user\n{{ message.content }}<|im_end|>\n" +
  "{% elif message.role == 'assistant' %}<|im_start|>assistant\n{{ message.content }}" +
  `{% for call in message.tool_calls or [] %}{% set f = call.function %}${call}{% endfor %}<|im_end|>\n` +
  `{% elif message.role == 'tool' %}${result}{% endif %}{% endfor %}` +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

const answer = "<|im_start|>user\n<answer>\n{{ message.content }}\n</answer><|im_end|>\n";

/** Chat templates of the test, one for each way to write a call. */
export const CHAT_FORMATS = {
  json: {
    controls: ["<tool_call>", "</tool_call>"],
    template: chatMl(
      '<tool_call>\n{"name": "{{ f.name }}", "arguments": {{ f.arguments | tojson }}}\n</tool_call>',
      answer,
    ),
  },
  xml: {
    controls: ["<tool_call>", "</tool_call>"],
    template: chatMl(
      "<tool_call>\n<function={{ f.name }}>\n{% for name, value in f.arguments | items %}<parameter={{ name }}>\n" +
        "{{ value if value is string else value | tojson }}\n</parameter>\n{% endfor %}</function>\n</tool_call>",
      answer,
    ),
  },
  bare: {
    controls: [],
    template: chatMl(
      '{"name": "{{ f.name }}", "parameters": {{ f.arguments | tojson }}}',
      "<|im_start|>tool\n{{ message.content | tojson }}<|im_end|>\n",
    ),
  },
  bracket: {
    controls: ["[CALLS]", "[ARGS]"],
    template: chatMl("[CALLS]{{ f.name }}[ARGS]{{ f.arguments | tojson }}", answer),
  },
  gemma: {
    controls: ["<|tool_call>", "<tool_call|>", '<|"|>'],
    template: chatMl(
      "<|tool_call>call:{{ f.name }}{{ '{' }}{% for name, value in f.arguments | items %}{{ name }}:" +
        '{% if value is string %}<|"|>{{ value }}<|"|>{% else %}{{ value | tojson }}{% endif %}' +
        "{% if not loop.last %},{% endif %}{% endfor %}{{ '}' }}<tool_call|>",
      answer,
    ),
  },
  /** Leaves calls out, as the templates of LFM do. */
  lfm: {
    controls: ["<|tool_call_start|>", "<|tool_call_end|>"],
    template: chatMl("", "<|im_start|>tool\n{{ message.content }}<|im_end|>\n"),
  },
  channel: {
    controls: ["<|to|>", "<|body|>"],
    template: chatMl("<|to|>functions.{{ f.name }} json<|body|>{{ f.arguments | tojson }}", answer),
  },
  /** Knows no tools. */
  none: {
    controls: [],
    template:
      "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}" +
      "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}",
  },
} satisfies Readonly<Record<string, ChatFormat>>;
