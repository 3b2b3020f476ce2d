/** What the service's remaining objects need of the core (decision note 013), each shown on a small type and a service in memory. */

import { describe, expect, test } from "vitest";
import { ApiError, type WireObject } from "../../provider/core/service-port.ts";
import { anything, group, id, integer, optional, text } from "../../provider/core/type/field.ts";
import { resource } from "../../provider/core/type/resource.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import { findResource } from "../../provider/verbs/create.ts";
import { deleteResource } from "../../provider/verbs/delete.ts";
import { begin, type Service } from "../../provider/verbs/operation.ts";
import { listResources, readResource, resolveId } from "../../provider/verbs/read.ts";
import { runVerb } from "../../provider/verbs/run.ts";
import { updateResource } from "../../provider/verbs/update.ts";
import { gone, type Handler, make, named, operationOf, service, words } from "./small-world.ts";

describe("an object that its create does not tell of", () => {
  const Copy = resource({
    area: "test",
    name: "Copy",
    description: "",
    path: "/engines/{engineId}/copies/{copyNumber}",
    nameFormat: "LABEL",
    list: { includes: (copy) => copy["kind"] === "manual" },
    inputs: {
      engineId: id({ ...words, reference: "test/engine", immutable: true }),
      label: text({ ...words, adoptKey: true, unique: true, immutable: true }),
    },
    outputs: {},
    turns: {
      queue: ({ engineId }) => String(engineId),
      idle: async ({ wait, inputs }) =>
        void (await wait(`/engines/${inputs.engineId}`, "", (engine) => engine?.["busy"] === 0)),
    },
  });

  /** An engine that is busy for two looks after each copy is begun; then the copy is in the list. */
  function engine(losing: string[] = []) {
    const copies: WireObject[] = [
      { id: 1, kind: "manual", label: "a", created: "2029-12-31T00:00:00" },
      { id: 2, kind: "automatic", label: "b", created: "2030-01-01T00:00:10" },
    ];
    let busy = 0;
    let pending: WireObject | undefined;
    return service(
      {
        "GET /engines/5": () => {
          if (busy > 0 && --busy === 0 && pending) copies.push(pending);
          return { busy };
        },
        "GET /engines/5/copies": () => ({ data: [...copies] }),
        "POST /engines/5/copies": ({ label }) => {
          if (busy > 0)
            throw new ApiError({ method: "POST", path: "/", status: 400, reasons: [], retryable: false });
          busy = 2;
          pending = { id: copies.length + 1, kind: "manual", label, created: "2030-01-01T00:00:10" };
          return {};
        },
      },
      losing,
    );
  }

  test("is waited for, and known by its adopt key and its age", async () => {
    const { port, asked } = engine();
    const made = await make(operationOf(port, Copy), Copy, { engineId: "5", label: "a" });
    expect(made.id).toBe("5/3");
    expect(asked()).toEqual(["wait /engines/5", 'POST /engines/5/copies {"label":"a"}', "wait /engines/5"]);
  });

  test("is found when the answer was lost as well, by one create", async () => {
    const { port, asked } = engine(["POST /engines/5/copies"]);
    expect((await make(operationOf(port, Copy), Copy, { engineId: "5", label: "a" })).id).toBe("5/3");
    expect(asked().filter((request) => request.startsWith("POST"))).toHaveLength(1);
  });

  test("is waited for by a later run that finds the create begun", async () => {
    const { port, asked } = engine();
    await port.post("/engines/5/copies", { label: "a" });
    const earlierAttempt = { startedAt: "2030-01-01T00:00:09Z" };
    const made = await make(operationOf(port, Copy), Copy, { engineId: "5", label: "a" }, { earlierAttempt });
    expect(made.id).toBe("5/3");
    expect(asked().filter((request) => request.startsWith("POST"))).toHaveLength(1);
  });

  test("is made after the one before it in its queue", async () => {
    const { port } = engine();
    const session = operationOf(port, Copy);
    const both = ["x", "y"].map((label) => make(session, Copy, { engineId: "5", label }, {}, label));
    expect((await Promise.all(both)).map((made) => made.id)).toEqual(["5/3", "5/4"]);
  });

  test("is not taken for one that the type does not include", async () => {
    const { port } = engine();
    const earlierAttempt = { startedAt: "2030-01-01T00:00:09Z" };
    const request = { ...named(Copy), inputs: { engineId: "5", label: "b" }, earlierAttempt };
    expect(await findResource(operationOf(port, Copy), Copy, request)).toBeUndefined();
  });
});

