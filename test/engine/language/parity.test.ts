import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { revealAll, type ValueMap } from "../../../provider/core/value.ts";
import { ProgramError } from "../../../provider/engine/host.ts";
import { loadProgram } from "../../../provider/engine/language/program.ts";
import { pulumiBin } from "../../e2e/pulumi.ts";
import { catalogue, fakeHost } from "./fixture.ts";

const run = promisify(execFile);

let home = "";
let environment: { [name: string]: string } = {};

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "plumbline-parity-"));
  await mkdir(join(home, "state"));
  environment = {
    PATH: `${pulumiBin}${delimiter}${process.env.PATH}`,
    HOME: home,
    PULUMI_HOME: join(home, "home"),
    PULUMI_BACKEND_URL: `file://${join(home, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "correct horse",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    NO_COLOR: "1",
  };
});
afterAll(async () => {
  if (home) await rm(home, { recursive: true, force: true });
});

interface Case {
  readonly files?: { readonly [name: string]: string };
  /** Arguments of `pulumi config set`, one list each. */
  readonly config?: readonly (readonly string[])[];
  readonly program: string;
}

let count = 0;

/** What each engine makes of the case: the outputs, or what it said when it refused. */
async function both(example: Case): Promise<{ theirs: ValueMap | string; ours: ValueMap | string }> {
  count += 1;
  const project = `p${count}`;
  const folder = join(home, project);
  await mkdir(folder);
  for (const [name, text] of Object.entries(example.files ?? {})) await writeFile(join(folder, name), text);
  await writeFile(join(folder, "Pulumi.yaml"), `name: ${project}\nruntime: yaml\n${example.program}`);
  const call = (...args: string[]) => run("pulumi", args, { cwd: folder, env: environment });
  const make = async (): Promise<ValueMap> => {
    await call("stack", "init", "dev");
    for (const args of example.config ?? []) await call("config", "set", ...args);
    await call("up", "--yes", "--skip-preview", "--non-interactive");
    return JSON.parse((await call("stack", "output", "--json", "--show-secrets")).stdout) as ValueMap;
  };
  const theirs = await make().catch(
    (error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}`,
  );
  const program = await loadProgram({
    file: join(folder, "Pulumi.yaml"),
    stack: "dev",
    catalogue,
    environment,
  });
  const ours = await program
    .run({ ...fakeHost(), project })
    .then((outputs) => revealAll(outputs) as ValueMap)
    .catch((error: unknown) => {
      if (!(error instanceof ProgramError)) throw error;
      return error.message;
    });
  return { theirs, ours };
}

const same: { readonly [name: string]: Case } = {
  "plain scalars mean the same": {
    program: `outputs:
  yes: yes
  on: On
  octal: 0o17
  oldOctal: 017
  noOctal: 089
  hex: 0x1F
  binary: -0b11
  date: 2001-12-14
  time: 2001-12-14t21:59:43.10-05:00
  underscores: 1_000
  point: .5
  plus: +5
  exponent: 1e3
  big: 123456789012
  fraction: 1.50
  quoted: "5"
  tagged: !!str 12
  truth: True
  block: |
    one
    two
  folded: >-
    one
    two
  nested: { a: [1, "2", true, null, { b: ~ }] }
  empty: ""
  emptyList: []
  emptyObject: {}
  nothing: null
`,
  },
  "text takes values in the same notation": {
    program: `variables:
  million: 1000000
  number: 1234567
  small: 0.00001
  fraction: 1.5
  negative: -7
  list: [a, 1, true]
  object: { b: 1, a: [x, 1.5] }
  truth: true
  nothing: null
outputs:
  a: "\${million} \${number} \${small} \${fraction} \${negative}"
  b: "\${list} \${object} \${truth} \${nothing}!"
  c: "\${list[1]}\${object.a[0]}\${object[\\"b\\"]}"
  d: "$\${x} $$ $x $ costs $5 $$\${million}"
  whole: \${object}
  key: { "\${fraction}x": 1, "a\${list[0]}": 2 }
`,
  },
  "the built-in functions": {
    files: { "note.txt": "hello\nthere\n" },
    program: `variables:
  parts: [a, b, c]
outputs:
  join: { fn::join: ["-", [a, b]] }
  joinNothing: { fn::join: [null, [a, b]] }
  joinVariable: { Fn::Join: [", ", "\${parts}"] }
  split: { fn::split: [",", "a,b,,c"] }
  splitEmpty: { fn::split: ["", "abc"] }
  select: { fn::select: [1, "\${parts}"] }
  json: { fn::toJSON: { z: 1, a: [1.0e21, 1.0e-7, 0.1, "<&>", null, true], "b\\"": "\\u2028é\\t\\b\\x7f" } }
  base64: { fn::toBase64: "grüße" }
  unbase64: { fn::fromBase64: "Z3LDvMOfZQ==" }
  file: { fn::readFile: ./note.txt }
  absolute: { fn::readFile: "\${pulumi.cwd}/note.txt" }
  secret: { fn::secret: { a: 1 } }
  within: { fn::toJSON: { fn::secret: x } }
  nested: { fn::join: ["", [{ fn::toBase64: a }, { fn::select: [0, [b]] }]] }
`,
  },
  "what is known of the run": {
    program: `outputs:
  all: \${pulumi}
  cwd: \${pulumi.cwd}
  text: \${pulumi.project}/\${pulumi.stack}/\${pulumi.organization}
  root: \${pulumi.rootDirectory}
`,
  },
  "declared config and its defaults": {
    program: `config:
  short: hello
  number: 5
  flag: true
  list: [a, "1", "t"]
  numeric: { type: string, default: "123" }
  zero: { type: string, default: "0123" }
  wordy: { type: string, default: "true" }
  letter: { type: string, default: "t" }
  decimal: { type: string, default: "1.50" }
  exponent: { type: string, default: "1e3" }
  json: { type: string, default: '{"a": [1, "x"]}' }
  quoted: { type: string, default: '"x"' }
  empty: { type: string, default: "" }
  whole: { type: integer, default: 1000000 }
  truth: { type: boolean, default: false }
  texts: { type: array, items: { type: string }, default: ["1", "x"] }
  lists: { type: array, items: { type: array, items: { type: integer } }, default: [[1], [2, 3]] }
  object: { type: object, default: { a: 1, b: ["2"] } }
  literal: { type: string, default: "a \${short} b" }
  fixed: { value: 7 }
outputs:
  short: \${short}
  number: \${number}
  flag: \${flag}
  list: \${list}
  numeric: \${numeric}
  zero: \${zero}
  wordy: \${wordy}
  letter: \${letter}
  decimal: \${decimal}
  exponent: \${exponent}
  json: \${json}
  quoted: \${quoted}
  empty: \${empty}
  whole: \${whole}
  truth: \${truth}
  texts: \${texts}
  lists: \${lists}
  object: \${object}
  literal: \${literal}
  fixed: \${fixed}
`,
  },
  "config of the stack, encrypted and not": {
    config: [
      ["name", "from the stack"],
      ["count", "12"],
      ["--secret", "password", "hunter2"],
      ["--secret", "code", "007"],
      ["--path", "object.a", "5"],
      ["--path", "--secret", "object.b", "deep"],
      ["--path", "list[0]", "x"],
      ["free", "undeclared"],
      ["plumbline:brand", "acme"],
    ],
    program: `config:
  name: { type: string }
  count: { type: integer, default: 3 }
  password: { type: string, secret: true }
  code: { type: string }
outputs:
  name: \${name}
  count: \${count}
  password: \${password}
  length: "<\${password}>"
  code: \${code}
  object: \${object}
  inner: \${object.b}
  list: \${list[0]}
  free: \${free}
  brand: \${plumbline:brand}
`,
  },
  "the older name of config": {
    program: "configuration:\n  a: { type: string, default: x }\noutputs:\n  a: ${a}\n",
  },
};

