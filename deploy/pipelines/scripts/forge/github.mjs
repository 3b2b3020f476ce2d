/**
 * GitHub, as a job of GitHub Actions sees it. Needs GITHUB_TOKEN, and of the runner's own variables those that every job has; PLUMBLINE_FORGE_USER
 * names who writes with the token where that is an app's (`my-app[bot]`).
 */

import { readFileSync } from "node:fs";
import { createAsk, pages } from "./http.mjs";

/** Whose comments are ours where the token is the job's own, which may not ask who it is. */
const ownRobot = "github-actions[bot]";

export function openGithub(environment, append) {
  const { GITHUB_API_URL: base = "https://api.github.com", GITHUB_TOKEN: token = "" } = environment;
  const { GITHUB_REPOSITORY: repository, GITHUB_SERVER_URL: server, GITHUB_RUN_ID: run } = environment;
  const { GITHUB_SHA: commit = "" } = environment;
  const robot = environment.PLUMBLINE_FORGE_USER || ownRobot;
  const event = JSON.parse(
    environment.GITHUB_EVENT_PATH ? readFileSync(environment.GITHUB_EVENT_PATH, "utf8") : "{}",
  );
  const request = event.pull_request;
  const ask = createAsk(
    `${base}/repos/${repository}`,
    {
      authorization: `Bearer ${token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    },
    "The job's `permissions:` must have what it does: `pull-requests: write` for the comment, `issues: write` for the issue, `actions: read` and `pull-requests: read` for the plan that was reviewed",
  );
  const asUser = createAsk(base, { authorization: `Bearer ${token}` }, "");
  const me = () =>
    asUser("GET", "/user").then(
      ({ login }) => login,
      (error) => {
        if (error.isPassing) throw error;
        return robot;
      },
    );
  const ours = async (path) => {
    const login = await me();
    return (await pages(ask, path))
      .filter(({ user, pull_request }) => user.login === login && !pull_request)
      .map(({ id, number, body }) => ({ id, number, body: body ?? "" }));
  };
  return {
    commit: request?.head.sha ?? commit,
    job: `${server}/${repository}/actions/runs/${run}`,
    longest: 65_000,
    isFork: request !== undefined && request.head.repo?.full_name !== request.base.repo.full_name,
    summarise: (text) =>
      environment.GITHUB_STEP_SUMMARY && append(environment.GITHUB_STEP_SUMMARY, `${text}\n`),
    comments: () =>
      request && {
        list: () => ours(`/issues/${request.number}/comments?sort=created`),
        create: (body) => ask("POST", `/issues/${request.number}/comments`, { body: { body } }),
        update: ({ id }, body) => ask("PATCH", `/issues/comments/${id}`, { body: { body } }),
        remove: ({ id }) => ask("DELETE", `/issues/comments/${id}`),
      },
    issues: (title) => ({
      list: () => ours("/issues?state=open&sort=created&direction=asc"),
      create: (body) => ask("POST", "/issues", { body: { title, body } }),
      update: ({ number }, body) => ask("PATCH", `/issues/${number}`, { body: { body } }),
      // An issue cannot be deleted by a job.
      remove: ({ number }) =>
        ask("PATCH", `/issues/${number}`, { body: { state: "closed", state_reason: "not_planned" } }),
      close: ({ number }, body) =>
        ask("PATCH", `/issues/${number}`, { body: { body, state: "closed", state_reason: "completed" } }),
    }),
    /** Tells the workflow which run has the plan, as an output of its step. */
    async reviewedPlan({ stack }) {
      const found = await reviewedRun(ask, commit, stack);
      if (found === undefined) return undefined;
      if (environment.GITHUB_OUTPUT) append(environment.GITHUB_OUTPUT, `run-id=${found.run}\n`);
      return `The plan that was reviewed in #${found.request} is of run ${found.run}.`;
    },
  };
}

/** The pull request that the commit merged, and the last run that kept a plan of its head; undefined where there is none. */
async function reviewedRun(ask, commit, stack) {
  const merged = (await ask("GET", `/commits/${commit}/pulls?per_page=100`)).find(
    (each) => each.merge_commit_sha === commit || each.merged_at,
  );
  if (merged === undefined) return undefined;
  const { artifacts } = await ask(
    "GET",
    `/actions/artifacts?name=plumbline-plan-${encodeURIComponent(stack)}&per_page=100`,
  );
  const plan = artifacts
    .filter(({ expired, workflow_run }) => !expired && workflow_run.head_sha === merged.head.sha)
    .sort((a, b) => b.id - a.id)[0];
  return plan && { request: merged.number, run: plan.workflow_run.id };
}
