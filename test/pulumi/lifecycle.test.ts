import grpc from "@grpc/grpc-js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CreateRequest, Provider } from "../../provider/core/protocol.ts";
import { CancelledError, CheckFailedError, ResourceInitFailedError } from "../../provider/core/protocol.ts";
import { AnswerLostError, ApiError, TimeoutError } from "../../provider/core/service-port.ts";
import { secret, unknown } from "../../provider/core/value.ts";
import { encodeProperties } from "../../provider/wire/struct.ts";
import { keptBy, refusal, startEngine, startPlugin, thing, urnOf } from "./engine.ts";
import { type Fake, fakeProvider, noChange } from "./fake-provider.ts";

async function start(replace: Partial<Provider> = {}, options: { engineAddress?: string } = {}) {
  const fake = fakeProvider(replace);
  const started = await startPlugin(fake.parts, options);
  onTestFinished(started.close);
  await started.configure({ token: secret("the-token") });
  return { ...started, fake };
}

function last(fake: Fake, verb: keyof Provider) {
  return fake.calls.findLast((call) => call.verb === verb)?.request;
}

function apiError(status: number, reason: string): Error {
  return new ApiError({ method: "POST", path: "/things", status, reasons: [{ reason }], retryable: false });
}

const urn = urnOf("a");

describe("Check", () => {
  it("hands the protocol's olds on as old inputs; an empty one means none", async () => {
    const { check, fake } = await start();
    await check(urn, { name: "x" });
    expect(last(fake, "check")).toMatchObject({ urn, type: thing, name: "a", newInputs: { name: "x" } });
    expect(last(fake, "check")).not.toHaveProperty("oldInputs");
    await check(urn, { name: "y" }, { name: "x" });
    expect(last(fake, "check")).toMatchObject({ oldInputs: { name: "x" }, newInputs: { name: "y" } });
    expect(last(fake, "check")).not.toHaveProperty("state");
  });

  it("resolves the short spelling of a type, and takes type and name from the URN when the engine names none", async () => {
    const { check, fake } = await start();
    await check(urnOf("b::c", "plumbline:test:Thing"), {});
    expect(last(fake, "check")).toMatchObject({ type: thing, name: "b::c" });
  });

  it("keeps secrets, unknowns and nulls of what the provider answers", async () => {
    const { check } = await start();
    const inputs = { name: secret("x"), size: unknown, list: [null, secret(unknown)] };
    expect((await check(urn, inputs)).inputs).toEqual(inputs);
  });

  it("answers every failure with its path, and inputs beside them", async () => {
    const failures = [
      { property: "a[0].b", reason: "too small" },
      { property: "", reason: "give one of x and y" },
    ];
    const { check } = await start({ check: async ({ newInputs }) => ({ inputs: newInputs, failures }) });
    expect(await check(urn, { name: "x" })).toEqual({ inputs: { name: "x" }, failures });
  });

  it("shows no secret of the inputs in a failure's reason", async () => {
    const { check } = await start({
      check: async ({ newInputs }) => ({
        inputs: newInputs,
        failures: [{ property: "password", reason: "hunter2-hunter2 is too weak" }],
      }),
    });
    const { failures } = await check(urn, { password: secret("hunter2-hunter2") });
    // Under its own name the engine would print the value beside it.
    expect(failures).toEqual([{ property: "", reason: "password: [secret] is too weak" }]);
  });

  it("hands on the seed and the proposed name", async () => {
    const { call, fake } = await start();
    const request = new messages.CheckRequest();
    request.setUrn(urn);
    request.setRandomseed(new Uint8Array([1, 2, 3]));
    const autonaming = new messages.CheckRequest.AutonamingOptions();
    autonaming.setProposedName("a-1");
    autonaming.setMode(messages.CheckRequest.AutonamingOptions.Mode.ENFORCE);
    request.setAutonaming(autonaming);
    await call("check", request);
    expect(last(fake, "check")).toMatchObject({ autonaming: { proposedName: "a-1", mode: "enforce" } });
    expect([...((last(fake, "check") as { randomSeed: Uint8Array }).randomSeed ?? [])]).toEqual([1, 2, 3]);
  });
});

