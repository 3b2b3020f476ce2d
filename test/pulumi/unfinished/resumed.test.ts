/**
 * Creates of the real provider that were killed before the engine saved them, each with what the next run does about it. A kill is played by an
 * engine that forgets what it was answered, and by a log without the line that a kill just before it would have lost.
 */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Emulator, startEmulator } from "../../../emulator/index.ts";
import { secret, type ValueMap } from "../../../provider/core/value.ts";
import { catalogue, createProvider, packageSchema } from "../../../provider/provider.ts";
import { openCreateLog } from "../../../provider/pulumi/unfinished/create-log.ts";
import { freshFolder } from "../../folders.ts";
import { type Naming, startEngine, startPlugin, urnOf } from "../engine.ts";

const seedOf = (text: string) => createHash("sha256").update(text).digest();

interface Scene {
  readonly emulator: Emulator;
  readonly folder: string;
  readonly objects: (path: string) => Promise<readonly ValueMap[]>;
  readonly post: (path: string, body: ValueMap) => Promise<ValueMap>;
}

async function open(): Promise<Scene> {
  const emulator = await startEmulator({ speed: "instant", checkAnswers: true });
  onTestFinished(() => emulator.close());
  const headers = { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" };
  const send = async (path: string, options: RequestInit) =>
    (await (await fetch(`${emulator.baseUrl}${path}`, { headers, ...options })).json()) as ValueMap;
  return {
    emulator,
    folder: freshFolder(),
    objects: async (path) => (await send(path, {}))["data"] as readonly ValueMap[],
    post: (path, body) => send(path, { method: "POST", body: JSON.stringify(body) }),
  };
}

/** A run of the engine, with a plugin of its own. */
async function run({ emulator, folder }: Pick<Scene, "emulator" | "folder">) {
  const engine = await startEngine();
  const parts = { createProvider, catalogue, packageSchema };
  const plugin = await startPlugin(parts, { folder, engineAddress: engine.address });
  await plugin.configure({ baseUrl: emulator.baseUrl, token: secret(emulator.token) });
  const close = async () => {
    await plugin.close();
    engine.close();
  };
  onTestFinished(close);
  return { ...plugin, close, heard: engine.heard, file: join(plugin.createsFolder, "dev") };
}

/** How much of the create reached the log before the kill. */
const moments = ["after the answer was logged", "before the answer came"] as const;

/** Takes the lines away that a kill before the answer with this id would have kept from being written. */
function cut(file: string, id: string, moment: (typeof moments)[number]): void {
  if (moment === moments[0]) return;
  const lines = readFileSync(file, "utf8").split("\n");
  const answered = lines.findIndex((line) => line.includes(id));
  writeFileSync(file, `${lines.slice(0, answered).join("\n")}\n`);
}

interface Named {
  readonly type: string;
  /** Where its objects are listed. */
  readonly path: string;
  readonly inputs: ValueMap;
}

const database = { region: "us-east", type: "g6-nanode-1" };
const pools = { web: { type: "g6-standard-1", count: 1 } };
const named: readonly Named[] = [
  { type: "blockstorage/volume:Volume", path: "/volumes", inputs: { region: "us-east", size: 20 } },
  { type: "vpc/vpc:Vpc", path: "/vpcs", inputs: { region: "us-east" } },
  {
    type: "objectstorage/key:Key",
    path: "/object-storage/keys",
    inputs: {},
  },
  {
    type: "managed/credential:Credential",
    path: "/managed/credentials",
    inputs: { username: "it", password: secret("find-me-not") },
  },
  {
    type: "databases/mySqlInstance:MySqlInstance",
    path: "/databases/mysql/instances",
    inputs: { ...database, engine: "mysql/8.0.30" },
  },
  {
    type: "databases/postgreSqlInstance:PostgreSqlInstance",
    path: "/databases/postgresql/instances",
    inputs: { ...database, engine: "postgresql/14.6" },
  },
  {
    type: "kubernetes/cluster:Cluster",
    path: "/lke/clusters",
    inputs: { region: "us-east", k8sVersion: "1.28", nodePools: pools },
  },
];
const tokenOf = ({ type }: Named) => `plumbline:${type}`;

it("every type that names its objects automatically is tried", () => {
  const automatic = [...catalogue.resources.values()].filter(({ inputs }) =>
    inputs["label"]?.description.includes("automatic"),
  );
  expect(automatic.map(({ token }) => token).sort()).toEqual(
    [...named.map(tokenOf), "plumbline:vpc/subnet:Subnet"].sort(),
  );
});

describe.for(moments)("a create with an automatic name, killed %s,", (moment) => {
  it.for(named)("is found under its name by the next run: $type", async (type, { expect }) => {
    const scene = await open();
    const urn = urnOf("thing", tokenOf(type));
    const first = await run(scene);
    const { inputs } = await first.check(urn, type.inputs, {}, { seed: seedOf("first") });
    const made = await first.create(urn, inputs);
    await first.close();
    cut(first.file, made.id, moment);

    const preview = await run(scene);
    const foreseen = await preview.check(urn, type.inputs, {}, { seed: seedOf("preview") });
    expect(foreseen.inputs["label"]).toBe(inputs["label"]);
    await preview.create(urn, foreseen.inputs, { preview: true });
    expect(preview.heard.map(({ message }) => message).join()).toContain(made.id);
    await preview.close();

    const next = await run(scene);
    const again = await next.check(urn, type.inputs, {}, { seed: seedOf("next") });
    expect(again.inputs).toEqual(inputs);
    const resumed = await next.create(urn, again.inputs);
    const there = await scene.objects(type.path);
    expect(there).toMatchObject([{ label: inputs["label"] }]);
    expect(resumed.id).toBe(String(there[0]?.["id"]));
    expect(existsSync(next.file) && readFileSync(next.file, "utf8")).not.toContain("find-me-not");
    // The engine names the id: nothing is left to remember.
    await next.diff(urn, resumed.id, resumed.properties, again.inputs, again.inputs);
    await next.close();
    expect(openCreateLog(next.file).find(urn)).toBeUndefined();
  });

  it.for(named.slice(0, 3))("of a replacement is found, too: $type", async (type, { expect }) => {
    const scene = await open();
    await scene.post("/object-storage/buckets", { label: "backups", cluster: "us-east-1" });
    const urn = urnOf("thing", tokenOf(type));
    const first = await run(scene);
    const old = (await first.check(urn, type.inputs, {}, { seed: seedOf("old") })).inputs;
    const before = await first.create(urn, old);
    await first.diff(urn, before.id, before.properties, old, old);
    await first.close();

    const declared = { ...type.inputs, ...replacing[type.type] };
    const replace = async (seed: string) => {
      const engine = await run(scene);
      const kept = await engine.check(urn, declared, old, { seed: seedOf(`${seed} kept`) });
      expect(
        (await engine.diff(urn, before.id, before.properties, old, kept.inputs)).getReplacesList(),
      ).not.toEqual([]);
      const { inputs } = await engine.check(urn, declared, {}, { seed: seedOf(seed) });
      return { ...engine, made: await engine.create(urn, inputs) };
    };
    const killed = await replace("killed");
    await killed.close();
    cut(killed.file, killed.made.id, moment);
    const next = await replace("next");
    const ids = (await scene.objects(type.path)).map(({ id }) => String(id));
    expect(ids.sort()).toEqual([before.id, next.made.id].sort());
  });
});

describe("a forced replacement, for which the engine asks no Diff,", () => {
  const zone = async (scene: Scene) =>
    String(
      (await scene.post("/domains", { domain: "example.com", type: "master", soa_email: "a@example.com" }))[
        "id"
      ],
    );
  const record = (domainId: string): Named => ({
    type: "dns/record:Record",
    path: `/domains/${domainId}/records`,
    inputs: { domainId, type: "A", name: "www", target: "192.0.2.1" },
  });

  /** Creates the object, and leaves the engine with its inputs. */
  async function begun(scene: Scene, type: Named) {
    const urn = urnOf("thing", tokenOf(type));
    const engine = await run(scene);
    const { inputs } = await engine.check(urn, type.inputs, {}, { seed: seedOf("old") });
    const { id } = await engine.create(urn, inputs);
    await engine.close();
    return { urn, inputs, id };
  }

  /** What the engine asks of a forced replacement until its create is answered, of a resource that it has with these inputs. */
  async function force(scene: Scene, type: Named, urn: string, saved: ValueMap, seed: string) {
    const engine = await run(scene);
    await engine.check(urn, type.inputs, saved, { seed: seedOf(`${seed} kept`) });
    const { inputs } = await engine.check(urn, type.inputs, {}, { seed: seedOf(seed) });
    return { engine, inputs, create: () => engine.create(urn, inputs) };
  }

  const idsOf = async (scene: Scene, { path }: Named) =>
    (await scene.objects(path)).map(({ id }) => String(id)).sort();

  describe.for(moments)("killed %s,", (moment) => {
    it.for(named.slice(0, 3))("goes on with what the killed one made: $type", async (type, { expect }) => {
      const scene = await open();
      const old = await begun(scene, type);
      const first = await force(scene, type, old.urn, old.inputs, "killed");
      const killed = await first.create();
      await first.engine.close();
      cut(first.engine.file, killed.id, moment);
      const next = await force(scene, type, old.urn, old.inputs, "next");
      expect(next.inputs["label"]).toBe(first.inputs["label"]);
      const made = await next.create();
      expect(await idsOf(scene, type)).toEqual([old.id, made.id].sort());
      // The next one replaces what this one made: the engine has saved that before it deletes what was there.
      await next.engine.delete(old.urn, old.id, old.inputs);
      await next.engine.close();
      const again = await force(scene, type, old.urn, next.inputs, "again");
      expect(again.inputs["label"]).not.toBe(next.inputs["label"]);
      const other = await again.create();
      expect(await idsOf(scene, type)).toEqual([made.id, other.id].sort());
    });
  });

  it("killed before the answer came, of what has no name of its own, goes on with what it made", async () => {
    const scene = await open();
    const type = record(await zone(scene));
    const old = await begun(scene, type);
    scene.emulator.advance(60);
    const first = await force(scene, type, old.urn, old.inputs, "killed");
    const killed = await first.create();
    await first.engine.close();
    cut(first.engine.file, killed.id, "before the answer came");
    const next = await force(scene, type, old.urn, old.inputs, "next");
    expect((await next.create()).id).toBe(killed.id);
    expect((await scene.objects(type.path)).length).toBe(2);
  });

  it("killed after the answer was logged, of what has no name of its own, is refused until a refresh names what the engine has", async () => {
    for (const isSaved of [false, true]) {
      const scene = await open();
      const type = record(await zone(scene));
      const old = await begun(scene, type);
      const first = await force(scene, type, old.urn, old.inputs, "killed");
      const killed = await first.create();
      await first.engine.close();
      const unclear = await force(scene, type, old.urn, old.inputs, "unclear");
      await expect(unclear.create()).rejects.toThrow(new RegExp(`had made ${killed.id}.*pulumi refresh`));
      await unclear.engine.close();
      const refresh = await run(scene);
      const had = isSaved ? killed.id : old.id;
      await refresh.read(old.urn, had, old.inputs, old.inputs);
      await refresh.close();
      const next = await force(scene, type, old.urn, old.inputs, "next");
      const made = await next.create();
      if (isSaved) expect([old.id, killed.id]).not.toContain(made.id);
      else expect(made.id).toBe(killed.id);
    }
  });
});

const replacing: { readonly [type: string]: ValueMap } = {
  "blockstorage/volume:Volume": { region: "eu-west" },
  "vpc/vpc:Vpc": { region: "eu-west" },
  "objectstorage/key:Key": {
    bucketAccess: [{ cluster: "us-east-1", bucketName: "backups", permissions: "read_only" }],
  },
};

describe("a killed create that is declared otherwise by the next run", () => {
  const urn = urnOf("disk", "plumbline:blockstorage/volume:Volume");
  const volume = { region: "us-east", size: 20 };

  /** Kills the create of a volume, and runs another with these inputs. */
  async function rerun(
    next: ValueMap,
    options: { moment: (typeof moments)[number]; naming?: Naming; declared?: ValueMap },
  ) {
    const scene = await open();
    const first = await run(scene);
    const { inputs } = await first.check(urn, options.declared ?? volume, {}, { seed: seedOf("first") });
    const made = await first.create(urn, inputs);
    await first.close();
    cut(first.file, made.id, options.moment);
    const naming = options.naming ?? { seed: seedOf("next") };
    const preview = await run(scene);
    const foreseen = await preview.check(urn, next, {}, naming);
    await preview.create(urn, foreseen.inputs, { preview: true });
    await preview.close();
    const second = await run(scene);
    const again = await second.check(urn, next, {}, naming);
    const resumed = await second.create(urn, again.inputs);
    return {
      ...scene,
      made,
      resumed,
      name: inputs["label"],
      preview,
      volumes: await scene.objects("/volumes"),
      ...second,
    };
  }

  for (const moment of moments) {
    it(`${moment}: what can be changed in place is changed`, async () => {
      const { made, resumed, name, volumes } = await rerun({ region: "us-east", size: 30 }, { moment });
      expect(resumed).toMatchObject({ id: made.id, properties: { size: 30, label: name } });
      expect(volumes).toMatchObject([{ label: name, size: 30, region: "us-east" }]);
    });

    it(`${moment}: a name of the user's own is given to the object that has an automatic one`, async () => {
      const { made, resumed, volumes, preview } = await rerun({ ...volume, label: "mine" }, { moment });
      expect(resumed.id).toBe(made.id);
      expect(volumes).toMatchObject([{ label: "mine" }]);
      expect(preview.heard.map(({ message }) => message).join()).toMatch(
        `Volume ${made.id} is there; the update changes it in place`,
      );
    });

    it(`${moment}: with its name, all else that is declared now is brought about, and all that is not any more`, async () => {
      const declared = { ...volume, tags: ["then"] };
      const named = { ...volume, label: "mine" };
      const tagged = await rerun({ ...named, tags: ["now"] }, { moment, declared });
      expect(tagged.volumes).toMatchObject([{ label: "mine", tags: ["now"] }]);
      const added = await rerun({ ...named, tags: ["now"] }, { moment });
      expect(added.volumes).toMatchObject([{ label: "mine", tags: ["now"] }]);
      const taken = await rerun(named, { moment, declared });
      expect(taken.volumes).toMatchObject([{ label: "mine", tags: [] }]);
    });

    it(`${moment}: what was changed in place by a run that was killed too is found by what it is now`, async () => {
      const mine = { ...volume, label: "mine" };
      const changed = await rerun(mine, { moment });
      const scene = { emulator: changed.emulator, folder: changed.folder };
      const third = await run(scene);
      const { inputs } = await third.check(urn, mine, {}, { seed: seedOf("third") });
      const { id } = await third.create(urn, inputs);
      expect(id).toBe(changed.made.id);
    });

    it(`${moment}: what cannot be changed is deleted and made anew, and the preview says so`, async () => {
      const { made, resumed, volumes, preview } = await rerun({ region: "eu-west", size: 20 }, { moment });
      expect(resumed.id).not.toBe(made.id);
      expect(volumes).toMatchObject([{ id: Number(resumed.id), region: "eu-west" }]);
      expect(preview.heard).toMatchObject([
        {
          severity: 2,
          urn,
          message: `a change of region replaces Volume ${made.id}: all its data are deleted with it`,
        },
        {
          severity: 2,
          urn,
          message: `an earlier run was killed while it created this: Volume ${made.id} is there, but another region is declared now; the update deletes it and makes another`,
        },
      ]);
    });
  }

  it("keeps the name that the engine proposed then, whatever it proposes now", async () => {
    const naming = { seed: seedOf("x"), proposedName: "other" };
    const { made, resumed, name, volumes } = await rerun(volume, { moment: moments[1], naming });
    expect(resumed.id).toBe(made.id);
    expect(volumes).toMatchObject([{ label: name }]);
  });

  it("is refused a name when automatic names were switched off since", async () => {
    const scene = await open();
    const first = await run(scene);
    const { inputs } = await first.check(urn, volume, {}, { seed: seedOf("first") });
    await first.create(urn, inputs);
    await first.close();
    const second = await run(scene);
    const { failures } = await second.check(
      urn,
      volume,
      {},
      { seed: seedOf("next"), proposedName: "", mode: 2 },
    );
    expect(failures).toMatchObject([{ property: "label", reason: expect.stringContaining("switched off") }]);
  });
});

it("a key that was made anew in the place of one whose secret was lost is found, though a kill left only the first one's id", async () => {
  const scene = await open();
  const urn = urnOf("key", "plumbline:objectstorage/key:Key");
  const inputs = { label: "named" };
  let before = "";
  for (const isSaved of [true, false, true]) {
    const next = await run(scene);
    await next.check(urn, inputs);
    const { id } = await next.create(urn, inputs);
    await next.close();
    if (!isSaved) cut(next.file, id, moments[1]);
    expect(await scene.objects("/object-storage/keys")).toMatchObject([{ id: Number(id) }]);
    expect(id).not.toBe(before);
    before = id;
  }
});

describe("a delete whose run was killed, declared again by the next run,", () => {
  const urn = urnOf("web", "plumbline:vpc/vpc:Vpc");
  const inputs = { label: "web", region: "us-east", description: "mine" };

  /** Kills a run with the delete that it does; what the engine has is as before. */
  async function killedAfterDelete(isDone: boolean) {
    const scene = await open();
    const first = await run(scene);
    await first.check(urn, inputs);
    const { id, properties } = await first.create(urn, inputs);
    await first.close();
    const killed = await run(scene);
    await killed.diff(urn, id, properties, inputs, inputs);
    await killed.delete(urn, id, properties, inputs);
    if (!isDone) await scene.post("/vpcs", { label: "web", region: "us-east", description: "mine" });
    return { scene, id, properties, killed };
  }

  it("is seen by the preview, and made again", async () => {
    const { scene, id, properties } = await killedAfterDelete(true);
    for (const isPreview of [true, false]) {
      const next = await run(scene);
      await next.check(urn, inputs, inputs);
      const diff = await next.diff(urn, id, properties, inputs, inputs);
      expect(diff.getReplacesList()).not.toEqual([]);
      expect(diff.getDeletebeforereplace()).toBe(true);
      expect(next.heard.map(({ message }) => message)).toEqual([
        `an earlier run was killed while it deleted this: ${id} is gone, and another is made`,
      ]);
      if (isPreview) continue;
      await next.delete(urn, id, properties, inputs);
      const made = await next.create(urn, inputs);
      expect(await scene.objects("/vpcs")).toMatchObject([{ id: Number(made.id), label: "web" }]);
    }
  });

  it("is left alone where the kill came first, and changed where it is not as declared", async () => {
    const { scene, properties } = await killedAfterDelete(false);
    const [there] = await scene.objects("/vpcs");
    const id = String(there!["id"]);
    const file = join(scene.folder, "creates", "dev");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/Vpc \d+/g, `Vpc ${id}`));
    const next = await run(scene);
    expect((await next.diff(urn, id, properties, inputs, inputs)).getDiffsList()).toEqual([]);
    const path = `${scene.emulator.baseUrl}/vpcs/${id}`;
    const headers = { authorization: `Bearer ${scene.emulator.token}`, "content-type": "application/json" };
    await fetch(path, { method: "PUT", headers, body: JSON.stringify({ description: "theirs" }) });
    const other = await run(scene);
    expect((await other.diff(urn, id, properties, inputs, inputs)).getDiffsList()).toEqual(["description"]);
    await other.update(urn, id, properties, inputs, inputs);
    expect(await scene.objects("/vpcs")).toMatchObject([{ description: "mine" }]);
  });

  it("is forgotten when the run ends well", async () => {
    const { scene, id, properties, killed } = await killedAfterDelete(true);
    await killed.close();
    expect(existsSync(killed.file)).toBe(false);
    const next = await run(scene);
    expect((await next.diff(urn, id, properties, inputs, inputs)).getDiffsList()).toEqual([]);
  });
});

