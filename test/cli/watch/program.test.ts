/** `plumbline watch` of a program of Node: its sources are what is watched, and what goes wrong in it deletes nothing. */

import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openNodeProjects } from "../../programs/project.ts";
import { watching } from "./watching.ts";

let projects: ReturnType<typeof openNodeProjects>;
beforeAll(() => {
  projects = openNodeProjects();
});
afterAll(() => projects.close());

it("each change of a source is applied once, and a program that fails is told and deletes nothing", {
  timeout: 120_000,
}, async () => {
  const project = await projects.project("require('./zones');");
  const zones = (...names: string[]) =>
    writeFileSync(
      join(project.folder, "zones.js"),
      `const plumbline = require("@plumbline/pulumi");
for (const name of ${JSON.stringify(names)})
  new plumbline.dns.Domain(name, { domain: name + ".example", type: "master", soaEmail: "a@a.example" });
`,
    );
  const found = async (): Promise<string[]> => {
    const answer = await fetch(`${project.emulator.baseUrl}/domains`, {
      headers: { authorization: `Bearer ${project.emulator.token}` },
    });
    const { data } = (await answer.json()) as { data: { domain: string }[] };
    return data.map(({ domain }) => domain).sort();
  };
  zones("one");
  const watch = watching(project, ["--interval", "1h"], {
    PULUMI_CONFIG_PASSPHRASE: "correct horse battery staple",
  });
  expect((await watch.next("succeeded")).summary).toMatchObject({ create: 1 });
  mkdirSync(join(project.folder, "node_modules"), { recursive: true });
  writeFileSync(join(project.folder, "node_modules", "other.js"), "");
  await setTimeout(2000);
  expect(watch.lines().filter(({ event }) => event === "changed")).toEqual([]);
  zones("one", "two");
  expect((await watch.next("changed")).message).toBe(
    `${realpathSync(join(project.folder, "zones.js"))} has changed`,
  );
  expect(await watch.next("succeeded")).toMatchObject({ reason: "change", summary: { create: 1 } });
  for (const broken of ["throw new Error('not today');", "process.exit(1);", "require('./nowhere');"]) {
    project.write(`${broken}\nrequire('./zones');`);
    expect((await watch.next("changed")).message).toMatch(/index\.js has changed$/);
    await watch.next("failed");
    expect(await found()).toEqual(["one.example", "two.example"]);
  }
  project.write("require('./zones');");
  expect((await watch.next("succeeded")).summary).toMatchObject({ same: 2, delete: 0 });
  expect(await watch.end()).toBe(0);
});
