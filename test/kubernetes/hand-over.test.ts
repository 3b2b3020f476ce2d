/** From an account, or a stack, to manifests and back to a stack: nothing is written to the service on the way, and no secret is shown that nobody asked for. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { Manifest } from "../../provider/kubernetes/manifests.ts";
import { type Desk, openDesk } from "../cli/plumbline.ts";
import { writes } from "../e2e/account.ts";
import { makeByHand } from "../e2e/hand-made.ts";
import { hasKubernetes, startCluster } from "./cluster.ts";
import { applyDefinitions, pathOf } from "./definitions.ts";
import { kubectlOf } from "./kubectl.ts";
import { type ControllerProcess, serviceAccount, startControllerProcess } from "./process.ts";

const read = (text: string): Manifest[] => parseAllDocuments(text).map((each) => each.toJS() as Manifest);
const idsOf = (manifests: readonly Manifest[]) =>
  manifests
    .filter(({ kind }) => kind !== "Secret")
    .map(({ kind, metadata }) => `${kind} ${metadata.annotations!["plumbline.dev/external-id"]}`)
    .sort();

describe("an account that was made by hand", { timeout: 120_000 }, () => {
  let desk: Desk;
  let before: object;
  beforeAll(async () => {
    desk = await openDesk();
    await makeByHand(desk.emulator);
    before = writes(desk.emulator);
  });
  afterAll(() => desk.close());
  beforeEach(() => expect(writes(desk.emulator)).toEqual(before));

  const asManifests = async (...more: string[]) => {
    const ran = await desk.run(["import", "--all", "--kubernetes", ...more]);
    expect(ran.code, ran.stderr).toBe(0);
    return { ...ran, manifests: read(ran.stdout) };
  };

  it("is printed as manifests with ids and references by name, in the namespace, and nothing is kept or written", async () => {
    const { manifests, stderr } = await asManifests("-n", "site", "--protect");
    expect(manifests.length).toBeGreaterThan(30);
    for (const { metadata } of manifests) {
      expect(metadata.namespace).toBe("site");
      expect(metadata.annotations).toMatchObject({
        "plumbline.dev/external-id": expect.stringMatching(/./),
        "plumbline.dev/protect": "true",
      });
    }
    const records = manifests.filter(({ kind }) => kind === "Record");
    expect(records.map((each) => (each["spec"] as { domainRef?: object }).domainRef)).not.toContain(
      undefined,
    );
    expect(stderr).toContain("the service does not tell username, password");
    expect((await desk.run(["stack", "ls"])).text).not.toContain("dev");
    expect(writes(desk.emulator)).toEqual(before);
  });

  it("leaves out other areas, where one is named", async () => {
    const { manifests } = await asManifests("--area", "vpc");
    expect(new Set(manifests.map(({ apiVersion }) => apiVersion))).toEqual(
      new Set(["vpc.plumbline.dev/v1alpha1"]),
    );
  });

  it.skipIf(!hasKubernetes)(
    "is kept by a controller that writes nothing to the service, and comes back from the cluster as a stack whose preview is empty",
    { timeout: 180_000 },
    async () => {
      const { manifests } = await asManifests("-n", "site");
      const cluster = await startCluster({ users: [serviceAccount] });
      let controller: ControllerProcess | undefined;
      try {
        expect((await kubectlOf(cluster)("apply", "--server-side", "-k", "deploy/kubernetes")).stderr).toBe(
          "",
        );
        await applyDefinitions(cluster);
        const { baseUrl, token } = desk.emulator;
        const account = {
          ...{ apiVersion: "plumbline.dev/v1alpha1", kind: "Account" },
          metadata: { name: "default", namespace: "site" },
          spec: { baseUrl, tokenSecretRef: { name: "token", key: "token" } },
        };
        const secret = {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: "token", namespace: "site" },
          stringData: { token },
        };
        for (const manifest of [...manifests, secret, account]) {
          const { status, body } = await cluster.apply(pathOf(manifest), manifest);
          expect([status, body.message]).toEqual([201, undefined]);
        }
        controller = await startControllerProcess(cluster);
        const kubectl = kubectlOf(cluster);
        const ready = await kubectl(
          "wait",
          "--for=condition=Ready",
          "plumbline",
          "--all",
          "-n",
          "site",
          "--timeout=60s",
        );
        expect([ready.code, ready.stderr]).toEqual([0, ""]);
        expect(writes(desk.emulator)).toEqual(before);
        const shown = await kubectl("get", "plumbline", "-n", "site", "-o", "yaml");
        expect(await controller.end()).toBe(0);
        const words = ["-s", "back", "-f", "back.yaml"];
        const back = await desk.run(["import", ...words, "-y", "--from-kubernetes", "-"], {
          input: shown.stdout,
        });
        expect([back.code, back.text]).toEqual([
          0,
          expect.stringContaining(`imported ${manifests.length} objects`),
        ]);
        const preview = await desk.run(["preview", ...words, "--expect-no-changes", "--refresh"]);
        expect(preview.code, preview.text).toBe(0);
        expect(writes(desk.emulator)).toEqual(before);
      } finally {
        await controller?.end();
        await cluster.close();
      }
    },
  );

  it("becomes a stack by its manifests, whose preview is empty, and leaves as the same manifests", async () => {
    const { stdout, manifests } = await asManifests("-n", "site");
    desk.write("account.yaml", stdout);
    const ran = await desk.run(["import", "--from-kubernetes", "account.yaml", "-y"]);
    expect([ran.code, ran.text]).toEqual([
      0,
      expect.stringContaining(`imported ${manifests.length} objects`),
    ]);
    const preview = await desk.run(["preview", "--expect-no-changes", "--refresh"]);
    expect(preview.code, preview.text).toBe(0);
    const { stdout: again } = await desk.run(["stack", "export", "--kubernetes", "-n", "site"]);
    const parts = (text: string) => new Map(read(text).map((each) => [idsOf([each])[0], each]));
    expect(parts(again)).toEqual(parts(stdout));
    expect(writes(desk.emulator)).toEqual(before);
    // What the stack has is left to it.
    const { stdout: rest, stderr } = await asManifests();
    expect(rest).toBe("");
    expect(stderr).toContain("stack export --kubernetes writes them");
  });
});

describe("a stack with secrets", { timeout: 120_000 }, () => {
  const file = `name: shop
runtime: yaml
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: shop.example, type: master, soaEmail: a@b.example }, options: { protect: true } }
  www: { type: "plumbline:dns:Record", properties: { domainId: "\${zone.id}", type: A, name: www, target: 192.0.2.1 }, options: { retainOnDelete: true } }
  login: { type: "plumbline:managed:Credential", properties: { label: login, username: anna, password: { "fn::secret": open sesame } } }
`;
  let desk: Desk;
  let before: object;
  beforeAll(async () => {
    desk = await openDesk();
    desk.write("Pulumi.yaml", file);
    const up = await desk.run(["up", "-y", "--skip-preview"]);
    expect(up.code, up.text).toBe(0);
    before = writes(desk.emulator);
    const { stdout } = await desk.run(["stack", "export", "--kubernetes", "--show-secrets"]);
    desk.write("shown.yaml", stdout);
    const bare = read(stdout).filter(({ kind }) => kind !== "Secret");
    desk.write("list.json", JSON.stringify({ apiVersion: "v1", kind: "List", items: bare }));
  });
  afterAll(() => desk.close());
  const text = (name: string) => readFileSync(join(desk.folder, name), "utf8");
  const imported = async (stack: string, ...words: string[]) => {
    const ran = await desk.run(["import", "-s", stack, "-f", `${stack}.yaml`, "-y", ...words]);
    expect(ran.code, ran.text).toBe(0);
    const preview = await desk.run(["preview", "-s", stack, "-f", `${stack}.yaml`, "--expect-no-changes"]);
    expect(preview.code, preview.text).toBe(0);
    expect(writes(desk.emulator)).toEqual(before);
    return ran;
  };

  it("is left with its manifests, whose options come along, and without the secret", async () => {
    const { text: told } = await imported("quiet", "--from-kubernetes", "list.json");
    expect(told + text("quiet.yaml")).not.toContain("open sesame");
    expect(text("quiet.yaml")).toMatch(/zone:[\s\S]*protect: true/);
    expect(text("quiet.yaml")).toMatch(/www:[\s\S]*retainOnDelete: true/);
    expect(text("quiet.yaml")).toContain("The service never tells password");
    const state = await desk.run(["stack", "export", "-s", "quiet", "-f", "quiet.yaml", "--show-secrets"]);
    expect(state.stdout).not.toContain("open sesame");
  });

  it("comes with the secrets of the Secrets beside them, sealed in the state, where that is asked for", async () => {
    await imported("loud", "--from-kubernetes", "shown.yaml", "--show-secrets");
    expect(text("loud.yaml")).toContain("fn::secret: open sesame");
    const sealed = await desk.run(["stack", "export", "-s", "loud", "-f", "loud.yaml"]);
    expect(sealed.stdout).not.toContain("open sesame");
  });

  it("is read from standard input, as kubectl shows objects", async () => {
    const { code, text: told } = await desk.run(
      ["import", "-s", "piped", "-f", "piped.yaml", "--preview-only", "--from-kubernetes", "-"],
      { input: text("list.json") },
    );
    expect([code, told]).toEqual([0, expect.stringContaining("plumbline:dns:Record")]);
  });

  it("says of each object that it cannot take why", async () => {
    const [zone, www] = ["Domain", "Record"].map(
      (kind) => read(text("shown.yaml")).find((each) => each.kind === kind)!,
    ) as [Manifest, Manifest];
    const gone = {
      ...zone,
      metadata: { ...zone.metadata, name: "gone", annotations: { "plumbline.dev/external-id": "999" } },
    };
    const fresh = { ...zone, metadata: { name: "fresh" } };
    const lone = {
      ...www,
      metadata: { ...www.metadata, name: "lone" },
      spec: { ...(www["spec"] as object), domainRef: { name: "nowhere" } },
    };
    const moved = { ...zone, spec: { ...(zone["spec"] as object), soaEmail: "other@b.example" } };
    const items = [gone, fresh, lone, moved];
    desk.write("odd.json", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const { code, text: told } = await desk.run([
      ...["import", "-s", "odd", "-f", "odd.yaml", "--preview-only", "--from-kubernetes", "odd.json"],
    ]);
    expect(code).toBe(0);
    expect(told).toMatch(/left out .*is not on the account: gone/);
    expect(told).toMatch(/left out .*has no annotation plumbline\.dev\/external-id.*: .*fresh/);
    expect(told).toMatch(/left out .*spec\.domainRef: Domain nowhere is not given with it: .*lone/);
    expect(told).toMatch(/left out .*it is declared otherwise than it is: soaEmail: zone/);
  });

  it.each([
    [["--from-kubernetes", "none.yaml"], /--from-kubernetes: cannot read none\.yaml/],
    [["--from-kubernetes", "Pulumi.yaml"], /Pulumi\.yaml has something that is no manifest/],
    [["--from-kubernetes", "list.json", "--all"], /--all cannot be combined with --from-kubernetes/],
    [["--all", "--kubernetes", "--add"], /--add cannot be combined with --kubernetes/],
    [["--all", "-n", "site"], /--namespace goes with --kubernetes/],
    [["--all", "--kubernetes", "-n", "No Such"], /--namespace needs the name of a namespace/],
    [["--kubernetes"], /--kubernetes goes with --all/],
  ])("is refused with %j", async (words, reason) => {
    const { code, stderr } = await desk.run(["import", "-f", "refused.yaml", ...words]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
  });
});
