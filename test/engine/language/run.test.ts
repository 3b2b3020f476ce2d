import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CheckFailedError, ResourceInitFailedError } from "../../../provider/core/protocol.ts";
import {
  archive,
  asset,
  resourceReference,
  secret,
  unknown,
  unknownFrom,
  type ValueMap,
} from "../../../provider/core/value.ts";
import { type Goal, ProgramError } from "../../../provider/engine/host.ts";
import { type FakeHost, type FakeHostOptions, fakeHost, head, load, told } from "./fixture.ts";

const domainUrn = (name: string) => `urn:pulumi:dev::p::plumbline:dns/domain:Domain::${name}`;
const recordUrn = (name: string) => `urn:pulumi:dev::p::plumbline:dns/record:Record::${name}`;

/** Two resources that nearly every test uses. */
const zone = `resources:
  zone:
    type: plumbline:dns:Domain
    properties: { domain: a.example, type: master, password: hidden }
`;

async function run(
  text: string,
  options: FakeHostOptions & { files?: { readonly [name: string]: string } } = {},
): Promise<{ outputs: ValueMap; host: FakeHost; goal: (name: string) => Goal }> {
  const program = await load({ "Pulumi.yaml": `${head}${text}`, ...options.files });
  expect(told(program.diagnostics).filter((line) => line.includes(" error "))).toEqual([]);
  const host = fakeHost(options);
  const outputs = await program.run(host);
  return { outputs, host, goal: (name) => host.goals.find((goal) => goal.name === name)! };
}

async function failure(
  text: string,
  options: FakeHostOptions = {},
): Promise<{ lines: string[]; host: FakeHost; error: ProgramError }> {
  const program = await load(`${head}${text}`);
  expect(told(program.diagnostics).filter((line) => line.includes(" error "))).toEqual([]);
  const host = fakeHost(options);
  const error = await program.run(host).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProgramError)) throw error ?? new Error("the program did not fail");
  return { lines: told(error.diagnostics), host, error };
}

describe("a program", () => {
  test("registers what it declares, with inputs, types and dependencies", async () => {
    const { outputs, goal } = await run(`variables:
  mail: hostmaster@a.example
  fromZone: { inner: ["\${zone.id}"] }
${zone}  www:
    type: plumbline:dns/record:Record
    name: renamed
    properties: { domainId: "\${fromZone.inner[0]}", type: A, target: "\${zone.domain}.", name: "\${mail}", ttlSec: 300 }
outputs:
  id: \${zone.id}
  text: "the id is \${www.id}"
  urn: \${www.urn}
  nothing: \${zone.soaEmail}
`);
    expect(outputs).toEqual({ id: "id-zone", text: "the id is id-renamed", urn: recordUrn("renamed") });
    expect(goal("zone")).toMatchObject({
      type: "plumbline:dns/domain:Domain",
      inputs: { domain: "a.example", type: "master", password: secret("hidden") },
      dependencies: [],
      propertyDependencies: {},
    });
    expect(goal("renamed")).toMatchObject({
      type: "plumbline:dns/record:Record",
      inputs: {
        domainId: "id-zone",
        type: "A",
        target: "a.example.",
        name: "hostmaster@a.example",
        ttlSec: 300,
      },
      dependencies: [domainUrn("zone")],
      propertyDependencies: { domainId: [domainUrn("zone")], target: [domainUrn("zone")] },
    });
  });

  test("runs again and again, each time anew", async () => {
    const program = await load(`${head}${zone}`);
    await program.run(fakeHost({ preview: true }));
    const host = fakeHost();
    await program.run(host);
    expect(host.goals.map((goal) => goal.name)).toEqual(["zone"]);
  });

  test("tells the resources in the order of their dependencies, through variables", async () => {
    const program = await load(`${head}variables:
  v: \${zone.id}
resources:
  www: { type: plumbline:dns:Record, properties: { domainId: "\${v}", type: A } }
  zone: { type: plumbline:dns:Domain, properties: { domain: a, type: master } }
  last: { type: plumbline:dns:Record, name: x, properties: { domainId: 1, type: A }, options: { dependsOn: ["\${www}"] } }
`);
    expect(program.graph).toEqual([
      {
        key: "zone",
        type: "plumbline:dns:Domain",
        name: "zone",
        dependsOn: [],
        position: { file: "Pulumi.yaml", line: 7, column: 3 },
      },
      {
        key: "www",
        type: "plumbline:dns:Record",
        name: "www",
        dependsOn: ["zone"],
        position: { file: "Pulumi.yaml", line: 6, column: 3 },
      },
      {
        key: "last",
        type: "plumbline:dns:Record",
        name: "x",
        dependsOn: ["www"],
        position: { file: "Pulumi.yaml", line: 8, column: 3 },
      },
    ]);
  });

  test("starts what does not depend on each other at once, and waits for what does", async () => {
    const { host } = await run(`resources:
  a: { type: plumbline:dns:Domain, properties: { domain: a, type: master } }
  b: { type: plumbline:dns:Domain, properties: { domain: b, type: master } }
  c: { type: plumbline:dns:Record, properties: { domainId: "\${a.id}", type: A } }
  d: { type: plumbline:dns:Domain, properties: { domain: d, type: master } }
`);
    expect(host.peak).toBe(3);
    expect(host.events.indexOf("+c")).toBeGreaterThan(host.events.indexOf("-a"));
  });
});

