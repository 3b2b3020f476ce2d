import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, eventsOf, openSession, type Session } from "../../session.ts";

const all = "/compute/stackscripts";
const users = {
  users: [
    { username: "boss", email: " Boss@Example.org" },
    { username: "maker", restricted: true, grants: { global: { add_stackscripts: true } } },
    { username: "none", restricted: true, grants: { global: {} } },
  ],
  tokens: [
    { token: "boss-token", username: "boss", scopes: "*" },
    { token: "maker-token", username: "maker", scopes: "*" },
    { token: "none-token", username: "none", scopes: "*" },
    { token: "reader-token", username: "boss", scopes: "stackscripts:read_only" },
    { token: "other-token", username: "boss", scopes: "volumes:read_write" },
  ],
};

let session: Session;
let on: Session;
beforeAll(async () => {
  session = await openSession({ users });
  on = session.as("boss-token");
});
afterAll(() => session.close());

const body = (fields: object = {}) => ({
  label: "web-server",
  images: ["compute/debian12"],
  script: "#!/bin/bash\necho done\n",
  ...fields,
});
const make = (fields: object = {}) => on.post(all, body(fields));
const actions = async (id: number) =>
  (await eventsOf(on, "stackscript", id)).map(({ action, status }) => `${action} ${status}`);

describe("a StackScript (contract section 2.2; notes, section 2)", () => {
  test("has all fields in the answer, list and view", async () => {
    const made = await make({ label: "whole" });
    const avatar = createHash("md5").update("boss@example.org").digest("hex");
    expect(made).toEqual({
      id: expect.any(Number),
      username: "boss",
      user_avatar_id: avatar,
      user_gravatar_id: avatar,
      label: "whole",
      description: "",
      ordinal: 0,
      logo_url: "",
      images: ["compute/debian12"],
      deployments_total: 0,
      deployments_active: 0,
      is_public: false,
      mine: true,
      created: made.created,
      updated: made.created,
      rev_note: "",
      script: "#!/bin/bash\necho done\n",
      user_defined_fields: [],
    });
    expect(await on.get(`${all}/${made.id}`)).toEqual(made);
    expect((await on.list(all)).find(({ id }) => id === made.id)).toEqual(made);
    expect(await actions(made.id)).toEqual(["stackscript_create notification"]);
  });

  test("may share its label with another", async () => {
    const [one, two] = [await make({ label: "shared" }), await make({ label: "shared" })];
    expect(one.id).not.toBe(two.id);
  });

  test("keeps its text to the letter", async () => {
    const script = "#!/bin/sh\n\tprintf \"%s\\r\\n\" 'ünïcode'\n\n";
    expect((await make({ script })).script).toBe(script);
  });

  test("changes only what is sent, and its time of change", async () => {
    const made = await make({ description: "before", rev_note: "first" });
    session.wait(5);
    const changed = await on.put(`${all}/${made.id}`, { description: "after", mine: false, id: 5 });
    expect(changed).toEqual({ ...made, description: "after", updated: changed.updated });
    expect(changed.updated > made.updated).toBe(true);
    expect(await on.put(`${all}/${made.id}`, {})).toMatchObject({ description: "after", rev_note: "first" });
  });

  test("tells of revisions and of becoming public", async () => {
    const made = await make();
    const path = `${all}/${made.id}`;
    await on.put(path, { label: "other", script: made.script });
    await on.put(path, { script: "#!/bin/sh\n", rev_note: "shorter" });
    await on.put(path, { is_public: true });
    await on.put(path, { is_public: true });
    expect((await actions(made.id)).map((text) => text.split(" ")[0])).toEqual([
      "stackscript_create",
      "stackscript_update",
      "stackscript_update",
      "stackscript_revise",
      "stackscript_update",
      "stackscript_publicize",
      "stackscript_update",
    ]);
  });

  test("is deleted while it is private", async () => {
    const { id } = await make();
    expect(await on.remove(`${all}/${id}`)).toEqual({});
    await on.refused(404, "GET", `${all}/${id}`);
    await on.refused(404, "PUT", `${all}/${id}`, {});
    await on.refused(404, "DELETE", `${all}/${id}`);
    expect(await actions(id)).toContain("stackscript_delete notification");
  });

  test("that is public stays so, and stays (contract section 7)", async () => {
    const { id } = await make({ is_public: true });
    expect(await on.refused(400, "PUT", `${all}/${id}`, { is_public: false })).toEqual([
      { reason: "A public StackScript cannot be made private", field: "is_public" },
    ]);
    expect(await on.refused(400, "DELETE", `${all}/${id}`)).toEqual([
      { reason: "A public StackScript cannot be deleted" },
    ]);
    expect(await on.put(`${all}/${id}`, { label: "still mine", is_public: true })).toMatchObject({
      label: "still mine",
      is_public: true,
    });
  });

  test.each(["abc", "1.5", "-1", "%20"])("is not found as %s", async (id) => {
    expect(await on.refused(404, "GET", `${all}/${id}`)).toEqual([{ reason: "Not found" }]);
  });
});

