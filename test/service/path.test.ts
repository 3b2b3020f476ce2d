import { describe, expect, it } from "vitest";
import { checkPath, nameOf, path } from "../../provider/service/path.ts";
import { prefixes, showsOtherSide } from "../../provider/service/reading/effects.ts";
import { lists, specialLists } from "./lists.ts";

const { isCollection, itemOf, traitsOf } = lists;

describe("a path", () => {
  it("takes each id as one encoded segment", () => {
    expect(path`/databases/engines/${"mysql/8.0.30"}`).toBe("/databases/engines/mysql%2F8.0.30");
    expect(path`/domains/${1}/records/${"2"}`).toBe("/domains/1/records/2");
  });

  it.each(["", "..", ".", "undefined", "null", "NaN"])("refuses the id %j", (id) => {
    expect(() => path`/domains/${id}/records`).toThrow("an id is missing");
  });

  it.each(["domains", "/a b", "/a#b", "/a//b", "/a/", "/domains/%2e%2e/x", "/ä", "/a\r\nb"])(
    "refuses %j, which can only be a mistake",
    (bad) => {
      expect(() => checkPath(bad)).toThrow(TypeError);
    },
  );

  it("keeps a query", () => {
    expect(checkPath("/object-storage/buckets/c/b/object-acl?name=a%2Fb")).toContain("?name=a%2Fb");
  });
});

describe("the list of an object", () => {
  it.each([
    ["/domains/1", "/domains", "1"],
    ["/domains/1/records/5", "/domains/1/records", "5"],
    ["/databases/mysql/instances/4/backups/2", "/databases/mysql/instances/4/backups", "2"],
    ["/managed/compute-settings/9", "/managed/compute-settings", "9"],
    ["/object-storage/buckets/us-east-1/my-bucket", "/object-storage/buckets/us-east-1", "my-bucket"],
    ["/object-storage/buckets/us-east-1/42", "/object-storage/buckets/us-east-1", "42"],
    ["/databases/engines/mysql%2F8.0.30", "/databases/engines", "mysql/8.0.30"],
    ["/regions/us-east", "/regions", "us-east"],
  ])("is found for %s", (path, collection, key) => {
    expect(itemOf(path)).toEqual({ path, collection, key });
  });

  it.each([
    "/domains",
    "/domains/1/zone-file",
    "/domains/1/records",
    "/account",
    "/lke/clusters/1/nodes/12-abc",
    "/lke/clusters/1/kubeconfig",
    "/object-storage/buckets/us-east-1",
    "/object-storage/buckets/us-east-1/b/ssl",
    "/managed/credentials/sshkey",
    "/vpcs/ips",
    "/domains/1?x=1",
  ])("is not looked for at %s", (path) => {
    expect(itemOf(path)).toBeUndefined();
  });

  it("tells lists, where things are created, from actions", () => {
    for (const list of ["/volumes", "/domains/1/records", "/object-storage/keys"])
      expect(isCollection(list)).toBe(true);
    for (const action of [
      "/volumes/7/attach",
      "/domains/import",
      "/object-storage/buckets/c/b/access",
      "/vpcs/1",
    ]) {
      expect(isCollection(action)).toBe(false);
    }
  });

  it("is special where the types of its objects say so", () => {
    expect(specialLists).toEqual([
      {
        collection: "/compute/stackscripts",
        made: "/compute/stackscripts",
        filter: { mine: true },
        whole: "script",
      },
      { collection: "/object-storage/buckets/{cluster}", made: "/object-storage/buckets", field: "label" },
      { collection: "/object-storage/keys", made: "/object-storage/keys", tellsOnce: true },
    ]);
    expect(traitsOf("/object-storage/keys").echoes).toBe(false);
    expect(traitsOf("/object-storage/buckets/us-east-1").field).toBe("label");
    expect(traitsOf("/volumes")).toEqual({ field: "id", complete: false, echoes: true, fixed: false });
  });

  it("proves an absence only where no grant can hide an object", () => {
    expect(traitsOf("/domains/1/records").complete).toBe(true);
    expect(traitsOf("/domains").complete).toBe(false);
  });
});

it("names objects as people do", () => {
  expect(nameOf("/volumes/7")).toBe("volume 7");
  expect(nameOf("/domains/1/records/5")).toBe("record 5 of domain 1");
  expect(nameOf("/lke/clusters/3/kubeconfig")).toBe("kubeconfig of cluster 3");
});

it("knows which lists show the same thing from another side", () => {
  const apart = (a: string, b: string) => showsOtherSide(a.split("/"), b.split("/"));
  expect(apart("databases/mysql/instances/1", "databases/instances")).toBe(true);
  expect(apart("vpcs/7/subnets/2", "vpcs/ips")).toBe(true);
  expect(apart("domains/1/records/5", "domains/2/records")).toBe(false);
  expect(apart("object-storage/keys/1", "object-storage/buckets")).toBe(false);
  expect(prefixes("/a/1/b/2")).toEqual(["/a", "/a/1", "/a/1/b"]);
});
