/**
 * What the pipelines say to the forge that runs them, GitHub or GitLab:
 *
 *   forge.mjs comment FILE       one comment of the pull or merge request holds the file, from the first plan to the last
 *   forge.mjs issue FILE         one open issue holds the file
 *   forge.mjs close-issue FILE   that issue is closed, if there is one
 *   forge.mjs reviewed-plan      finds the plan that was shown in the request which the present commit merged
 *   forge.mjs is-fork            ends with 0 when the request comes from another repository
 *
 * Each stack has a comment and an issue of its own. Needs Node alone; what it reads of the environment is the forge's own, and
 * PLUMBLINE_STACK, PLUMBLINE_FOLDER, PLUMBLINE_PLAN_FOLDER.
 */

import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { openGithub } from "./forge/github.mjs";
import { openGitlab } from "./forge/gitlab.mjs";
import { patiently } from "./forge/http.mjs";
import { fitting, maskedBy } from "./forge/text.mjs";

const environment = process.env;
const stack = environment.PLUMBLINE_STACK || "dev";
const folder = environment.PLUMBLINE_FOLDER || ".";
const plans = environment.PLUMBLINE_PLAN_FOLDER || "plumbline-plan";

/** The first line of what is ours: it tells a stack's comment from every other. */
const markOf = (kind) => {
  const digest = createHash("sha256").update(`${folder}\n${stack}`).digest("hex").slice(0, 16);
  return `<!-- plumbline ${kind} ${digest} -->`;
};

/** The whole text of a comment or an issue, as it may be seen by everybody who sees the repository. */
function textOf(forge, kind, file) {
  const body = maskedBy(environment)(readFileSync(file, "utf8").trim());
  const foot = `\n\n<sub>\`${stack}\` at ${forge.commit.slice(0, 12)} · [job](${forge.job})</sub>`;
  return fitting(`${markOf(kind)}\n`, body, foot, { most: forge.longest, whole: forge.job });
}

/**
 * Leaves one of what `places` lists: the oldest that is ours, with this text. Two jobs that do so at once leave one, too: whoever finds an
 * older one beside its own puts its text there, and takes its own away.
 */
async function keepOne(places, mark, text) {
  const ours = async () =>
    (await places.list()).filter(({ body }) => body.startsWith(mark)).sort((a, b) => a.id - b.id);
  const [first] = await ours();
  if (first) return places.update(first, text);
  const made = await places.create(text);
  const [oldest] = await ours();
  if (oldest === undefined || oldest.id === made.id) return;
  await places.update(oldest, text);
  await places.remove(made);
}

const verbs = {
  async comment(forge, file) {
    const text = textOf(forge, "plan", file);
    forge.summarise(text);
    const places = forge.comments();
    if (places === undefined) return console.error("No pull or merge request here: nothing is commented.");
    await patiently(() => keepOne(places, markOf("plan"), text));
  },
  async issue(forge, file) {
    const text = textOf(forge, "drift", file);
    forge.summarise(text);
    await patiently(() => keepOne(forge.issues(`Drift of ${stack}`), markOf("drift"), text));
  },
  async "close-issue"(forge, file) {
    const [mark, places] = [markOf("drift"), forge.issues()];
    const text = textOf(forge, "drift", file);
    await patiently(async () => {
      for (const issue of await places.list())
        if (issue.body.startsWith(mark)) await places.close(issue, text);
    });
  },
  async "reviewed-plan"(forge) {
    const found = await patiently(() => forge.reviewedPlan({ stack, plans }));
    console.error(found ?? "No request with a plan of this stack was merged by this commit.");
  },
  async "is-fork"(forge) {
    if (!forge.isFork) process.exitCode = 1;
  },
};

const [verb = "", file] = process.argv.slice(2);
try {
  const work = verbs[verb];
  if (work === undefined || (file === undefined) !== work.length < 2)
    throw new Error(
      `forge.mjs takes ${Object.keys(verbs).join(", ")}, and a file where there is something to say`,
    );
  const open = environment.GITLAB_CI ? openGitlab : openGithub;
  await work(
    open(environment, (path, text) => appendFileSync(path, text)),
    file,
  );
} catch (error) {
  console.error(`error: ${maskedBy(environment)(error.message)}`);
  process.exitCode = 1;
}