describe("a StackScript is refused", () => {
  const long = "Length must be 3-128 characters";
  test.each([
    ["a label of 2 characters (section 8)", { label: "ab" }, "label", long],
    ["a label of 129 characters (section 8)", { label: "a".repeat(129) }, "label", long],
    [
      "an unknown image",
      { images: ["compute/debian12", "compute/plan9"] },
      "images",
      "image is not valid: compute/plan9",
    ],
    ["one image outside a list", { images: "compute/debian12" }, "images", "Must be of type Array"],
    ["no shebang (notes, section 2)", { script: "echo" }, "script", "Must begin with a shebang (#!)"],
    ["a space before the shebang", { script: " #!/bin/sh" }, "script", "Must begin with a shebang (#!)"],
    ["an empty script", { script: "" }, "script", "Must begin with a shebang (#!)"],
    ["a text for is_public", { is_public: "yes" }, "is_public", "Must be of type Boolean"],
  ])("with %s, made or changed", async (_, fields, field, reason) => {
    const { id } = await make();
    const told = [{ reason, field }];
    expect(await on.refused(400, "POST", all, body(fields))).toEqual(told);
    expect(await on.refused(400, "PUT", `${all}/${id}`, fields)).toEqual(told);
  });

  test("without what it needs, all told together (section 2.2)", async () => {
    const reasons = await on.refused(400, "POST", all, {});
    expect(reasons.map(({ field }) => field).sort()).toEqual(["images", "label", "script"]);
    const both = await on.refused(400, "POST", all, body({ label: "x", images: ["?"], script: "no" }));
    expect(both.map(({ field }) => field).sort()).toEqual(["images", "label", "script"]);
  });

  test("never for images out of date, or for every image", async () => {
    const images = ["any/all", "compute/debian10"];
    expect((await make({ images })).images).toEqual(images);
  });
});

describe("what others have published", () => {
  test("is found beside one's own, with whose it is", async () => {
    const own = await make();
    const listed = await on.list(all);
    const foreign = listed.filter(({ mine }) => !mine);
    expect(foreign.length).toBeGreaterThanOrEqual(3);
    expect(foreign.every((script) => script.is_public && script.username !== "boss")).toBe(true);
    expect((await on.list(all, { mine: true })).map(({ id }) => id)).toContain(own.id);
    expect(await on.list(all, { mine: true, username: foreign[0].username })).toEqual([]);
    expect(foreign.some(({ user_defined_fields }) => user_defined_fields.length > 0)).toBe(true);
  });

  test("is not the caller's to change (section 4.1)", async () => {
    const [{ id }] = await on.list(all, { mine: false });
    await on.refused(403, "PUT", `${all}/${id}`, { label: "taken over" });
    await on.refused(403, "DELETE", `${all}/${id}`);
    expect((await on.get(`${all}/${id}`)).mine).toBe(false);
  });

  test("is all that a caller without a token is told, even of the account's own (section 5.5)", async () => {
    await make({ label: "secret one" });
    const mine = await make({ is_public: true });
    const ask = async (path: string) => {
      const answer = await fetch(`${session.emulator.baseUrl}${path}`);
      return { status: answer.status, body: (await answer.json()) as Answer };
    };
    const { status, body: listed } = await ask(all);
    expect(status).toBe(200);
    expect(listed.data.every((script: Answer) => script.is_public && !script.mine)).toBe(true);
    expect(listed.data.map(({ id }: Answer) => id)).toContain(mine.id);
    expect((await ask(`${all}/${mine.id}`)).status).toBe(401);
  });
});

