import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ValueMap } from "../../../provider/core/value.ts";
import { type Account, openAccount, type Resource, resourceNamed } from "../deployment.ts";
import { contact, service } from "../lives/managed.ts";

describe("refusals of managed monitoring, by the declaration alone", () => {
  let account: Account;
  beforeAll(async () => {
    account = await openAccount();
  });
  afterAll(() => account.close());

  const named = (name: string): Resource =>
    resourceNamed(`plumbline:managed/${name.charAt(0).toLowerCase()}${name.slice(1)}:${name}`, "subject");
  test.each<[string, string, ValueMap, (string | RegExp)[]]>([
    ["a contact without name and address", "Contact", {}, ["name: is required", "email: is required"]],
    [
      "a contact of values too short",
      "Contact",
      { name: "J", email: "no", group: "x", phone: { primary: "call me", secondary: "12" } },
      [
        "name: must have 2 to 64 characters, not 1",
        /^email: must be an e-mail/,
        "group: must have 2 to 50 characters, not 1",
        /^phone\.primary: must be a phone number/,
        /^phone\.secondary: must be a phone number/,
      ],
    ],
    [
      "a contact of values too long",
      "Contact",
      { name: "J".repeat(65), email: "jo@example.org", group: "x".repeat(51) },
      ["name: must have 2 to 64 characters, not 65", "group: must have 2 to 50 characters, not 51"],
    ],
    ["a name of other letters", "Contact", { ...contact, name: "Jörg" }, [/^name: must have only ASCII/]],
    [
      "a service without what it needs",
      "Service",
      {},
      ["label: is required", "serviceType: is required", "address: is required", "timeout: is required"],
    ],
    [
      "a service of values too short",
      "Service",
      { ...service, label: "ab", address: "x", timeout: 0 },
      [
        "label: must have 3 to 64 characters, not 2",
        "address: must have 3 to 100 characters, not 1",
        "timeout: must be 1 to 255, not 0",
      ],
    ],
    [
      "a service of values too long",
      "Service",
      {
        ...service,
        label: "x".repeat(65),
        address: `https://shop.example/${"x".repeat(80)}`,
        timeout: 256,
        body: "x".repeat(101),
        consultationGroup: "x".repeat(51),
      },
      [
        "label: must have 3 to 64 characters, not 65",
        "address: must have 3 to 100 characters, not 101",
        "timeout: must be 1 to 255, not 256",
        "body: must have 0 to 100 characters, not 101",
        "consultationGroup: must have 0 to 50 characters, not 51",
      ],
    ],
    [
      "a service of another kind, with no ids",
      "Service",
      { ...service, label: "shop!", serviceType: "icmp", credentials: ["main"] },
      [
        /^label: must have only ASCII/,
        'serviceType: must be one of url, tcp, not "icmp"',
        /^credentials\[0\]: must be an id/,
      ],
    ],
    [
      "a private address without a region",
      "Service",
      { ...service, address: "http://10.0.0.1/" },
      [/^region: is required for the private address 10\.0\.0\.1/],
    ],
    [
      "a region for a public address",
      "Service",
      { ...service, region: "us-east" },
      [/^region: must not be given, as shop\.example is no private address/],
    ],
    [
      "an address of the other kind",
      "Service",
      { ...service, serviceType: "tcp" },
      [/^address: must be an address like example\.org:25, not/],
    ],
    [
      "a port for a page",
      "Service",
      { ...service, address: "shop.example:80" },
      [/^address: must be an address like https:/],
    ],
    ["a new credential without a password", "Credential", { label: "shop" }, [/^password: is required/]],
    [
      "a credential of values too short",
      "Credential",
      { label: "x", password: "" },
      ["label: must have 2 to 75 characters, not 1", "password: must have at least 1 characters"],
    ],
    [
      "a credential of values too long",
      "Credential",
      { label: "x".repeat(76), username: "u".repeat(5001), password: "p" },
      ["label: must have 2 to 75 characters, not 76", "username: must have 0 to 5000 characters, not 5001"],
    ],
    [
      "a label of other letters",
      "Credential",
      { label: "shop!", password: "p" },
      [/^label: must have only ASCII/],
    ],
    ["settings of nothing", "InstanceSettings", { ssh: {} }, ["computeId: is required"]],
    [
      "settings out of bounds",
      "InstanceSettings",
      { computeId: "web-1", ssh: { port: 0, ip: "somewhere", user: "" } },
      [
        /^computeId: must be an id/,
        /^ssh\.ip: must be an IPv4 or IPv6 address, or any/,
        "ssh.port: must be 1 to 65535, not 0",
        "ssh.user: must have 1 to 32 characters, not 0",
      ],
    ],
    [
      "settings beyond the bounds",
      "InstanceSettings",
      { computeId: 1, ssh: { port: 65_536, user: "u".repeat(33) } },
      ["ssh.port: must be 1 to 65535, not 65536", "ssh.user: must have 1 to 32 characters, not 33"],
    ],
  ])("%s", async (_, name, newInputs, expected) => {
    const provider = await account.open();
    const { failures } = await provider.check({ ...named(name), newInputs, randomSeed: new Uint8Array(32) });
    expect(failures.map(({ property, reason }) => `${property}: ${reason}`)).toEqual(
      expected.map((each) => (typeof each === "string" ? each : expect.stringMatching(each))),
    );
    expect(provider.requests()).toEqual({});
  });

  test("a password that breaks a rule is not in the refusal", async () => {
    const provider = await account.open();
    const newInputs = { label: "shop", password: 123456789 };
    const { failures } = await provider.check({ ...named("Credential"), newInputs });
    expect(failures).toHaveLength(1);
    expect(JSON.stringify(failures)).not.toContain("123456789");
  });

  test("two settings of one instance are refused, whatever their own values", async () => {
    const provider = await account.open();
    const newInputs = { computeId: 5 };
    const first = { ...named("InstanceSettings"), urn: "urn:pulumi:dev::test::x::first", name: "first" };
    expect((await provider.check({ ...first, newInputs })).failures).toEqual([]);
    const { failures } = await provider.check({ ...named("InstanceSettings"), newInputs });
    expect(failures).toMatchObject([{ property: "computeId", reason: expect.stringContaining('"first"') }]);
  });
});
