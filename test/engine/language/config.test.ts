import { describe, expect, test } from "vitest";
import { secret } from "../../../provider/core/value.ts";
import { createPassphraseCrypter } from "../../../provider/engine/state/passphrase.ts";
import { fakeHost, head, load, told } from "./fixture.ts";

const crypter = await createPassphraseCrypter("open sesame");
const environment = { PULUMI_CONFIG_PASSPHRASE: "open sesame" };

/** Findings of a project with these config declarations and this settings file of its stack. */
async function found(
  config: string,
  settings = "",
  options: Parameters<typeof load>[1] = { environment },
): Promise<string[]> {
  const program = await load(
    { "Pulumi.yaml": `${head}config:\n${config}`, "Pulumi.dev.yaml": settings },
    options,
  );
  return told(program.diagnostics);
}

async function values(config: string, names: readonly string[], settings: string): Promise<unknown> {
  const outputs = names.map((name, index) => `  o${index}: \${${name}}\n`).join("");
  const program = await load(
    { "Pulumi.yaml": `${head}config:\n${config}outputs:\n${outputs}`, "Pulumi.dev.yaml": settings },
    { environment },
  );
  expect(told(program.diagnostics)).toEqual([]);
  return Object.values(await program.run(fakeHost()));
}

describe("a config value", () => {
  test("comes from the stack's settings, with or without the project's name, else from the declaration", async () => {
    const settings = "config:\n  p:a: from the stack\n  b: 5\n  p:config:c: old spelling\n";
    expect(
      await values(
        "  a: {type: string, default: unused}\n  b: {type: integer}\n  c: {type: string}\n  d: {type: string, default: own}\n",
        ["a", "b", "c", "d", "p:a"],
        settings,
      ),
    ).toEqual(["from the stack", 5, "old spelling", "own", "from the stack"]);
  });

  test("that is encrypted, as a whole or in a part, is opened and stays secret", async () => {
    const settings = `encryptionsalt: ${crypter.state}
config:
  p:whole:
    secure: ${crypter.encrypt("hunter2")}
  p:number: { secure: "${crypter.encrypt("5")}" }
  p:part:
    open: 1
    list: [{ secure: "${crypter.encrypt("deep")}" }, x]
`;
    expect(
      await values(
        "  whole: {type: string, secret: true}\n",
        ["whole", "number", "part", "part.open"],
        settings,
      ),
    ).toEqual([secret("hunter2"), secret(5), secret({ open: 1, list: ["deep", "x"] }), secret(1)]);
  });

  test("that is missing names the command and the file that set it", async () => {
    expect(await found("  zone: {type: string}\n  pass: {type: string, secret: true}\n")).toEqual([
      '4:3 error config "zone" has no value: run "plumbline config set zone VALUE --stack dev", or write p:zone: VALUE under "config" in Pulumi.dev.yaml',
      '5:3 error config "pass" has no value: run "plumbline config set pass VALUE --secret --stack dev", or write p:pass: VALUE under "config" in Pulumi.dev.yaml',
    ]);
  });

  test("that is declared secret and is not encrypted is secret all the same, with a warning", async () => {
    const program = await load(`${head}config:\n  a: {default: x, secret: true}\noutputs: {a: "\${a}"}\n`);
    expect(told(program.diagnostics)).toEqual([
      '4:16 warning config "a" is declared secret and stands here unencrypted, which Pulumi\'s engine refuses: run "plumbline config set --secret a --stack dev"',
    ]);
    expect(await program.run(fakeHost())).toEqual({ a: secret("x") });
  });

  test("that a text type does not keep is pointed at", async () => {
    expect(
      await found('  version: {type: string, default: "1.50"}\n  id: {type: string, default: "1001"}\n'),
    ).toEqual([
      '4:36 warning Pulumi\'s YAML reads the text of config "version" as a number and does not keep it as it is written, whatever type is declared, and so does this engine',
    ]);
  });
});

describe("a declaration", () => {
  test("is checked in itself", async () => {
    expect(
      await found(`  a: {type: strng}
  b: {type: array}
  c: {type: integer, default: 1.5}
  d: {type: array, items: {type: integer}, default: [1, x]}
  e:
  f: {default: 1, value: 2}
  g: {type: array<string>, default: [x]}
  h: {type: number, default: 1.5}
  i: {type: 5}
  j: {defualt: 5}
  k: {items: {type: string}, default: x}
  l: {type: array, items: {}}
  m: {secret: "yes", default: 1}
  n: {type: boolean, default: "true"}
  o: {default: "\${a}"}
  p:q: {type: string, default: x}
  r: 1.5
`),
    ).toEqual([
      '4:13 error there is no config type "strng" - did you mean "string"?',
      '5:13 error config "b" is an array: say of what, with items: {type: string}',
      '6:31 error the default of config "c" must be of type integer, and this is a number',
      '7:53 error the default of config "d" must be of type array of integer, and this is a list',
      '8:3 error config "e" declares nothing: give it a type, or a default value',
      '9:19 error config "f" has both a default and a value: keep one',
      '10:13 warning Pulumi\'s own command does not know the config type "array<string>": it knows string, integer, boolean, object, array (an array with "items")',
      '11:13 warning Pulumi\'s own command does not know the config type "number": it knows string, integer, boolean, object, array (an array with "items")',
      '12:13 error the type of config "i" must be text, and this is a number: write it in quotes',
      '13:3 error config "j" has no value: run "plumbline config set j VALUE --stack dev", or write p:j: VALUE under "config" in Pulumi.dev.yaml',
      '13:7 error "defualt" is no key of config "j" - did you mean "default"?',
      '14:7 error config "k" has "items" and no "type": write type: array',
      '15:27 error "items" of config "l" needs a "type"',
      '16:15 error "secret" of config "m" must be true or false, and this is text',
      '18:16 warning config values are taken as they are written, references included: put computed values under "variables"',
      '20:6 warning Pulumi\'s own command refuses a bare fraction: write config "r" as {default: 1.5}',
    ]);
  });

  test("gives its type to the stack's values, whose text is not shown when it is secret", async () => {
    const settings = `encryptionsalt: ${crypter.state}
config:
  p:a: x
  p:b: { secure: "${crypter.encrypt("hunter2")}" }
  p:c: 1.5
  p:d: [1]
  p:e: "12"
`;
    const declared = [
      "a: {type: integer}",
      "b: {type: integer}",
      "c: {type: boolean}",
      "d: {type: object}",
      "e: {type: integer}",
    ];
    const lines = await found(declared.map((line) => `  ${line}\n`).join(""), settings);
    expect(lines).toEqual([
      '3:8 error config "a" must be of type integer',
      '4:8 error config "b" must be of type integer',
      '5:8 error config "c" must be of type boolean',
      '6:8 error config "d" must be of type object',
    ]);
    expect(lines.join()).not.toContain("hunter2");
  });
});