/** Programs that both refuse. */
const refused: { readonly [name: string]: Case } = {
  "an unknown reference": { program: "outputs:\n  a: ${nope}\n" },
  "an unknown property of an object": { program: "variables:\n  o: {a: 1}\noutputs:\n  a: ${o.b}\n" },
  "an index outside a list": { program: "variables:\n  l: [1]\noutputs:\n  a: ${l[1]}\n" },
  "a property of a text": { program: "variables:\n  t: x\noutputs:\n  a: ${t.b}\n" },
  "a circle": { program: "variables:\n  a: ${b}\n  b: ${a}\noutputs:\n  o: ${a}\n" },
  "an alias": { program: "variables:\n  a: &x 1\n  b: *x\n" },
  "a key twice": { program: "variables:\n  a: 1\n  a: 2\n" },
  "a key that is no text": { program: "variables:\n  a: {1: x}\n" },
  "broken YAML": { program: "variables:\n  a: [1\n" },
  "an open reference": { program: "outputs:\n  a: ${b\n" },
  "an empty reference": { program: "outputs:\n  a: x${}\n" },
  "a missing config value": { program: "config:\n  a: {type: string}\noutputs:\n  a: ${a}\n" },
  "a default of the wrong type": {
    program: "config:\n  a: {type: integer, default: x}\noutputs:\n  a: ${a}\n",
  },
  "a value of the wrong type": {
    config: [["a", "x"]],
    program: "config:\n  a: {type: integer}\noutputs:\n  a: ${a}\n",
  },
  "an array without items": { program: "config:\n  a: {type: array, default: []}\n" },
  "default and value": { program: "config:\n  a: {default: 1, value: 2}\n" },
  "an unknown config key": { program: "config:\n  a: {typ: string, default: x}\n" },
  "a name used twice": {
    program: "resources:\n  a: {type: 'pulumi:pulumi:StackReference'}\nvariables:\n  a: 2\n",
  },
  "the reserved name": { program: "variables:\n  pulumi: 2\n" },
  "joining numbers": { program: "outputs:\n  a: {fn::join: [',', [1]]}\n" },
  "joining no pair": { program: "outputs:\n  a: {fn::join: [',']}\n" },
  "selecting outside": { program: "outputs:\n  a: {fn::select: [2, [a]]}\n" },
  "selecting by text": { program: "outputs:\n  a: {fn::select: [x, [a]]}\n" },
  "bad Base64": { program: "outputs:\n  a: {fn::fromBase64: '%%'}\n" },
  "Base64 of no text": { program: "outputs:\n  a: {fn::fromBase64: '/w=='}\n" },
  "a missing file": { program: "outputs:\n  a: {fn::readFile: ./nope}\n" },
  "components in a program": { program: "components:\n  c: {outputs: {a: 1}}\n" },
  "a resource without a type": { program: "resources:\n  r: {properties: {}}\n" },
  "options.refresh with another word": { program: "options:\n  refresh: never\n" },
};

describe.skipIf(pulumiBin === undefined)("the language makes of a file what pulumi-yaml makes of it", () => {
  test.each(Object.entries(same))("%s", async (_, example) => {
    const { theirs, ours } = await both(example);
    expect(theirs).toBeTypeOf("object");
    expect(ours).toEqual(theirs);
  });

  test.each(Object.entries(refused))("both refuse %s", async (_, example) => {
    const { theirs, ours } = await both(example);
    expect(theirs).toBeTypeOf("string");
    expect(ours).toBeTypeOf("string");
  });
});
