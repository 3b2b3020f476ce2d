/** The templates of the pipelines, held to what the forges take and to what we ask of them: nothing in them is more than a command of a script. */

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "deploy/pipelines");
const read = (path: string) => readFileSync(join(folder, path), "utf8");
const workflows = ["plan.yml", "apply.yml", "drift.yml"];

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: { readonly [name: string]: string };
  readonly with?: { readonly [name: string]: unknown };
}
interface Workflow {
  readonly permissions: { readonly [scope: string]: string };
  readonly concurrency: { readonly group: string; readonly "cancel-in-progress": boolean };
  readonly jobs: {
    readonly [job: string]: {
      readonly steps: readonly Step[];
      readonly environment?: string;
      readonly permissions?: object;
    };
  };
}
const workflow = (name: string) => parse(read(`github/${name}`)) as Workflow;
const action = parse(read("github/action.yml")) as {
  readonly inputs: { readonly [input: string]: { readonly required?: boolean } };
  readonly runs: { readonly steps: readonly Step[] };
};

describe("for GitHub", () => {
  /** What GitHub's own parser has against a file. */
  let faults: (kind: "Workflow" | "Action", text: string) => string[];
  beforeAll(async () => {
    // The package has JSON modules, which older versions of Node do not load by themselves.
    const { outputFiles } = await build({
      stdin: {
        contents: `export { parseWorkflow, NoOperationTraceWriter } from "@actions/workflow-parser";
          export { parseAction } from "./node_modules/@actions/workflow-parser/dist/actions/action-parser.js";`,
        resolveDir: root,
      },
      bundle: true,
      platform: "node",
      format: "cjs",
      write: false,
      logLevel: "error",
    });
    const module = { exports: {} as { [name: string]: never } };
    new Function("module", "exports", "require", outputFiles[0]!.text)(
      module,
      module.exports,
      createRequire(import.meta.url),
    );
    const parser = module.exports as unknown as {
      [parse: string]: new (...args: unknown[]) => never;
    } & { [parse: string]: (...args: unknown[]) => { context: { errors: { getErrors(): Error[] } } } };
    faults = (kind, text) =>
      parser[`parse${kind}`]!({ name: "file.yml", content: text }, new parser["NoOperationTraceWriter"]!())
        .context.errors.getErrors()
        .map(({ message }) => message);
  });

  it("every workflow, and the action, is one that GitHub's parser takes, which notices a mistake", () => {
    for (const name of workflows) expect(faults("Workflow", read(`github/${name}`)), name).toEqual([]);
    expect(faults("Action", read("github/action.yml"))).toEqual([]);
    expect(faults("Workflow", read("github/plan.yml").replace("runs-on", "run-on"))).not.toEqual([]);
    expect(faults("Action", read("github/action.yml").replace("composite", "composed"))).not.toEqual([]);
    expect(readdirSync(join(folder, "github")).sort()).toEqual(["action.yml", ...workflows].sort());
  });

  it("no more is permitted than what is done", () => {
    expect(workflows.map((name) => workflow(name).permissions)).toEqual([
      { contents: "read", "pull-requests": "write" },
      { actions: "read", contents: "read", "pull-requests": "read" },
      { contents: "read", issues: "write" },
    ]);
    for (const name of workflows)
      for (const job of Object.values(workflow(name).jobs)) expect(job.permissions).toBeUndefined();
  });

  it("whatever is used has its full version, and is given only inputs that it has", () => {
    const steps = [...workflows.flatMap((name) => Object.values(workflow(name).jobs)), action.runs].flatMap(
      (job) => job.steps,
    );
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(8);
    for (const each of used) expect(each).toMatch(/@v\d+\.\d+\.\d+$/);
    for (const step of steps.filter(({ uses }) => uses?.startsWith("plumbline/"))) {
      for (const input of Object.keys(step.with!)) expect(Object.keys(action.inputs)).toContain(input);
      expect(["plan", "apply", "drift"]).toContain(step.with!["run"]);
    }
  });

  it("no text of a request gets into a shell: commands have no expressions, and secrets go by the environment", () => {
    for (const { run, shell } of action.runs.steps.filter((step) => step.run !== undefined)) {
      expect(run).not.toContain("${{");
      expect(run).toMatch(
        /^(?:npm install |node "\$GITHUB_ACTION_PATH\/..\/scripts\/forge.mjs" reviewed-plan$|"\$GITHUB_ACTION_PATH\/..\/scripts\/(?:plan|apply|drift)\.sh"$)/,
      );
      expect(shell).toBe("sh");
    }
    for (const name of workflows)
      for (const { steps } of Object.values(workflow(name).jobs))
        for (const step of steps) expect(step.run).toBeUndefined();
  });

  it("what applies has the environment whose people approve, one at a time, and is never cancelled", () => {
    const { jobs, concurrency } = workflow("apply.yml");
    expect(concurrency).toEqual({ group: "apply-prod", "cancel-in-progress": false });
    for (const [name, job] of Object.entries(jobs)) {
      const applies = job.steps.some((step) => step.with?.["run"] === "apply");
      expect([name, job.environment]).toEqual([name, applies ? "prod" : undefined]);
    }
    expect(workflow("plan.yml").concurrency["cancel-in-progress"]).toBe(true);
  });
});