describe("what is not known in a preview", () => {
  test("spreads with where it comes from, and only as far as it must", async () => {
    const { goal, outputs } = await run(
      `variables:
  whole: \${zone.id}
  text: "<\${zone.id}>"
  deep: \${zone.servers[0].host}
  named: \${zone.status}
${zone}  www:
    type: plumbline:dns:Record
    properties: { domainId: "\${whole}", type: A, name: "\${text}", target: "\${deep}", ttlSec: 5 }
outputs:
  list: [1, "\${zone.id}"]
  json: { fn::toJSON: { a: "\${zone.id}" } }
  named: \${named}
  domain: \${zone.domain}
`,
      { preview: true, outputs: { zone: { servers: unknown, status: unknownFrom("elsewhere#status") } } },
    );
    expect(goal("www").inputs).toEqual({
      domainId: unknownFrom(`${domainUrn("zone")}#id`),
      type: "A",
      name: unknown,
      target: unknownFrom(`${domainUrn("zone")}#servers[0].host`),
      ttlSec: 5,
    });
    expect(goal("www").propertyDependencies).toEqual({
      domainId: [domainUrn("zone")],
      name: [domainUrn("zone")],
      target: [domainUrn("zone")],
    });
    expect(outputs).toEqual({
      list: [1, unknownFrom(`${domainUrn("zone")}#id`)],
      json: unknown,
      named: unknownFrom("elsewhere#status"),
      domain: "a.example",
    });
  });

  test("keeps functions from being called", async () => {
    const { host, outputs } = await run(
      `${zone}variables:
  found: { fn::plumbline:dns:getRecords: { domainId: "\${zone.id}" } }
  after:
    fn::invoke:
      function: plumbline:dns:getRecords
      arguments: { domainId: 5 }
      options: { dependsOn: ["\${zone}"] }
  free: { fn::plumbline:dns:getRecords: { domainId: 6 } }
outputs:
  found: \${found.count}
  after: \${after}
  free: \${free.count}
`,
      { preview: true, invoke: () => ({ count: 2 }) },
    );
    expect(host.invokes.map((call) => call.args)).toEqual([{ domainId: 6 }]);
    expect(outputs).toEqual({ found: unknown, after: unknown, free: 2 });
  });

  test("keeps existing objects from being read", async () => {
    const { host, outputs } = await run(
      `${zone}  other: { type: plumbline:dns:Domain, get: { id: "\${zone.id}" } }
outputs:
  status: \${other.status}
`,
      { preview: true },
    );
    expect(host.reads).toEqual([]);
    expect(outputs).toEqual({ status: unknownFrom(`${domainUrn("other")}#status`) });
  });
});

