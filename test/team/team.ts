/**
 * A team as its forge sees it: people with clones, one repository, requests that are planned, reviewed and merged, and runners that have nothing but what the forge gives them. What
 * a workflow's file says is done here by hand, job by job, with the scripts that it names.
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Forge, type Kind, openForge } from "../deploy/forge.ts";
import { type Ended, type JobOptions, runJob } from "../deploy/job.ts";

const program = resolve(import.meta.dirname, "../../bin/plumbline");

export interface Person {
  readonly name: string;
  readonly clone: string;
  readonly git: (...args: string[]) => string;
  /** Writes a file of the clone. */
  readonly write: (file: string, text: string) => void;
  /** Types a command of `plumbline` in the folder of the stack. */
  readonly type: (...args: string[]) => Promise<{ readonly code: number | null; readonly text: string }>;
}

/** A pull or merge request. */
export interface Request {
  readonly number: number;
  readonly branch: string;
  readonly title: string;
  head: string;
}

/** What the runner of a job leaves to later ones. */
interface Artefact {
  readonly run: number;
  readonly folder: string;
}

export interface Team {
  readonly forge: Forge;
  readonly people: { readonly [name in "anna" | "ben" | "carla"]: Person };
  /** Pushes what the person committed on a branch, and opens a request. */
  readonly propose: (person: Person, title: string) => Request;
  /** The job that plans one stack for the request. */
  readonly plan: (request: Request, stack: string) => Promise<Ended>;
  /** Merges it, as the forge does. Returns the commit. */
  readonly merge: (request: Request) => string;
  /** The job that applies what was reviewed. `onStart` gets the process group. */
  readonly apply: (commit: string, stack: string, onStart?: (pid: number) => void) => Promise<Ended>;
  /** The jobs that make the plan anew, and apply that one. */
  readonly replan: (commit: string, stack: string) => Promise<Ended>;
  readonly applyAnew: (commit: string, stack: string) => Promise<Ended>;
  readonly drift: (stack: string) => Promise<Ended>;
  readonly close: () => Promise<void>;
}

export interface TeamOptions {
  readonly kind: Kind;
  /** What everybody who touches the account is given: address, token, passphrase, where the states are. */
  readonly environment: { readonly [name: string]: string };
  /** What the pipeline alone is given. */
  readonly pipeline: { readonly [name: string]: string };
}

/** Where the stack file is in the repository. */
const project = "infra";
let artefacts = 700;

