/** Programs made of plain records, and engines for them over a world in memory: for the tests of the deployment. */

import { unknown, type Value, type ValueMap } from "../../../provider/core/value.ts";
import { createEngine, type Engine, type EngineOptions } from "../../../provider/engine/engine.ts";
import type { EngineEvent } from "../../../provider/engine/event.ts";
import {
  type Goal,
  type Host,
  type Program,
  ProgramError,
  type Registered,
  type ResourceOptions,
} from "../../../provider/engine/host.ts";
import type { Machine } from "../../../provider/engine/state/owner.ts";
import { cheapKey } from "../cheap-key.ts";
import { type Life, life, memoryDisk, thing, type World, worldCatalogue, worldProvider } from "./world.ts";

/** A value that comes from another resource. */
export interface Ref {
  readonly of: string;
  /** Absent: its id. */
  readonly output?: string;
}

export interface Block {
  readonly name: string;
  readonly type?: string;
  readonly inputs?: { readonly [name: string]: Value | Ref };
  readonly dependsOn?: readonly string[];
  /** Names stand for URNs in `parent`, `deletedWith`, `replaceWith`, `provider`. */
  readonly options?: Omit<ResourceOptions, "dependsOn">;
  readonly get?: string;
  /** It is a component, which tells these as its outputs. */
  readonly component?: ValueMap;
  /** Names of blocks that it waits for without depending on them. */
  readonly after?: readonly string[];
}

const isRef = (value: Value | Ref): value is Ref =>
  typeof value === "object" && value !== null && "of" in value;

export interface ProgramOptions {
  readonly outputs?: { readonly [name: string]: Value | Ref };
  readonly config?: ValueMap;
}

export function program(blocks: readonly Block[], options: ProgramOptions = {}): Program {
  return {
    projectName: "shop",
    diagnostics: [],
    graph: blocks.map((block, i) => ({
      key: block.name,
      type: block.type ?? thing,
      name: block.name,
      dependsOn: needsOf(block),
      position: { file: "Pulumi.yaml", line: i + 1, column: 1 },
    })),
    settingsFile: "Pulumi.dev.yaml",
    config: new Map(),
    providerConfig: options.config ?? {},
    refresh: false,
    run: (host, first = new Map()) =>
      runBlocks(
        blocks.map((block) => ({ ...block, after: first.get(block.name) ?? [] })),
        options,
        host,
      ),
  };
}

function needsOf(block: Block): string[] {
  const { parent, provider, deletedWith, replaceWith } = block.options ?? {};
  return [
    ...Object.values(block.inputs ?? {}).flatMap((value) => (isRef(value) ? [value.of] : [])),
    ...(block.dependsOn ?? []),
    ...[parent, provider, deletedWith].filter((name) => name !== undefined),
    ...(replaceWith ?? []),
  ];
}

async function runBlocks(blocks: readonly Block[], options: ProgramOptions, host: Host): Promise<ValueMap> {
  const done = new Map<string, Promise<Registered | undefined>>();
  const diagnostics: ProgramError["diagnostics"][number][] = [];
  const valueFrom = (from: Registered | undefined, ref: Ref): Value =>
    from === undefined ? null : ref.output === undefined ? from.id : (from.outputs[ref.output] ?? unknown);

  async function one(block: Block, line: number): Promise<Registered | undefined> {
    const needs = await Promise.all(
      [...needsOf(block), ...(block.after ?? [])].map(async (name) => [name, await done.get(name)] as const),
    );
    const found = new Map(needs);
    if (needs.some(([, registered]) => registered === undefined)) return undefined;
    const urn = (name: string): string => found.get(name)?.urn ?? name;
    const { parent, provider, deletedWith, replaceWith, ...rest } = block.options ?? {};
    const goal: Goal = {
      type: block.type ?? thing,
      name: block.name,
      ...(block.component ? { isComponent: true } : {}),
      inputs: Object.fromEntries(
        Object.entries(block.inputs ?? {}).map(([name, value]) => [
          name,
          isRef(value) ? valueFrom(found.get(value.of), value) : value,
        ]),
      ),
      options: {
        ...rest,
        ...(parent ? { parent: urn(parent) } : {}),
        ...(provider ? { provider: urn(provider) } : {}),
        ...(deletedWith ? { deletedWith: urn(deletedWith) } : {}),
        ...(replaceWith ? { replaceWith: replaceWith.map(urn) } : {}),
      },
      dependencies: [
        ...new Set(
          needsOf({
            ...block,
            options: { ...(parent ? { parent } : {}), ...(provider ? { provider } : {}) },
          }).map(urn),
        ),
      ],
      propertyDependencies: Object.fromEntries(
        Object.entries(block.inputs ?? {}).flatMap(([name, value]) =>
          isRef(value) ? [[name, [urn(value.of)]]] : [],
        ),
      ),
      positionOf: () => ({ file: "Pulumi.yaml", line, column: 1 }),
    };
    try {
      if (block.get !== undefined) return await host.read({ ...goal, id: block.get, state: goal.inputs });
      const registered = await host.register(goal);
      if (block.component) host.complete(registered.urn, block.component);
      return registered;
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      diagnostics.push(...error.diagnostics);
      return undefined;
    }
  }

  blocks.forEach((block, i) => {
    // Forward references are allowed: everything starts, and waits for what it needs.
    done.set(
      block.name,
      Promise.resolve().then(() => one(block, i + 1)),
    );
  });
  await Promise.all(done.values());
  if (diagnostics.length > 0) throw new ProgramError(diagnostics);
  const outputs = await Promise.all(
    Object.entries(options.outputs ?? {}).map(
      async ([name, value]) =>
        [name, isRef(value) ? valueFrom(await done.get(value.of), value) : value] as const,
    ),
  );
  return Object.fromEntries(outputs);
}

/** A state folder and a service, and engines that come and go over them. */
export interface Bench {
  readonly world: World;
  readonly files: Map<string, string>;
  readonly events: EngineEvent[];
  readonly engine: (
    blocks: readonly Block[],
    more?: Partial<EngineOptions> & ProgramOptions & { of?: Life },
  ) => Engine;
}

let pids = 1000;
let alive = 0;

/** The machine of a process that lives until the next one starts. */
export function nextMachine(): Machine {
  pids += 1;
  alive = pids;
  return { user: "anna", host: "here", pid: pids, isAlive: (pid) => pid === alive };
}

export function bench(world: World): Bench {
  const files = new Map<string, string>();
  const events: EngineEvent[] = [];
  return {
    world,
    files,
    events,
    engine(blocks, more = {}) {
      const { of = life(), outputs, config, ...options } = more;
      return createEngine({
        project: "shop",
        stack: "dev",
        stateFolder: "/state",
        program: program(blocks, { ...(outputs ? { outputs } : {}), ...(config ? { config } : {}) }),
        environment: {},
        catalogue: worldCatalogue,
        createProvider: () => worldProvider(world, of),
        disk: memoryDisk(files, of),
        machine: nextMachine(),
        onEvent: (event) => events.push(event),
        now: () => new Date(world.time),
        deriveKey: cheapKey,
        ...options,
      });
    },
  };
}
