/** Objects that are not one POST, GET and DELETE of one path (decision note 013), each shown on a small type and a service in memory. */

import { describe, expect, test } from "vitest";
import { CheckFailedError } from "../../provider/core/protocol.ts";
import type { WireObject } from "../../provider/core/service-port.ts";
import { id, integer, list, optional, text } from "../../provider/core/type/field.ts";
import { resource } from "../../provider/core/type/resource.ts";
import { createResource, findResource } from "../../provider/verbs/create.ts";
import { deleteResource } from "../../provider/verbs/delete.ts";
import { listResources, readResource } from "../../provider/verbs/read.ts";
import { updateResource } from "../../provider/verbs/update.ts";
import { lost, make, named, operationOf, service, words } from "./small-world.ts";

const House = resource({
  area: "test",
  name: "House",
  description: "",
  path: "/houses/{houseNumber}",
  nameFormat: "LABEL",
  inputs: { label: text(words) },
  outputs: {},
});

/** A sign on a house: at most one, answered as a flag, uploaded whole, taken down by two requests. */
const Sign = resource({
  area: "test",
  name: "Sign",
  description: "",
  path: "/houses/{houseId}/sign",
  parents: ["test/house"],
  nameFormat: "HOUSE_LABEL",
  inputs: {
    houseId: id({ ...words, reference: "test/house", immutable: true }),
    text: text({ ...words, writeOnly: true }),
  },
  outputs: { lines: integer(words) },
  async fetch({ get, path, parameters }) {
    const { sign } = await get(path);
    return sign ? { lines: (await get(`/houses/${parameters["houseId"]}/lines`))["count"] } : undefined;
  },
  create: async ({ service: port, inputs }) =>
    void (await port.post(`/houses/${inputs.houseId}/sign`, { text: inputs.text })),
  async delete({ service: port, path }) {
    await port.post(`${path}/unscrew`);
    await port.delete(path);
  },
});

/** Two houses; the second has a sign already. */
function street(losing: string[] = []) {
  const signs: { [house: string]: string | undefined } = { 2: "here" };
  const handlers: { [request: string]: (body: WireObject) => WireObject } = {
    "GET /houses": () => ({
      data: [
        { id: 1, label: "one" },
        { id: 2, label: "two" },
      ],
    }),
  };
  for (const house of ["1", "2"]) {
    handlers[`GET /houses/${house}/sign`] = () => ({ sign: signs[house] !== undefined });
    handlers[`GET /houses/${house}/lines`] = () => ({ count: signs[house]?.split("\n").length });
    handlers[`POST /houses/${house}/sign`] = ({ text: written }) => {
      signs[house] = String(written);
      return {};
    };
    handlers[`POST /houses/${house}/sign/unscrew`] = () => ({});
    handlers[`DELETE /houses/${house}/sign`] = () => {
      signs[house] = undefined;
      return {};
    };
  }
  const { port, asked } = service(handlers, losing);
  return { session: operationOf(port, House, Sign), asked, signs };
}

describe("an object with requests of its own", () => {
  test("is made, read and removed by them", async () => {
    const { session, asked } = street();
    const made = await make(session, Sign, { houseId: "1", text: "a\nb" });
    expect(made).toEqual({ id: "1", state: { houseId: "1", text: "a\nb", lines: 2 } });
    const own = { ...named(Sign), id: "1" };
    const inputs = { houseId: "1", text: "a\nb" };
    expect(await readResource(session, Sign, { ...own, inputs, state: made.state })).toEqual({
      id: "1",
      inputs,
      state: made.state,
    });
    await deleteResource(session, Sign, { ...own, oldInputs: inputs, state: made.state });
    expect(await readResource(session, Sign, own)).toBeUndefined();
    expect(asked()).toEqual([
      'POST /houses/1/sign {"text":"a\\nb"}',
      "POST /houses/1/sign/unscrew",
      "DELETE /houses/1/sign",
    ]);
  });

  test("is made again where the answer was lost, and a removal goes on while it is there", async () => {
    const { session, asked, signs } = street(["POST /houses/1/sign", "POST /houses/1/sign/unscrew"]);
    const made = await make(session, Sign, { houseId: "1", text: "a" });
    expect(asked()).toHaveLength(2);
    await deleteResource(session, Sign, { ...named(Sign), id: "1", oldInputs: {}, state: made.state });
    expect(asked()).toEqual([
      "POST /houses/1/sign/unscrew",
      "POST /houses/1/sign/unscrew",
      "DELETE /houses/1/sign",
    ]);
    expect(signs["1"]).toBeUndefined();
  });

  test("is not taken over silently, neither in a preview nor in a run", async () => {
    const { session, asked } = street();
    for (const preview of [true, false]) {
      const request = { ...named(Sign), inputs: { houseId: "2", text: "mine" }, preview };
      const failure = await createResource(session, Sign, request).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(CheckFailedError);
      expect((failure as CheckFailedError).failures).toEqual([
        {
          property: "houseId",
          reason: expect.stringContaining("plumbline import plumbline:test:Sign r 2"),
          errorCode: "PLB-NAME",
          existing: "2",
        },
      ]);
    }
    expect(asked()).toEqual([]);
  });

  test("is found by its declaration after a killed run, and what cannot be read is sent again", async () => {
    const { session, asked, signs } = street();
    const earlierAttempt = { startedAt: "2030-01-01T00:00:00Z" };
    const inputs = { houseId: "2", text: "mine" };
    const found = await findResource(session, Sign, { ...named(Sign), inputs, earlierAttempt });
    expect(found?.id).toBe("2");
    const Writable = { ...Sign, aspects: [{ name: "text", fields: ["text"], sync: rewrite }] };
    await make(session, Writable, inputs, { earlierAttempt });
    expect(asked()).toEqual(['POST /houses/2/sign {"text":"mine"}']);
    expect(signs["2"]).toBe("mine");
  });

  test("is named and listed as its parents are, where each has at most one", async () => {
    const { session } = street();
    expect(await listResources(session, Sign, { type: Sign.token })).toEqual([{ id: "2", name: "2" }]);
    const read = await readResource(session, Sign, { ...named(Sign), id: "two" });
    expect(read).toEqual({ id: "2", inputs: { houseId: "2" }, state: { houseId: "2", lines: 1 } });
  });
});