describe("for GitLab", () => {
  interface Job {
    readonly extends?: string;
    readonly stage?: string;
    readonly script?: readonly string[];
    readonly needs?: readonly string[];
    readonly rules?: readonly { readonly if: string; readonly when?: string }[];
    readonly environment?: string | { readonly name: string };
    readonly resource_group?: string;
    readonly artifacts?: { readonly access: string; readonly paths: readonly string[] };
  }
  const given: { [input: string]: string } = { stack: "prod" };
  const documents = parseAllDocuments(read("gitlab/templates/plumbline.yml")).map(
    (each) => each.toJSON() as object,
  );
  const { inputs } = (documents[0] as { spec: { inputs: { [input: string]: { default: unknown } } } }).spec;
  /** As GitLab fills the inputs in. */
  const filled = read("gitlab/templates/plumbline.yml")
    .split("\n---\n")[1]!
    .replace(
      /\$\[\[ inputs\.([\w-]+) \]\]/g,
      (_, name: string) => given[name] ?? String(inputs[name]!.default),
    );
  const jobs = parse(filled) as { readonly [job: string]: Job };
  const shown = Object.entries(jobs).filter(([name]) => !name.startsWith("."));

  it("the component has its inputs, each with a default and each used, in front of its jobs", () => {
    expect(documents).toHaveLength(2);
    const used = [...read("gitlab/templates/plumbline.yml").matchAll(/\$\[\[ inputs\.([\w-]+) \]\]/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(used)].sort()).toEqual(Object.keys(inputs).sort());
    for (const input of Object.values(inputs)) expect(input.default).toBeDefined();
    const include = parse(read("gitlab/gitlab-ci.yml")) as {
      include: { component: string; inputs: object }[];
    };
    expect(include.include[0]!.component).toMatch(/@\d+\.\d+\.\d+$/);
    for (const input of Object.keys(include.include[0]!.inputs)) expect(Object.keys(inputs)).toContain(input);
  });

  it("jobs are made of words that GitLab knows, need jobs that there are, and run scripts alone", () => {
    const words = [
      "extends",
      "stage",
      "interruptible",
      "environment",
      "rules",
      "script",
      "artifacts",
      "resource_group",
      "needs",
      "variables",
    ];
    expect(shown.map(([name]) => name)).toEqual(
      ["plan", "apply", "replan", "apply-anew", "drift"].map((job) => `plumbline:${job}:prod`),
    );
    for (const [name, job] of shown) {
      for (const word of Object.keys(job)) expect(words, name).toContain(word);
      expect(jobs[job.extends!], name).toBeDefined();
      expect(["test", "deploy"]).toContain(job.stage);
      for (const need of job.needs ?? []) expect(Object.keys(jobs)).toContain(need);
      for (const line of job.script!)
        expect(line).toMatch(
          /^(?:node \$scripts\/forge\.mjs reviewed-plan|\$scripts\/(?:plan|apply|drift)\.sh)$/,
        );
      expect(job.rules).toHaveLength(1);
    }
  });

  it("what applies is one at a time, in the environment whose people approve; plans are for developers alone", () => {
    for (const [name, { environment, resource_group, artifacts, rules }] of shown) {
      const applies = name.includes(":apply");
      const where = typeof environment === "string" ? environment : environment!.name;
      expect([name, where]).toEqual([name, applies ? "prod" : "prod-plan"]);
      expect([name, resource_group]).toEqual([name, applies ? "plumbline-prod" : undefined]);
      if (applies) expect(rules![0]!.when).toBe("manual");
      if (artifacts) expect(artifacts).toMatchObject({ access: "developer", paths: ["plumbline-plan"] });
    }
    expect(jobs["plumbline:replan:prod"]!.rules![0]!.when).toBe("on_failure");
  });
});