describe("secrets", () => {
  test("spread to everything that is computed from them, and no further", async () => {
    const { goal, outputs } = await run(
      `variables:
  password: { fn::secret: hunter2 }
  object: { hidden: "\${password}", open: 1 }
${zone}  www:
    type: plumbline:dns:Record
    properties: { domainId: 1, type: A, name: "x\${password}", target: "\${object.open}" }
outputs:
  text: "<\${password}>"
  object: \${object}
  open: \${object.open}
  hidden: \${object.hidden}
  json: { fn::toJSON: "\${object}" }
  list: { fn::split: ["t", "\${password}"] }
  fromResource: \${zone.password}
  deep: \${zone.servers[0].host}
`,
      { outputs: { zone: { servers: secret([{ host: "h" }]) } } },
    );
    expect(goal("www").inputs).toEqual({ domainId: 1, type: "A", name: secret("xhunter2"), target: 1 });
    expect(outputs).toEqual({
      text: secret("<hunter2>"),
      object: { hidden: secret("hunter2"), open: 1 },
      open: 1,
      hidden: secret("hunter2"),
      json: secret('{"hidden":"hunter2","open":1}'),
      list: secret(["hun", "er2"]),
      fromResource: secret("hidden"),
      deep: secret("h"),
    });
  });

  test("stay secret when they are not known yet", async () => {
    const { outputs } = await run(
      `${zone}outputs:\n  a: {fn::secret: "\${zone.id}"}\n  b: "<\${zone.token}>"\n`.replace(
        "zone.token",
        "zone.password",
      ),
      {
        preview: true,
        outputs: { zone: { password: secret(unknown) } },
      },
    );
    expect(outputs).toEqual({ a: secret(unknownFrom(`${domainUrn("zone")}#id`)), b: secret(unknown) });
  });

  test("are not shown when a value goes into text oddly", async () => {
    const { host } = await run('variables:\n  s: {fn::secret: {a: 1}}\noutputs:\n  a: "<${s}>"\n');
    expect(host.logged).toHaveLength(1);
    expect(host.logged[0]).toContain("Pulumi.yaml:6:8: ${s} goes into text in Go's notation");
    expect(host.logged[0]).not.toContain("map[");
  });
});

