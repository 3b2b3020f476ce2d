import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, openSession, type Session } from "../../session.ts";

let on: Session;
let script: Answer;
const path = () => `/compute/stackscripts/${script.id}`;
const instance = (fields: object) => ({
  region: "us-east",
  type: "g6-nanode-1",
  image: "compute/debian12",
  root_pass: "correct horse battery",
  stackscript_id: script.id,
  ...fields,
});
const refused = (fields: object) => on.refused(400, "POST", "/compute/instances", instance(fields));

beforeAll(async () => {
  on = await openSession();
  script = await on.post("/compute/stackscripts", {
    label: "with fields",
    images: ["compute/debian12", "compute/debian11"],
    script: `#!/bin/sh
# <UDF name="fqdn" label="Host name">
# <UDF name="level" label="Level" oneof="low,high" default="low">
# <UDF name="parts" label="Parts" manyof="a,b,c" default="">
`,
  });
});
afterAll(() => on.close());

describe("an instance made by a script (contract section 2.2; notes, section 2.1)", () => {
  test("is counted as active while there is one, and as made for good", async () => {
    const made = await on.post("/compute/instances", instance({ stackscript_data: { fqdn: "a.example" } }));
    expect(made).not.toHaveProperty("stackscript_id");
    expect(await on.get(path())).toMatchObject({ deployments_active: 1, deployments_total: 1 });
    on.wait(30);
    await on.remove(`/compute/instances/${made.id}`);
    expect(await on.get(path())).toMatchObject({ deployments_active: 0, deployments_total: 1 });
  });

  test.each([
    ["a field without default", {}, "stackscript_data.fqdn", "fqdn is required"],
    ["a choice", { fqdn: "a", level: "middle" }, "stackscript_data.level", "Must be one of low, high"],
    [
      "two of one choice",
      { fqdn: "a", level: "low,high" },
      "stackscript_data.level",
      "Must be one of low, high",
    ],
    ["one of many choices", { fqdn: "a", parts: "a,d" }, "stackscript_data.parts", "Must be one of a, b, c"],
  ])("needs %s", async (_, stackscript_data, field, reason) => {
    expect(await refused({ stackscript_data })).toEqual([{ reason, field }]);
  });

  test.each([
    ["an image that the script does not take", { image: "compute/alpine3.19" }, "image"],
    ["no image", { image: undefined, root_pass: undefined }, "image"],
    ["a script that there is not", { stackscript_id: 1 }, "stackscript_id"],
    ["data without a script", { stackscript_id: undefined }, "stackscript_data"],
  ])("is refused with %s", async (_, fields, field) => {
    const sent = { stackscript_data: { fqdn: "a", parts: "a,c" }, ...fields };
    expect((await refused(sent)).map((reason) => reason.field)).toEqual([field]);
  });

  test("may be of a public script of another account, on any image that it takes", async () => {
    const foreign = (await on.list("/compute/stackscripts", { mine: false })).find(({ images }) =>
      images.includes("any/all"),
    );
    const fields = { stackscript_id: foreign.id, image: "compute/alpine3.19" };
    await on.post("/compute/instances", instance(fields));
    expect(await on.get(`/compute/stackscripts/${foreign.id}`)).toMatchObject({
      deployments_total: foreign.deployments_total + 1,
      deployments_active: foreign.deployments_active + 1,
    });
  });
});
