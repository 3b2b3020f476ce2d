/** One project file with one address of states, read by both engines: each keeps its own beside the other's, and hands over. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { startCommand } from "../cli-process.ts";
import { hasPostgres, startPostgres } from "../engine/state/backends/postgres-server.ts";
import { hasS3, startS3 } from "../engine/state/backends/s3-server.ts";
import { createProject, type Diagnostic, type Project, pulumiBin, stackText } from "./pulumi.ts";

interface Place {
  /** As both engines read it, with parameters that only Pulumi knows. */
  readonly url: string;
  readonly environment: { readonly [name: string]: string };
  readonly close: () => void | Promise<void>;
}

const places: { readonly [name: string]: () => Promise<Place> } = {
  "a folder": async () => ({
    url: "file://states?metadata=skip&create_dir=true",
    environment: {},
    close: () => {},
  }),
  ...(hasS3 && {
    "a bucket": async () => {
      const { endpoint, environment, close } = await startS3();
      const there = `endpoint=${new URL(endpoint).host}&disableSSL=1&s3ForcePathStyle=true&awssdk=v1`;
      return { url: `s3://team-states/both?region=us-east-1&${there}`, environment, close };
    },
  }),
  ...(hasPostgres && {
    "a database": async () => {
      const { port, environment, close } = await startPostgres();
      const there = `postgres://team@127.0.0.1:${port}/postgres`;
      return { url: `${there}?sslmode=disable&table=pulumis_states`, environment, close };
    },
  }),
};

describe.skipIf(!pulumiBin).each(Object.entries(places))("the address of %s in a project file", (_, open) => {
  let [emulator, place, project] = [{} as Emulator, {} as Place, {} as Project];
  beforeAll(async () => {
    emulator = await startEmulator({ speed: "instant" });
    place = await open();
    project = await createProject(text("one"), {
      ...{ baseUrl: emulator.baseUrl, token: emulator.token },
      environment: place.environment,
    });
    delete project.env["PULUMI_BACKEND_URL"];
    Object.assign(project.env, { PULUMI_CONFIG_PASSPHRASE: "what both know" });
    writeFileSync(join(project.folder, "Pulumi.dev.yaml"), "");
  });
  afterAll(async () => {
    project.remove();
    await place.close();
    await emulator.close();
  });
  const text = (...records: string[]): string =>
    stackText({
      ...{ name: "both", backend: { url: place.url } },
      resources: {
        zone: {
          type: "plumbline:dns:Domain",
          properties: { domain: "both.example", type: "master", soaEmail: "a@both.example" },
        },
        login: {
          type: "plumbline:managed:Credential",
          properties: { label: "staff", password: { "fn::secret": "Hunter2-Hunter2" } },
        },
        ...Object.fromEntries(records.map((name) => [name, recordOf(name)])),
      },
    });
  const writes = () =>
    Object.entries(emulator.stats().requests).reduce(
      (sum, [operation, count]) => (operation.startsWith("GET ") ? sum : sum + count),
      0,
    );
  const recordOf = (name: string) => ({
    type: "plumbline:dns:Record",
    properties: { domainId: "${zone.id}", type: "TXT", name, target: name },
  });
  const plumbline = (...args: string[]) => startCommand(args, { cwd: project.folder, env: project.env });
  const pulumi = async (...args: string[]) => {
    const ended = await project.command(...args);
    expect(ended.code, `pulumi ${args.join(" ")}: ${ended.stdout}${ended.stderr}`).toBe(0);
    return ended;
  };

  it("leads both there: what Pulumi made is told before it would be made again, and taken over without a request that writes", async () => {
    await pulumi("stack", "init", "dev");
    await pulumi("up", "--yes", "--skip-preview", "--stack", "dev");
    const unaware = await plumbline("preview", "--json");
    // Both objects are found to be there already; the first word says why.
    expect(unaware.code).toBe(1);
    const [first] = (JSON.parse(unaware.stdout) as { diagnostics: Diagnostic[] }).diagnostics;
    expect(first).toMatchObject({
      severity: "warning",
      message: expect.stringMatching(
        /^Pulumi keeps .*\.pulumi\/stacks\/both\/dev\.json.*plumbline stack import state\.json$/,
      ),
    });
    expect(unaware.stdout).not.toContain("secret-word");

    await pulumi("stack", "export", "--stack", "dev", "--file", "state.json");
    const before = writes();
    const imported = await plumbline("stack", "import", "state.json");
    expect(imported.code, imported.stderr).toBe(0);
    const after = await plumbline("preview", "--refresh", "--expect-no-changes");
    expect(after.code, after.stdout + after.stderr).toBe(0);
    expect(after.stdout + after.stderr).not.toContain("Pulumi keeps");
    expect(writes()).toBe(before);
  });

  it("and back: what was made here is Pulumi's again", async () => {
    project.write(text("two", "three"));
    const up = await plumbline("up", "--yes");
    expect(up.code, up.stdout + up.stderr).toBe(0);
    const exported = await plumbline("stack", "export", "--pulumi");
    expect(exported.stdout).not.toContain("Hunter2");
    writeFileSync(join(project.folder, "state.json"), exported.stdout);
    await pulumi("stack", "import", "--stack", "dev", "--file", "state.json");
    await pulumi("preview", "--refresh", "--expect-no-changes", "--stack", "dev");
  });
});