describe("options", () => {
  test("are evaluated, whole resources as URNs", async () => {
    const { goal } = await run(`config: { guarded: true }
resources:
  own: { type: "pulumi:providers:plumbline", properties: { token: abc, pageSize: 5 } }
  above: { type: plumbline:dns:Domain, properties: { domain: a, type: master }, options: { provider: "\${own}" } }
  other: { type: plumbline:dns:Domain, properties: { domain: b, type: master } }
  all:
    type: plumbline:dns:Record
    properties: { domainId: 1, type: A }
    options:
      additionalSecretOutputs: [target]
      aliases: ["\${other.urn}", { name: old, type: "plumbline:dns:Record", parent: "\${other}" }, { noParent: true }, "urn:pulumi:dev::p::t::n"]
      customTimeouts: { create: 10m, update: 1h30m, delete: 90s }
      deleteBeforeReplace: true
      dependsOn: ["\${other}"]
      ignoreChanges: ["ttlSec", "a.b[0]", "c[*]"]
      import: "12/34"
      parent: \${above}
      protect: \${guarded}
      providers: ["\${own}"]
      version: 1.2.3
      pluginDownloadURL: https://a.example
      replaceOnChanges: [target]
      retainOnDelete: false
      replaceWith: ["\${other}"]
      deletedWith: \${above}
      hideDiffs: [target]
`);
    const own = "urn:pulumi:dev::p::pulumi:providers:plumbline::own";
    expect(goal("own")).toMatchObject({
      type: "pulumi:providers:plumbline",
      inputs: { token: secret("abc"), pageSize: 5 },
    });
    expect(goal("all").options).toEqual({
      additionalSecretOutputs: ["target"],
      aliases: [
        { urn: domainUrn("other") },
        { name: "old", type: "plumbline:dns:Record", parent: domainUrn("other") },
        { noParent: true },
        { urn: "urn:pulumi:dev::p::t::n" },
      ],
      customTimeouts: { create: 600, update: 5400, delete: 90 },
      deleteBeforeReplace: true,
      dependsOn: [domainUrn("other")],
      ignoreChanges: ["ttlSec", "a.b[0]", "c[*]"],
      import: "12/34",
      parent: domainUrn("above"),
      protect: true,
      provider: own,
      providers: [own],
      version: "1.2.3",
      pluginDownloadURL: "https://a.example",
      replaceOnChanges: ["target"],
      retainOnDelete: false,
      replaceWith: [domainUrn("other")],
      deletedWith: domainUrn("above"),
      hideDiffs: ["target"],
    });
    expect([...goal("all").dependencies].sort()).toEqual(
      [own, domainUrn("above"), domainUrn("other")].sort(),
    );
    expect(goal("all").propertyDependencies).toEqual({});
  });

  test("a child takes its parent's provider, and a default provider is everybody's", async () => {
    const inherited = await run(`resources:
  own: { type: "pulumi:providers:plumbline" }
  above: { type: plumbline:dns:Domain, properties: { domain: a, type: master }, options: { provider: "\${own}" } }
  below: { type: plumbline:dns:Record, properties: { domainId: 1, type: A }, options: { parent: "\${above}" } }
`);
    const own = "urn:pulumi:dev::p::pulumi:providers:plumbline::own";
    expect(inherited.goal("below").options).toEqual({ parent: domainUrn("above"), provider: own });
    const shared = await run(
      `resources:
  zone: { type: plumbline:dns:Domain, properties: { domain: a, type: master } }
  own: { type: "pulumi:providers:plumbline", defaultProvider: true }
variables:
  found: { fn::plumbline:dns:getRecords: { domainId: 5 } }
outputs: { count: "\${found.count}" }
`,
      { invoke: () => ({ count: 1 }) },
    );
    expect(shared.goal("zone").options).toEqual({ provider: own });
    expect(shared.host.events.indexOf("+zone")).toBeGreaterThan(shared.host.events.indexOf("-own"));
    expect(shared.host.invokes[0]!.options).toEqual({ provider: own, dependencies: [] });
  });

  test("what only a run can tell is checked there", async () => {
    const { lines } =
      await failure(`${zone}  a: { type: plumbline:dns:Record, properties: { domainId: 1, type: A }, options: { protect: "\${zone.isPublic}" } }
  b: { type: plumbline:dns:Record, properties: { domainId: 1, type: A }, options: { aliases: ["not a urn"] } }
  c: { type: plumbline:dns:Record, properties: { domainId: 1, type: A }, options: { dependsOn: "\${zone.refreshTrigger}" } }
`);
    expect(lines).toEqual([
      "7:94 error protect must be true or false, and cannot come from a resource",
      "8:95 error the alias must be a URN, like urn:pulumi:stack::project::type::name",
      "9:96 error dependsOn takes a list of resources, like [ ${name} ]",
    ]);
  });
});

describe("a whole resource", () => {
  test("is a reference where a value is wanted", async () => {
    const { outputs, goal } =
      await run(`${zone}  www: { type: plumbline:dns:Record, properties: { domainId: "\${zone}", type: A } }
outputs: { zone: "\${zone}" }
`);
    expect(outputs).toEqual({ zone: resourceReference(domainUrn("zone"), "id-zone") });
    expect(goal("www").inputs.domainId).toEqual(resourceReference(domainUrn("zone"), "id-zone"));
    expect(goal("www").dependencies).toEqual([domainUrn("zone")]);
  });
});

describe("objects that exist", () => {
  test("are read with what is known of them", async () => {
    const { host, outputs } = await run(
      `resources:
  zone: { type: plumbline:dns:Domain, properties: { domain: a, type: master } }
  other:
    type: plumbline:dns:Domain
    get: { id: "\${zone.id}", state: { domain: b.example, status: active } }
    options: { dependsOn: ["\${zone}"] }
outputs: { servers: "\${other.servers[0].host}", id: "\${other.id}" }
`,
      { outputs: { other: { servers: [{ host: "ns1" }] } } },
    );
    expect(host.reads).toMatchObject([
      {
        type: "plumbline:dns/domain:Domain",
        name: "other",
        id: "id-zone",
        state: { domain: "b.example", status: "active" },
        dependencies: [domainUrn("zone")],
      },
    ]);
    expect(host.reads[0]).not.toHaveProperty("inputs");
    expect(outputs).toEqual({ servers: "ns1", id: "id-zone" });
  });
});