describe("Diff", () => {
  it("hands the protocol's olds on as state, and old inputs as old inputs", async () => {
    const { diff, fake } = await start();
    await diff(urn, "7", { size: 2 }, { size: 1 }, { size: 3 });
    expect(last(fake, "diff")).toMatchObject({
      id: "7",
      state: { size: 2 },
      oldInputs: { size: 1 },
      newInputs: { size: 3 },
    });
  });

  it("says plainly that nothing changes", async () => {
    const { diff } = await start();
    const response = (await diff(urn, "7", {}, {}, {})).toObject();
    expect(response).toMatchObject({ changes: 1, diffsList: [], replacesList: [], hasdetaileddiff: false });
  });

  it("answers paths with kinds, and their top-level keys once each", async () => {
    const { diff } = await start({
      diff: async () => ({
        changes: true,
        detailedDiff: {
          "tags[0]": { kind: "add", inputDiff: true },
          "tags[1].x": { kind: "delete", inputDiff: true },
          region: { kind: "update-replace", inputDiff: false },
          '["odd.name"]': { kind: "add-replace", inputDiff: true },
          a: { kind: "update", inputDiff: true },
          b: { kind: "delete-replace", inputDiff: true },
        },
        replaces: ["region", "odd.name", "b"],
        deleteBeforeReplace: true,
        stables: ["id"],
      }),
    });
    const response = await diff(urn, "7", {}, {}, {});
    expect(response.getChanges()).toBe(messages.DiffResponse.DiffChanges.DIFF_SOME);
    expect(response.getHasdetaileddiff()).toBe(true);
    expect(response.getDiffsList()).toEqual(["tags", "region", "odd.name", "a", "b"]);
    expect(response.getReplacesList()).toEqual(["region", "odd.name", "b"]);
    expect(response.getDeletebeforereplace()).toBe(true);
    expect(response.getStablesList()).toEqual(["id"]);
    const kinds = messages.PropertyDiff.Kind;
    const details = [...response.getDetaileddiffMap().entries()].map(([path, detail]) => [
      path,
      detail.toObject(),
    ]);
    expect(Object.fromEntries(details)).toEqual({
      "tags[0]": { kind: kinds.ADD, inputdiff: true },
      "tags[1].x": { kind: kinds.DELETE, inputdiff: true },
      region: { kind: kinds.UPDATE_REPLACE, inputdiff: false },
      '["odd.name"]': { kind: kinds.ADD_REPLACE, inputdiff: true },
      a: { kind: kinds.UPDATE, inputdiff: true },
      b: { kind: kinds.DELETE_REPLACE, inputdiff: true },
    });
  });

  it("answers a change without a path as a plain update", async () => {
    const { diff } = await start({ diff: async () => ({ ...noChange, changes: true }) });
    const response = (await diff(urn, "7", {}, {}, {})).toObject();
    expect(response).toMatchObject({ changes: 2, hasdetaileddiff: false });
  });
});

