import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { fromWireName, toWireName } from "../../../provider/core/object/wire-name.ts";
import { annotations, type Fields, isOfDefaults, isRequired } from "../../../provider/core/type/field.ts";
import { version } from "../../../provider/core/version.ts";
import { catalogue, packageSchema, stackSchema } from "../../../provider/provider.ts";
import { functionTypes, resourceTypes } from "../../../provider/resources/index.ts";

describe.each(resourceTypes.map((type) => [type.token, type] as const))("%s", (_, type) => {
  const inputs = Object.entries(type.inputs);

  test("describes itself and every field for users", () => {
    for (const [, field] of [...inputs, ...Object.entries(type.outputs)]) {
      expect(annotations(field).description).toMatch(/^[A-Z`0].*[.)`]$/);
    }
    expect(type.description).toMatch(/\.$/);
  });

  test("can reset each value that may be removed in place", () => {
    // What an aspect carries it resets itself; what another field may stand for is there in one way or the other.
    const ofAspects = type.aspects.flatMap(({ fields }) => fields as readonly string[]);
    const replaceable = inputs.map(([, field]) => annotations(field).insteadOf);
    const stuck = inputs.filter(([name, field]) => {
      const notes = annotations(field);
      return (
        !isRequired(field) &&
        !ofAspects.includes(name) &&
        !replaceable.includes(name) &&
        !notes.immutable &&
        notes.default === undefined &&
        !isOfDefaults(field) &&
        !notes.computed &&
        !notes.naming &&
        !notes.trigger &&
        !notes.local
      );
    });
    expect(stuck.map(([name]) => name)).toEqual([]);
  });

  test("says how a created object is found again", () => {
    expect(type.takesOver || inputs.some(([, field]) => annotations(field).adoptKey)).toBe(true);
  });

  test("uses no name that engines keep for themselves, and wire names that lead back", () => {
    const names = [...inputs.map(([name]) => name), ...Object.keys(type.outputs)];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      expect(["id", "urn", "pulumi", "provider"]).not.toContain(name);
      expect(fromWireName(toWireName(name))).toBe(name);
    }
  });

  test("names inputs and types that exist in its aspects, parents and movements", () => {
    for (const aspect of type.aspects)
      for (const name of aspect.fields) expect(type.inputs).toHaveProperty(name);
    for (const parent of type.parents ?? []) expect(resourceTypes.map(({ key }) => key)).toContain(parent);
    for (const [, field] of [...inputs, ...Object.entries(type.outputs)]) {
      const { movedBy } = annotations(field);
      for (const name of Array.isArray(movedBy) ? movedBy : []) expect(type.inputs).toHaveProperty(name);
    }
  });
});

test("tokens are known in both spellings, and no other", () => {
  expect(catalogue.resolveResource("plumbline:dns:Domain")).toBe("plumbline:dns/domain:Domain");
  expect(catalogue.resolveResource("plumbline:dns/domain:Domain")).toBe("plumbline:dns/domain:Domain");
  expect(catalogue.resolveFunction("plumbline:dns:getRecords")).toBe("plumbline:dns/getRecords:getRecords");
  for (const wrong of [
    "dns:Domain",
    "plumbline:dns:domain",
    "plumbline:dns/x:Domain",
    "aws:dns:Domain",
    "",
  ]) {
    expect(catalogue.resolveResource(wrong)).toBeUndefined();
  }
});

test("the catalogue tells inputs, outputs and what is secret", () => {
  const domain = catalogue.resources.get("plumbline:dns/domain:Domain")!;
  expect(domain.inputs["domain"]).toMatchObject({
    required: true,
    secret: false,
    schema: { type: "string", maxLength: 253 },
  });
  expect(domain.inputs["created"]).toBeUndefined();
  expect(domain.outputs["created"]).toMatchObject({ required: true });
  expect(domain.outputs["ttlSec"]).toMatchObject({ required: true, schema: { type: "integer" } });
  expect(catalogue.config["token"]).toMatchObject({ secret: true });
  expect(JSON.stringify([...catalogue.resources.values()])).not.toMatch(/adoptKey|wireName|"normal"/);
});

test("the version is package.json's", () => {
  const file = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  expect(version).toBe(file.version);
  expect(packageSchema()).toMatchObject({ name: "plumbline", version });
});

test("the package schema has every type and function, and marks what is secret or replaces", () => {
  const schema = packageSchema() as { [part: string]: { [token: string]: { [key: string]: Fields } } };
  expect(Object.keys(schema["resources"]!)).toEqual(resourceTypes.map(({ token }) => token));
  expect(Object.keys(schema["functions"]!)).toEqual(functionTypes.map(({ token }) => token));
  expect(schema["config"]!["variables"]!["token"]).toMatchObject({ secret: true });
  const record = schema["resources"]!["plumbline:dns/record:Record"]!;
  expect(record["inputProperties"]!["domainId"]).toMatchObject({
    type: "string",
    willReplaceOnChanges: true,
  });
  const references = [...JSON.stringify(schema).matchAll(/"#\/types\/([^"]+)"/g)].map(([, token]) => token!);
  for (const token of references) expect(schema["types"]).toHaveProperty([token]);
});

describe("the stack schema", () => {
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(stackSchema());
  const file = (properties: object, type = "plumbline:dns:Domain") => ({
    name: "p",
    runtime: "yaml",
    resources: { r: { type, properties } },
  });

  test("accepts values, expressions in their place at every depth, and types of other packages", () => {
    for (const good of [
      file({ domain: "a.example", type: "master" }),
      file({ domain: "${zone}", type: "${kind}", tags: ["a", "${b}"], ttlSec: "${ttl}" }),
      file({
        domain: { "fn::join": ["", []] },
        type: "master",
        tags: "${tags}",
        importFrom: { remoteNameserver: "${x}" },
      }),
      file({ domainId: 5, type: "A", target: "x" }, "plumbline:dns/record:Record"),
      file({ anything: 1 }, "aws:s3:Bucket"),
    ]) {
      expect([good, validate(good), validate.errors]).toEqual([good, true, null]);
    }
  });

  test.each([
    ["an unknown property", file({ domain: "a.example", type: "master", ttl: 5 })],
    ["a missing one", file({ domain: "a.example" })],
    ["a wrong word", file({ domain: "a.example", type: "primary" })],
    ["a wrong type within a list", file({ domain: "a.example", type: "master", tags: [5] })],
    ["an unknown option", { ...file({}), resources: { r: { type: "x", options: { protekt: true } } } }],
    ["no runtime", { name: "p" }],
  ])("refuses %s", (_, bad) => {
    expect(validate(bad)).toBe(false);
  });
});
