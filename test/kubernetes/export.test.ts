/** A stack leaves as manifests: with its objects' ids, references by name, no secret unless asked, and an API server takes them. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { Manifest } from "../../provider/kubernetes/manifests.ts";
import { kinds } from "../../provider/provider.ts";
import { type Desk, openDesk } from "../cli/plumbline.ts";
import { hasKubernetes, startCluster } from "./cluster.ts";
import { applyDefinitions, pathOf } from "./definitions.ts";

const file = `name: shop
runtime: yaml
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: shop.example, type: master, soaEmail: a@b.example }, options: { protect: true } }
  wwwRecord: { type: "plumbline:dns:Record", properties: { domainId: "\${zone.id}", type: A, name: www, target: 192.0.2.1 } }
  elsewhere: { type: "plumbline:dns:Record", properties: { domainId: "${"${zone.id}"}", type: TXT, name: note, target: "a text: with a colon" } }
  office: { type: "plumbline:vpc:Vpc", properties: { label: office, region: us-east } }
  web: { type: "plumbline:vpc:Subnet", properties: { vpcId: "\${office.id}", label: web, ipv4: 10.0.0.0/24 }, options: { retainOnDelete: true } }
  login: { type: "plumbline:managed:Credential", properties: { label: login, username: anna, password: { "fn::secret": open sesame } } }
  page: { type: "plumbline:managed:Service", properties: { label: page, serviceType: url, address: "https://shop.example", timeout: 10, credentials: ["\${login.id}"] } }
  photos: { type: "plumbline:objectstorage:Bucket", properties: { cluster: us-east-1, label: shop-photos } }
  index: { type: "plumbline:objectstorage:Object", properties: { cluster: us-east-1, bucket: "\${photos.label}", name: index.html, content: hello } }
  database: { type: "plumbline:databases:PostgreSqlInstance", properties: { label: orders, engine: postgresql/13.2, region: us-east, type: g6-standard-1 } }
  before: { type: "plumbline:databases:Snapshot", properties: { kind: postgresql, instanceId: "\${database.id}", label: before } }
outputs: { zone: "\${zone.id}" }
`;

let desk: Desk;
const read = (text: string): Manifest[] => parseAllDocuments(text).map((each) => each.toJS() as Manifest);
const ofKind = (manifests: readonly Manifest[], kind: string) =>
  manifests.filter((each) => each.kind === kind);
const specOf = (manifests: readonly Manifest[], kind: string) =>
  ofKind(manifests, kind)[0]!["spec"] as { [property: string]: unknown };

beforeAll(async () => {
  desk = await openDesk();
  desk.write("Pulumi.yaml", file);
  const up = await desk.run(["up", "-y", "--skip-preview"]);
  expect(up.code, up.text).toBe(0);
});
afterAll(() => desk.close());

describe("stack export --kubernetes", () => {
  it("names objects instead of ids, and keeps the ids as annotations", async () => {
    const { stdout, stderr, code } = await desk.run(["stack", "export", "--kubernetes", "-n", "site"]);
    expect(code).toBe(0);
    const manifests = read(stdout);
    expect(manifests).toHaveLength(11);
    const [zone] = ofKind(manifests, "Domain");
    expect(zone!.metadata).toMatchObject({
      name: "zone",
      namespace: "site",
      annotations: {
        "plumbline.dev/external-id": expect.stringMatching(/^\d+$/),
        "plumbline.dev/protect": "true",
      },
    });
    expect(ofKind(manifests, "Record").map(({ metadata: { name } }) => name)).toEqual([
      "www-record",
      "elsewhere",
    ]);
    expect(specOf(manifests, "Record")).toEqual({
      domainRef: { name: "zone" },
      type: "A",
      name: "www",
      target: "192.0.2.1",
    });
    expect(specOf(manifests, "Subnet")).toMatchObject({
      vpcRef: { name: "office" },
      deletionPolicy: "Retain",
    });
    expect(specOf(manifests, "Service")).toMatchObject({ credentialRefs: [{ name: "login" }] });
    expect(specOf(manifests, "Object")).toMatchObject({ bucketRef: { name: "photos" }, content: "hello" });
    expect(specOf(manifests, "Snapshot")).toMatchObject({
      instanceRef: { kind: "PostgreSqlInstance", name: "database" },
    });
    expect(specOf(manifests, "Credential")).toMatchObject({
      passwordSecretRef: { name: "credential-login", key: "password" },
    });
    expect(stdout + stderr).not.toContain("open sesame");
    expect(stderr).toContain("to be made: Secret credential-login with password");
  });

  it("writes Secrets where that is asked for, each before what names it", async () => {
    const { stdout, stderr } = await desk.run(["stack", "export", "--kubernetes", "--show-secrets"]);
    const manifests = read(stdout);
    const at = manifests.findIndex(({ kind }) => kind === "Secret");
    expect(manifests[at]).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "credential-login" },
      stringData: { password: "open sesame" },
    });
    expect(manifests[at + 1]!.kind).toBe("Credential");
    expect(stderr).toBe("");
  });

  it("says of each object just what the stack does", async () => {
    const { stdout } = await desk.run(["stack", "export", "--kubernetes", "--show-secrets"]);
    const manifests = read(stdout);
    const state = JSON.parse((await desk.run(["stack", "export", "--pulumi", "--show-secrets"])).stdout) as {
      deployment: { resources: { id?: string; type: string; inputs: { [name: string]: unknown } }[] };
    };
    const inputs = new Map(
      state.deployment.resources.map((each) => [`${each.type} ${each.id}`, each.inputs]),
    );
    const kindNamed = (name: string) => [...kinds.values()].find(({ kind }) => kind === name)!;
    const idOf = ({ metadata }: Manifest) => metadata.annotations!["plumbline.dev/external-id"]!;
    const declared = ({ kind, ...manifest }: Manifest): { [name: string]: unknown } =>
      kindNamed(kind).inputsOf(manifest["spec"] as object & { [property: string]: unknown }, {
        target({ kind: of }, name) {
          const found = ofKind(manifests, of).find(({ metadata }) => metadata.name === name);
          return found && { id: idOf(found), inputs: declared(found) as never };
        },
        secret: ({ name, key }) =>
          (
            manifests.find((each) => each.kind === "Secret" && each.metadata.name === name)![
              "stringData"
            ] as {
              [key: string]: string;
            }
          )[key],
        content: () => undefined,
      }).inputs;
    const ours = manifests.filter(({ kind }) => kind !== "Secret");
    for (const manifest of ours) {
      const { token } = kindNamed(manifest.kind);
      const wanted = inputs.get(`${token} ${idOf(manifest)}`)!;
      const found = declared(manifest);
      expect(Object.keys(found).sort()).toEqual(
        Object.keys(wanted)
          .filter((name) => name !== "__defaults")
          .sort(),
      );
      for (const [name, value] of Object.entries(found))
        if (!("password" === name))
          expect([manifest.kind, name, value]).toEqual([manifest.kind, name, wanted[name]]);
    }
    expect(ours).toHaveLength(11);
  });

  it("shows nothing that the stack keeps secret where no Secret can have it", async () => {
    desk.write(
      "hidden.yaml",
      `name: hidden
runtime: yaml
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: hidden.example, type: master, soaEmail: a@b.example, description: { "fn::secret": not for everybody } } }
`,
    );
    expect((await desk.run(["up", "-y", "--skip-preview", "-f", "hidden.yaml"])).code).toBe(0);
    const ran = await desk.run(["stack", "export", "--kubernetes", "-f", "hidden.yaml"]);
    expect([ran.code, ran.text]).toEqual([
      1,
      expect.stringContaining("keeps secret: zone.description; --show-secrets"),
    ]);
    expect(ran.text).not.toContain("not for everybody");
    const shown = await desk.run(["stack", "export", "--kubernetes", "--show-secrets", "-f", "hidden.yaml"]);
    expect(specOf(read(shown.stdout), "Domain")).toMatchObject({ description: "not for everybody" });
  });

  it("is refused beside what it is not", async () => {
    const ran = await desk.run(["stack", "export", "--kubernetes", "--pulumi"]);
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining("cannot be combined with --pulumi")]);
  });

  it.skipIf(!hasKubernetes)("is taken by an API server as it stands", { timeout: 120_000 }, async () => {
    const { stdout } = await desk.run(["stack", "export", "--kubernetes", "--show-secrets", "-n", "site"]);
    const cluster = await startCluster();
    try {
      await applyDefinitions(cluster);
      for (const manifest of read(stdout)) {
        const { status, body, warnings } = await cluster.apply(pathOf(manifest), manifest);
        expect([status, body.message, warnings]).toEqual([201, undefined, []]);
      }
    } finally {
      await cluster.close();
    }
  });
});
describe("what stack export --kubernetes finds in files and keys", () => {
  const stack = (source: string, more = "") => `name: files
runtime: yaml
resources:
  photos: { type: "plumbline:objectstorage:Bucket", properties: { cluster: us-east-1, label: files-photos } }
  page: { type: "plumbline:objectstorage:Object", properties: { cluster: us-east-1, bucket: "\${photos.label}", name: page, source: { "fn::fileAsset": "${source}" } } }
${more}`;
  const open = async (source: string, bytes: Uint8Array) => {
    const own = await openDesk();
    own.write("Pulumi.yaml", stack(`./${source}`));
    writeFileSync(join(own.folder, source), bytes);
    const up = await own.run(["up", "-y", "--skip-preview"]);
    expect(up.code, up.text).toBe(0);
    return own;
  };

  it.each([
    ["a short text", "page.html", new TextEncoder().encode("<p>märz</p>\n")],
    ["a picture", "page.png", Uint8Array.of(0x89, 0x50, 0xff, 0x00)],
    ["a long text", "page.txt", new TextEncoder().encode("x".repeat(40_000))],
  ])("has the content of %s", async (_, file, bytes) => {
    const own = await open(file, bytes);
    const manifests = read((await own.run(["stack", "export", "--kubernetes", "-n", "site"])).stdout);
    await own.close();
    const source = specOf(manifests, "Object")["source"] as {
      text?: string;
      configMapKeyRef?: { name: string; key: string };
    };
    const { name, key } = source.configMapKeyRef ?? {};
    const map = ofKind(manifests, "ConfigMap")[0];
    const held = (map?.["binaryData"] as { [key: string]: string } | undefined)?.[key ?? ""];
    expect(source.configMapKeyRef === undefined).toBe(file === "page.html");
    expect(map?.metadata).toEqual(name && { name, namespace: "site" });
    expect(Buffer.from(held ?? "", "base64").toString("latin1") || source.text).toBe(
      file === "page.html" ? "<p>märz</p>\n" : Buffer.from(bytes).toString("latin1"),
    );
  });

  it.each([
    ["is gone", (path: string) => rmSync(path), /page\.source is left out: .*there is no such file/],
    [
      "is another than was applied",
      (path: string) => writeFileSync(path, "other"),
      /page\.source is left out: .*has changed since/,
    ],
  ])("leaves out the content of a file that %s, and says so", async (_, harm, said) => {
    const own = await open("page.html", new TextEncoder().encode("as applied"));
    harm(join(own.folder, "page.html"));
    const { code, stdout, stderr } = await own.run(["stack", "export", "--kubernetes"]);
    await own.close();
    expect([code, specOf(read(stdout), "Object")]).toEqual([
      0,
      { bucketRef: { name: "photos" }, name: "page" },
    ]);
    expect(stderr).toMatch(said);
  });
});