describe("Create", () => {
  it("in a preview gives no id, and keeps what is unknown unknown", async () => {
    const { create, fake } = await start({
      create: async ({ inputs }) => ({ id: "", state: { ...inputs, key: unknown } }),
    });
    const made = await create(urn, { name: "x", size: unknown }, { preview: true });
    expect(made).toEqual({ id: "", properties: { name: "x", size: unknown, key: secret(unknown) } });
    expect(last(fake, "create")).toMatchObject({ preview: true });
    expect(last(fake, "create")).not.toHaveProperty("onCreated");
  });

  it("gives id and outputs; those of secret inputs, and those the type calls secret, are marked", async () => {
    const { create } = await start();
    expect(await create(urn, { name: secret("x"), size: 3 })).toEqual({
      id: "1",
      properties: { name: secret("x"), size: 3, key: secret("key-of-1") },
    });
  });

  it("marks an output whole where its input holds a secret that the answer shows bare", async () => {
    const { create } = await start({
      create: async () => ({ id: "1", state: { name: "x", tags: ["a", "hidden"] } }),
    });
    const { properties } = await create(urn, { name: "x", tags: ["a", secret("hidden")] });
    expect(properties).toEqual({ name: "x", tags: secret(["a", "hidden"]) });
  });

  it("hands on the custom timeout in seconds, and none as none", async () => {
    const { create, fake } = await start();
    await create(urn, {}, { timeout: 300 });
    expect(last(fake, "create")).toMatchObject({ timeoutSeconds: 300 });
    await create(urn, {});
    expect(last(fake, "create")).not.toHaveProperty("timeoutSeconds");
  });

  it("that leaves a half-made thing keeps id, live state, inputs and reasons in the status", async () => {
    const { create } = await start({
      create: async ({ inputs }) => {
        throw new ResourceInitFailedError({
          id: "9",
          state: { ...inputs, key: "k", port: unknown },
          reasons: ["still creating after 3 minutes", "the password hunter2-hunter2 was not set"],
        });
      },
    });
    const error = await refusal(create(urn, { name: "x", password: secret("hunter2-hunter2") }));
    expect(error.code).toBe(grpc.status.UNKNOWN);
    expect(error.details).toBe("still creating after 3 minutes; the password [secret] was not set");
    expect(keptBy(error)).toEqual({
      id: "9",
      properties: { name: "x", password: secret("hunter2-hunter2"), key: secret("k") },
      inputs: { name: "x", password: secret("hunter2-hunter2") },
      reasons: ["still creating after 3 minutes", "the password [secret] was not set"],
    });
  });

  it("keeps what was made when anything fails after the id is known", async () => {
    for (const failure of [new Error("lost the way"), new CancelledError(), apiError(400, "no")]) {
      const { create } = await start({
        create: async ({ inputs, onCreated }) => {
          await onCreated?.("5", { ...inputs, key: "k" }, inputs);
          throw failure;
        },
      });
      expect(keptBy(await refusal(create(urn, { name: "x" })))).toMatchObject({
        id: "5",
        properties: { name: "x", key: secret("k") },
        reasons: [failure.message],
      });
    }
  });

  it("keeps what was made when the answer holds an unknown, without the unknown", async () => {
    const { create } = await start({
      create: async () => ({ id: "5", state: { name: "x", nested: { deep: [unknown] } } }),
    });
    expect(keptBy(await refusal(create(urn, {})))).toMatchObject({
      id: "5",
      properties: { name: "x" },
      reasons: [expect.stringContaining("nested")],
    });
  });

  it("without an id is a fault of the provider, said so", async () => {
    const { create } = await start({ create: async () => ({ id: "", state: {} }) });
    expect(await refusal(create(urn, {}))).toMatchObject({ code: grpc.status.INTERNAL });
  });

  it("refused by a look-up names the properties, in previews too", async () => {
    const { create, update } = await start({
      create: async () => {
        throw new CheckFailedError([
          { property: "name", reason: "is taken by volume 7" },
          { property: "", reason: "the account is full" },
        ]);
      },
      update: async () => {
        throw new CheckFailedError([{ property: "size", reason: "can only grow" }]);
      },
    });
    expect(await refusal(create(urn, {}, { preview: true }))).toMatchObject({
      code: grpc.status.INVALID_ARGUMENT,
      details: "name: is taken by volume 7\n      | the account is full",
    });
    expect(await refusal(update(urn, "1", {}, {}, {}, { preview: true }))).toMatchObject({
      code: grpc.status.INVALID_ARGUMENT,
      details: "size: can only grow",
    });
  });

  it("names the code of what stops people at the end of the first line, whatever the form of the answer", async () => {
    const failures = [
      { property: "name", reason: "is taken\nby volume 7", errorCode: "PLB-NAME" as const },
      { property: "", reason: "the account is full" },
    ];
    const lost = new AnswerLostError("POST", "/things", "connection reset", undefined);
    const { create, check } = await start({
      check: async ({ newInputs }) => ({ inputs: newInputs, failures }),
      create: async ({ inputs }) => {
        if (inputs["name"] === "taken") throw new CheckFailedError(failures);
        if (inputs["name"] === "half") {
          const cause = new TimeoutError("/things/9", 3, undefined, "not ready");
          throw new ResourceInitFailedError({ id: "9", state: {}, reasons: [cause.message] }, { cause });
        }
        throw new Error("the create failed", { cause: lost });
      },
    });
    const { details } = await refusal(create(urn, { name: "taken" }));
    expect(details).toBe("name: is taken [PLB-NAME]\n      | by volume 7\n      | the account is full");
    expect(keptBy(await refusal(create(urn, { name: "half" })))).toMatchObject({
      reasons: ["not ready [PLB-WAIT]"],
    });
    expect((await refusal(create(urn, {}))).details).toBe("the create failed [PLB-LOST]");
    const checked = await check(urn, {});
    expect(checked.failures).toEqual([
      { property: "name", reason: "is taken [PLB-NAME]\n      | by volume 7" },
      { property: "", reason: "the account is full" },
    ]);
  });

  it.each([
    [400, grpc.status.INVALID_ARGUMENT],
    [401, grpc.status.UNAUTHENTICATED],
    [403, grpc.status.PERMISSION_DENIED],
    [404, grpc.status.NOT_FOUND],
    [409, grpc.status.FAILED_PRECONDITION],
    [429, grpc.status.RESOURCE_EXHAUSTED],
    [500, grpc.status.UNKNOWN],
  ])("answers the service's %i, also as a cause, with code %i and the message alone", async (http, code) => {
    const { create } = await start({
      create: async () => {
        throw http === 404
          ? new Error("the parent is gone", { cause: apiError(http, "no") })
          : apiError(http, "no");
      },
    });
    const error = await refusal(create(urn, {}));
    expect(error.code).toBe(code);
    expect(error.details).toBe(http === 404 ? "the parent is gone" : `POST /things: ${http} no`);
  });
});