describe("filters (notes, section 1.6)", () => {
  test.each([
    ["label", { label: "to-be-found" }],
    ["part of the label", { label: { "+contains": "be-fou" } }],
    ["description", { description: "rare words" }],
    ["rev_note", { rev_note: "rare note" }],
    ["image", { images: "compute/alpine3.19" }],
    ["two together", { "+and": [{ mine: true }, { rev_note: "rare note" }] }],
  ])("find by %s", async (_, filter) => {
    const label = "to-be-found";
    const rest = { description: "rare words", rev_note: "rare note", images: ["compute/alpine3.19"] };
    const present = await on.list(all, { label });
    const { id } = present[0] ?? (await make({ label, ...rest }));
    expect((await on.list(all, filter)).map((script) => script.id)).toEqual([id]);
  });

  test("order by deployments", async () => {
    const found = await on.list(all, { mine: false, "+order_by": "deployments_total", "+order": "desc" });
    const totals = found.map(({ deployments_total }) => deployments_total);
    expect(totals).toEqual([...totals].sort((a, b) => b - a));
    expect(new Set(totals).size).toBeGreaterThan(1);
  });
});

describe("a restricted user (contract section 5.3)", () => {
  test("needs add_stackscripts to create, and has read_write on what it made", async () => {
    const [maker, none] = [session.as("maker-token"), session.as("none-token")];
    expect(await none.refused(403, "POST", all, body())).toEqual([{ reason: "Unauthorized" }]);
    await none.refused(403, "POST", all, {});
    const { id } = await maker.post(all, body());
    expect((await maker.put(`${all}/${id}`, { label: "mine now" })).mine).toBe(true);
    await none.refused(403, "GET", `${all}/${id}`);
    expect((await none.list(all)).map((script) => script.id)).not.toContain(id);
    expect(await maker.remove(`${all}/${id}`)).toEqual({});
  });

  test("needs a grant to read and to change a private script, but none to read a public one", async () => {
    const none = session.as("none-token");
    const [hidden, shown] = [await make(), await make({ is_public: true })];
    expect((await none.get(`${all}/${shown.id}`)).id).toBe(shown.id);
    await none.refused(403, "PUT", `${all}/${shown.id}`, {});
    const give = (permissions: string | null) =>
      on.put("/account/users/none/grants", { stackscript: [{ id: hidden.id, permissions }] });
    const path = `${all}/${hidden.id}`;
    await none.refused(403, "GET", path);
    await give("read_only");
    expect((await none.get(path)).mine).toBe(true);
    await none.refused(403, "PUT", path, {});
    await none.refused(403, "DELETE", path);
    await give("read_write");
    await none.put(path, { label: "by another" });
    await none.remove(path);
  });
});

describe("scopes (contract section 4.1)", () => {
  test("are asked for by every operation", async () => {
    const { id } = await make();
    const [reader, other] = [session.as("reader-token"), session.as("other-token")];
    await reader.list(all);
    await reader.get(`${all}/${id}`);
    await other.refused(401, "GET", all);
    await other.refused(401, "GET", `${all}/${id}`);
    for (const [method, path] of [
      ["POST", all],
      ["PUT", `${all}/${id}`],
      ["DELETE", `${all}/${id}`],
    ] as const)
      await reader.refused(401, method, path, method === "DELETE" ? undefined : body());
  });
});