describe("a killed create with a name of its own", () => {
  it("is no obstacle to the preview of the next run", async () => {
    for (const moment of moments) {
      const scene = await open();
      const urn = urnOf("zone", "plumbline:dns/domain:Domain");
      const inputs = { domain: "killed.example", type: "master", soaEmail: "a@killed.example" };
      const first = await run(scene);
      await first.check(urn, inputs);
      const { id } = await first.create(urn, inputs);
      await first.close();
      cut(first.file, id, moment);
      const preview = await run(scene);
      await preview.check(urn, inputs);
      await preview.create(urn, inputs, { preview: true });
      expect(preview.heard).toMatchObject([
        {
          severity: 1,
          message: expect.stringContaining(`Domain ${id} is there; the update goes on with it`),
        },
      ]);
    }
  });

  it("whose answer is a record with another target now changes that record, and leaves no second one", async () => {
    for (const moment of moments) {
      const scene = await open();
      const zone = { domain: "r.example", type: "master", soa_email: "a@r.example" };
      const domainId = String((await scene.post("/domains", zone))["id"]);
      const urn = urnOf("www", "plumbline:dns/record:Record");
      const record = (target: string) => ({ domainId, type: "A", name: "www", target });
      const first = await run(scene);
      await first.check(urn, record("192.0.2.1"));
      const { id } = await first.create(urn, record("192.0.2.1"));
      await first.close();
      cut(first.file, id, moment);
      const next = await run(scene);
      const { inputs } = await next.check(urn, record("192.0.2.2"));
      expect((await next.create(urn, inputs)).id).toBe(id);
      expect(await scene.objects(`/domains/${domainId}/records`)).toMatchObject([{ target: "192.0.2.2" }]);
    }
  });
});