describe("Read", () => {
  it("refuses an import by the short spelling of a type with the command that names the canonical one; a refresh reads it", async () => {
    const { read, fake } = await start();
    fake.objects.set("it's", { name: "x" });
    const short = urnOf("a", "plumbline:test:Thing");
    const error = await refusal(read(short, "it's"));
    expect(error.code).toBe(grpc.status.INVALID_ARGUMENT);
    expect(error.details).toContain(`pulumi import ${thing} a 'it'\\''s'`);
    expect((await read(short, "it's", { name: "x" }, { name: "x" })).id).toBe("it's");
    expect((await read(urn, "it's")).id).toBe("it's");
  });

  it("of a gone thing is an empty answer", async () => {
    const { read } = await start();
    expect(await read(urn, "404", { name: "x" }, { name: "x" })).toEqual({ id: "" });
  });

  it("for a refresh hands on state and inputs; for an import neither", async () => {
    const { read, create, fake } = await start();
    await create(urn, { name: "x" });
    expect(await read(urn, "1", { size: 1 }, { name: "x" })).toEqual({
      id: "1",
      properties: { name: "x", key: secret("key-of-1") },
      inputs: { name: "x" },
    });
    expect(last(fake, "read")).toMatchObject({ id: "1", state: { size: 1 }, inputs: { name: "x" } });
    expect(await read(urn, "1")).toMatchObject({ id: "1", inputs: { name: "x" } });
    expect(last(fake, "read")).not.toHaveProperty("state");
    expect(last(fake, "read")).not.toHaveProperty("inputs");
  });

  it("of a live thing without properties still has both, for the engine takes their absence for gone", async () => {
    const { read } = await start({ read: async ({ id }) => ({ id, inputs: {}, state: {} }) });
    expect(await read(urn, "1")).toEqual({ id: "1", properties: {}, inputs: {} });
  });

  it("of an unhealthy thing keeps it, with the reasons", async () => {
    const { read } = await start({
      read: async ({ id }) => {
        throw new ResourceInitFailedError({ id, state: { size: 2 }, reasons: ["it failed"] });
      },
    });
    expect(keptBy(await refusal(read(urn, "1", { size: 1 }, { size: 1 })))).toEqual({
      id: "1",
      properties: { size: 2 },
      inputs: { size: 1 },
      reasons: ["it failed"],
    });
  });

  it("that gives an unknown or no id is a fault, not a gone thing", async () => {
    const unknowing = await start({ read: async ({ id }) => ({ id, inputs: {}, state: { a: unknown } }) });
    expect((await refusal(unknowing.read(urn, "1"))).code).toBe(grpc.status.INTERNAL);
    const nameless = await start({ read: async () => ({ id: "", inputs: {}, state: { a: 1 } }) });
    expect((await refusal(nameless.read(urn, "1"))).code).toBe(grpc.status.INTERNAL);
  });

  it("that fails is a failure, not a gone thing", async () => {
    const { read } = await start({
      read: async () => {
        throw apiError(401, "bad token");
      },
    });
    expect((await refusal(read(urn, "1", {}, {}))).code).toBe(grpc.status.UNAUTHENTICATED);
  });
});

