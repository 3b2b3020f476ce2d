/** A stack's provider remembers whose account its objects are on: another one is refused before anything is forgotten or written. */

import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { TargetIdentity } from "../../provider/core/protocol.ts";
import { secret, type ValueMap } from "../../provider/core/value.ts";
import { decodeProperties, encodeProperties } from "../../provider/wire/struct.ts";
import { refusal, startPlugin, urnOf } from "./engine.ts";
import { fakeProvider } from "./fake-provider.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const ours = { baseUrl: "https://one.example/v4", account: "A" };
const config = { token: secret("the-token") };
const urn = urnOf("a");

/** A run on this target; `asked` counts the requests that only ask whose account it is. */
async function run(target: TargetIdentity) {
  const counts = { asked: 0 };
  const { baseUrl, account } = target;
  const fake = fakeProvider({
    read: async () => undefined,
    identify: async ({ asks = true } = {}) => {
      if (asks) counts.asked += 1;
      return account !== undefined && (asks || hasAnswered()) ? { baseUrl, account } : { baseUrl };
    },
  });
  const hasAnswered = () => fake.calls.some(({ verb }) => verb === "read");
  const plugin = await startPlugin(fake.parts);
  onTestFinished(plugin.close);
  const checkConfig = async (olds: ValueMap) => {
    const request = new messages.CheckRequest();
    request.setUrn("urn:pulumi:dev::project::pulumi:providers:plumbline::default");
    request.setOlds(encodeProperties(olds));
    request.setNews(encodeProperties(config));
    const response = await plugin.call("checkConfig", request);
    const failures = response.getFailuresList().map((failure) => failure.getReason());
    return { inputs: decodeProperties(response.getInputs()), failures };
  };
  return { ...plugin, checkConfig, fake, counts };
}

async function saved(): Promise<ValueMap> {
  const { checkConfig } = await run(ours);
  return (await checkConfig({})).inputs;
}

describe("the provider's inputs", () => {
  it("hold address and account, and no token in the clear", async () => {
    const inputs = await saved();
    expect(inputs).toEqual({ ...config, __target: ours });
  });

  it("keep what was saved, and ask for nothing, while the target is the same", async () => {
    const { checkConfig, counts } = await run(ours);
    const { inputs, failures } = await checkConfig(await saved());
    expect([inputs["__target"], failures, counts.asked]).toEqual([ours, [], 0]);
  });

  it("of another address are refused, unless the move is meant", async () => {
    const { checkConfig } = await run({ baseUrl: "https://two.example/v4", account: "B" });
    const before = await saved();
    expect((await checkConfig(before)).failures).toEqual([
      expect.stringMatching(
        /account A of https:\/\/one.*https:\/\/two.*PLUMBLINE_RETARGET=https:\/\/two.example\/v4 \[PLB-TARGET\]$/,
      ),
    ]);
    vi.stubEnv("PLUMBLINE_RETARGET", "https://two.example/v4");
    const moved = await checkConfig(before);
    expect(moved.failures).toEqual([]);
    expect(moved.inputs["__target"]).toMatchObject({ baseUrl: "https://two.example/v4" });
  });
});

describe("a run that the state configures", () => {
  it("on another address does nothing at all", async () => {
    const { configure, fake } = await run({ baseUrl: "https://two.example/v4" });
    const error = await refusal(configure(await saved()));
    expect(error.details).toContain("nothing was done");
    expect(fake.calls.some(({ verb }) => verb === "read" || verb === "delete")).toBe(false);
  });

  it("on another account of the address says of nothing that it is gone, and deletes nothing", async () => {
    const {
      configure,
      read,
      delete: remove,
      update,
      create,
      fake,
      counts,
    } = await run({ ...ours, account: "B" });
    await configure(await saved());
    expect((await refusal(read(urn, "7", {}, {}))).details).toMatch(/account A .*account B/);
    for (const write of [remove(urn, "7"), update(urn, "7", {}, {}, {}), create(urn, {})]) {
      expect((await refusal(write)).details).toMatch(/account A .*account B/);
    }
    const written = fake.calls.filter(({ verb }) => ["delete", "update", "create"].includes(verb));
    expect(written).toEqual([]);
    expect(counts.asked).toBeGreaterThan(0);
  });

  it("on its own account works, and so does one that nothing was saved for", async () => {
    const own = await run(ours);
    await own.configure(await saved());
    await own.delete(urn, "7");
    const other = await run({ baseUrl: "https://two.example/v4", account: "B" });
    await other.configure(config);
    expect((await other.read(urn, "7", {}, {})).id).toBe("");
    expect(other.counts.asked).toBe(0);
  });
});
