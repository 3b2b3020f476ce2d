/**
 * Writes what is derived from the resource types: `schemas/pulumi.json`, `schemas/stack.json`, `docs/reference/resources.md`, the kinds of Kubernetes (`deploy/kubernetes/definitions`, `docs/reference/kubernetes-kinds.md`), the tables of reached operations (`docs/reference/coverage.md`, README.md), and the SDKs in `sdk` by Pulumi's own
 * generators. With `--check` it writes nothing and fails when a file would change, naming each. Without Go the SDKs are left out, and it says so.
 */

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { stringify } from "yaml";
import { coveragePage, withCoverage } from "./coverage-page.mjs";
import { kindsPage } from "./kinds-page.mjs";
import { goProgram } from "./pulumi.mjs";
import { reference } from "./reference.mjs";

const root = resolve(import.meta.dirname, "..");
const isCheck = process.argv.includes("--check");

/** Loads the provider's own code as it is now. */
async function loadProduct() {
  const folder = join(root, "node_modules", ".cache");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `plumbline-provider-${process.pid}.mjs`);
  try {
    await build({
      absWorkingDir: root,
      stdin: {
        contents: `export * from "./provider/provider.ts"; export { callersOf, coverage } from "./provider/cli/coverage.ts";`,
        resolveDir: root,
      },
      outfile: file,
      bundle: true,
      packages: "external",
      platform: "node",
      target: "node20.18",
      format: "esm",
      logLevel: "warning",
    });
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file, { force: true });
  }
}

/** The files of a folder by their path in it, without what an installation or a build of the SDK leaves there, and what is written by hand. */
function filesIn(folder) {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter(
      (name) => !/^(node_modules|bin)[\\/]|^package-lock\.json$|__pycache__|\bgo\.(mod|sum)$/.test(name),
    );
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Classes that cannot have their resource's name, because the language has it: by language, the token and the one that the generator is told. */
const renamed = {
  nodejs: { "plumbline:objectstorage/object:Object": "plumbline:objectstorage/object:BucketObject" },
};

/** The SDK's files, or why there are none. */
function generateSdk(language, schema) {
  const go = goProgram();
  if (go === undefined) return { reason: "go is not on the PATH" };
  const folder = mkdtempSync(join(tmpdir(), "plumbline-sdk-"));
  try {
    const schemaFile = join(folder, "schema.json");
    const names = Object.entries(renamed[language] ?? {});
    const told = names.reduce((text, [token, other]) => text.replaceAll(`"${token}"`, `"${other}"`), schema);
    writeFileSync(schemaFile, told);
    const run = spawnSync(go, ["run", "./sdkgen", "-language", language, schemaFile, join(folder, "sdk")], {
      cwd: join(root, "tools", "pulumi"),
      encoding: "utf8",
    });
    if (run.status !== 0) throw new Error(`the generator of the ${language} SDK failed:\n${run.stderr}`);
    const own = (text) => names.reduce((before, [token, other]) => before.replaceAll(other, token), text);
    const files = [...filesIn(join(folder, "sdk"))].map(([name, content]) => [name, own(content)]);
    return { files: new Map([...files, ...besides(language, new Map(files))]) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the generator names in Python's project file, and does not write. */
function besides(language, files) {
  if (language !== "python") return [];
  const readme = files.get(join("plumbline_pulumi", "README.md"));
  return [
    ["README.md", readme],
    [join("plumbline_pulumi", "py.typed"), ""],
  ];
}

const stale = [];

function put(path, content) {
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, "utf8") === content) return;
  stale.push(path);
  if (isCheck) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** A file for each kind, with what goes with it, named by its definition, and one that lists them; others of the folder are taken out. */
function putManifests(folder, objects) {
  const files = new Map();
  for (const object of objects) {
    const subject = object.kind === "ClusterRole" ? "roles" : object.metadata.name.replace(/^immutable-/, "");
    files.set(`${subject}.yaml`, [...(files.get(`${subject}.yaml`) ?? []), object]);
  }
  const text = (object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });
  const list = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: [...files.keys()].sort(),
  };
  files.set("kustomization.yaml", [list]);
  for (const [name, of] of files) put(join(folder, name), of.map(text).join("---\n"));
  for (const name of filesIn(join(root, folder)).keys()) if (!files.has(name)) remove(join(folder, name));
}

function remove(path) {
  stale.push(`${path} (no longer made)`);
  if (isCheck) return;
  rmSync(join(root, path));
  for (let folder = dirname(join(root, path)); readdirSync(folder).length === 0; folder = dirname(folder)) {
    rmdirSync(folder);
  }
}

const { packageSchema, stackSchema, kubernetesDefinitions, callersOf, coverage } = await loadProduct();
const packageText = `${JSON.stringify(packageSchema(), null, 2)}\n`;
put("schemas/pulumi.json", packageText);
put("schemas/stack.json", `${JSON.stringify(stackSchema(), null, 2)}\n`);
putManifests("deploy/kubernetes/definitions", kubernetesDefinitions());
put("docs/reference/kubernetes-kinds.md", kindsPage(kubernetesDefinitions()));
put("docs/reference/resources.md", reference(packageSchema()));
const reached = coverage();
put("docs/reference/coverage.md", coveragePage(reached, callersOf));
put("README.md", withCoverage(readFileSync(join(root, "README.md"), "utf8"), reached));

for (const language of ["nodejs", "python", "go"]) {
  const folder = join("sdk", language);
  const { files, reason } = generateSdk(language, packageText);
  if (files === undefined) {
    console.log(`${folder} is left as it is: ${reason}`);
    continue;
  }
  for (const [name, content] of files) put(join(folder, name), content);
  for (const name of filesIn(join(root, folder)).keys()) if (!files.has(name)) remove(join(folder, name));
}

for (const path of stale) console.log(`${isCheck ? "stale" : "wrote"}: ${path}`);
if (isCheck && stale.length > 0) {
  console.error("generated files are stale: run `npm run generate`");
  process.exitCode = 1;
}
