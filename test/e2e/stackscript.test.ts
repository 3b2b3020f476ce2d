/** StackScripts under each engine on an emulator of its own: private ones come and go, public ones stay whatever is declared. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { call, type Kept, kept, writes } from "./account.ts";
import { createDriver, type Driver, type EngineName } from "./engines.ts";
import { pulumiBin } from "./pulumi.ts";

const engines: readonly EngineName[] = ["plumbline", "pulumi"];
for (const engine of engines) {
  describe.skipIf(engine === "pulumi" && !pulumiBin)(
    `StackScripts under ${engine}`,
    { timeout: 120_000 },
    () => life(engine),
  );
}

const type = "plumbline:compute:StackScript";
const script = '#!/bin/bash\n# <UDF name="port" label="Port" default="80" />\necho "$PORT"\n';
const setup = { label: "setup", images: ["compute/debian12", "any/all"], script };
const path = "/compute/stackscripts/{stackscriptId}";
const advice = /public[\s\S]*retainOnDelete: true/;

function life(engine: EngineName): void {
  let emulator: Emulator;
  let stack: Driver;
  const program = (properties: object, options?: object, outputs?: object) => ({
    resources: { setup: { type, properties, ...(options && { options }) } },
    ...(outputs && { outputs }),
  });
  beforeAll(async () => {
    emulator = await startEmulator({ speed: "instant", checkAnswers: true });
    stack = await createDriver(engine, program(setup), { baseUrl: emulator.baseUrl, token: emulator.token });
  });
  afterAll(async () => {
    stack?.remove();
    await emulator?.close();
  });

  const own = () => kept(emulator, "stackscripts").filter((one) => one["_foreign"] !== true);
  const one = (): Kept => {
    const [found, ...more] = own();
    if (found === undefined || more.length > 0) throw new Error(`${own().length} scripts`);
    return found;
  };
  /** The writes that the work makes, by operation. */
  const sent = async (work: () => Promise<unknown>) => {
    const before = writes(emulator);
    await work();
    const counts = Object.entries(writes(emulator)).map(
      ([operation, count]) => [operation, count - (before[operation] ?? 0)] as const,
    );
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  };
  const refused = async (verb: "preview" | "up" | "destroy") => {
    const { code, said, printed } = await stack.attempt(verb);
    expect(code).not.toBe(0);
    return `${said.join("\n")}${printed}`;
  };

  it("are made with one request, and the parameters that they declare are outputs", async () => {
    stack.write(program(setup, undefined, { asks: "${setup.userDefinedFields}", mine: "${setup.mine}" }));
    expect(await sent(() => stack.up())).toEqual({ "POST /compute/stackscripts": 1 });
    expect(await stack.outputs()).toEqual({
      asks: [{ name: "port", label: "Port", default: "80" }],
      mine: true,
    });
  });

  it("have no second diff for another kind of line ends, nor for another order of images", async () => {
    const windows = {
      ...setup,
      script: "#!/bin/sh\r\necho 1\r\n",
      images: ["any/all", "compute/debian12"],
    };
    stack.write(program(windows));
    let paths: unknown;
    const requests = await sent(async () => {
      paths = (await stack.up()).plan["setup"]?.paths;
    });
    expect([paths, requests]).toEqual([{ script: "update" }, { [`PUT ${path}`]: 1 }]);
    expect(one()["script"]).toBe("#!/bin/sh\necho 1\n");
    expect((await stack.up("--refresh")).changes).toEqual({ same: 1 });
    expect((await stack.refresh()).changes).toEqual({ same: 1 });
    stack.write(program({ ...windows, script: "#!/bin/sh\necho 1\n", images: setup.images }));
    expect((await stack.preview("--expect-no-changes")).changes).toEqual({ same: 1 });
  });

  it("take every other change in place, by one request", async () => {
    const { id } = one();
    stack.write(program({ ...setup, label: "set up", description: "Serves", revNote: "Asks for a port" }));
    let paths: unknown;
    const requests = await sent(async () => {
      paths = (await stack.up()).plan["setup"]?.paths;
    });
    expect(paths).toEqual({ label: "update", script: "update", description: "add", revNote: "add" });
    expect(requests).toEqual({ [`PUT ${path}`]: 1 });
    expect(one()).toMatchObject({ id, label: "set up", description: "Serves", script });
    stack.write(program(setup));
    expect((await stack.up("--refresh")).changes).toEqual({ update: 1 });
  });

  it("are refused an image that there is not, on the property that names it", async () => {
    stack.write(program({ ...setup, images: ["compute/debian1"] }));
    expect(await refused("up")).toMatch(/images[\s\S]*compute\/debian1/);
    stack.write(program(setup));
    await stack.up();
  });

  it("found gone are made again", async () => {
    await call(emulator, "DELETE", `/compute/stackscripts/${one().id}`);
    expect((await stack.up("--refresh")).plan["setup"]?.op).toBe("create");
    expect(own()).toHaveLength(1);
  });

  it("that are private are replaced and deleted as anything is", async () => {
    const { id } = one();
    stack.write(program({ ...setup, label: "other" }, { replaceOnChanges: ["label"] }));
    expect((await stack.up()).plan["setup"]).toMatchObject({ op: "replace" });
    expect(one().id).not.toBe(id);
    await stack.destroy();
    expect(own()).toEqual([]);
    await stack.up();
  });

  it("are made public in place", async () => {
    stack.write(program({ ...setup, isPublic: true }));
    expect(await sent(() => stack.up())).toEqual({ [`PUT ${path}`]: 1 });
    expect(one()["is_public"]).toBe(true);
    expect((await stack.up("--refresh")).changes).toEqual({ same: 1 });
  });

  it("that are public are not made private: the preview says so, and nothing is sent", async () => {
    stack.write(program({ ...setup, isPublic: false }));
    const before = emulator.stats().total;
    expect(await refused("preview")).toMatch(/isPublic[\s\S]*cannot be made private/);
    expect(emulator.stats().total).toBe(before);
    stack.write(program(setup));
    expect((await stack.up("--refresh")).changes).toEqual({ same: 1 });
  });

  it("that are public are not replaced: that is said before anything is made", async () => {
    const { id } = one();
    const shared = { ...setup, isPublic: true };
    stack.write(program({ ...shared, label: "replaced" }, { replaceOnChanges: ["label"] }));
    let said = "";
    const requests = await sent(async () => {
      said = await refused("up");
    });
    expect(said).toMatch(advice);
    expect(requests).toEqual({});
    expect(one()).toMatchObject({ id, label: "setup" });
    stack.write(program(shared));
    expect((await stack.preview("--expect-no-changes")).changes).toEqual({ same: 1 });

    stack.write(program(shared, { retainOnDelete: true }));
    expect((await stack.up()).changes).toEqual({ same: 1 });
    stack.write(
      program({ ...shared, label: "replaced" }, { retainOnDelete: true, replaceOnChanges: ["label"] }),
    );
    expect((await stack.up()).plan["setup"]?.op).toBe("replace");
    expect(own()).toMatchObject([
      { id, label: "setup", is_public: true },
      { label: "replaced", is_public: true },
    ]);
  });

  it("that are public are not deleted, but leave the stack as the advice says", async () => {
    const shared = { ...setup, label: "replaced", isPublic: true };
    stack.write(program(shared));
    await stack.up();
    let said = "";
    const requests = await sent(async () => {
      said = await refused("destroy");
    });
    expect(said).toMatch(advice);
    expect(requests).toEqual({});
    expect((await stack.preview("--expect-no-changes")).changes).toEqual({ same: 1 });

    stack.write(program(shared, { retainOnDelete: true }));
    await stack.up();
    expect(await sent(() => stack.destroy())).toEqual({});
    expect(own()).toMatchObject([{ label: "setup" }, { label: "replaced" }]);
    expect((await stack.state()).resources).toEqual({});
    expect(emulator.mismatches).toEqual([]);
  });
}