describe("the stack's settings file", () => {
  const sealed = `config:\n  p:a: {secure: "${crypter.encrypt("x")}"}\n`;

  test.each([
    [
      "no salt",
      sealed,
      environment,
      '2:17 error this value is encrypted, and the file has no "encryptionsalt" to open it with',
    ],
    [
      "no passphrase",
      `${sealed}encryptionsalt: ${crypter.state}\n`,
      {},
      "2:17 error this value is encrypted: set PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE, to the stack's passphrase",
    ],
    [
      "another passphrase",
      `${sealed}encryptionsalt: ${crypter.state}\n`,
      { PULUMI_CONFIG_PASSPHRASE: "wrong" },
      "3:17 error incorrect passphrase: PULUMI_CONFIG_PASSPHRASE (or the file in PULUMI_CONFIG_PASSPHRASE_FILE) is not the one that this stack's secrets were encrypted with",
    ],
    [
      "another keeper of secrets",
      `${sealed}secretsprovider: awskms://alias/x\n`,
      environment,
      "3:18 error the stack's secrets are kept by awskms, and this engine opens those of a passphrase only",
    ],
    [
      "damage",
      `config:\n  p:a: {secure: v1:AAAA}\nencryptionsalt: ${crypter.state}\n`,
      environment,
      "2:17 error an encrypted value must read v1:NONCE:CIPHERTEXT",
    ],
  ])("with %s is told where it is", async (_, settings, given, expected) => {
    expect(await found("  a: {type: string, default: y}\n", settings, { environment: given })).toEqual([
      expected,
    ]);
  });

  test("is checked for its own keys", async () => {
    expect(
      await found(
        "  a: 1\n",
        "confg: {}\nenvironment: [x]\nconfig:\n  p:a: 2\n  a: 3\n  x:y:z: 1\n  aws:region: x\n  plumbline:tokn: x\n",
      ),
    ).toEqual([
      '1:1 error "confg" is no key of the stack\'s settings file - did you mean "config"?',
      '2:1 error "environment" takes config from Pulumi\'s cloud, which this engine cannot reach: write the values under "config"',
      '5:3 error the value of "p:a" is given twice, with and without the project\'s name',
      '6:3 error "x:y:z" is no config key: write key, or namespace:key',
      '7:15 warning config "aws:region" has no effect: this engine runs resources of plumbline only',
      '8:19 error the provider has no config key "plumbline:tokn" - did you mean "token"?',
    ]);
  });

  test("is the one of the stack, in the folder that the project names", async () => {
    const program = await load(
      {
        "Pulumi.yaml": `${head}stackConfigDir: stacks\nconfig: {a: {type: string}}\noutputs: {a: "\${a}"}\n`,
        "stacks/Pulumi.prod.yaml": "config: {p:a: there}\n",
      },
      { stack: "organization/p/prod" },
    );
    expect(told(program.diagnostics)).toEqual([]);
    expect(await program.run(fakeHost())).toEqual({ a: "there" });
  });

  test("with broken YAML is told with its own name", async () => {
    const program = await load({ "Pulumi.yaml": head, "Pulumi.dev.yaml": "config: [\n" });
    expect(program.diagnostics[0]).toMatchObject({ severity: "error", file: "Pulumi.dev.yaml", line: 2 });
  });
});

describe("config of the provider", () => {
  test("is taken from the stack before the project, as text, secrets marked", async () => {
    const program = await load(
      {
        "Pulumi.yaml": `${head}config:\n  plumbline:brand: acme\n  plumbline:baseUrl: {value: "http://a.example/v4"}\n  plumbline:pageSize: 100\n`,
        "Pulumi.dev.yaml": `encryptionsalt: ${crypter.state}\nconfig:\n  plumbline:brand: {secure: "${crypter.encrypt("other")}"}\n  plumbline:token: plain\n`,
      },
      { environment },
    );
    expect(told(program.diagnostics)).toEqual([]);
    expect(program.providerConfig).toEqual({
      brand: secret("other"),
      baseUrl: "http://a.example/v4",
      pageSize: "100",
      token: secret("plain"),
    });
  });

  test("has no type and no default in a project", async () => {
    expect(
      await found("  plumbline:brand: {type: string, default: x}\n  plumbline:token: {description: x}\n"),
    ).toEqual([
      '4:21 error config "plumbline:brand" belongs to a package, which gives it its type: leave "type" out',
      '4:35 error config "plumbline:brand" belongs to a package: write "value" instead of "default"',
      '5:3 error config "plumbline:token" belongs to a package and needs a "value"',
    ]);
  });
});
