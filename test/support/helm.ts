import { spawnSync } from "node:child_process";
import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { packageRoot } from "../../src/shared/package-root.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const CHART = join(packageRoot, "deploy/kubernetes/oakvoice");
const packages = join(packageRoot, "build/kubernetes/node_modules");
const helm = join(packages, ".bin/helm");

export const hasHelm = existsSync(helm);
if (!hasHelm)
  process.stderr.write(
    "Helm chart: SKIPPED, build/kubernetes is missing (.ci/run installs it from test/deploy/kubernetes)\n",
  );

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // oxlint-disable-next-line no-explicit-any -- the fields differ by kind, and a test names each
  readonly [field: string]: any;
}

/** Renders the chart as the release "oak" in the namespace "voice". @throws Error with helm's message. */
export function renderChart(values: object): Manifest[] {
  const folder = temporaryFolder();
  const file = join(folder, "values.yaml");
  writeFileSync(file, stringify(values));
  const { status, stdout, stderr } = spawnSync(helm, ["template", "oak", CHART, "-n", "voice", "-f", file], {
    encoding: "utf8",
    // Helm keeps its caches there.
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** Where the packages have each kind. */
const MODULES: Readonly<Record<string, string>> = {
  v1: "kubernetes-models/v1",
  "apps/v1": "kubernetes-models/apps/v1",
  "policy/v1": "kubernetes-models/policy/v1",
  "networking.k8s.io/v1": "kubernetes-models/networking.k8s.io/v1",
  "keda.sh/v1alpha1": "@kubernetes-models/keda/keda.sh/v1alpha1",
  "monitoring.coreos.com/v1": "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1",
};

/**
 * Faults of the manifests by the API's definitions. The types refuse unknown and missing fields, the schemas refuse values of a
 * wrong format.
 */
export function manifestFaults(manifests: readonly Manifest[]): string {
  const folder = temporaryFolder();
  symlinkSync(packages, join(folder, "node_modules"));
  const lines = manifests.map((manifest, index) => {
    const { kind, apiVersion } = manifest;
    const { module, name } = { module: JSON.stringify(MODULES[apiVersion]), name: `manifest${String(index)}` };
    return {
      type: `import type { I${kind} as I${name} } from ${module};\nexport const ${name}: I${name} = ${JSON.stringify(manifest)};`,
      value: `(await import(${module})).${kind}`,
    };
  });
  writeFileSync(join(folder, "manifests.ts"), lines.map(({ type }) => type).join("\n"));
  const typed = spawnSync(
    join(packageRoot, "node_modules/.bin/tsc"),
    ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", "", "manifests.ts"],
    { cwd: folder, encoding: "utf8" },
  );
  const checks = lines.map(({ value }, index) => `new (${value})(manifests[${String(index)}]).validate();`);
  const script = `const manifests = ${JSON.stringify(manifests)};\n${checks.join("\n")}`;
  const checked = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: folder, encoding: "utf8" });
  return `${typed.stdout}${checked.status === 0 ? "" : checked.stderr}`;
}