const rewrite: NonNullable<(typeof Sign)["aspects"]>[number]["sync"] = async ({
  service: port,
  path,
  inputs,
}) => {
  await port.post(path, { text: inputs["text"] });
  return undefined;
};

describe("an object with parts that have ids of their own", () => {
  const Pack = resource({
    area: "test",
    name: "Pack",
    description: "",
    path: "/packs/{packNumber}",
    nameFormat: "LABEL",
    inputs: {
      label: text({ ...words, adoptKey: true }),
      dogs: optional(list(text(words), { ...words, local: true })),
    },
    outputs: { dogIds: optional(list(integer(words), words)) },
    async fetch({ get, list: all, path, state, notes }) {
      const pack = await get(path);
      const own = [...((state["dogIds"] as number[] | undefined) ?? []), ...(ofNote(notes.get("dog")) ?? [])];
      const dogs = (await all(`${path}/dogs`)).filter((dog) => own.includes(dog["id"] as number));
      return { ...pack, dog_ids: dogs.map((dog) => dog["id"]) };
    },
    aspects: [
      {
        name: "dogs",
        fields: ["dogs"],
        async sync({ service: port, path, notes }) {
          const { id: made } = await port.post(`${path}/dogs`, {});
          await notes.set("dog", [made as number]);
          throw new Error("the power went out");
        },
      },
    ],
  });
  const ofNote = (note: unknown) => note as number[] | undefined;

  test("are known by the notes that an interrupted update left", async () => {
    const dogs: WireObject[] = [{ id: 8 }];
    const { port } = service({
      "GET /packs/7": () => ({ id: 7, label: "wild" }),
      "GET /packs/7/dogs": () => ({ data: dogs }),
      "POST /packs/7/dogs": () => {
        dogs.push({ id: 9 });
        return { id: 9 };
      },
    });
    const kept = new Map<string, unknown>();
    const notes = {
      get: (key: string) => kept.get(key) as never,
      set: async (key: string, note: unknown) => void kept.set(key, note),
    };
    const own = { ...named(Pack), id: "7", state: { label: "wild" }, notes };
    const update = updateResource(operationOf(port, Pack), Pack, {
      ...own,
      oldInputs: { label: "wild" },
      newInputs: { label: "wild", dogs: ["rex"] },
      preview: false,
    });
    await expect(update).rejects.toMatchObject({ state: { dogIds: [9] } });
    const read = await readResource(operationOf(port, Pack), Pack, { ...own, inputs: { label: "wild" } });
    expect(read?.state).toEqual({ label: "wild", dogIds: [9] });
  });
});

test("what is late is waited for at the end, and a loss on the way is told as the object's own", async () => {
  const Late = resource({
    area: "test",
    name: "Late",
    description: "",
    path: "/lates/{lateNumber}",
    nameFormat: "LABEL",
    inputs: { label: text({ ...words, adoptKey: true }) },
    outputs: { key: text({ ...words, elsewhere: true }) },
    finish: async ({ wait, path }) =>
      void (await wait(`${path}/key`, "its key", (seen) => seen?.["key"] !== null)),
    observe: async ({ service: port, path }, object) => ({
      ...object,
      ...(await port.getFresh(`${path}/key`)),
    }),
  });
  let looks = 0;
  const { port, asked } = service({
    "POST /lates": ({ label }) => ({ id: 3, label }),
    "GET /lates/3": () => ({ id: 3, label: "a" }),
    "GET /lates/3/key": () => {
      looks += 1;
      if (looks > 5) throw lost();
      return { key: looks < 3 ? null : "k" };
    },
  });
  expect((await make(operationOf(port, Late), Late, { label: "a" })).state).toEqual({ label: "a", key: "k" });
  expect(asked()).toContain("wait /lates/3/key");
  looks = 9;
  const failed = make(operationOf(port, Late), Late, { label: "a" });
  await expect(failed).rejects.toMatchObject({ id: "3", state: { label: "a" } });
});

test("a type whose objects are named before they are made refuses a number of their own", () => {
  const spec = {
    area: "test",
    name: "Odd",
    description: "",
    path: "/odds/{oddNumber}",
    nameFormat: "LABEL",
    inputs: { label: text(words) },
    outputs: {},
  };
  expect(() => resource({ ...spec, takesOver: true })).toThrow("{oddNumber} is not known before");
  expect(() => resource({ ...spec, create: async () => {} })).toThrow("{oddNumber} is not known before");
});

test("a type that takes over what exists refuses to say how it is made", () => {
  const spec = {
    area: "test",
    name: "Odd",
    description: "",
    path: "/odds/{label}",
    nameFormat: "LABEL",
    inputs: { label: text(words) },
    outputs: {},
    takesOver: true,
  };
  expect(() => resource(spec)).not.toThrow();
  expect(() => resource({ ...spec, create: async () => {} })).toThrow("is not created");
  expect(() => resource({ ...spec, createRequest: () => undefined })).toThrow("is not created");
});