export async function openTeam(options: TeamOptions): Promise<Team> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-team-"));
  const forge = await openForge(options.kind);
  const origin = join(folder, "origin.git");
  const shared = gitIn(folder, "forge");
  shared("init", "--quiet", "--bare", "--initial-branch=main", origin);
  const people = Object.fromEntries(
    ["anna", "ben", "carla"].map((name) => [name, comePerson(name, folder, origin, options.environment)]),
  ) as Team["people"];
  const kept = new Map<string, Artefact>();
  let requests = 0;

  /** A runner: a machine of its own, with the commit and nothing else. */
  async function run(
    commit: string,
    job: Omit<JobOptions, "forge" | "folder">,
    before?: (checkout: string) => Promise<void>,
  ) {
    const checkout = mkdtempSync(join(folder, "runner-"));
    const git = gitIn(checkout, "runner");
    git("init", "--quiet");
    git("fetch", "--quiet", "--depth", "1", origin, commit);
    git("checkout", "--quiet", "FETCH_HEAD");
    await before?.(checkout);
    const env = { ...options.environment, ...options.pipeline, PLUMBLINE_FOLDER: project, ...job.env };
    const ended = await runJob({ forge, folder: checkout, commit, ...job, env });
    return { ended, checkout };
  }

  /** Keeps what the job left, as an artefact of it. */
  function keep(name: string, checkout: string): Artefact | undefined {
    const plans = join(checkout, "plumbline-plan");
    if (!existsSync(join(plans, "plan.json"))) return undefined;
    const found = { run: ++artefacts, folder: plans };
    kept.set(name, found);
    return found;
  }
  const bring = (checkout: string, found: Artefact | undefined) => {
    if (found) cpSync(found.folder, join(checkout, "plumbline-plan"), { recursive: true });
  };
  const stackOf = (stack: string) => ({ PLUMBLINE_STACK: stack });

  return {
    forge,
    people,
    propose(person, title) {
      const number = ++requests;
      const branch = `request-${number}`;
      person.git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
      return { number, branch, title, head: person.git("rev-parse", "HEAD").trim() };
    },
    async plan(request, stack) {
      const { ended, checkout } = await run(request.head, {
        script: ["plan.sh"],
        request,
        env: stackOf(stack),
      });
      keep(`${request.head} ${stack}`, checkout);
      return ended;
    },
    merge(request) {
      const work = mkdtempSync(join(folder, "merge-"));
      const git = gitIn(work, "forge");
      git("clone", "--quiet", origin, ".");
      git("merge", "--quiet", "--no-ff", "--message", request.title, `origin/${request.branch}`);
      git("push", "--quiet", "origin", "HEAD:main");
      const commit = git("rev-parse", "HEAD").trim();
      for (const [name, { run: number, folder: plans }] of kept) {
        const [head, stack] = name.split(" ") as [string, string];
        const plan = readFileSync(join(plans, "plan.json"), "utf8");
        if (head === request.head)
          forge.merged.push({ number: request.number, commit, head, stack, run: number, plan });
      }
      return commit;
    },
    async apply(commit, stack, onStart) {
      const env = stackOf(stack);
      const { ended } = await run(
        commit,
        { script: ["apply.sh"], env, ...(onStart && { onStart }) },
        async (checkout) => {
          const given = { ...options.environment, ...options.pipeline, PLUMBLINE_FOLDER: project, ...env };
          const found = await runJob({
            forge,
            folder: checkout,
            commit,
            env: given,
            script: ["forge.mjs", "reviewed-plan"],
          });
          if (found.code !== 0) throw new Error(found.text);
          // GitLab's plan is brought by the script itself.
          const number = Number(found.outputs["run-id"]);
          bring(
            checkout,
            [...kept.values()].find((each) => each.run === number),
          );
        },
      );
      return ended;
    },
    async replan(commit, stack) {
      const { ended, checkout } = await run(commit, { script: ["plan.sh"], env: stackOf(stack) });
      keep(`anew ${commit} ${stack}`, checkout);
      return ended;
    },
    async applyAnew(commit, stack) {
      const bringIt = async (checkout: string) => bring(checkout, kept.get(`anew ${commit} ${stack}`));
      return (await run(commit, { script: ["apply.sh"], env: stackOf(stack) }, bringIt)).ended;
    },
    async drift(stack) {
      const main = shared("--git-dir", origin, "rev-parse", "main").trim();
      const env = { ...stackOf(stack), PLUMBLINE_UNOWNED: "true" };
      return (await run(main, { script: ["drift.sh"], env })).ended;
    },
    async close() {
      await forge.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const gitIn =
  (cwd: string, name: string) =>
  (...args: string[]): string =>
    execFileSync("git", ["-c", `user.name=${name}`, "-c", `user.email=${name}@team.example`, ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });

function comePerson(
  name: string,
  folder: string,
  origin: string,
  environment: { readonly [name: string]: string },
): Person {
  const clone = join(folder, name);
  mkdirSync(clone);
  const git = gitIn(clone, name);
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", origin);
  return {
    name,
    clone,
    git,
    write(file, text) {
      mkdirSync(dirname(join(clone, file)), { recursive: true });
      writeFileSync(join(clone, file), text);
    },
    async type(...args) {
      const env = { PATH: process.env["PATH"], HOME: clone, ...environment };
      const child = spawn(process.execPath, [program, ...args], {
        cwd: join(clone, project),
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let text = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
      const [code] = (await once(child, "close")) as [number | null];
      return { code, text };
    },
  };
}