describe("Update", () => {
  it("hands the protocol's olds on as state, and marks secrets of the answer", async () => {
    const { update, fake } = await start();
    const answer = await update(urn, "1", { key: "k" }, { name: "old" }, { name: secret("new"), key: "k" });
    expect(answer).toEqual({ name: secret("new"), key: secret("k") });
    expect(last(fake, "update")).toMatchObject({
      id: "1",
      state: { key: "k" },
      oldInputs: { name: "old" },
      newInputs: { name: secret("new"), key: "k" },
      preview: false,
    });
  });

  it("in a preview keeps unknowns", async () => {
    const { update } = await start();
    expect(await update(urn, "1", {}, {}, { size: unknown }, { preview: true })).toEqual({ size: unknown });
  });

  it("that ends half-way keeps the live state and the old inputs", async () => {
    const { update } = await start({
      update: async ({ id, state }) => {
        throw new ResourceInitFailedError({
          id,
          state: { ...state, size: 2 },
          reasons: ["resized, not attached"],
        });
      },
    });
    const error = await refusal(
      update(urn, "1", { size: 1, host: "a" }, { size: 1 }, { size: 2, host: "b" }),
    );
    expect(keptBy(error)).toEqual({
      id: "1",
      properties: { size: 2, host: "a" },
      inputs: { size: 1 },
      reasons: ["resized, not attached"],
    });
  });

  it("whose answer holds an unknown keeps the rest", async () => {
    const { update } = await start({ update: async () => ({ state: { size: 2, host: unknown } }) });
    expect(keptBy(await refusal(update(urn, "1", {}, {}, {})))).toMatchObject({
      id: "1",
      properties: { size: 2 },
    });
  });
});

describe("Delete", () => {
  it("hands on id, old inputs and state", async () => {
    const { delete: remove, fake } = await start();
    await remove(urn, "1", { size: 2 }, { size: 1 });
    expect(last(fake, "delete")).toMatchObject({ id: "1", state: { size: 2 }, oldInputs: { size: 1 } });
  });
});

describe("Invoke", () => {
  const getThing = "plumbline:test:getThing";

  it("gives the result, secrets marked", async () => {
    const { invoke, fake } = await start({
      invoke: async () => ({ result: { a: secret(1) }, failures: [] }),
    });
    expect(await invoke(getThing, { name: "x" })).toEqual({ a: secret(1) });
    expect(last(fake, "invoke")).toMatchObject({
      token: "plumbline:test/getThing:getThing",
      args: { name: "x" },
    });
  });

  it("that is refused answers with text that every language shows", async () => {
    const { invoke } = await start({
      invoke: async () => ({ result: {}, failures: [{ property: "name", reason: "no such thing" }] }),
    });
    expect(await refusal(invoke(getThing, { name: "x" }))).toMatchObject({
      code: grpc.status.INVALID_ARGUMENT,
      details: "name: no such thing",
    });
  });

  it("in a preview may lack arguments, for the engine leaves out what is not known yet", async () => {
    const { invoke } = await start({
      invoke: async () => ({ result: {}, failures: [{ property: "name", reason: "is required" }] }),
    });
    expect(await invoke(getThing, {}, true)).toEqual({});
    expect((await refusal(invoke(getThing, {}, false))).details).toBe("name: is required");
    expect((await refusal(invoke(getThing, { name: "x" }, true))).details).toBe("name: is required");
  });

  it("never answers an unknown", async () => {
    const { invoke } = await start({ invoke: async () => ({ result: { a: unknown }, failures: [] }) });
    expect((await refusal(invoke(getThing, { name: "x" }))).code).toBe(grpc.status.INTERNAL);
  });
});