describe("an object that exists from the beginning, with an id of names", () => {
  const Settings = resource({
    area: "test",
    name: "Settings",
    description: "",
    path: "/regions/{region}/hosts/{host}/settings",
    collection: "/settings",
    nameFormat: "REGION/HOST",
    takesOver: true,
    delete: ({ service: port, path }) => port.put(path, { port: 22 }),
    asDeclared: (answered) => ({ ...answered, port: Number(answered["port"]) }),
    inputs: {
      region: text({ ...words, immutable: true, adoptKey: true }),
      host: text({ ...words, immutable: true }),
      port: optional(integer({ ...words, default: 22 })),
    },
    outputs: {},
  });
  const path = "/regions/us-east/hosts/a%2Fb/settings";
  const settings = (losing: string[] = []) => {
    let port = "22";
    return service(
      {
        [`GET ${path}`]: () => ({ port }),
        "GET /settings": () => ({ data: [{ region: "us-east", host: "a/b", port }] }),
        [`PUT ${path}`]: (body) => {
          port = String(body["port"]);
          return { port };
        },
      },
      losing,
    );
  };
  const declared: ValueMap = { region: "us-east", host: "a/b", port: 2222 };

  test("is read and changed where it differs, looked at again when the answer is lost, and given back its defaults", async () => {
    const { port, asked } = settings([`PUT ${path}`]);
    const session = operationOf(port, Settings);
    const made = await make(session, Settings, declared);
    expect(made.id).toBe("us-east/a/b");
    expect(made.state).toEqual(declared);
    const own = { ...named(Settings), id: made.id };
    expect(await readResource(session, Settings, own)).toMatchObject({ id: made.id, inputs: declared });
    await deleteResource(session, Settings, { ...own, oldInputs: declared, state: made.state });
    const put = (number: number) => `PUT ${path} {"port":${number}}`;
    expect(asked()).toEqual([put(2222), put(22)]);
  });

  test("is listed by the id that its names make, and is there for an attempt that was cut off", async () => {
    const session = operationOf(settings().port, Settings);
    expect(await listResources(session, Settings, { type: Settings.token })).toMatchObject([
      { id: "us-east/a/b" },
    ]);
    const earlierAttempt = { startedAt: "2030-01-01T00:00:09Z" };
    const found = await findResource(session, Settings, {
      ...named(Settings),
      inputs: declared,
      earlierAttempt,
    });
    expect(found).toMatchObject({ id: "us-east/a/b", state: { port: 22 } });
  });
});

