/** The package schema as the plugin gives it: what is committed, what Pulumi's own check accepts, one version everywhere. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, it } from "vitest";
import { catalogue, createProvider, packageSchema } from "../../provider/provider.ts";
import { findPulumi } from "../../scripts/pulumi.mjs";
import { startPlugin } from "./engine.ts";

const root = resolve(import.meta.dirname, "../..");
const committed = readFileSync(join(root, "schemas", "pulumi.json"), "utf8");
const pulumi = process.env["PLUMBLINE_TEST_PULUMI"] || findPulumi();

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { [name: string]: string };

describe("the package schema", () => {
  it("comes from the plugin, without configuration, as it is committed", async () => {
    const { call, close } = await startPlugin({ createProvider, catalogue, packageSchema });
    try {
      const schema = (await call("getSchema", new messages.GetSchemaRequest())).getSchema();
      expect(JSON.parse(schema)).toEqual(JSON.parse(committed));
      expect((await call("getPluginInfo", new empty.Empty())).getVersion()).toBe(manifest.version);
    } finally {
      await close();
    }
  });

  it("names every type and function of the catalogue, and no other", () => {
    const { resources, functions } = JSON.parse(committed) as { resources: object; functions: object };
    expect(Object.keys(resources).sort()).toEqual([...catalogue.resources.keys()].sort());
    expect(Object.keys(functions).sort()).toEqual([...catalogue.functions.keys()].sort());
  });

  it("says who made it and where it is found, as the package of the command line does", () => {
    const { publisher, homepage, repository, pluginDownloadURL, license } = JSON.parse(committed) as {
      [name: string]: string;
    };
    expect({ homepage, repository, license }).toEqual({
      homepage: manifest["homepage"],
      repository: manifest["repository"],
      license: manifest["license"],
    });
    expect(publisher).toBe("Plumbline");
    expect(pluginDownloadURL?.startsWith(`${homepage}/`)).toBe(true);
  });

  it("has the words of a choice as a type where it is declared, and as text where it is answered", () => {
    const { resources, types } = JSON.parse(committed) as {
      resources: {
        [token: string]: { [side: string]: { [name: string]: { type?: string; $ref?: string } } };
      };
      types: { [token: string]: { enum?: object[] } };
    };
    const { inputProperties, properties } = resources["plumbline:objectstorage/bucket:Bucket"]!;
    const { type, $ref } = inputProperties!["acl"]!;
    expect([type, $ref]).toEqual(["string", "#/types/plumbline:objectstorage/CannedAcl:CannedAcl"]);
    expect(types["plumbline:objectstorage/CannedAcl:CannedAcl"]?.enum).toContainEqual({
      name: "PublicRead",
      value: "public-read",
    });
    expect(properties!["acl"]).not.toHaveProperty("$ref");
  });

  it.skipIf(!pulumi)(
    "passes `pulumi schema check`, from the file and from the program",
    { timeout: 60_000 },
    () => {
      const home = mkdtempSync(join(tmpdir(), "plumbline-home-"));
      const run = (...args: string[]) =>
        spawnSync(join(pulumi ?? "", "pulumi"), args, {
          cwd: home,
          encoding: "utf8",
          env: { ...process.env, HOME: home, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "true" },
        });
      try {
        const checked = run("schema", "check", join(root, "schemas", "pulumi.json"));
        expect(`${checked.status} ${checked.stdout}${checked.stderr}`).toBe("0 ");
        const got = run("package", "get-schema", join(root, "bin", "pulumi-resource-plumbline"));
        expect(got.stderr).toBe("");
        const { name, resources } = JSON.parse(got.stdout) as { name: string; resources: object };
        expect([name, Object.keys(resources).sort()]).toEqual([
          "plumbline",
          [...catalogue.resources.keys()].sort(),
        ]);
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    },
  );
});