describe("messages to the user", () => {
  it("go in order, errors as warnings, with the resource they are about", async () => {
    const engine = await startEngine();
    onTestFinished(engine.close);
    const { check } = await start(
      {
        check: async ({ newInputs, log }) => {
          for (const severity of ["debug", "info", "warning", "error"] as const)
            log?.(severity, `a ${severity}`);
          return { inputs: newInputs, failures: [] };
        },
      },
      { engineAddress: engine.address },
    );
    await check(urn, {});
    expect(engine.heard).toEqual([
      { severity: 0, message: "a debug", urn, ephemeral: false },
      { severity: 1, message: "a info", urn, ephemeral: false },
      { severity: 2, message: "a warning", urn, ephemeral: false },
      { severity: 2, message: "a error", urn, ephemeral: false },
    ]);
  });

  it("of status are throttled, and hide secrets", async () => {
    const engine = await startEngine();
    onTestFinished(engine.close);
    const { create } = await start(
      {
        create: async ({ log, inputs }) => {
          for (let n = 0; n < 50; n += 1) log?.("info", `creating secret-word ${n}`, { ephemeral: true });
          return { id: "1", state: inputs };
        },
      },
      { engineAddress: engine.address },
    );
    await create(urn, { password: secret("secret-word") });
    expect(engine.heard).toEqual([{ severity: 1, message: "creating [secret] 0", urn, ephemeral: true }]);
  });

  it("that the engine does not take fail nothing", async () => {
    const engine = await startEngine();
    engine.close();
    const { check } = await start(
      {
        check: async ({ newInputs, log }) => {
          log?.("warning", "nobody hears this");
          return { inputs: newInputs, failures: [] };
        },
      },
      { engineAddress: engine.address },
    );
    await expect(check(urn, { name: "x" })).resolves.toMatchObject({ inputs: { name: "x" } });
  });
});

describe("Cancel", () => {
  it("answers at once, stops what waits with its state kept, and refuses what comes after", async () => {
    let isWaiting = false;
    const { create, cancel, call, fake } = await start({
      create: async ({ inputs, signal, onCreated }: CreateRequest) => {
        await onCreated?.("3", inputs, inputs);
        isWaiting = true;
        await new Promise((_resolve, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason)),
        );
        return { id: "3", state: inputs };
      },
    });
    const creating = refusal(create(urn, { name: "x" }));
    await expect.poll(() => isWaiting).toBe(true);
    await cancel();
    await cancel();
    expect(keptBy(await creating)).toMatchObject({ id: "3", properties: { name: "x" } });
    expect(fake.made().cancelled).toBe(2);
    for (const late of [
      create(urn, {}),
      call("diff", new messages.DiffRequest()),
      call("invoke", new messages.InvokeRequest()),
    ]) {
      expect((await refusal(late)).code).toBe(grpc.status.CANCELLED);
    }
    await expect(call("getSchema", new messages.GetSchemaRequest())).resolves.toBeDefined();
  });
});

describe("an engine that takes no secrets", () => {
  it("gets their values bare", async () => {
    const { call, create } = await start();
    const request = new messages.ConfigureRequest();
    request.setArgs(encodeProperties({}));
    request.setAcceptsecrets(false);
    await call("configure", request);
    expect((await create(urn, { name: secret("x") })).properties).toMatchObject({ name: "x" });
  });
});
