/**
 * One operation on a compiled Pulumi program by the Automation API, in a process of its own, so that the program is loaded afresh as
 * `pulumi` would. Takes a request as JSON and prints one line of JSON; what the engine prints goes to standard error.
 */

import { createRequire } from "node:module";
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";

const { verb, entry, folder, project, stack: stackName, config } = JSON.parse(process.argv[2]);
const load = createRequire(entry);

const stack = await LocalWorkspace.createOrSelectStack(
  // The module's exports are the stack's outputs, as in the Node language host.
  { stackName, projectName: project, program: async () => ({ ...load(entry) }) },
  { workDir: folder },
);
const values = Object.entries(config).map(([key, value]) => [key, { value }]);
if (values.length > 0) await stack.setAllConfig(Object.fromEntries(values));

const events = [];
const options = {
  onEvent: (event) => events.push(event),
  onOutput: (text) => process.stderr.write(text),
  color: "never",
};
const result = await stack[verb](options);
const steps = events
  .map(({ resOutputsEvent, resourcePreEvent }) => (resOutputsEvent ?? resourcePreEvent)?.metadata)
  .filter((metadata) => metadata !== undefined && !metadata.type.startsWith("pulumi:"))
  // A replacement is told as three steps; the one called `replace` stands for them.
  .filter(({ op }) => op !== "create-replacement" && op !== "delete-replaced")
  .map(({ op, urn }) => [urn.split("::").at(-1), op]);
const outputs = Object.entries(result.outputs ?? {}).map(([name, { value }]) => [name, value]);
process.stdout.write(
  `${JSON.stringify({ plan: Object.fromEntries(steps), outputs: Object.fromEntries(outputs) })}\n`,
);
