import grpc from "@grpc/grpc-js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import status from "@pulumi/pulumi/proto/status_pb.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { CheckFailedError } from "../../provider/core/protocol.ts";
import { secret, unknown, type ValueMap } from "../../provider/core/value.ts";
import { decodeProperties, encodeProperties } from "../../provider/wire/struct.ts";
import { typedConfig } from "../../provider/wire/typed-config.ts";
import { refusal, startPlugin, urnOf } from "./engine.ts";
import { catalogue, fakeProvider, noChange } from "./fake-provider.ts";

const providerUrn = "urn:pulumi:dev::project::pulumi:providers:plumbline::default";
async function start(fake = fakeProvider()) {
  const started = await startPlugin(fake.parts);
  onTestFinished(started.close);
  async function checkConfig(news: ValueMap, olds: ValueMap = {}) {
    const request = new messages.CheckRequest();
    request.setUrn(providerUrn);
    request.setOlds(encodeProperties(olds));
    request.setNews(encodeProperties(news));
    const response = await started.call("checkConfig", request);
    return {
      inputs: decodeProperties(response.getInputs()),
      failures: response.getFailuresList().map((f) => f.toObject()),
    };
  }
  async function diffConfig(oldInputs: ValueMap, news: ValueMap) {
    const request = new messages.DiffRequest();
    request.setUrn(providerUrn);
    request.setOlds(encodeProperties({ baseUrl: "an output that must not be compared" }));
    request.setOldInputs(encodeProperties(oldInputs));
    request.setNews(encodeProperties(news));
    return started.call("diffConfig", request);
  }
  return { ...started, checkConfig, diffConfig };
}

describe("configuration values", () => {
  it("sent as JSON text are read in the type they have", () => {
    const sent = {
      baseUrl: "true",
      isQuick: "true",
      limits: '{"a":1,"b":[true]}',
      token: secret("12345"),
      other: "7",
    };
    expect(typedConfig(sent, catalogue.config)).toEqual({
      baseUrl: "true",
      isQuick: true,
      limits: { a: 1, b: [true] },
      token: secret("12345"),
      other: "7",
    });
  });

  it("may be objects already, secret, unknown, or hold secrets in their JSON text", () => {
    const marked =
      '{"a":{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","value":"s"}}';
    expect(typedConfig({ limits: marked, isQuick: unknown }, catalogue.config)).toEqual({
      limits: { a: secret("s") },
      isQuick: unknown,
    });
    expect(typedConfig({ limits: { a: 1 }, isQuick: secret("false") }, catalogue.config)).toEqual({
      limits: { a: 1 },
      isQuick: secret(false),
    });
  });

  it("that are no JSON are kept as they are, for the check to refuse", () => {
    expect(typedConfig({ isQuick: "perhaps" }, catalogue.config)).toEqual({ isQuick: "perhaps" });
  });
});

describe("CheckConfig", () => {
  it("gives back what came as it came, marks the token, keeps the version and drops what is internal", async () => {
    const fake = fakeProvider();
    const { checkConfig } = await start(fake);
    const { inputs } = await checkConfig({
      version: "1.2.3",
      pluginDownloadURL: "https://example.com",
      __internal: { a: "b" },
      token: "a-token",
      limits: '{ "a": 1 }',
      baseUrl: unknown,
    });
    expect(inputs).toEqual({
      version: "1.2.3",
      pluginDownloadURL: "https://example.com",
      token: secret("a-token"),
      limits: '{ "a": 1 }',
      baseUrl: unknown,
    });
    expect(fake.calls[0]?.request).toMatchObject({
      newInputs: { token: "a-token", limits: { a: 1 }, baseUrl: unknown },
    });
  });

  it("adds what the check added, as text", async () => {
    const fake = fakeProvider({
      checkConfig: async ({ newInputs }) => ({
        inputs: { ...newInputs, baseUrl: "https://x", isQuick: true },
        failures: [],
      }),
    });
    const { checkConfig } = await start(fake);
    expect((await checkConfig({})).inputs).toEqual({ baseUrl: "https://x", isQuick: "true" });
  });

  it("answers failures with the property's name", async () => {
    const failures = [{ property: "baseUrl", reason: "must be a URL" }];
    const { checkConfig } = await start(
      fakeProvider({ checkConfig: async ({ newInputs }) => ({ inputs: newInputs, failures }) }),
    );
    expect((await checkConfig({ baseUrl: "x" })).failures).toEqual(failures);
  });
});

