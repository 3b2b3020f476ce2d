import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { areas } from "../../../emulator/areas/index.ts";
import { selfSigned } from "../../../emulator/certificate.ts";
import { type Operation, operations } from "../../../emulator/contract/contract.ts";
import type { Shape } from "../../../emulator/contract/shape.ts";
import { startEmulator } from "../../../emulator/index.ts";
import { ask } from "../client.ts";
import { expectKept } from "../kept.ts";

const folder = mkdtempSync(join(tmpdir(), "emulator-fuzz-"));
afterAll(() => rmSync(folder, { recursive: true }));

const publicKey = `ssh-ed25519 ${"A".repeat(68)}`;

/** What there is before each run, so that paths lead somewhere. A new area adds its objects here, and its words to `usual`. */
const first: [string, object][] = [
  ["/domains", { domain: "first.example.com", type: "master", soa_email: "a@example.com" }],
  ["/domains/${0.id}/records", { type: "A", name: "www", target: "192.0.2.1" }],
  ["/vpcs", { label: "first", region: "us-east", subnets: [{ label: "one", ipv4: "10.5.0.0/24" }] }],
  ["/volumes", { label: "first", region: "us-east", size: 20 }],
  [
    "/compute/instances",
    { region: "us-east", type: "g6-nanode-1", image: "compute/debian12", root_pass: "a-Long-pass-5" },
  ],
  ["/compute/instances", { region: "us-east", type: "g6-nanode-1", label: "bare" }],
  ["/profile/tokens", { label: "first" }],
  ["/profile/sshkeys", { label: "first", ssh_key: publicKey }],
  [
    "/lke/clusters",
    {
      label: "first",
      region: "us-east",
      k8s_version: "1.28",
      node_pools: [
        { type: "g6-standard-1", count: 3 },
        { type: "g6-standard-2", count: 1 },
      ],
    },
  ],
  ["/object-storage/buckets", { label: "first.example.com", cluster: "us-east-1" }],
  ["/object-storage/keys", { label: "first" }],
  ["/account/users", { username: "first", email: "f@example.com", restricted: true }],
];
const beginning = first.map(([path, body]) => ({ method: "POST", path, body }));

/** What only other means than requests to the API put there: a stored object. */
const planted = {
  objectStorageBuckets: [
    {
      id: 5,
      cluster: "us-east-1",
      label: "planted",
      created: "2024-04-01T10:00:00",
      acl: "private",
      cors_enabled: false,
      _certificate: null,
    },
  ],
  objectStorageObjects: [
    {
      id: 6,
      bucket_id: 5,
      name: "www",
      size: 0,
      etag: "d41d8cd98f00b204e9800998ecf8427e",
      last_modified: "2024-04-01T10:00:00.000Z",
      content_type: "text/plain",
      acl: "private",
      _content: "",
    },
  ],
};

const certificate = selfSigned({
  seed: "1".repeat(64),
  name: "first.example.com",
  from: new Date("2020-01-01T00:00:00Z"),
  to: new Date("2120-01-01T00:00:00Z"),
});

const answered = new Set(areas.flatMap(({ handlers }) => Object.keys(handlers)));
const targets = operations.filter(({ key }) => answered.has(key));

const odd = fc.constantFrom<unknown>(null, "", "x", "5", 0, -1, 1.5, 1e300, true, [], {}, [null], [{}], {
  a: { b: 1 },
});

const letter = fc.constantFrom("a", "b", "c", "d");
const label = letter.map((end) => `label-${end}`);
const address = fc.constantFrom("192.0.2.1", "2001:db8::1", "10.0.0.5", "[remote_addr]");

