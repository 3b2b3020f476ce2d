/** What is done about one object, over the emulator: every type's life by its spec, and what goes wrong on the way. */

import { createHash, createHmac } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { asset, type ValueMap } from "../../provider/core/value.ts";
import type { Condition } from "../../provider/kubernetes/api.ts";
import { AbandonedError } from "../../provider/kubernetes/outcome.ts";
import { reconcile } from "../../provider/kubernetes/subject.ts";
import { kinds } from "../../provider/provider.ts";
import { type Account, openAccount } from "../provider/deployment.ts";
import { lives } from "../provider/lives/index.ts";
import { openShelf } from "./shelf.ts";

const seal = (text: string): string => createHmac("sha256", "a key").update(text).digest("base64url");

/** No other object, and a token that is good. */
const alone = { isKnownId: () => false, isTokenRefused: async () => false };

/** One object of the kind, on an account of its own. */
function openSubject(account: Account, token: string) {
  const kind = kinds.get(token)!;
  const shelf = openShelf(`${kind.group}/v1alpha1`, kind.kind);
  const secrets = new Map<string, string>();
  let time = Date.parse("2026-01-01T00:00:00Z");
  return {
    shelf,
    secrets,
    /** As the spec that declares the inputs. */
    declare(inputs: ValueMap, annotations = {}): void {
      const spec = kind.specOf(inputs, {
        secretRef(input, value) {
          secrets.set(input, value);
          return { name: "secrets", key: input };
        },
        content: (_, { text = "" }) => ({ text }),
        named: () => undefined,
      });
      shelf.apply("subject", spec, annotations);
    },
    /** Looks at it; resolves to the requests that were no reads. */
    async look(): Promise<number> {
      time += 1000;
      let writes = 0;
      await account.during(async (provider) => {
        await reconcile(shelf.get("subject")!, {
          ...{ api: shelf, kind, provider, seal, signal: new AbortController().signal, ensure: () => {} },
          ...alone,
          now: () => `${new Date(time).toISOString().slice(0, 19)}Z`,
          surroundings: {
            target: () => undefined,
            secret: ({ key }) => secrets.get(key),
            content: ({ text }) =>
              asset({ text: text!, hash: createHash("sha256").update(text!).digest("hex") }),
          },
        });
      });
      for (const [method, count] of Object.entries(account.requests())) if (method !== "GET") writes += count;
      return writes;
    },
    condition: (type: string): Condition | undefined =>
      shelf.get("subject")?.status?.conditions?.find((each) => each.type === type),
  };
}

const zone = { domain: "one.example", type: "master", soaEmail: "root@one.example" };

async function opened(token = "plumbline:dns/domain:Domain") {
  const account = await openAccount();
  onTestFinished(() => account.close());
  return { account, ...openSubject(account, token) };
}

describe.each(lives.map((life) => [life.type, life] as const))("%s", (type, life) => {
  it("lives by its spec: each step is applied once, a second look writes nothing, and it is gone at the end", async () => {
    const { account, ...subject } = await opened(type);
    const parents = await life.prepare(account);
    for (const { does, declare, leaves } of life.steps) {
      subject.declare(declare(parents));
      if (does === "replace") {
        await subject.look();
        expect(subject.condition("Stalled")).toMatchObject({ status: "True", reason: "NeedsReplacement" });
        subject.declare(declare(parents), { "plumbline.dev/allow-replace": "true" });
      }
      await subject.look();
      expect([does, subject.condition("Ready")]).toEqual([
        does,
        expect.objectContaining({ status: "True", reason: "Ready" }),
      ]);
      const before = subject.shelf.get("subject")!;
      expect([does, await subject.look()]).toEqual([does, 0]);
      const after = subject.shelf.get("subject")!;
      // What the service says of an object may change by itself.
      if (JSON.stringify(after.status!.atProvider) === JSON.stringify(before.status!.atProvider))
        expect(after).toEqual(before);
      else expect(after.status!.conditions).toEqual(before.status!.conditions);
      subject.declare(declare(parents), { "plumbline.dev/allow-replace": null });
      const told = JSON.stringify(before.status);
      for (const secret of subject.secrets.values()) expect(told).not.toContain(secret);
      const { observedGeneration, applied, atProvider } = before.status!;
      expect(observedGeneration).toBe(before.metadata.generation);
      for (const [name, value] of Object.entries(leaves ?? {}))
        if (name in atProvider!) expect({ [name]: atProvider![name] }).toMatchObject({ [name]: value });
      expect(Object.keys(applied!).length).toBeGreaterThan(0);
    }
    subject.shelf.remove("subject");
    await subject.look();
    expect(subject.shelf.get("subject")).toBeUndefined();
  });
});