describe("properties from one expression", () => {
  test("are taken apart, with secrets and dependencies of each", async () => {
    const { goal } = await run(
      `variables:
  all: { domainId: "\${zone.id}", type: A, target: { fn::secret: x } }
${zone}  www: { type: plumbline:dns:Record, properties: "\${all}" }
  other: { type: plumbline:dns:Record, properties: "\${zone.refreshTrigger}" }
`,
      { outputs: { zone: { refreshTrigger: secret({ domainId: 5, type: "A" }) } } },
    );
    expect(goal("www").inputs).toEqual({ domainId: "id-zone", type: "A", target: secret("x") });
    expect(goal("www").propertyDependencies).toEqual({ domainId: [domainUrn("zone")] });
    expect(goal("other").inputs).toEqual({ domainId: secret(5), type: secret("A") });
    expect(goal("other").propertyDependencies).toEqual({
      domainId: [domainUrn("zone")],
      type: [domainUrn("zone")],
    });
  });

  test("are all unknown while the expression is", async () => {
    const { goal } = await run(
      `${zone}  www: { type: plumbline:dns:Record, properties: "\${zone.refreshTrigger}" }
`,
      { preview: true, outputs: { zone: { refreshTrigger: unknown } } },
    );
    const source = unknownFrom(`${domainUrn("zone")}#refreshTrigger`);
    expect(goal("www").inputs).toEqual({
      domainId: source,
      type: source,
      name: source,
      target: source,
      ttlSec: source,
      priority: source,
    });
  });
});

