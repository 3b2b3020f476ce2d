import { describe, expect, test } from "vitest";
import { ProgramError } from "../../../provider/engine/host.ts";
import { fakeHost, head, load, told } from "./fixture.ts";

/** What is found in a file whose first two lines are `name` and `runtime`: `line:column severity message`. */
async function found(rest: string): Promise<string[]> {
  return told((await load(`${head}${rest}`)).diagnostics);
}

describe("a file that cannot be read", () => {
  test.each([
    ["", "1:1 error the stack file is empty: it needs a name, a runtime (yaml) and resources"],
    ["- a\n", "1:1 error a stack file is an object with a name, a runtime and resources, and this is a list"],
    [
      "a: [1,\n",
      "2:1 error YAML: flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
    [
      "a: b: c\n",
      '1:4 error YAML: nested mappings are not allowed in compact mappings; a value with ": " in it has to stand in quotes',
    ],
    ["a: 1\n\tb: 2\n", "2:1 error YAML: tabs are not allowed as indentation; indent with spaces"],
  ])("%j is told where it breaks", async (text, expected) => {
    const program = await load(text);
    expect(told(program.diagnostics)).toContain(expected);
    await expect(program.run(fakeHost())).rejects.toThrow(ProgramError);
  });

  test("a missing file is named", async () => {
    const program = await load({});
    expect(told(program.diagnostics)).toEqual(["1:1 error cannot read Pulumi.yaml: there is no such file"]);
  });

  test("a second document is refused where it begins", async () => {
    expect(await found("---\na: 1\n")).toContain(
      "4:1 error a stack file holds one YAML document, and here a second one begins",
    );
  });
});

describe("the syntax that Pulumi's YAML has not", () => {
  test.each([
    [
      "variables:\n  a: &x 1\n  b: *x\n",
      '5:6 error YAML aliases (*x) are not supported by Pulumi\'s YAML: put the value in "variables" and refer to it with ${…}',
    ],
    [
      "variables:\n  a: {<<: {b: 1}}\n",
      '4:7 error YAML merge keys ("<<") are not supported by Pulumi\'s YAML: write the properties out',
    ],
    [
      "variables:\n  a: 1\n  a: 2\n",
      '5:3 error the key "a" stands here a second time; the first is on line 4',
    ],
    ["variables:\n  a: {1: x}\n", "4:7 error a key must be text, and 1 is not: write it in quotes"],
    ["variables:\n  a: !thing x\n", "4:13 error the YAML tag !thing is not supported"],
    ["variables:\n  a: .inf\n", "4:6 error .inf cannot be the value of a property: JSON has no such number"],
  ])("%j", async (text, expected) => {
    expect(await found(text)).toEqual([expected]);
  });
});

describe("the project's own keys", () => {
  test("unknown ones are errors, meaningless ones are named, all at once", async () => {
    const program = await load(`nme: p
runtime: dotnet
resource: {}
backend: {url: x}
template: {}
components: {a: {}}
pulumi: {requiredVersion: ">3"}
options: {refresh: alwasy}
plugins: {providers: [{name: a, pth: b}]}
namespace: x
main: sub
Variables: {}
`);
    expect(told(program.diagnostics)).toEqual([
      '1:1 error "nme" is no key of the stack file - did you mean "name"?',
      '1:1 error the stack file needs a "name": the project that its resources belong to',
      '2:10 error this engine runs stack files in YAML and programs of Node (nodejs) and Python (python): a program in "dotnet" is run by Pulumi\'s engine (pulumi up)',
      '3:1 error "resource" is no key of the stack file - did you mean "resources"?',
      '5:1 warning "template" has no effect with this engine: it is for `pulumi new`',
      '6:1 error "components" are Pulumi\'s: component packages are run by its engine, and a program holds none',
      '7:10 warning "requiredVersion" has no effect with this engine: there is no Pulumi version here to compare it with',
      '8:20 error "refresh" knows one word, always, and this is "alwasy" - did you mean "always"?',
      '9:23 error a plugin under "providers" needs a "path"',
      '9:33 error "pth" is no key of a plugin under "providers" - did you mean "path"?',
      '10:1 warning "namespace" has no effect with this engine: it belongs to component packages, and Pulumi\'s engine refuses it in a program',
      '11:7 error "main" is not supported: this engine takes the program from the project file itself; name another file with --file',
      '12:1 warning write "variables", not "Variables"',
    ]);
  });

  test("the ones with a meaning are taken", async () => {
    const program = await load(`name: p
runtime: {name: yaml, options: {}}
description: what it is for
author: me
website: https://a.example
license: Apache-2.0
options: {refresh: always}
plugins: {providers: [{name: plumbline, path: ../bin, version: 0.1.0}]}
packages: {plumbline: plumbline@0.1.0, other: {source: x, version: "1"}}
`);
    expect(told(program.diagnostics)).toEqual([]);
    expect(program).toMatchObject({ projectName: "p", description: "what it is for", refresh: true });
  });
});

describe("references", () => {
  test("unknown names are told where they stand, with the nearest name", async () => {
    const lines = await found(`variables:
  zonee: 1
  v: "a \${zone} \${zone.id}"
  block: |
    line one
      \${nope.x} and \${zonee}
      \${nope2}
  escaped: "\\t\${nope3}"
  folded: "multi
    line \${nope4}"
outputs:
  o: {"\${bloc}": 1}
`);
    expect(lines.map((line) => line.replace(/ - there is .*/, ""))).toEqual([
      '5:9 error there is no resource, variable or config value named "zone" - did you mean "zonee"?',
      '5:17 error there is no resource, variable or config value named "zone" - did you mean "zonee"?',
      '8:7 error there is no resource, variable or config value named "nope"',
      '9:7 error there is no resource, variable or config value named "nope2"',
      '10:15 error there is no resource, variable or config value named "nope3"',
      '12:10 error there is no resource, variable or config value named "nope4"',
      '14:8 error there is no resource, variable or config value named "bloc" - did you mean "block"?',
    ]);
  });

  test.each([
    ["a: x${b", "4:7 error the reference has no end: add }, or write $${ for a literal ${"],
    [
      "a: ${}",
      "4:6 error the reference is empty: write ${name} or ${name.property}, and $${ for a literal ${",
    ],
    ["a: ${b[}", "4:6 error an index must end with ]"],
    ["a: ${b[x]}", '4:6 error "x" is not an index: write a number, or a key in double quotes'],
    ["a: ${b[-1]}", '4:6 error "-1" is not an index: write a number, or a key in double quotes'],
    ["a: '${b[\"x]}'", '4:7 error a key in brackets must end with "]'],
    ["a: ${[0]}", "4:6 error a reference starts with a name, not with an index"],
  ])("%s", async (text, expected) => {
    expect(await found(`variables:\n  ${text}\n`)).toEqual([expected]);
  });

  test("circles are printed as the path round, from their first member in the file", async () => {
    expect(
      await found(`variables:
  b: x\${a.id}
  c: "\${d.x} \${c2}"
  c2: \${c}
  d: {x: "\${e}"}
  e: \${d}
resources:
  a:
    type: plumbline:dns:Record
    properties: {domainId: "\${b}", type: A}
  self:
    type: plumbline:dns:Record
    properties: {domainId: "\${self.id}", type: A}
`),
    ).toEqual([
      "5:14 error these depend on each other in a circle: c -> c2 -> c",
      "7:11 error these depend on each other in a circle: d -> e -> d",
      "12:29 error these depend on each other in a circle: a -> b -> a",
      "15:29 error these depend on each other in a circle: self -> self",
    ]);
  });

  test("steps that cannot be taken are told before anything runs", async () => {
    expect(
      await found(`config:
  sizes: {type: array, items: {type: integer}, default: [1]}
resources:
  z: {type: plumbline:dns:Domain, properties: {domain: a.example, type: master}}
variables:
  a: \${z.statsu}
  b: \${z.status.x}
  c: \${z.servers[0].hots}
  d: \${z.servers.host}
  e: \${z[0]}
  f: "id \${z}"
  g: \${pulumi.stak}
  h: {x: {y: 1}}
  i: \${h.x.z}
  j: \${sizes.x}
  k: {fn::select: [0, "\${z.servers}"]}
  l: \${k.hsot}
`),
    ).toEqual([
      '8:6 error z has no property "statsu" - did you mean "status"?',
      '9:6 error z.status is text, which has no property "x"',
      '10:6 error z.servers[0] has no property "hots" - did you mean "host"?',
      '11:6 error z.servers is a list, which has no property "host": give an index, like z.servers[0]',
      "12:6 error z is a whole resource (plumbline:dns/domain:Domain), which has no index 0: name a property",
      "13:10 error ${z} is a whole resource, which has no text: name one of its properties, for example .id",
      '14:6 error pulumi has no property "stak" - did you mean "stack"?',
      '16:6 error h.x has no property "z" - there is y',
      '17:6 error sizes is a list, which has no property "x": give an index, like sizes[0]',
      '19:6 error k has no property "hsot" - did you mean "host"?',
    ]);
  });

  test("names are shared between sections", async () => {
    expect(
      await found(`config:
  a: 1
variables:
  a: 1
  b: 1
  pulumi: 1
resources:
  b: {type: plumbline:dns:Record, properties: {domainId: 1, type: A}}
  c: {type: plumbline:dns/record:Record, name: b, properties: {domainId: 1, type: A}}
`),
    ).toEqual([
      '6:3 error the variable "a" has the name of the config on line 4: names are shared, give it another',
      '7:3 error the variable "b" has the name of the resource on line 10: names are shared, give it another',
      '8:3 error "pulumi" is reserved for ${pulumi.stack} and its like: give the variable another name',
      '11:3 error the resource "c" has type and name of "b": give it another "name"',
    ]);
  });
});

describe("resources", () => {
  test("properties are checked for their names, their plain types and what is missing", async () => {
    expect(
      await found(`resources:
  z:
    type: plumbline:dns:Domain
    properties:
      domain: a.example
      soaEmial: x@y
      ttlSec: abc
      tags: foo
      masterIps: [1, {a: 1}]
      importFrom: {prot: 5, port: "5"}
      isPublic: "true"
      labels: {a: b, c: [d]}
  y:
    type: plumbline:dns:Domain
`),
    ).toEqual([
      '6:5 error "z" (plumbline:dns:Domain) needs the property "type"',
      '8:7 error "z" (plumbline:dns:Domain) has no property "soaEmial" - did you mean "soaEmail"?',
      '9:15 error property "ttlSec" must be a number, and this is text',
      '10:13 error property "tags" must be a list (of texts), and this is text',
      '11:22 error property "masterIps[1]" must be text, and this is an object',
      '12:19 error importFrom needs the property "remoteNameserver"',
      '12:20 error importFrom has no property "prot" - did you mean "port"?',
      '12:35 error property "importFrom.port" must be a number, and this is text',
      '13:17 error property "isPublic" must be true or false, and this is text',
      '14:25 error property "labels.c" must be text, and this is a list (of texts)',
      '15:3 error "y" (plumbline:dns:Domain) needs the property "domain"',
      '15:3 error "y" (plumbline:dns:Domain) needs the property "type"',
    ]);
  });

  test("findings name the property for editors and --json", async () => {
    const program = await load(`${head}resources:
  z: {type: plumbline:dns:Domain, properties: {domain: a, type: b, importFrom: {remoteNameserver: x, port: y}}}
`);
    expect(program.diagnostics).toEqual([
      {
        severity: "error",
        message: 'property "importFrom.port" must be a number, and this is text',
        property: "importFrom.port",
        file: "Pulumi.yaml",
        line: 4,
        column: 108,
      },
    ]);
  });

  test("numbers may stand where text is wanted, and unchecked values anywhere", async () => {
    expect(
      await found(`config: {n: 5}
resources:
  z: {type: plumbline:dns:Domain, properties: {domain: "\${n}", type: master, ttlSec: "\${n}", refreshTrigger: {any: [1]}, soaEmail: null}}
  r: {type: plumbline:dns:Record, properties: {domainId: 12, type: A}}
`),
    ).toEqual([]);
  });

  test("types are found in both spellings, and wrong ones are explained", async () => {
    expect(
      await found(`resources:
  a: {type: "plumbline:dns:Domian"}
  b: {type: "aws:s3:Bucket"}
  c: {type: "pulumi:providers:aws"}
  d: {type: Domain}
  e: {type: 5}
  f: {}
  g:
  h: [1]
  i: {type: "plumbline:dns/record:Record", propertes: {}, dependsOn: [], properties: {domainId: 1, type: A}}
`),
    ).toEqual([
      '4:13 error there is no resource type "plumbline:dns:Domian" - did you mean "plumbline:dns:Domain"?',
      '5:13 error aws:s3:Bucket belongs to package "aws": this engine runs resources of plumbline only; Pulumi\'s engine (pulumi up) runs this file with all its packages',
      '6:13 error pulumi:providers:aws belongs to package "aws": this engine runs resources of plumbline only; Pulumi\'s engine (pulumi up) runs this file with all its packages',
      '7:13 error there is no resource type "Domain": write it like plumbline:dns:Domain',
      '8:13 error the type of resource "e" must be text, and this is a number: write it in quotes',
      '9:3 error resource "f" needs a "type", for example plumbline:dns:Domain',
      '10:3 error resource "g" needs a "type", for example plumbline:dns:Domain',
      '11:6 error resource "h" must be an object, and this is a list',
      '12:44 error "propertes" is no key of resource "i" - did you mean "properties"?',
      '12:59 error "dependsOn" is no key of resource "i" - it belongs under "options"',
    ]);
  });

  test("every option has its own checks", async () => {
    expect(
      await found(`resources:
  p: {type: "pulumi:providers:plumbline", properties: {token: x, bsaeUrl: y}}
  z:
    type: plumbline:dns:Domain
    properties: {domain: a.example, type: master}
    options:
      dependsOn: \${p}
      parent: \${p.id}
      provider: \${z2}
      protect: 5
      customTimeouts: {create: 5x, updtae: 1m, delete: 1h30m}
      ignoreChanges: ["a.b[0]", "a[", 5]
      aliases: [5, {nme: x}, {parent: "\${p}", noParent: true}, {urn: x, name: y}]
      deleteBeforeReplace: "yes"
      import: \${p.id}
      dependson: []
      retainOnDelte: true
      version: 1
      providers: [x]
      deletedWith: 5
  z2:
    type: plumbline:dns:Domain
    defaultProvider: true
    get: {state: {statsu: x}}
    properties: {domain: a}
`),
    ).toEqual([
      '4:66 error "p" (pulumi:providers:plumbline) has no property "bsaeUrl" - did you mean "baseUrl"?',
      "9:18 error dependsOn takes a list of resources, like [ ${name} ], and this is a whole resource (pulumi:providers:plumbline)",
      "10:15 error parent takes a resource: refer to it whole, like ${name}, without a property",
      "11:17 error provider takes a provider, and this is a plumbline:dns/domain:Domain",
      "12:16 error protect must be true or false, and this is a number",
      '13:32 error "5x" is no duration: write it like 90s, 10m or 1h30m',
      '13:36 error "updtae" is no key of "customTimeouts" - did you mean "update"?',
      '14:33 error "a[" is not a property path: write it like a.b[0]["key"]',
      '14:39 error "ignoreChanges" must hold text only, and this is a number',
      "15:17 error an alias must be text, and this is a number",
      '15:21 error "nme" is no key of an alias - did you mean "name"?',
      '15:47 error an alias has "parent" or "noParent", not both',
      '15:65 error an alias with a "urn" has nothing else',
      '16:28 error "deleteBeforeReplace" must be true or false, and this is text',
      '17:15 error "import" must be plain text, without references: Pulumi takes it as it is written',
      '18:7 warning write "dependsOn", not "dependson"',
      '18:7 error "dependsOn" stands twice in the options of resource "z", in other letter case',
      '19:7 error "retainOnDelte" is no key of the options of resource "z" - did you mean "retainOnDelete"?',
      '20:16 error "version" must be text, and this is a number: write it in quotes',
      "21:19 error provider takes a resource: refer to it whole, like ${name}, without a property",
      "22:20 error deletedWith takes a resource: refer to it whole, like ${name}, without a property",
      '25:5 error resource "z2" is no provider, so it cannot be the default one',
      '26:5 error "get" of resource "z2" needs an "id": the object to read',
      '26:5 error resource "z2" has both "properties" and "get": properties declare an object, get reads one that exists',
      '26:19 error "z2" (plumbline:dns:Domain) has no property "statsu" - did you mean "status"?',
    ]);
  });
});

describe("texts that Pulumi takes as they are", () => {
  test("refer to nothing, and read $$ as $", async () => {
    expect(
      await found(`resources:
  a:
    type: plumbline:\${x}
    name: "n\${y}"
    options:
      version: \${z
      ignoreChanges: ["a\${b}"]
      customTimeouts: {create: "\${t}"}
variables:
  f: {fn::invoke: {function: "\${f}", return: "\${r}"}}
`),
    ).toEqual([
      '5:21 error the type of resource "a" must be plain text, without references: Pulumi takes it as it is written',
      '6:13 error the name of resource "a" must be plain text, without references: Pulumi takes it as it is written',
      "8:16 error the reference has no end: add }, or write $${ for a literal ${",
      '9:25 error an item of "ignoreChanges" must be plain text, without references: Pulumi takes it as it is written',
      "10:33 error the create timeout must be plain text, without references: Pulumi takes it as it is written",
      "12:31 error the function of fn::invoke must be plain text, without references: Pulumi takes it as it is written",
      "12:47 error the return of fn::invoke must be plain text, without references: Pulumi takes it as it is written",
    ]);
    const program = await load(
      `${head}resources:\n  a: {type: plumbline:dns:Record, name: "a$$b", properties: {domainId: 1, type: A}}\n`,
    );
    expect(program.graph![0]!.name).toBe("a$b");
  });
});

describe("calls", () => {
  test("wrong functions and arguments are told where they stand", async () => {
    expect(
      await found(`variables:
  h: {fn::plumbline:dns:getRecords: {domainId: 5, tpe: A}}
  i: \${h.recrods}
  j: {fn::invoke: {function: "plumbline:dns:getRecods", arguments: {}, return: x}}
  k: {fn::invoke: {function: "plumbline:dns:getRecords", arguments: {type: 1}, return: cuont}}
  l: {fn::invoke: {arguments: {}}}
  m: {fn::jion: 1}
  n: {fn::join: 5, b: 2}
  o: {fn::toBase64: [1]}
  p: {fn::join: [1, 2]}
  q: {fn::aws:x:y: {}}
  r: {fn::assetArchive: {a: 5}}
  s: {fn::select: [1]}
  t: {fn::plumbline:dns:getRecords: x}
  u: {FN::ToJson: 1}
  v: {fn::invoke: {function: "plumbline:dns:getRecords", arguments: {domainId: 1}, options: {prnt: x, provider: 5}}}
  w: {fn::split: [",", [a]]}
`),
    ).toEqual([
      '4:51 error plumbline:dns:getRecords has no property "tpe" - did you mean "type"?',
      '5:6 error h has no property "recrods" - did you mean "records"?',
      '6:30 error there is no function plumbline:dns:getRecods - did you mean "plumbline:dns:getRecords"?',
      '7:69 error plumbline:dns:getRecords needs the property "domainId"',
      '7:88 error plumbline:dns:getRecords returns no "cuont" - did you mean "count"?',
      '8:19 error fn::invoke needs the key "function", for example plumbline:dns:getRecords',
      '9:7 error there is no function fn::jion - did you mean "fn::join"?',
      '10:20 error fn::join must be the only key of its object, and here is also "b"',
      "11:21 error fn::toBase64 takes text, and this is a list",
      "12:18 error fn::join takes text here, and this is a number",
      "12:21 error fn::join takes a list here, and this is a number",
      "13:7 error there is no function aws:x:y: this engine calls functions of plumbline only, Pulumi's engine all",
      "14:29 error each entry of fn::assetArchive must be a call of fn::stringAsset, fileAsset, remoteAsset, assetArchive, fileArchive or remoteArchive",
      "15:19 error fn::select takes two arguments, [index, list], and this is a list of 1",
      "16:37 error the arguments of a function must be an object, and this is text",
      '17:7 warning write "fn::toJSON", not "FN::ToJson"',
      '18:94 error "prnt" is no key of the options of fn::invoke - did you mean "parent"?',
      "18:113 error provider takes a resource: refer to it whole, like ${name}, without a property",
      "19:24 error fn::split takes text here, and this is a list (of texts)",
    ]);
  });
});
