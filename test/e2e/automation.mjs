/**
 * Operations on a compiled Pulumi program by the Automation API, in a process of its own; the program is loaded afresh for each, as `pulumi`
 * would. Takes a request as JSON and prints one line of JSON for each operation; what the engine prints goes to standard error.
 */

import { createRequire } from "node:module";
import { dirname, sep } from "node:path";
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";

const {
  verbs,
  entry,
  folder,
  project,
  stack: stackName,
  config = {},
  states = false,
  parallel,
} = JSON.parse(process.argv[2]);
const load = createRequire(entry);

/** The module's exports are the stack's outputs, as in the Node language host. */
async function program() {
  const own = `${dirname(entry)}${sep}`;
  for (const file of Object.keys(load.cache)) if (file.startsWith(own)) delete load.cache[file];
  return { ...load(entry) };
}

const stack = await LocalWorkspace.createOrSelectStack(
  { stackName, projectName: project, program },
  { workDir: folder },
);
const values = Object.entries(config).map(([key, value]) => [key, { value }]);
if (values.length > 0) await stack.setAllConfig(Object.fromEntries(values));

for (const verb of verbs) {
  const events = [];
  const options = {
    onEvent: (event) => events.push(event),
    onOutput: (text) => process.stderr.write(text),
    color: "never",
    ...(parallel && { parallel }),
  };
  const start = performance.now();
  const result = await stack[verb](options);
  const seconds = (performance.now() - start) / 1000;
  const steps = events
    .map(({ resOutputsEvent, resourcePreEvent }) => (resOutputsEvent ?? resourcePreEvent)?.metadata)
    .filter((metadata) => metadata !== undefined && !metadata.type.startsWith("pulumi:"))
    // A replacement is told as three steps; the one called `replace` stands for them.
    .filter(({ op }) => op !== "create-replacement" && op !== "delete-replaced")
    .map(({ op, urn }) => [urn.split("::").at(-1), op]);
  const outputs = Object.entries(result.outputs ?? {}).map(([name, { value }]) => [name, value]);
  const { deployment } = states && verb !== "preview" ? await stack.exportStack() : {};
  const told = {
    seconds,
    plan: Object.fromEntries(steps),
    outputs: Object.fromEntries(outputs),
    ...(deployment && { resources: deployment.resources ?? [] }),
  };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
