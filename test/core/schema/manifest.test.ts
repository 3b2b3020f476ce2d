/** Inputs as specs of Kubernetes and back, and what of a spec is not there yet. */

import { describe, expect, it } from "vitest";
import { kindOf, manifestForm } from "../../../provider/core/schema/manifest/form.ts";
import { inputsOf, type Surroundings, specOf } from "../../../provider/core/schema/manifest/spec.ts";
import {
  asset,
  isAsset,
  isSecret,
  reveal,
  secret,
  type Value,
  type ValueMap,
} from "../../../provider/core/value.ts";
import { resourceTypes } from "../../../provider/resources/index.ts";
import { lives } from "../../provider/lives/index.ts";

const byKey = new Map(resourceTypes.map((type) => [type.key, type]));
const byToken = new Map(resourceTypes.map((type) => [type.token, type]));
const formOf = (key: string) => manifestForm(byKey.get(key)!, byKey);
const nothing: Surroundings = { target: () => undefined, secret: () => undefined, content: () => undefined };
const read = (key: string, spec: object, around: Partial<Surroundings> = {}) =>
  inputsOf(byKey.get(key)!, formOf(key), byKey, { ...spec }, { ...nothing, ...around });

describe("a spec", () => {
  it("names the object that an input is the id of", () => {
    const target: Surroundings["target"] = ({ kind }, name) =>
      kind === "Domain" && name === "zone" ? { id: "12", inputs: {} } : undefined;
    const spec = { domainRef: { name: "zone" }, type: "A", target: "192.0.2.1", deletionPolicy: "Retain" };
    expect(read("dns/record", spec, { target })).toEqual({
      inputs: { domainId: "12", type: "A", target: "192.0.2.1" },
      missing: [],
    });
    expect(read("dns/record", spec)).toEqual({
      inputs: { type: "A", target: "192.0.2.1" },
      missing: [{ property: "domainRef", what: "Domain zone" }],
    });
  });

  it("names several, each of which may be missing", () => {
    const target: Surroundings["target"] = (_, name) =>
      name === "one" ? { id: "1", inputs: {} } : undefined;
    const spec = { label: "shop", credentialRefs: [{ name: "one" }, { name: "two" }] };
    expect(read("managed/service", spec, { target })).toEqual({
      inputs: { label: "shop" },
      missing: [{ property: "credentialRefs[1]", what: "Credential two" }],
    });
    expect(read("managed/service", { credentialRefs: [{ name: "one" }] }, { target }).inputs).toEqual({
      credentials: ["1"],
    });
  });

  it("names a parent that several inputs follow from: its kind's word and its id, or its own inputs", () => {
    const database = { id: "7", inputs: {} };
    const target: Surroundings["target"] = ({ kind }) =>
      kind === "PostgreSqlInstance" ? database : undefined;
    const ref = { kind: "PostgreSqlInstance", name: "shop" };
    expect(read("databases/snapshot", { instanceRef: ref, label: "before" }, { target }).inputs).toEqual({
      kind: "postgresql",
      instanceId: "7",
      label: "before",
    });
    const bucket = {
      id: "us-east-1/photos",
      inputs: { cluster: "us-east-1", label: "photos", acl: "private" },
    };
    const object = { bucketRef: { name: "photos" }, name: "index.html", content: "hello" };
    expect(read("objectstorage/object", object, { target: () => bucket }).inputs).toEqual({
      cluster: "us-east-1",
      bucket: "photos",
      name: "index.html",
      content: "hello",
    });
  });

  it("has its secrets in Secrets, and files in whatever has them", () => {
    const key = { name: "login", key: "password" };
    const spec = { label: "login", passwordSecretRef: key };
    expect(read("managed/credential", spec, { secret: () => "open sesame" }).inputs).toEqual({
      label: "login",
      password: secret("open sesame"),
    });
    expect(read("managed/credential", spec).missing).toEqual([
      { property: "passwordSecretRef", what: "key password of Secret login" },
    ]);
    const place = { configMapKeyRef: { name: "pages", key: "index.html" } };
    const found = asset({ text: "hello", hash: "00" });
    expect(read("objectstorage/object", { source: place }, { content: () => found }).inputs).toEqual({
      source: found,
    });
    expect(read("objectstorage/object", { source: place }).missing[0]!.what).toBe(
      "key index.html of ConfigMap pages",
    );
  });
});

/** As check would have it: ids as texts, secrets plain. */
const comparable = (inputs: ValueMap): unknown =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      const shown = isAsset(value) ? value.text! : reveal(value as Value);
      return [name, name.endsWith("Id") ? String(shown) : shown];
    }),
  );

it("a spec names objects where it can", () => {
  const named = { name: "zone" };
  const spec = specOf(
    byKey.get("dns/record")!,
    formOf("dns/record"),
    { domainId: "1", type: "A", ttlSec: null },
    {
      secretRef: () => ({ name: "x", key: "y" }),
      content: () => undefined,
      named: ({ property }) => (property === "domainRef" ? named : undefined),
    },
  );
  expect(spec).toEqual({ domainRef: named, type: "A" });
});

it.each(lives.map((life) => [life.type, life] as const))(
  "every declaration in the life of %s comes back from its spec",
  (token, { steps }) => {
    const type = byToken.get(token)!;
    const form = formOf(type.key);
    for (const { declare } of steps) {
      const declared = declare(new Proxy({}, { get: () => "123" }));
      const secrets = new Map<string, string>();
      const spec = specOf(type, form, declared, {
        secretRef(input, value) {
          secrets.set(input, value);
          return { name: "secrets", key: input };
        },
        content: (_, { text = "" }) => ({ text }),
        named: () => undefined,
      });
      expect(JSON.parse(JSON.stringify(spec))).toEqual(spec);
      for (const value of secrets.values()) expect(JSON.stringify(spec)).not.toContain(value);
      const { inputs, missing } = inputsOf(
        type,
        form,
        byKey,
        { ...spec },
        {
          ...nothing,
          secret: ({ key }) => secrets.get(key),
          content: ({ text }) => asset({ text: text! }),
        },
      );
      expect(missing).toEqual([]);
      expect(comparable(inputs)).toEqual(comparable(declared));
      for (const { input } of form.secrets)
        if (inputs[input] !== undefined) expect(isSecret(inputs[input])).toBe(true);
    }
  },
);

it("every kind has a name of its own", () => {
  const names = resourceTypes.map((type) => `${kindOf(type).plural}.${kindOf(type).group}`);
  expect(new Set(names).size).toBe(names.length);
});
