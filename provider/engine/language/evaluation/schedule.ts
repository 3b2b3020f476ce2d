/** Runs a checked template against a host: every node as soon as what it needs is there, outputs last. */

import pLimit from "p-limit";
import type { Catalogue, ValueMap } from "../../../core/protocol.ts";
import { isSecret, type Value } from "../../../core/value.ts";
import { type Host, ProgramError } from "../../host.ts";
import type { Graph } from "../program/dependencies.ts";
import type { Template } from "../program/template.ts";
import { boundedInFileOrder, createReport } from "../syntax/report.ts";
import type { ProjectFiles } from "./builtin.ts";
import type { Evaluation } from "./context.ts";
import { registerResource } from "./declaration.ts";
import { evaluate } from "./evaluator.ts";
import { createSizes } from "./size.ts";
import { define, isResourceTerm, resolveTerm, type Term, tracked, withoutNothing } from "./term.ts";

export interface Run {
  readonly host: Host;
  readonly template: Template;
  readonly graph: Graph;
  readonly catalogue: Catalogue;
  readonly files: ProjectFiles;
  readonly organization: string;
}

/** The stack outputs. Rejects with a ProgramError when anything failed; whatever did not depend on it ran all the same. */
export async function runTemplate({
  host,
  template,
  graph,
  catalogue,
  files,
  organization,
}: Run): Promise<ValueMap> {
  const report = createReport();
  const done = new Map<string, Term>([["pulumi", pulumiOf(host, files, organization)]]);
  for (const [name, value] of template.config.values) done.set(name, termOf(value));
  const fallback = template.defaultProvider?.key;
  const stacks = new Map<string, Promise<ValueMap>>();
  const context: Evaluation = {
    host,
    catalogue,
    files,
    report,
    lookUp: (name) => done.get(name),
    stackOutputs: (stack) => {
      const asked = stacks.get(stack) ?? host.stackReference(stack);
      stacks.set(stack, asked);
      return asked;
    },
    defaultProvider: () => {
      const provider = fallback === undefined ? undefined : done.get(fallback);
      return provider !== undefined && isResourceTerm(provider) ? provider.urn : undefined;
    },
    declaration: pLimit(256),
    sizes: createSizes(),
    evaluate: (expression) => evaluate(context, expression),
  };
  const started = new Map<string, Promise<boolean>>();
  for (const node of graph.order) {
    const needed = [...node.needs.keys()].map((name) => started.get(name)!);
    const make = async (): Promise<boolean> => {
      if ((await Promise.all(needed)).includes(false)) return false;
      const resource = template.resources.get(node.name);
      const variable = template.variables.get(node.name);
      const term = resource
        ? await registerResource(context, resource)
        : await context.evaluate(variable!.value);
      if (term !== undefined) done.set(node.name, term);
      return term !== undefined;
    };
    started.set(node.name, make());
  }
  let isWhole = !(await Promise.all(started.values())).includes(false);
  const outputs: { [name: string]: Value } = {};
  await Promise.all(
    template.outputs.map(async (output) => {
      const needs = [...(graph.outputs.get(output.name) ?? [])];
      if (needs.some((name) => !done.has(name))) return;
      const term = await context.evaluate(output.value);
      if (term === undefined) isWhole = false;
      else define(outputs, output.name, withoutNothing(resolveTerm(term).value));
    }),
  );
  const findings = boundedInFileOrder(report.diagnostics);
  for (const { severity, message, file, line, column } of findings) {
    if (severity === "warning")
      host.log("warning", file === undefined ? message : `${file}:${line}:${column}: ${message}`);
  }
  const errors = findings.filter((finding) => finding.severity === "error");
  // A host that was cancelled fails without a reason.
  if (!isWhole || errors.length > 0) throw new ProgramError(errors);
  return inDeclaredOrder(outputs, template);
}

/** As the file orders them; an output that comes to nothing is left out, as Pulumi does. */
function inDeclaredOrder(outputs: ValueMap, template: Template): ValueMap {
  const ordered: { [name: string]: Value } = {};
  for (const { name } of template.outputs) {
    const value = outputs[name] ?? null;
    if (value !== null) define(ordered, name, value);
  }
  return ordered;
}

function termOf(value: Value): Term {
  return isSecret(value) ? tracked(value) : (value as Term);
}

function pulumiOf(host: Host, files: ProjectFiles, organization: string): Term {
  return {
    cwd: files.folder,
    organization,
    project: host.project,
    rootDirectory: files.folder,
    stack: host.stack,
  };
}