describe("calls", () => {
  test("functions get bare arguments and say where their result comes from", async () => {
    const { host, goal, outputs } = await run(
      `${zone}  own: { type: "pulumi:providers:plumbline" }
  www: { type: plumbline:dns:Record, properties: { domainId: 1, type: A, target: "\${found[0].target}" } }
variables:
  found:
    Fn::Invoke:
      function: plumbline:dns/getRecords:getRecords
      arguments: { domainId: "\${zone.id}", type: { fn::secret: A } }
      options: { provider: "\${own}", dependsOn: ["\${zone}"] }
      return: records
outputs: { found: "\${found}" }
`,
      { invoke: () => ({ records: [{ target: "t" }], count: 1 }) },
    );
    expect(host.invokes).toEqual([
      {
        token: "plumbline:dns/getRecords:getRecords",
        args: { domainId: "id-zone", type: "A" },
        options: {
          provider: "urn:pulumi:dev::p::pulumi:providers:plumbline::own",
          dependencies: [domainUrn("zone")],
        },
      },
    ]);
    expect(outputs).toEqual({ found: secret([{ target: "t" }]) });
    expect(goal("www").inputs.target).toEqual(secret("t"));
    expect(goal("www").propertyDependencies).toEqual({ target: [domainUrn("zone")] });
  });

  test("a function that fails is told where it is called, and only its dependants stop", async () => {
    const { lines, host } = await failure(
      `variables:
  found: { fn::plumbline:dns:getRecords: { domainId: 1 } }
  after: \${found.count}
resources:
  a: { type: plumbline:dns:Record, properties: { domainId: "\${after}", type: A } }
  b: { type: plumbline:dns:Record, properties: { domainId: 2, type: A } }
`,
      {
        invoke: () => {
          throw new Error("there is no domain 1");
        },
      },
    );
    expect(lines).toEqual(["4:12 error there is no domain 1"]);
    expect(host.goals.map((goal) => goal.name)).toEqual(["b"]);
  });

  test("another stack's outputs are read once, secrets kept", async () => {
    let asked = 0;
    const program = await load(`${head}variables:
  name: host
resources:
  base: { type: "pulumi:pulumi:StackReference", properties: { name: base } }
outputs:
  a: { fn::stackReference: [base, "\${name}"] }
  b: { fn::stackReference: [base, password] }
  c: \${base.outputs["host"]}
  d: \${base.outputs.password}
`);
    const host = fakeHost();
    const outputs = await program.run({
      ...host,
      stackReference: async (name) => {
        asked += 1;
        expect(name).toBe("base");
        return { host: "h", password: secret("p") };
      },
    });
    expect(outputs).toEqual({ a: "h", b: secret("p"), c: "h", d: secret("p") });
    expect(asked).toBe(1);
    expect(host.goals).toEqual([]);
  });

  test("outputs that another stack has not are named", async () => {
    const { lines } = await failure(
      "outputs:\n  a: { fn::stackReference: [base, hots] }\n  b: { fn::stackReference: [none, x] }\n",
      {
        stacks: { base: { host: 1 } },
      },
    );
    expect(lines).toEqual([
      '4:35 error the stack base has no output "hots" - did you mean "host"?',
      "5:6 error there is no stack none",
    ]);
  });

  test("assets and archives carry their content's hash or path", async () => {
    const hash = createHash("sha256").update("hi").digest("hex");
    const { outputs } = await run(
      `variables:
  name: hi
outputs:
  text: { fn::stringAsset: "\${name}" }
  file: { fn::fileAsset: ./note.txt }
  remote: { fn::remoteAsset: "https://a.example/x" }
  folder: { fn::fileArchive: ./note.txt }
  remoteArchive: { fn::remoteArchive: "https://a.example/x.zip" }
  tree: { fn::assetArchive: { a.txt: { fn::stringAsset: hi }, sub: { fn::assetArchive: { b: { fn::stringAsset: hi } } } } }
  hidden: { fn::stringAsset: { fn::secret: hi } }
`,
      { files: { "note.txt": "hi" } },
    );
    expect(outputs).toEqual({
      text: asset({ text: "hi", hash }),
      file: asset({ path: "./note.txt", hash }),
      remote: asset({ uri: "https://a.example/x" }),
      folder: archive({ path: "./note.txt" }),
      remoteArchive: archive({ uri: "https://a.example/x.zip" }),
      tree: archive({
        assets: {
          "a.txt": asset({ text: "hi", hash }),
          sub: archive({ assets: { b: asset({ text: "hi", hash }) } }),
        },
      }),
      hidden: secret(asset({ text: "hi", hash })),
    });
  });

  test("arguments that turn out wrong are told where they stand", async () => {
    const { lines } = await failure(
      `${zone}outputs:
  a: { fn::join: [",", "\${zone.refreshTrigger}"] }
  b: { fn::select: [7, "\${zone.tags}"] }
  c: { fn::fromBase64: "%%" }
  d: { fn::fromBase64: "/w==" }
  e: { fn::readFile: nope.txt }
  f: { fn::readFile: ../outside.txt }
  g: { fn::fileAsset: nope.txt }
  h: { fn::fileArchive: nope }
  i: { fn::remoteAsset: nope }
  j: { fn::toJSON: "\${zone}" }
  k: { fn::select: [1.5, "\${zone.tags}"] }
  l: \${zone.tags[3]}
  m: { fn::toBase64: "\${zone.refreshTrigger}" }
  n: { fn::split: [",", "\${zone.refreshTrigger}"] }
  o: { "\${zone.refreshTrigger}": 1 }
  p: { fn::select: [-1, [a]] }
`,
      { outputs: { zone: { tags: ["x"], refreshTrigger: [1] } } },
    );
    const folder = process.cwd();
    expect(lines).toEqual([
      '8:24 error fn::join takes a list of texts, and item 0 is a number: write it in quotes, or within text like "${name}"',
      "9:21 error index 7 is outside the list: it has 1 item",
      "10:24 error this is not Base64: it is written in groups of four of A-Z, a-z, 0-9, + and /, filled up with =",
      "11:24 error what this Base64 holds is not UTF-8 text",
      "12:22 error cannot read nope.txt: there is no such file",
      "13:22 error ../outside.txt is outside the project's folder: give its absolute path, for example ${pulumi.cwd}/../outside.txt",
      `14:23 error there is no file nope.txt (looked for ${folder}/nope.txt)`,
      `15:25 error there is no file or folder nope (looked for ${folder}/nope)`,
      "16:25 error fn::remoteAsset takes an address that starts with https://, http:// or file://",
      "17:20 error fn::toJSON cannot write an asset or a whole resource: name the properties that you want",
      "18:21 error the index of fn::select counts from 0, and this is 1.5",
      "19:6 error ${zone.tags[3]}: index 3 is outside the list: it has 1 item",
      "20:22 error fn::toBase64 takes text here, and this is a list",
      "21:25 error fn::split takes text here, and this is a list",
      "22:8 error the key of an object must come to a text",
      "23:21 error the index of fn::select counts from 0, and this is -1",
    ]);
  });
});

