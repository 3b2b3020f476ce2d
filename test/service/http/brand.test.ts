import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBrand } from "../../../provider/service/http/brand.ts";

const acme = createBrand("acme");

describe("the brand word", () => {
  it.each([
    ["/compute/stackscripts/5", "/acme/stackscripts/5"],
    ["/managed/compute-settings/5", "/managed/acme-settings/5"],
    ["/images/compute%2Fdebian12", "/images/acme%2Fdebian12"],
    ["/compute/kernels/compute%2Flatest-64bit", "/acme/kernels/acme%2Flatest-64bit"],
    ["/object-storage/buckets/us/compute", "/object-storage/buckets/us/compute"],
    ["/tags/compute", "/tags/compute"],
    ["/domains/1", "/domains/1"],
  ])("turns %s into %s", (ours, theirs) => {
    expect(acme.path(ours)).toBe(theirs);
  });

  it("is in keys both ways, at every depth", () => {
    const ours = {
      compute_id: 1,
      computes: [{ id: 2, interfaces: [{ compute_label: "x" }] }],
      grants: { compute: [], add_computes: true },
    };
    const theirs = {
      acme_id: 1,
      acmes: [{ id: 2, interfaces: [{ acme_label: "x" }] }],
      grants: { acme: [], add_acmes: true },
    };
    expect(acme.outward(ours)).toEqual(theirs);
    expect(acme.inward(theirs)).toEqual(ours);
  });

  it("is in the ids, kinds, addresses and scopes that hold it", () => {
    const ours = {
      image: "compute/debian12",
      images: ["compute/debian12", "private/5", "any/all"],
      action: "compute_boot",
      entity: { type: "compute", url: "/v4/compute/instances/1" },
      scopes: "computes:read_only volumes:read_write",
      created_by: "compute",
      capabilities: ["Computes", "VPCs"],
    };
    const theirs = acme.outward(ours);
    expect(theirs).toEqual({
      image: "acme/debian12",
      images: ["acme/debian12", "private/5", "any/all"],
      action: "acme_boot",
      entity: { type: "acme", url: "/v4/acme/instances/1" },
      scopes: "acmes:read_only volumes:read_write",
      created_by: "acme",
      capabilities: ["Acmes", "VPCs"],
    });
    expect(acme.inward(theirs)).toEqual(ours);
  });

  it("is in the keys of a filter, its order and its ids", () => {
    expect(
      acme.outward({
        "+and": [{ compute_id: { "+gte": 5 } }, { image: "compute/x" }],
        "+order_by": "compute_id",
      }),
    ).toEqual({ "+and": [{ acme_id: { "+gte": 5 } }, { image: "acme/x" }], "+order_by": "acme_id" });
    expect(acme.outward({ "entity.type": "compute" })).toEqual({ "entity.type": "acme" });
  });

  it("is never put into what users wrote", () => {
    const written = {
      label: "compute",
      tags: ["compute", "compute/x"],
      description: "a compute_id",
      target: "compute/debian",
      script: "compute_id=1",
      stackscript_data: { compute_id: "mine", compute: "mine" },
      labels: { compute: "yes" },
    };
    expect(acme.outward(written)).toEqual(written);
  });

  it("is translated in the field of a refusal", () => {
    expect(acme.field("interfaces[0].acme_id")).toBe("interfaces[0].compute_id");
  });

  it("changes nothing when it is the contract's own", () => {
    const value = { compute_id: 1 };
    expect(createBrand().outward(value)).toBe(value);
  });

  it("must be one word", () => {
    expect(() => createBrand("two words")).toThrow("plumbline:brand");
  });

  it("comes back as it went, whatever is sent", () => {
    const key = fc.constantFrom(
      "compute_id",
      "computes",
      "compute",
      "image",
      "id",
      "type",
      "label",
      "url",
      "scopes",
    );
    const text = fc.constantFrom(
      "compute/debian12",
      "compute",
      "compute_x",
      "x",
      "/v4/compute/instances/1",
      "computes:read_only",
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.constant(null),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(acme.inward(acme.outward(value))).toEqual(value);
      }),
    );
  });
});