describe("DiffConfig", () => {
  it("compares old inputs with new ones, without version and JSON spelling", async () => {
    const fake = fakeProvider();
    const { diffConfig } = await start(fake);
    await diffConfig(
      { version: "1.0.0", limits: '{"a":1}', baseUrl: "x" },
      { version: "2.0.0", limits: { a: 1 }, baseUrl: "x" },
    );
    expect(fake.calls[0]?.request).toMatchObject({
      oldInputs: { limits: { a: 1 }, baseUrl: "x" },
      newInputs: { limits: { a: 1 }, baseUrl: "x" },
    });
    expect(fake.calls[0]?.request).not.toHaveProperty("newInputs.version");
  });

  it("says none, or what changes and what it replaces", async () => {
    const same = await start();
    expect((await same.diffConfig({}, {})).getChanges()).toBe(messages.DiffResponse.DiffChanges.DIFF_NONE);
    const moved = await start(
      fakeProvider({
        diffConfig: async () => ({
          ...noChange,
          changes: true,
          detailedDiff: { baseUrl: { kind: "update-replace", inputDiff: true } },
          replaces: ["baseUrl"],
        }),
      }),
    );
    const diff = await moved.diffConfig({ baseUrl: "a" }, { baseUrl: "b" });
    expect(diff.getReplacesList()).toEqual(["baseUrl"]);
    expect(diff.getDiffsList()).toEqual(["baseUrl"]);
  });
});

describe("Configure", () => {
  it("hands the typed values on, secrets marked, and says what it can do", async () => {
    const fake = fakeProvider();
    const { configure } = await start(fake);
    const response = await configure({ version: "1.2.3", token: secret("a-token"), isQuick: "true" });
    expect(response.toObject()).toEqual({
      acceptsecrets: true,
      acceptresources: true,
      acceptoutputs: true,
      supportspreview: true,
      supportsAutonamingConfiguration: true,
    });
    const configured = fake.calls.find(({ verb }) => verb === "configure");
    expect(configured?.request).toEqual({ token: secret("a-token"), isQuick: true });
  });

  it("reads the oldest engines' variables when there are no arguments", async () => {
    const fake = fakeProvider();
    const { call } = await start(fake);
    const request = new messages.ConfigureRequest();
    request.getVariablesMap().set("plumbline:config:isQuick", "true");
    request.getVariablesMap().set("plumbline:config:baseUrl", "https://x");
    await call("configure", request);
    expect(fake.calls[0]?.request).toEqual({ isQuick: true, baseUrl: "https://x" });
  });

  it("names the missing keys in the detail that makes the engine print how to set them", async () => {
    const { configure } = await start(
      fakeProvider({
        configure: async () => {
          throw new CheckFailedError([{ property: "token", reason: "needed to reach the service" }]);
        },
      }),
    );
    const error = await refusal(configure({}));
    expect(error.code).toBe(grpc.status.INVALID_ARGUMENT);
    const [bytes] = error.metadata.get("grpc-status-details-bin");
    const [detail] = status.Status.deserializeBinary(bytes as Buffer).getDetailsList();
    const keys = detail?.unpack(
      messages.ConfigureErrorMissingKeys.deserializeBinary,
      "pulumirpc.ConfigureErrorMissingKeys",
    );
    expect(keys?.toObject().missingkeysList).toEqual([
      { name: "plumbline:token", description: "needed to reach the service" },
    ]);
  });

  it("refuses a wrong value by its name", async () => {
    const { configure } = await start(
      fakeProvider({
        configure: async () => {
          throw new CheckFailedError([{ property: "baseUrl", reason: "must be a URL" }]);
        },
      }),
    );
    const error = await refusal(configure({ baseUrl: "x" }));
    expect(error).toMatchObject({ code: grpc.status.INVALID_ARGUMENT, details: "baseUrl: must be a URL" });
    expect(error.metadata.get("grpc-status-details-bin")).toEqual([]);
  });

  it("may come again: a new provider works from then on, the old one ends with its last call", async () => {
    let release: (() => void) | undefined;
    const fake = fakeProvider({
      check: ({ newInputs }) =>
        new Promise((resolve) => {
          release = () => resolve({ inputs: newInputs, failures: [] });
        }),
    });
    const { configure, check } = await start(fake);
    await configure({ token: "one-token" });
    const running = check(urnOf("a"), {});
    await expect.poll(() => release !== undefined).toBe(true);
    await configure({ token: "two-token" });
    expect(fake.made()).toMatchObject({ made: 2, closed: 0 });
    release?.();
    await running;
    await expect.poll(() => fake.made().closed).toBe(1);
  });

  it("ends a cancel: an engine that attaches later works again", async () => {
    const { configure, check, cancel } = await start();
    await configure({});
    await cancel();
    expect((await refusal(check(urnOf("a"), {}))).code).toBe(grpc.status.CANCELLED);
    await configure({});
    await expect(check(urnOf("a"), {})).resolves.toBeDefined();
  });

  it("shows a token in no error, even when the error does", async () => {
    const { configure, check } = await start(
      fakeProvider({
        check: async () => {
          throw new Error("GET /x: the token secret-token-1 is wrong");
        },
      }),
    );
    await configure({ token: secret("secret-token-1") });
    expect((await refusal(check(urnOf("a"), {}))).details).toBe("GET /x: the token [secret] is wrong");
  });
});
