/** GitLab, as a job of GitLab CI sees it. Needs GITLAB_TOKEN (a project access token with the scope `api`: a job's own token may not comment). */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAsk, pages } from "./http.mjs";

export function openGitlab(environment) {
  const { CI_API_V4_URL: base, CI_PROJECT_ID: project, GITLAB_TOKEN: token = "" } = environment;
  const { CI_MERGE_REQUEST_IID: request, CI_COMMIT_SHA: commit = "", CI_JOB_URL: job } = environment;
  const { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: source, CI_MERGE_REQUEST_PROJECT_ID: target } = environment;
  const headers = { "private-token": token };
  const ask = createAsk(
    `${base}/projects/${encodeURIComponent(project)}`,
    headers,
    "GITLAB_TOKEN must be a project access token with the scope `api` and the role Developer",
  );
  const me = () =>
    createAsk(base, headers, "GITLAB_TOKEN must be a token with the scope `api`")("GET", "/user");
  const ours = async (path, field) => {
    const { id: self } = await me();
    return (await pages(ask, path))
      .filter(({ author }) => author.id === self)
      .map((each) => ({ id: each.id, iid: each.iid, body: each[field] ?? "" }));
  };
  return {
    commit,
    job,
    longest: 1_000_000,
    isFork: request !== undefined && source !== target,
    summarise() {},
    comments: () =>
      request && {
        list: () => ours(`/merge_requests/${request}/notes?sort=asc`, "body"),
        create: (body) => ask("POST", `/merge_requests/${request}/notes`, { body: { body } }),
        update: ({ id }, body) => ask("PUT", `/merge_requests/${request}/notes/${id}`, { body: { body } }),
        remove: ({ id }) => ask("DELETE", `/merge_requests/${request}/notes/${id}`),
      },
    issues: (title) => ({
      list: () => ours("/issues?state=opened&scope=all&sort=asc", "description"),
      create: (description) => ask("POST", "/issues", { body: { title, description } }),
      update: ({ iid }, description) => ask("PUT", `/issues/${iid}`, { body: { description } }),
      remove: ({ iid }) => ask("PUT", `/issues/${iid}`, { body: { state_event: "close" } }),
      close: ({ iid }, description) =>
        ask("PUT", `/issues/${iid}`, { body: { description, state_event: "close" } }),
    }),
    /** Puts the plan where the next step looks for it. */
    async reviewedPlan({ stack, plans }) {
      const merged = (await ask("GET", `/repository/commits/${commit}/merge_requests?`)).find(
        ({ state }) => state === "merged",
      );
      if (merged === undefined) return undefined;
      const pipelines = await ask("GET", `/merge_requests/${merged.iid}/pipelines?per_page=100`);
      for (const pipeline of pipelines.filter(({ sha }) => sha === merged.sha).sort((a, b) => b.id - a.id)) {
        const jobs = await pages(ask, `/pipelines/${pipeline.id}/jobs?`);
        const planned = jobs.find(
          ({ name, status }) => name === `plumbline:plan:${stack}` && status === "success",
        );
        if (planned === undefined) continue;
        const text = await ask(
          "GET",
          `/jobs/${planned.id}/artifacts/${plans.replace(/^\.\//, "")}/plan.json`,
          {
            raw: true,
          },
        );
        mkdirSync(plans, { recursive: true, mode: 0o700 });
        writeFileSync(join(plans, "plan.json"), text, { mode: 0o600 });
        return `The plan that was reviewed in !${merged.iid} is of job ${planned.id}.`;
      }
      return undefined;
    },
  };
}
