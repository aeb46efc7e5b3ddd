/** SPDX names of licences that ask for no more than a notice. */
const ALLOWED = new Set([
  "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC", "MIT", "Python-2.0", "Unlicense", "Zlib",
]); // prettier-ignore

/** The parts of a CycloneDX document that are looked at. */
export interface Bom {
  readonly components: readonly Component[];
  readonly dependencies?: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

interface Component {
  readonly "bom-ref"?: string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string };
    readonly expression?: string;
  }[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

const isDevelopment = ({ properties = [] }: Component) =>
  properties.some(({ name, value }) => name === "cdx:npm:package:development" && value === "true");

/** The document without packages that only development needs. `npm sbom --omit dev` also leaves out those that both need. */
export function shippedPart(bom: Bom): Bom {
  const left = new Set(bom.components.filter(isDevelopment).map((component) => component["bom-ref"]));
  const dependencies = (bom.dependencies ?? [])
    .filter(({ ref }) => !left.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => !left.has(other)) }));
  return { ...bom, components: bom.components.filter((component) => !isDevelopment(component)), dependencies };
}

/** The components that may not be shipped, with what their packages say. */
export function refusedLicences({ components }: Bom): string[] {
  return components.flatMap(({ name, version, licenses = [] }) => {
    const said = licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression ?? "");
    return said.length > 0 && said.every(isAllowed) ? [] : [`${name} ${version}: ${said.join(", ") || "none given"}`];
  });
}

/** An SPDX expression: of alternatives one must be allowed, of parts all. Anything that is not understood is refused. */
function isAllowed(expression: string): boolean {
  const inner = expression.replace(/^\(([^()]*)\)$/u, "$1");
  if (inner.includes(" OR ")) return inner.split(" OR ").some(isAllowed);
  return inner.split(" AND ").every((id) => ALLOWED.has(id));
}