describe("an object with verbs, revoked rather than deleted", () => {
  const Login = resource({
    area: "test",
    name: "Login",
    description: "",
    path: "/logins/{loginNumber}",
    nameFormat: "LABEL",
    delete: ({ service: port, path }) => port.post(`${path}/revoke`),
    ready: { isReady: (login) => login["busy"] === 0 },
    inputs: {
      label: text({ ...words, adoptKey: true }),
      window: optional(
        group(
          { day: optional(integer({ ...words, computed: true })), hour: integer(words) },
          { ...words, updateOnly: true, computed: true },
        ),
      ),
      resetTrigger: optional(anything({ ...words, trigger: true })),
      restore: optional(
        group({ from: integer(words), trigger: anything(words) }, { ...words, trigger: true }),
      ),
    },
    outputs: { code: optional(text({ ...words, elsewhere: true })) },
    verbs: [
      {
        name: "reset",
        description: "",
        trigger: "resetTrigger",
        run: async ({ service: port, path }) => void (await port.post(`${path}/reset`)),
      },
      {
        name: "restore",
        description: "",
        destroys: "everything",
        trigger: "restore",
        args: { from: integer(words) },
        mayStart: (login) => login["busy"] === -1,
        run: async ({ service: port, path, args }) =>
          void (await port.post(`${path}/restore/${(args as { from: number }).from}`)),
      },
    ],
    observe: async (_, login) => (login["busy"] === 0 ? { ...login, code: "c" } : login),
  });
  const login = (busyAtFirst = 0, losing: string[] = []) => {
    let busy = busyAtFirst;
    let present = true;
    const one = () => {
      if (!present) throw gone();
      if (busy > 0) busy -= 1;
      return { id: 7, label: "l", window: { day: 6, hour: 6 }, busy };
    };
    const verb = () => {
      busy = 2;
      return {};
    };
    const table: { [request: string]: Handler } = {
      "GET /logins": () => ({ data: present ? [one()] : [] }),
      "GET /logins/7": one,
      "PUT /logins/7": one,
      "POST /logins/7/reset": verb,
      "POST /logins/7/restore/3": verb,
      "POST /logins/7/revoke": () => {
        if (!present) throw gone();
        present = false;
        return {};
      },
    };
    return service(table, losing);
  };
  const before = { label: "l", resetTrigger: 1 };
  const state = { label: "l", resetTrigger: 1, window: { day: 6, hour: 6 }, code: "c" };
  const update = (port: Service, newInputs: ValueMap, oldInputs: ValueMap = before) =>
    updateResource(operationOf(port, Login), Login, {
      ...named(Login),
      id: "7",
      oldInputs,
      state: { ...state, ...oldInputs },
      newInputs,
      preview: false,
    });

  test("runs a verb when its trigger changes, with the arguments beside it; not when the trigger is taken out", async () => {
    const { port, asked } = login();
    await update(port, { label: "l", resetTrigger: { any: 2 } });
    expect(asked()).toEqual(["POST /logins/7/reset", "wait /logins/7"]);
    await update(port, { label: "l", restore: { from: 3, trigger: "now" } });
    expect(asked()).toEqual(["POST /logins/7/restore/3", "wait /logins/7"]);
    await update(port, { label: "l" });
    expect(asked()).toEqual([]);
  });

  test("runs a verb that may, on an object that is not ready", async () => {
    const { port, asked } = login(-1);
    await update(port, { ...before, restore: { from: 3, trigger: 1 } });
    expect(asked()).toEqual(["POST /logins/7/restore/3", "wait /logins/7"]);
  });

  test("runs a verb by hand, by the natural name, and refuses what it does not take", async () => {
    const { port, asked } = login();
    const session = operationOf(port, Login);
    const run = (verb: string, args: ValueMap = {}) =>
      runVerb(session, Login, { type: Login.token, id: "l", verb, args });
    expect(await run("restore", { from: 3 })).toEqual({ failures: [] });
    expect(asked()).toEqual(["POST /logins/7/restore/3", "wait /logins/7"]);
    expect((await run("restore", { form: 3 })).failures.map(({ property }) => property)).toEqual([
      "from",
      "form",
    ]);
    await expect(run("resett")).rejects.toThrow("Login has no verb resett; did you mean reset?");
    await expect(
      runVerb(session, Login, { type: Login.token, id: "other", verb: "reset", args: {} }),
    ).rejects.toThrow("there is no Login other");
    expect(asked()).toEqual([]);
  });

  test("keeps what another view told while that view is closed", async () => {
    const { port } = login(9);
    const read = await readResource(operationOf(port, Login), Login, {
      ...named(Login),
      id: "7",
      inputs: before,
      state,
    });
    expect(read!.state).toEqual(state);
  });

  test("leaves members of a group to the service, and sees them drift no more than that", async () => {
    const { port, asked } = login();
    await update(port, { ...before, window: { hour: 6 } });
    expect(asked()).toEqual([]);
    await update(port, { ...before, window: { hour: 7 } });
    expect(asked()).toEqual(['PUT /logins/7 {"window":{"hour":7}}']);
  });

  test("is revoked once, although the answer was lost", async () => {
    const { port, asked } = login(0, ["POST /logins/7/revoke"]);
    const session = operationOf(port, Login);
    const request = { ...named(Login), id: "7", oldInputs: before, state };
    await deleteResource(session, Login, request);
    expect(asked()).toEqual(["POST /logins/7/revoke"]);
    await deleteResource(session, Login, request);
  });
});

test("a natural name that begins with a kind leads to the parent type of that kind", async () => {
  const kindOf = (kind: string) =>
    resource({
      area: "test",
      name: `${kind[0]!.toUpperCase()}${kind.slice(1)}`,
      description: "",
      path: `/${kind}s/{${kind}Number}`,
      nameFormat: `${kind}/LABEL`,
      naturalName: (object) => `${kind}/${object["label"]}`,
      inputs: { label: text(words) },
      outputs: {},
    });
  const Part = resource({
    area: "test",
    name: "Part",
    description: "",
    path: "/{kind}s/{ownerId}/parts/{partNumber}",
    parentsByKind: { cat: "test/cat", dog: "test/dog" },
    nameFormat: "KIND/LABEL/PART_LABEL",
    inputs: { kind: text(words), ownerId: id({ ...words, reference: "test/any" }), label: text(words) },
    outputs: {},
  });
  const { port } = service({
    "GET /cats": () => ({ data: [{ id: 1, label: "tom" }] }),
    "GET /dogs": () => ({ data: [{ id: 2, label: "rex" }] }),
    "GET /cats/1/parts": () => ({ data: [{ id: 11, label: "tail" }] }),
    "GET /dogs/2/parts": () => ({ data: [{ id: 21, label: "tail" }] }),
  });
  const session = operationOf(port, kindOf("cat"), kindOf("dog"), Part);
  const resolve = (text: string) => resolveId(session, Part, begin(session, {}), text);
  expect(await resolve("dog/rex/tail")).toBe("dog/2/21");
  expect(await resolve("cat/1/tail")).toBe("cat/1/11");
  expect(await resolve("cat/rex/tail")).toBeUndefined();
  await expect(resolve("cow/x/y")).rejects.toThrow(
    "write KIND/OWNER_ID/PART_NUMBER or KIND/LABEL/PART_LABEL",
  );
  const listed = await listResources(session, Part, { type: Part.token });
  expect(listed.map((one) => one.id)).toEqual(["cat/1/11", "dog/2/21"]);
});
