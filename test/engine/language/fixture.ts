/** A small catalogue, a host that remembers what it was asked for, and a loader of programs from text; for the language's tests. */

import type {
  Catalogue,
  FunctionInfo,
  PropertyInfo,
  ResourceInfo,
  Urn,
} from "../../../provider/core/protocol.ts";
import { unknown, type Value, type ValueMap } from "../../../provider/core/value.ts";
import type { Diagnostic, Goal, Host, Program, Registered } from "../../../provider/engine/host.ts";
import { type LoadOptions, loadProgram } from "../../../provider/engine/language/program.ts";

function property(schema: object, options: { required?: boolean; secret?: boolean } = {}): PropertyInfo {
  return {
    description: "",
    schema: schema as PropertyInfo["schema"],
    required: options.required ?? false,
    secret: options.secret ?? false,
  };
}

const text = { type: "string" };
const integer = { type: "integer" };

const domain: ResourceInfo = {
  token: "plumbline:dns/domain:Domain",
  description: "",
  inputs: {
    domain: property(text, { required: true }),
    type: property({ type: "string", enum: ["master", "slave"] }, { required: true }),
    soaEmail: property(text),
    ttlSec: property(integer),
    tags: property({ type: "array", items: text }),
    masterIps: property({ type: "array", items: text }),
    importFrom: property({
      type: "object",
      properties: { remoteNameserver: text, port: integer },
      required: ["remoteNameserver"],
      additionalProperties: false,
    }),
    labels: property({ type: "object", additionalProperties: text }),
    password: property(text, { secret: true }),
    refreshTrigger: property({}),
    isPublic: property({ type: "boolean" }),
  },
  outputs: {
    id: property(text),
    status: property(text),
    servers: property({ type: "array", items: { type: "object", properties: { host: text } } }),
  },
};

const record: ResourceInfo = {
  token: "plumbline:dns/record:Record",
  description: "",
  inputs: {
    domainId: property(text, { required: true }),
    type: property(text, { required: true }),
    name: property(text),
    target: property(text),
    ttlSec: property(integer),
    priority: property(integer),
  },
  outputs: { recordId: property(text) },
};

const getRecords: FunctionInfo = {
  token: "plumbline:dns/getRecords:getRecords",
  description: "",
  inputs: { domainId: property(text, { required: true }), type: property(text) },
  outputs: {
    records: property({ type: "array", items: { type: "object", properties: { name: text, target: text } } }),
    count: property(integer),
  },
};

function byAnySpelling(tokens: Iterable<string>): (token: string) => string | undefined {
  const known = new Map<string, string>();
  for (const token of tokens) {
    known.set(token, token);
    known.set(token.replace(/\/[^:]+:/, ":"), token);
  }
  return (token) => known.get(token);
}

const resources = new Map([domain, record].map((info) => [info.token, info]));
const functions = new Map([[getRecords.token, getRecords]]);

export const catalogue: Catalogue = {
  resources,
  functions,
  config: {
    baseUrl: property(text),
    token: property(text, { secret: true }),
    brand: property(text),
    pageSize: property(integer),
  },
  resolveResource: byAnySpelling(resources.keys()),
  resolveFunction: byAnySpelling(functions.keys()),
};

/** Loads a program from texts by file name; `Pulumi.yaml` is the stack file. */
export function load(
  files: string | { readonly [name: string]: string },
  options: Partial<LoadOptions> = {},
): Promise<Program> {
  const all = typeof files === "string" ? { "Pulumi.yaml": files } : files;
  return loadProgram({
    file: "Pulumi.yaml",
    stack: "dev",
    catalogue,
    environment: {},
    readFile: async (path) => {
      const found = Object.entries(all).find(
        ([name]) => path === name || path === `${process.cwd()}/${name}`,
      );
      if (found === undefined) throw Object.assign(new Error(`no file ${path}`), { code: "ENOENT" });
      return found[1];
    },
    ...options,
  });
}

/** A project's first lines, so that tests show only what they are about; 2 lines. */
export const head = "name: p\nruntime: yaml\n";

/** `line:column severity message` of each finding. */
export function told(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map((d) => `${d.line ?? 0}:${d.column ?? 0} ${d.severity} ${d.message}`);
}

export interface FakeHost extends Host {
  readonly goals: Goal[];
  readonly reads: Parameters<Host["read"]>[0][];
  readonly invokes: {
    readonly token: string;
    readonly args: ValueMap;
    readonly options: Parameters<Host["invoke"]>[2];
  }[];
  /** What began and ended, in order: `+name`, `-name`. */
  readonly events: string[];
  readonly logged: string[];
  /** Most registrations under way at one time. */
  peak: number;
}

export interface FakeHostOptions {
  readonly preview?: boolean;
  /** By resource name: outputs beside the inputs, or an error to fail with. */
  readonly outputs?: { readonly [name: string]: ValueMap | Error };
  readonly invoke?: (token: string, args: ValueMap) => ValueMap | Promise<ValueMap>;
  readonly stacks?: { readonly [name: string]: ValueMap };
}

/** A host that makes everything at once: ids are `id-<name>`, unknown in a preview. */
export function fakeHost(options: FakeHostOptions = {}): FakeHost {
  const preview = options.preview ?? false;
  let running = 0;
  const urnOf = (type: string, name: string, parent?: Urn) => {
    const chain = parent === undefined ? "" : `${parent.split("::")[2]}$`;
    return `urn:pulumi:dev::p::${chain}${type}::${name}`;
  };
  const host: FakeHost = {
    project: "p",
    stack: "dev",
    organization: "organization",
    preview,
    catalogue,
    signal: new AbortController().signal,
    complete: () => {},
    goals: [],
    reads: [],
    invokes: [],
    events: [],
    logged: [],
    peak: 0,
    urn: urnOf,
    register: async (goal) => {
      host.goals.push(goal);
      host.events.push(`+${goal.name}`);
      running += 1;
      host.peak = Math.max(host.peak, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      host.events.push(`-${goal.name}`);
      const extra = options.outputs?.[goal.name] ?? {};
      if (extra instanceof Error) throw extra;
      const id: Value = preview ? unknown : `id-${goal.name}`;
      return {
        urn: urnOf(goal.type, goal.name, goal.options.parent),
        id,
        outputs: { ...goal.inputs, ...extra },
      } satisfies Registered;
    },
    read: async (goal) => {
      host.reads.push(goal);
      const extra = options.outputs?.[goal.name] ?? {};
      if (extra instanceof Error) throw extra;
      return {
        urn: urnOf(goal.type, goal.name, goal.options.parent),
        id: goal.id,
        outputs: { ...goal.state, ...extra },
      };
    },
    invoke: async (token, args, invokeOptions) => {
      host.invokes.push({ token, args, options: invokeOptions });
      return (await options.invoke?.(token, args)) ?? {};
    },
    stackReference: async (name) => {
      const found = options.stacks?.[name];
      if (found === undefined) throw new Error(`there is no stack ${name}`);
      return found;
    },
    log: (severity, message) => host.logged.push(`${severity} ${message}`),
  };
  return host;
}