describe("a failure", () => {
  test("stops only what depends on it; every reason is told where its property stands", async () => {
    const { lines, host, error } = await failure(
      `resources:
  a:
    type: plumbline:dns:Domain
    properties:
      domain: a
      type: master
      importFrom:
        remoteNameserver: x
      masterIps:
        - 192.0.2.1
        - bad
  b: { type: plumbline:dns:Record, properties: { domainId: "\${a.id}", type: A } }
  c: { type: plumbline:dns:Domain, properties: { domain: c, type: master } }
  d: { type: plumbline:dns:Domain, properties: { domain: d, type: master } }
outputs: { a: "\${a.id}", c: "\${c.id}" }
`,
      {
        outputs: {
          a: new CheckFailedError([
            { property: "domain", reason: "is too short" },
            { property: "importFrom.remoteNameserver", reason: "is no host" },
            { property: "importFrom", reason: "is not wanted" },
            { property: "masterIps[1]", reason: "is no address" },
            { property: "soaEmail", reason: "is missing" },
            { property: "", reason: "in general" },
            { property: "a[", reason: "odd" },
          ]),
          d: new ResourceInitFailedError({ id: "1", state: {}, reasons: ["it never came up", "twice"] }),
        },
      },
    );
    expect(lines).toEqual([
      "4:3 error soaEmail: is missing",
      "4:3 error in general",
      "4:3 error a[: odd",
      "7:15 error domain: is too short",
      "9:7 error importFrom: is not wanted",
      "10:27 error importFrom.remoteNameserver: is no host",
      "13:11 error masterIps[1]: is no address",
      "16:3 error it never came up",
      "16:3 error twice",
    ]);
    expect(error.diagnostics[3]).toMatchObject({ urn: domainUrn("a"), property: "domain" });
    expect(host.goals.map((goal) => goal.name).sort()).toEqual(["a", "c", "d"]);
  });

  test("that the host has described already is passed on, with a place where it had none", async () => {
    const { lines } = await failure(zone, {
      outputs: {
        zone: new ProgramError([
          { severity: "error", message: "first", property: "domain" },
          { severity: "error", message: "second", file: "Pulumi.yaml", line: 9, column: 9 },
        ]),
      },
    });
    expect(lines).toEqual(["6:27 error first", "9:9 error second"]);
  });

  test("of a cancelled host has no reason of its own, and is a failure all the same", async () => {
    const { lines } = await failure(zone, { outputs: { zone: new ProgramError([]) } });
    expect(lines).toEqual([]);
    const called = await failure("outputs:\n  a: {fn::plumbline:dns:getRecords: {domainId: 1}}\n", {
      invoke: () => {
        throw new ProgramError([]);
      },
    });
    expect(called.lines).toEqual([]);
  });

  test("in the file keeps the program from running", async () => {
    const program = await load(`${head}outputs: { a: "\${b}" }\n`);
    const host = fakeHost();
    await expect(program.run(host)).rejects.toThrow(ProgramError);
    expect(host.events).toEqual([]);
  });
});

test("what is known of the run is the host's, the organization the caller's if given", async () => {
  const text = `${head}outputs: { all: "\${pulumi}" }\n`;
  const expected = { cwd: process.cwd(), rootDirectory: process.cwd(), project: "p", stack: "dev" };
  expect(await (await load(text)).run(fakeHost())).toEqual({
    all: { ...expected, organization: "organization" },
  });
  expect(await (await load(text, { organization: "mine" })).run(fakeHost())).toEqual({
    all: { ...expected, organization: "mine" },
  });
});

test("names of the user's own choosing cannot reach into objects", async () => {
  const { outputs } = await run('outputs:\n  a: {__proto__: {b: 1}, "x y": 2}\n  constructor: 3\n');
  expect(Object.keys(outputs)).toEqual(["a", "constructor"]);
  expect(Object.entries(outputs.a as ValueMap)).toEqual([
    ["__proto__", { b: 1 }],
    ["x y", 2],
  ]);
});
