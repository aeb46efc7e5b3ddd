import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { BUSINESSES } from "../../src/operator/init/businesses.ts";
import { exampleFiles } from "../../src/operator/init/example-files.ts";
import { fileSchemas } from "../../src/operator/file-schemas.ts";
import { packageRoot } from "../../src/shared/package-root.ts";

const schemas = fileSchemas();
const ajv = new Ajv2020({ strict: false, formats: { includes: true } });
addFormats.default(ajv);
const isValid = (name: keyof typeof schemas, text: string) => ajv.compile(schemas[name])(parse(text));

test.each(Object.entries(schemas))("docs/schemas/%s.json is the schema of the program", (name, schema) => {
  const file = readFileSync(join(packageRoot, "docs", "schemas", `${name}.json`), "utf8");
  expect(file, "run npm run schemas").toBe(`${JSON.stringify(schema, null, 2)}\n`);
});

test("the examples fit their schemas, and a misspelt field does not", () => {
  for (const [id, business] of Object.entries(BUSINESSES)) {
    const files = exampleFiles(business, { id, title: business.title, secret: "" });
    for (const [name, text] of Object.entries(files)) {
      const kind = name === "oakvoice.yaml" ? "server" : name.startsWith("voices/") ? "voice" : "scenario";
      if (!name.endsWith(".yaml")) continue;
      expect(isValid(kind, text), name).toBe(true);
      expect(isValid(kind, `${text}\nmisspelt: 1\n`), name).toBe(false);
      if (kind === "voice") expect(isValid(kind, text.replace("description:", "descripton:")), name).toBe(false);
    }
  }
  expect(isValid("voice", readFileSync(join(packageRoot, "voices", "front-desk.yaml"), "utf8"))).toBe(true);
});