describe("an object", () => {
  it("whose create was cut off after the service had done it is found again, not made twice", async () => {
    const { account, shelf, declare, look, condition } = await opened();
    declare(zone);
    await look();
    const id = shelf.get("subject")!.metadata.annotations!["plumbline.dev/external-id"];
    // The id was never written down, nor anything else of what came of it.
    const began = shelf.get("subject")!.metadata;
    shelf.apply("subject", zone, {
      "plumbline.dev/external-id": null,
      "plumbline.dev/create-started": began.creationTimestamp,
    });
    await look();
    expect(shelf.get("subject")!.metadata.annotations!["plumbline.dev/external-id"]).toBe(id);
    expect(condition("Ready")!.status).toBe("True");
    expect((await account.call("GET", "/domains"))["results"]).toBe(1);
  });

  it("that was restored without its status is taken over by its id, and nothing is written", async () => {
    const { account, shelf, declare, look, condition } = await opened();
    declare(zone);
    await look();
    const annotations = shelf.get("subject")!.metadata.annotations!;
    const restored = openSubject(account, "plumbline:dns/domain:Domain");
    restored.shelf.apply("subject", shelf.get("subject")!.spec, annotations);
    expect(await restored.look()).toBe(0);
    expect(restored.condition("Ready")!.status).toBe("True");
    expect(condition("Ready")!.status).toBe("True");
  });

  it("that is changed outside is put right, and says so", async () => {
    const { account, shelf, declare, look, condition } = await opened();
    declare({ ...zone, description: "ours" });
    await look();
    const id = shelf.get("subject")!.status!.id;
    await account.call("PUT", `/domains/${id}`, { description: "theirs" });
    expect(await look()).toBe(1);
    expect((await account.call("GET", `/domains/${id}`))["description"]).toBe("ours");
    expect(shelf.events.map(({ reason }) => reason)).toContain("Drifted");
    expect(condition("Ready")!.status).toBe("True");
  });

  it("that is deleted outside is made anew; one that is only observed is not", async () => {
    const { account, shelf, declare, look, condition } = await opened();
    declare(zone);
    await look();
    const first = shelf.get("subject")!.status!.id;
    await account.call("DELETE", `/domains/${first}`);
    await look();
    const second = shelf.get("subject")!.status!.id;
    expect(second).not.toBe(first);
    await account.call("DELETE", `/domains/${second}`);
    declare(zone, { "plumbline.dev/observe": "true" });
    expect(await look()).toBe(0);
    expect(condition("Stalled")).toMatchObject({ reason: "DeletedOutside" });
  });

  it("that the service refuses is stalled with its reason, and waits for a change", async () => {
    const { account, declare, look, condition } = await opened();
    await account.call("POST", "/domains", {
      domain: "one.example",
      type: "master",
      soa_email: "a@b.example",
    });
    declare(zone);
    await look();
    expect(condition("Stalled")).toMatchObject({
      status: "True",
      message: expect.stringContaining("one.example"),
    });
    expect(condition("Ready")!.status).toBe("False");
    declare({ ...zone, domain: "two.example" });
    await look();
    expect([condition("Ready")!.status, condition("Stalled")]).toEqual(["True", undefined]);
  });

  it("that names what is not there waits for it, and asks nothing of the service", async () => {
    const { account, shelf, look, condition } = await opened("plumbline:dns/record:Record");
    shelf.apply("subject", { domainRef: { name: "zone" }, type: "A", target: "192.0.2.1" });
    await look();
    expect(condition("Reconciling")).toMatchObject({
      reason: "WaitingFor",
      message: "spec.domainRef: Domain zone is not there yet",
    });
    expect(account.requests()).toEqual({});
  });

  it("that is to be retained leaves its object behind", async () => {
    const { account, shelf, declare, look } = await opened();
    declare(zone);
    await look();
    shelf.apply("subject", { ...shelf.get("subject")!.spec, deletionPolicy: "Retain" });
    shelf.remove("subject");
    expect(await look()).toBe(0);
    expect(shelf.get("subject")).toBeUndefined();
    expect((await account.call("GET", "/domains"))["results"]).toBe(1);
  });

  it("is left alone once another process holds its account, and where what has to be noted first is not taken", async () => {
    const { account, shelf, declare } = await opened();
    declare(zone);
    const looks = (more: object) =>
      account.during((provider) =>
        reconcile(shelf.get("subject")!, {
          ...{
            api: shelf,
            kind: kinds.get("plumbline:dns/domain:Domain")!,
            provider,
            seal,
            ensure: () => {},
          },
          ...alone,
          ...{ signal: new AbortController().signal, now: () => "2026-01-01T00:00:00Z" },
          surroundings: { target: () => undefined, secret: () => undefined, content: () => undefined },
          ...more,
        }),
      );
    const ensure = () => {
      throw new AbandonedError("the lease is another's");
    };
    await expect(looks({ ensure })).rejects.toThrow("the lease is another's");
    const patchMetadata = () => Promise.reject(new Error("conflict"));
    await expect(looks({ api: { ...shelf, patchMetadata } })).rejects.toBeInstanceOf(AbandonedError);
    expect((await account.call("GET", "/domains"))["results"]).toBe(0);
    expect(shelf.statusWrites()).toBe(0);
  });
});
