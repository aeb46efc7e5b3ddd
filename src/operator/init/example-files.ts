import { stringify } from "yaml";
import type { Business } from "./businesses.ts";

/** Where the example's server listens. */
const TOOLS_ADDRESS = "127.0.0.1:3000";

/** The files of an example by their paths. `id`: of the configuration. `secret`: of the webhooks. */
export function exampleFiles(
  { role, facts, tools, tests }: Business,
  { id, title, secret }: { readonly id: string; readonly title: string; readonly secret: string },
): Readonly<Record<string, string>> {
  const entries = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters: {
      type: "object",
      properties: Object.fromEntries(Object.entries(parameters).map(([key, type]) => [key, { type }])),
      required: Object.keys(parameters),
    },
    webhook: { url: `http://${TOOLS_ADDRESS}/`, secret_file: "../tools/secret.txt" },
  }));
  return {
    "oakvoice.yaml": `# The server: "oakvoice --config oakvoice.yaml". All fields: docs/operations.md
voices_dir: voices
egress:
  allowed_hosts: [${TOOLS_ADDRESS}] # the only place that this server connects to: the example's tools
`,
    [`voices/${id}.yaml`]: `# yaml-language-server: $schema=http://127.0.0.1:8787/schemas/voice.json
# The assistant. A running server reads the saved file before the next call.
config_id: ${id}
system_prompt: >-
  You are ${role} ${title}. Answer in one or two short spoken sentences.

# The facts that the assistant may tell. It says that it does not know other facts.
${stringify({ facts })}
greeting: ${stringify(`${title}, good day. How can I help you?`).trim()}
language: en # or several, such as [en, de], or auto
timezone: ${Intl.DateTimeFormat().resolvedOptions().timeZone}
phrases: [${stringify(title).trim()}] # names that callers say

# The tools of the assistant. Each one sends a request to your web server, here tools/server.mjs. Other kinds: docs/tools.md
${stringify({ tools: entries })}`,
    "tools/server.mjs": `// The tools of ${title}: "node tools/server.mjs". Replace the answers with your own system.
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const tools = {
${tools.map(({ name, answer }) => `  ${name}: (${answer.includes("args") ? "args" : ""}) => ${answer},`).join("\n")}
};

const secret = readFileSync(new URL("secret.txt", import.meta.url), "utf8").trim();
const mac = (signed) => createHmac("sha256", secret).update(signed).digest("base64");

createServer(async (request, response) => {
  const body = await text(request);
  const { "webhook-id": id, "webhook-timestamp": sent, "webhook-signature": given } = request.headers;
  // Only Oakvoice knows the secret. Codes of the signatures are compared, because times would show parts of a forged one.
  const isSigned = mac(\`\${given}\`) === mac(\`v1,\${mac(\`\${id}.\${sent}.\${body}\`)}\`);
  if (!isSigned || Math.abs(Date.now() / 1000 - sent) > 300) return response.writeHead(401).end();
  const { tool, arguments: args } = JSON.parse(body).data;
  const result = tools[tool]?.(args) ?? { error: "there is no such tool" };
  console.log(tool, args, "->", result);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
}).listen(3000, "127.0.0.1", () => console.log("The tools wait for calls. Ctrl-C ends them."));
`,
    "tools/secret.txt": `${secret}\n`,
    ...Object.fromEntries(tests.map(({ file, text }) => [`tests/${file}.yaml`, text])),
  };
}
