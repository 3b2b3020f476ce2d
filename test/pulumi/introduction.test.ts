import { homedir } from "node:os";
import { join, resolve } from "node:path";
import grpc from "@grpc/grpc-js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { createsFolderOf, engineAddressOf } from "../../provider/pulumi/arguments.ts";
import { refusal, startEngine, startPlugin, urnOf } from "./engine.ts";
import { fakeProvider } from "./fake-provider.ts";

async function start(fake = fakeProvider(), engineAddress?: string) {
  const started = await startPlugin(fake.parts, engineAddress === undefined ? {} : { engineAddress });
  onTestFinished(started.close);
  return started;
}

function schemaRequest(version: number, subpackage = "") {
  const request = new messages.GetSchemaRequest();
  request.setVersion(version);
  request.setSubpackageName(subpackage);
  return request;
}

it.each([
  [undefined, ".plumbline/creates"],
  ["", ".plumbline/creates"],
  ["states", "states/creates"],
  ["/var/states", "/var/states/creates"],
  ["~states", "~states/creates"],
  ["file:///var/states?keep=3", "/var/states/creates"],
  ["file://states\n", "states/creates"],
  ["file://~/states", join(homedir(), "states/creates")],
  ["s3://team-states/shop?region=eu", ".plumbline/creates"],
  ["postgres://anna:hidden-word@db/states", ".plumbline/creates"],
  [" postgres:/anna:hidden-word@db/states", ".plumbline/creates"],
])("with the states at %j it keeps in %s what creates began", (state, folder) => {
  expect(createsFolderOf(state)).toBe(resolve(folder));
});

describe("the plugin's introduction", () => {
  it("answers a handshake with everything it can do, any number of times", async () => {
    const fake = fakeProvider();
    const { handshake } = await start(fake);
    for (let time = 0; time < 3; time += 1) {
      expect((await handshake()).toObject()).toMatchObject({
        acceptSecrets: true,
        acceptResources: true,
        acceptOutputs: true,
        supportsAutonamingConfiguration: true,
      });
    }
    expect(fake.made()).toEqual({ made: 0, closed: 0, cancelled: 0 });
  });

  it("gives schema and version without being configured", async () => {
    const { call } = await start();
    expect((await call("getPluginInfo", new empty.Empty())).getVersion()).toBe("1.2.3");
    for (const version of [0, 1]) {
      const schema = (await call("getSchema", schemaRequest(version))).getSchema();
      expect(JSON.parse(schema)).toEqual({ name: "plumbline", version: "1.2.3" });
    }
  });

  it("refuses a schema of another format, and of a package within it", async () => {
    const { call } = await start();
    expect((await refusal(call("getSchema", schemaRequest(2)))).code).toBe(grpc.status.INVALID_ARGUMENT);
    const other = await refusal(call("getSchema", schemaRequest(1, "other")));
    expect(other).toMatchObject({ code: grpc.status.INVALID_ARGUMENT });
    expect(other.details).toContain("other");
  });

  it("has no mappings, and says so by an empty answer", async () => {
    const { call } = await start();
    expect((await call("getMapping", new messages.GetMappingRequest())).getProvider()).toBe("");
    expect((await call("getMappings", new messages.GetMappingsRequest())).getProvidersList()).toEqual([]);
  });

  it("leaves parameters, methods and components unimplemented", async () => {
    const { call } = await start();
    const calls = [
      call("parameterize", new messages.ParameterizeRequest()),
      call("call", new messages.CallRequest()),
      call("construct", new messages.ConstructRequest()),
    ];
    for (const one of calls) expect((await refusal(one)).code).toBe(grpc.status.UNIMPLEMENTED);
  });

  it("sends messages to the engine that attached last", async () => {
    const fake = fakeProvider({
      diffConfig: async () => {
        throw new Error("not used");
      },
      check: async ({ newInputs, log }) => {
        log?.("warning", `checked ${newInputs["name"]}`);
        return { inputs: newInputs, failures: [] };
      },
    });
    const [first, second] = [await startEngine(), await startEngine()];
    onTestFinished(first.close);
    onTestFinished(second.close);
    const { call, check, handshake } = await start(fake);
    await handshake(first.address);
    await check(urnOf("a"), { name: "one" });
    const attach = new plugin.PluginAttach();
    attach.setAddress(second.address);
    await call("attach", attach);
    await check(urnOf("a"), { name: "two" });
    expect(first.heard.map(({ message }) => message)).toEqual(["checked one"]);
    expect(second.heard.map(({ message }) => message)).toEqual(["checked two"]);
  });

  it("takes 6 MB in one property, and gives them back", async () => {
    const { check } = await start();
    const text = "x".repeat(6_291_456);
    expect((await check(urnOf("big"), { name: text })).inputs["name"]).toHaveLength(text.length);
  });

  it("shares nothing between two servers in one process", async () => {
    const [one, two] = [fakeProvider(), fakeProvider()];
    const [first, second] = [await start(one), await start(two)];
    await first.configure({ token: "first-token" });
    await second.configure({ token: "other-token" });
    await first.cancel();
    expect((await refusal(first.check(urnOf("a"), {}))).code).toBe(grpc.status.CANCELLED);
    await expect(second.check(urnOf("a"), {})).resolves.toBeDefined();
    expect([one.made().made, two.made().made]).toEqual([1, 1]);
  });
});

describe("the plugin's command line", () => {
  it.each([
    [["127.0.0.1:4567"], "127.0.0.1:4567"],
    [["--logtostderr", "-v=9", "127.0.0.1:4567"], "127.0.0.1:4567"],
    [["--logtostderr", "-v", "9", "--tracing", "http://127.0.0.1:9411", "127.0.0.1:4567"], "127.0.0.1:4567"],
    [["--tracing=tcp://127.0.0.1:9411", "127.0.0.1:4567", "extra"], "127.0.0.1:4567"],
    [["--logflow"], undefined],
    [[], undefined],
  ])("%j names the engine at %s", (args, address) => {
    expect(engineAddressOf(args)).toBe(address);
  });
});
