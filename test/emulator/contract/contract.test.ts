import { describe, expect, test } from "vitest";
import { areas } from "../../../emulator/areas/index.ts";
import { operations } from "../../../emulator/contract/contract.ts";
import { rateClasses } from "../../../emulator/http/rate-limit.ts";
import document from "../../../schemas/service.openapi.json" with { type: "json" };

const keywords = new Set<string>();
const pointers = new Set<string>();
(function walk(value: unknown): void {
  if (Array.isArray(value)) value.forEach(walk);
  else if (typeof value === "object" && value !== null)
    for (const [name, content] of Object.entries(value)) {
      if (name.startsWith("x-")) keywords.add(name);
      if (name === "$ref" && typeof content === "string") pointers.add(content);
      walk(content);
    }
})(document);

describe("the contract's document", () => {
  test("describes every keyword of its own that it uses", () => {
    for (const keyword of keywords) expect(document.info.description).toContain(`\`${keyword}\``);
  });

  test("names every operation once", () => {
    const ids = Object.values(
      document.paths as { [path: string]: { [method: string]: { operationId?: string } } },
    )
      .flatMap((entry) => Object.values(entry))
      .map(({ operationId }) => operationId)
      .filter((id) => id !== undefined);
    expect(ids.length).toBe(operations.length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("refers only to what exists", () => {
    for (const pointer of pointers) {
      let at: unknown = document;
      for (const part of pointer.slice(2).split("/"))
        at = (at as { [name: string]: unknown } | undefined)?.[part];
      expect(at, pointer).toBeDefined();
    }
  });
});

describe("every operation", () => {
  test.each(operations.map((operation) => [operation.key, operation] as const))(
    "%s is complete",
    (_key, operation) => {
      const named = operation.template.match(/(?<=\{)[^}]+(?=\})/g) ?? [];
      expect(operation.path.map(({ name }) => name)).toEqual(named);
      expect(operation.answer).toBeDefined();
      expect(operation.area).not.toBe("");
      for (const scope of operation.scopes) expect(scope).toMatch(/^[a-z_]+:read_(only|write)$/);
      if (operation.access === "anyone") expect(operation.scopes).toEqual([]);
      if (operation.unrestricted) expect(operation.access).toBe("token");
      if (operation.list) expect(operation.item).toBeDefined();
      for (const [name, shape] of operation.filterable) expect(shape, `x-filterable ${name}`).toBeDefined();
      if (operation.rateClass !== undefined) expect(Object.keys(rateClasses)).toContain(operation.rateClass);
    },
  );
});

test("the operations that the contract marks are marked", () => {
  const unrestricted = operations.filter((operation) => operation.unrestricted).map(({ key }) => key);
  expect(unrestricted.filter((key) => key.includes(" /managed/"))).toHaveLength(25);
  expect(unrestricted.filter((key) => !key.includes(" /managed/")).sort()).toEqual([
    "DELETE /databases/mysql/instances/{instanceId}",
    "DELETE /databases/postgresql/instances/{instanceId}",
    "POST /databases/mysql/instances/{instanceId}/credentials/reset",
    "POST /databases/postgresql/instances/{instanceId}/credentials/reset",
  ]);
  const scopes = (key: string) => operations.find((operation) => operation.key === key)?.scopes;
  expect(scopes("POST /volumes/{volumeId}/attach")).toEqual(["volumes:read_write", "computes:read_write"]);
  expect(scopes("GET /vpcs")).toEqual([]);
  expect(scopes("GET /vpcs/{vpcId}/ips")).toEqual(["ips:read_only"]);
  expect(scopes("GET /lke/clusters/{clusterId}/kubeconfig")).toEqual(["lke:read_write"]);
});

test("no two areas answer the same operation, and each answers one of the contract", () => {
  const keys = areas.flatMap(({ handlers }) => Object.keys(handlers));
  expect(new Set(keys).size).toBe(keys.length);
  const known = new Set(operations.map(({ key }) => key));
  expect(keys.filter((key) => !known.has(key))).toEqual([]);
});
