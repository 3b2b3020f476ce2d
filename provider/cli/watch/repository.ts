/** A declaration in a git repository: its ref is fetched into a folder of its own, by the `git` of this machine and with the credentials that it has. */

import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onOneLine } from "../daemon/log.ts";
import { CommandError } from "../exit.ts";
import type { Source } from "./source.ts";

export interface RepositoryOptions {
  readonly url: string;
  /** A branch, a tag, or what else the server tells by name. */
  readonly ref: string;
  /** Where it is checked out; only what git knows is changed in it. */
  readonly folder: string;
  readonly words: readonly string[];
  readonly poll: number;
  readonly signal: AbortSignal;
}

/** A fetch that goes on for longer hangs. */
const PATIENCE_MS = 5 * 60_000;

/** What a git that was killed leaves; nobody else works in this folder. */
const leftovers = ["index.lock", "shallow.lock", "HEAD.lock", "config.lock"];

/** Makes no request yet. Throws CommandError for what git would take for something else, and for credentials in the address. */
export function repositoryOf(options: RepositoryOptions): Source {
  const { url, ref, folder, words, poll, signal } = options;
  refuseAddress(url);
  if (ref.startsWith("-") || !/^[\w./@{}+-]+$/.test(ref))
    throw new CommandError(`--ref: "${ref}" is no name of a branch or a tag`);
  const git = (...args: string[]) => run(folder, args, signal);
  let present: string | undefined;
  const prepare = async () => {
    mkdirSync(folder, { recursive: true });
    for (const name of leftovers) rmSync(join(folder, ".git", name), { force: true });
    await git("init", "--quiet");
  };
  return {
    place: `${url} (${ref})`,
    poll,
    words,
    async look() {
      if (present === undefined) await prepare();
      await git("fetch", "--quiet", "--force", "--no-tags", "--depth", "1", "--", url, ref);
      const commit = (await git("rev-parse", "--verify", "FETCH_HEAD^{commit}")).trim();
      if (commit !== present) {
        present = undefined;
        // Whatever was there: a branch that was pushed by force has another history.
        await git("checkout", "--quiet", "--force", "--detach", commit);
        const kept = [".plumbline", "node_modules", "venv", ".venv"].map((name) => `--exclude=${name}`);
        await git("clean", "--quiet", "--force", "-d", ...kept);
        present = commit;
      }
      return commit;
    },
  };
}

function refuseAddress(url: string): void {
  if (url === "" || url.startsWith("-"))
    throw new CommandError(`--git: "${url}" is no address of a repository`);
  if (/^[\w+.-]+::/.test(url))
    throw new CommandError("--git takes the address of a repository, not the name of a helper of git");
  // By http a name alone may be a token; by ssh it is a name. A password that holds a slash has its "@" behind that.
  if (/^https?:\/\/[^?#]*@|^[a-z+]+:\/\/[^/@]*:.*@/i.test(url))
    throw new CommandError(
      "--git: no user, password or token in the address, where every process sees it: give it by git's own means (a credential helper, GIT_ASKPASS, an SSH key)",
    );
}

/** Runs git, which asks nobody. Resolves to its output; rejects with what it said. */
function run(cwd: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const own = ["-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false", ...args];
  const env = {
    GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
    ...process.env,
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
    // A repository around this folder, or one that a hook names, is another one.
    GIT_DIR: join(cwd, ".git"),
    GIT_WORK_TREE: cwd,
  };
  return new Promise((done, fail) => {
    const child = spawn("git", own, {
      cwd,
      env,
      signal,
      timeout: PATIENCE_MS,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-4000);
    });
    child.on("error", (error: NodeJS.ErrnoException) =>
      fail(error.code === "ENOENT" ? new Error("git is not on the PATH: install it, or watch files") : error),
    );
    child.on("close", (code, killed) => {
      if (code === 0) return done(stdout);
      const why = onOneLine(stderr) || `it ended with ${code ?? killed}`;
      fail(new Error(`git ${args[0]}: ${why}`));
    });
  });
}