/** What properties of a name mostly hold; a name of an object's own comes first. */
const usual: { [name: string]: fc.Arbitrary<unknown> } = {
  label,
  domain: letter.map((start) => `${start}.example.com`),
  soa_email: fc.constant("a@example.com"),
  email: fc.constant("a@example.com"),
  username: letter.map((end) => `user-${end}`),
  region: fc.constantFrom("us-east", "us-east", "us-southeast"),
  image: fc.constantFrom("compute/debian12", null),
  root_pass: fc.constant("a-Long-pass-5"),
  kernel: fc.constant("compute/latest-64bit"),
  ipv4: fc.constantFrom("10.0.0.0/24", "10.0.1.0/24", "172.16.0.0/12", "10.0.0.0/8"),
  master_ips: fc.array(address, { maxLength: 2 }),
  axfr_ips: fc.array(address, { maxLength: 2 }),
  target: fc.oneof(address, fc.constantFrom("www.example.com", "mail", "", "0", "ca.example.org", "a text")),
  name: fc.constantFrom("www", "", "mail", "*", "a.b", "_sip._tcp"),
  service: fc.constantFrom("sip", "_sip", null),
  protocol: fc.constantFrom("tcp", "_udp", null),
  size: fc.integer({ min: 9, max: 60 }),
  priority: fc.constantFrom(0, 10, 255),
  remote_nameserver: fc.constant("127.0.0.1:1"),
  expiry: fc.constantFrom("2040-01-01T00:00:00", null),
  scopes: fc.constantFrom("*", "domains:read_only"),
  tags: fc.array(letter, { maxLength: 3 }),
  compute_id: fc.constant("@/compute/instances"),
  subnet_id: fc.constant("@subnets"),
  volume_id: fc.constant("@/volumes"),
  purpose: fc.constantFrom("vpc", "public"),
  cluster: fc.constantFrom("us-east-1", "us-iad-1"),
  bucket_name: fc.constantFrom("first.example.com", "planted"),
  certificate: fc.constant(certificate.certificate),
  private_key: fc.constant(certificate.privateKey),
  content_type: fc.constant("text/plain"),
  ssh_key: fc.constant(publicKey),
  rdns: fc.constantFrom("www.example.com", null),
  "POST /tags label": letter.map((end) => `tag-${end}`),
  computes: fc.constant(["@/compute/instances"]),
  domains: fc.constant(["@/domains"]),
  volumes: fc.constant(["@/volumes"]),
  k8s_version: fc.constantFrom("1.27", "1.28", "1.28", "1.29"),
  count: fc.integer({ min: 1, max: 4 }),
  node_pools: fc.array(
    fc.record({
      type: fc.constantFrom("g6-standard-1", "g6-standard-2"),
      count: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  "POST /lke/clusters/{clusterId}/pools type": fc.constant("g6-standard-1"),
  "POST /domains type": fc.constantFrom("master", "master", "slave"),
  "POST /compute/instances type": fc.constant("g6-nanode-1"),
};

/** Mostly what the property is for, often what the shape allows, sometimes what it does not. */
function arbitrary(shape: Shape | undefined, depth: number, key: string, name = ""): fc.Arbitrary<unknown> {
  if (!shape || depth > 4) return odd;
  const known = depth === 1 ? (usual[`${key} ${name}`] ?? usual[name]) : usual[name];
  return fc.oneof(
    { weight: known ? 60 : 0, arbitrary: known ?? odd },
    { weight: 9, arbitrary: fitting(shape, depth, key) },
    { weight: 1, arbitrary: odd },
  );
}

function fitting(shape: Shape, depth: number, key: string): fc.Arbitrary<unknown> {
  const {
    enum: choices,
    minimum = 0,
    maximum = 70_000,
    minLength = 0,
  } = shape.rules as { [rule: string]: never } & {
    enum?: unknown[];
    minimum?: number;
    maximum?: number;
    minLength?: number;
  };
  if (choices) return fc.constantFrom(...choices);
  const type = shape.types.find((name) => name !== "null");
  switch (type) {
    case "integer":
    case "number":
      return fc.oneof(
        fc.integer({ min: minimum, max: maximum }),
        fc.constantFrom(minimum, maximum, minimum - 1),
      );
    case "boolean":
      return fc.boolean();
    case "string":
      return fc.oneof(
        words,
        fc.string({ minLength, maxLength: 70, unit: "grapheme" }),
        fc.string({ minLength, maxLength: 20 }),
      );
    case "array":
      return fc.array(arbitrary(shape.items, depth + 1, key), { maxLength: 3 });
    case "object": {
      const properties = [...shape.properties].filter(([, property]) => !property.readOnly);
      if (properties.length === 0) return odd;
      const content = Object.fromEntries(
        properties.map(([name, property]) => [name, arbitrary(property, depth + 1, key, name)]),
      );
      const required = properties.map(([name]) => name).filter((name) => shape.required.has(name));
      const optional = properties.map(([name]) => name).filter((name) => !shape.required.has(name));
      // Few properties at a time, so that one problem does not hide all the others.
      return fc
        .subarray(optional, { maxLength: Math.min(4, optional.length) })
        .chain((chosen) =>
          fc.record(Object.fromEntries([...required, ...chosen].map((name) => [name, content[name]!]))),
        );
    }
    default:
      return odd;
  }
}

const words = fc.constantFrom(
  "us-east",
  "us-southeast",
  "g6-nanode-1",
  "compute/debian12",
  "compute/latest-64bit",
  "example.com",
  "www.example.com",
  "a@example.com",
  "a-label",
  "any",
  "10.0.0.0/24",
  "10.0.0.5",
  "192.0.2.1",
  "2001:db8::1",
  "[remote_addr]",
  "0 issue ca.example.org",
  "sip",
  "_tcp",
  "2030-01-01T00:00:00",
  "a-Long-pass-5",
);

const step = fc.constantFrom(...targets).chain((operation) =>
  fc.record({
    key: fc.constant(operation.key),
    body: operation.body ? fitting(operation.body, 0, operation.key) : fc.constant(undefined),
    pick: fc.array(fc.nat(1_000), { minLength: 4, maxLength: 4 }),
    query: fc.constantFrom("", "", "", "", "?name=www", "?name=www", "?page=2&page_size=25", "?page=x"),
    filter: fc.constantFrom(
      ...Array.from({ length: 12 }, () => undefined),
      ...[
        { id: { "+gt": 0 } },
        { "+order_by": "label", "+order": "desc" },
        { tags: "a" },
        { constructor: 1 },
      ],
    ),
  }),
);

test("no request makes the emulator fail, answer outside the contract, or forget a change in its data file", async () => {
  const logged: string[] = [];
  const succeeded = new Set<string>();
  const seed = join(folder, "seed.json");
  writeFileSync(seed, JSON.stringify({ requests: beginning, collections: planted }));
  const data = join(folder, "account.json");
  const emulator = await startEmulator({ seed, data, checkAnswers: true, log: (line) => logged.push(line) });
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 120, size: "max" }), async (steps) => {
        emulator.reset();
        const known = new Map<string, string[]>();
        const look = async (path: string) => {
          const { json } = await ask(emulator.port, "GET", `/v4${path}`);
          remember(path, "GET", json, known);
          return known.get(path)?.at(0);
        };
        for (const path of [
          "/regions",
          "/images",
          "/compute/types",
          "/compute/kernels",
          "/account/events",
          "/tags",
        ])
          await look(path);
        await look("/profile/tokens");
        await look("/profile/sshkeys");
        known.set("/account/availability", known.get("/regions") ?? []);
        await look("/account/users");
        await look("/volumes");
        for (const path of ["/lke/versions", "/object-storage/clusters", "/object-storage/buckets"])
          await look(path);
        await look("/object-storage/keys");
        await look(`/lke/clusters/${await look("/lke/clusters")}/pools`);
        await look(`/domains/${await look("/domains")}/records`);
        await look(`/vpcs/${await look("/vpcs")}/subnets`);
        const instance = `/compute/instances/${await look("/compute/instances")}`;
        await look(`${instance}/configs`);
        await look(`${instance}/disks`);
        await look(`${instance}/ips`);
        for (const { key, body, pick, query, filter } of steps) {
          const operation = targets.find((target) => target.key === key)!;
          const path = fill(operation, pick, known);
          const told = await ask(emulator.port, operation.method, `/v4${path}${query}`, {
            body: withIds(body, pick[2]!, known),
            ...(filter && { filter }),
          });
          const where = `${operation.method} ${path} ${JSON.stringify(body)}: ${told.text}`;
          expect([200, 204, 400, 403, 404, 503], where).toContain(told.status);
          if (told.status === 400) expect(told.json.errors.length, where).toBeGreaterThan(0);
          if (told.status === 200) {
            remember(path, operation.method, told.json, known);
            succeeded.add(operation.key);
          }
          if (pick[3]! % 5 === 0) emulator.advance(pick[3]!);
        }
        expect(emulator.mismatches).toEqual([]);
        expect(logged).toEqual([]);
        await expectKept(emulator, data);
      }),
      { numRuns: 25, seed: 20_240_417, endOnFailure: true },
    );
    // Requests that are all refused would prove nothing: most operations of the areas that `beginning` prepares must succeed.
    const prepared = targets.filter(({ template }) =>
      beginning.some(
        ({ path }) => path.split("/")[1] === template.split("/")[1] && !template.includes("stackscript"),
      ),
    );
    const unreached = prepared.map(({ key }) => key).filter((key) => !succeeded.has(key));
    expect(unreached.length / prepared.length, unreached.join(", ")).toBeLessThan(0.15);
  } finally {
    await emulator.close();
  }
}, 120_000);

