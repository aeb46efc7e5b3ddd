import { expect, it } from "vitest";
import { refusedLicences, shippedPart } from "../../scripts/licence-check.ts";

const component = (licence?: string) => ({
  name: "part",
  version: "1.0.0",
  ...(licence === undefined ? {} : { licenses: [licence.includes(" ") ? { expression: licence } : { license: { id: licence } }] }), // prettier-ignore
});

it.each(["MIT", "Apache-2.0", "(MIT OR GPL-3.0-only)", "MIT AND ISC", "(BSD-2-Clause OR MIT OR Apache-2.0)"])(
  "allows %s",
  (licence) => expect(refusedLicences({ components: [component(licence)] })).toEqual([]),
);

it.each([
  "GPL-3.0-only", "AGPL-3.0", "UNLICENSED", "SEE LICENSE IN x", "MIT AND GPL-3.0-only", "(GPL-2.0 OR AGPL-3.0)",
  "Apache-2.0 WITH LLVM-exception", "(MIT AND (GPL-3.0 OR ISC))",
])("refuses %s", (licence) =>
  expect(refusedLicences({ components: [component(licence)] })).toEqual([`part 1.0.0: ${licence}`])); // prettier-ignore

it("refuses a dependency without a licence", () =>
  expect(refusedLicences({ components: [component()] })).toEqual(["part 1.0.0: none given"]));

it("packages for development only are not shipped", () => {
  const development = (value: string) => ({ properties: [{ name: "cdx:npm:package:development", value }] });
  const part = (name: string, more = {}) => ({ ...component("MIT"), name, "bom-ref": name, ...more });
  const { components, dependencies } = shippedPart({
    components: [part("zod"), part("vitest", development("true")), part("ws", development("false"))],
    dependencies: [
      { ref: "oakvoice", dependsOn: ["zod", "vitest"] },
      { ref: "vitest", dependsOn: ["zod"] },
    ],
  });
  expect(components.map(({ name }) => name)).toEqual(["zod", "ws"]);
  expect(dependencies).toEqual([{ ref: "oakvoice", dependsOn: ["zod"] }]);
});