/** A path whose ids answers have told, mostly; sometimes a number that nothing has. */
function fill(operation: Operation, pick: readonly number[], known: Map<string, string[]>): string {
  let path = "";
  let at = 0;
  for (const segment of operation.template.slice(1).split("/")) {
    if (!segment.startsWith("{")) {
      path += `/${segment}`;
      continue;
    }
    const chosen = pick[at++ % pick.length]!;
    const ids = known.get(path) ?? [];
    path += `/${encodeURIComponent((chosen % 15 === 0 ? undefined : ids[chosen % ids.length]) ?? "77")}`;
  }
  return path;
}

/** Puts known ids in place of `@` and the end of their collection's path. */
function withIds(value: unknown, pick: number, known: Map<string, string[]>): unknown {
  if (typeof value === "string" && value.startsWith("@")) {
    const ids = [...known].find(([path]) => path.endsWith(value.slice(1)))?.[1] ?? [];
    return ids.length === 0 ? 77 : Number(ids[pick % ids.length]);
  }
  if (Array.isArray(value)) return value.map((item) => withIds(item, pick, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, content]) => [name, withIds(content, pick, known)]),
  );
}

/** Keeps the ids that an answer tells, by the path of their collection. */
function remember(path: string, method: string, json: unknown, known: Map<string, string[]>): void {
  const several =
    (json as { data?: unknown })?.data ?? (json as { ipv4?: { public?: unknown } })?.ipv4?.public;
  const items = several ?? (method === "POST" || Array.isArray(json) ? [json].flat() : []);
  const at = method === "POST" && /\/(clone|import)$/.test(path) ? `/${path.split("/")[1]}` : path;
  for (const item of Array.isArray(items) ? items : []) {
    const { id, username, cluster, label, address, nodes } = (item ?? {}) as {
      [name in "id" | "username" | "cluster" | "label" | "address"]?: string;
    } & { nodes?: { id: string }[] };
    const bucket = path.startsWith("/object-storage/buckets") && cluster !== undefined;
    if (at.endsWith("/ips")) keep(known, at, address);
    else keep(known, at, path === "/account/users" ? username : bucket ? cluster : id);
    if (bucket) keep(known, `/object-storage/buckets/${cluster}`, label);
    for (const node of nodes ?? []) keep(known, path.replace(/pools.*/, "nodes"), node.id);
  }
}

function keep(known: Map<string, string[]>, at: string, name: string | undefined): void {
  const ids = known.get(at) ?? [];
  if (name !== undefined && !ids.includes(String(name))) known.set(at, [...ids, String(name)].slice(-20));
}
