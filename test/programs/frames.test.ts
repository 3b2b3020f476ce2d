/** What goes over the line between the engine and a program's process arrives as it was sent, however it is cut. */

import { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import grpc from "@grpc/grpc-js";
import engine from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import resource from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/resource_pb.js";
import fc from "fast-check";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, it } from "vitest";
import { framesOver } from "../../provider/engine/programs/frames.js";
import { answerOver } from "../../provider/engine/programs/line.ts";
import { type Handlers, servicesOf } from "../../provider/engine/programs/server.ts";

interface Message {
  readonly call: number;
  readonly word: string;
  readonly bytes: Uint8Array;
}

/** Two ends; what is written to one comes out of the other, cut where `cuts` says, over and over. */
function openLine(cuts: readonly number[]): [Duplex, Duplex] {
  const ends: Duplex[] = [];
  for (const side of [0, 1])
    ends.push(
      new Duplex({
        read() {},
        write(chunk: Buffer, _, done) {
          let rest = chunk;
          for (let n = 0; rest.length > 0; n += 1) {
            const size = cuts[n % cuts.length]!;
            ends[1 - side]!.push(Buffer.from(rest.subarray(0, size)));
            rest = rest.subarray(size);
          }
          done();
        },
      }),
    );
  return ends as [Duplex, Duplex];
}

async function settled(isDone: () => boolean): Promise<void> {
  const begun = performance.now();
  while (!isDone()) {
    if (performance.now() - begun > 10_000) throw new Error("it never came");
    await turn();
  }
}

const message: fc.Arbitrary<Message> = fc.record({
  call: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  word: fc.string({ unit: "grapheme-ascii", maxLength: 80 }),
  bytes: fc.uint8Array({ maxLength: 200 }),
});

describe("messages in frames", () => {
  it("arrive whole, each once and in their order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
        async (sent, cuts) => {
          const [near, far] = openLine(cuts);
          const heard: Message[] = [];
          framesOver(far, (call, word, bytes) => heard.push({ call, word, bytes: Uint8Array.from(bytes) }));
          const { send } = framesOver(near, () => {});
          for (const { call, word, bytes } of sent) send(call, word, bytes);
          await settled(() => heard.length >= sent.length);
          expect(heard).toEqual(sent);
        },
      ),
    );
  });

  it("leave at once where none left just now, and else together, after the pause", async () => {
    const [near, far] = openLine([1024]);
    const heard: number[] = [];
    framesOver(far, (call) => heard.push(call));
    const { send } = framesOver(near, () => {}, { pause: 200 });
    const begun = performance.now();
    send(1, "", Buffer.from("first"));
    await settled(() => heard.length === 1);
    expect(performance.now() - begun).toBeLessThan(150);
    for (const call of [2, 3, 4]) {
      send(call, "", Buffer.from("more"));
      await turn();
    }
    expect(heard).toEqual([1]);
    await settled(() => heard.length > 1);
    expect(heard).toEqual([1, 2, 3, 4]);
    expect(performance.now() - begun).toBeGreaterThan(190);
  });

  it("take what waits along where one may not wait", async () => {
    const [near, far] = openLine([1024]);
    const heard: number[] = [];
    framesOver(far, (call) => heard.push(call));
    const { send } = framesOver(near, () => {}, { pause: 60_000 });
    send(1, "", Buffer.from("first"));
    await settled(() => heard.length === 1);
    for (const call of [2, 3]) send(call, "", Buffer.from("may wait"));
    await turn();
    expect(heard).toEqual([1]);
    for (const call of [4, 5]) send(call, "", Buffer.from("may not"), false);
    send(6, "", Buffer.from("may wait"));
    await settled(() => heard.length === 6);
    expect(heard).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("are left unsaid once the other end is gone", async () => {
    const [near] = openLine([64]);
    const { send } = framesOver(near, () => {});
    send(1, "late", Buffer.from("word"));
    near.destroy();
    await turn();
    expect(near.writableLength).toBe(0);
  });
});

describe("the engine's services over a line", () => {
  async function ask(path: string, request: Uint8Array, served: Handlers): Promise<Message> {
    const [near, far] = openLine([7]);
    answerOver(far, servicesOf(served, {}));
    const heard: Message[] = [];
    const { send } = framesOver(near, (call, word, bytes) => heard.push({ call, word, bytes }));
    send(41, path, request);
    await settled(() => heard.length > 0);
    return heard[0]!;
  }
  const { path } = resource.ResourceMonitorService.supportsFeature;
  const request = new messages.SupportsFeatureRequest();
  request.setId("secrets");

  it("answer a call of a method by what it answers", async () => {
    const { call, word, bytes } = await ask(path, request.serializeBinary(), {
      supportsFeature: async (asked: { getId(): string }) => {
        const response = new messages.SupportsFeatureResponse();
        response.setHassupport(asked.getId() === "secrets");
        return response;
      },
    });
    expect([call, word]).toEqual([41, String(grpc.status.OK)]);
    expect(messages.SupportsFeatureResponse.deserializeBinary(bytes).getHassupport()).toBe(true);
  });

  it("answer at once who calls one by one, and who calls for messages while others are under way", async () => {
    const [near, far] = openLine([4096]);
    const never = { invoke: () => new Promise<never>(() => {}) };
    const supportsFeature = async () => new messages.SupportsFeatureResponse();
    const log = async () => new empty.Empty();
    answerOver(far, servicesOf({ ...never, supportsFeature }, { log }));
    let answers = 0;
    const { send } = framesOver(near, () => {
      answers += 1;
    });
    const one = async (path: string): Promise<void> => {
      const before = answers;
      send(before, path, new Uint8Array());
      await settled(() => answers > before);
    };
    const begun = performance.now();
    for (let n = 0; n < 200; n += 1) await one(path);
    send(9_999, resource.ResourceMonitorService.invoke.path, new Uint8Array());
    for (let n = 0; n < 200; n += 1) await one(engine.EngineService.log.path);
    // With a pause of 5 ms after each it would be 2,000.
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  it("answer with the text of what went wrong, as much as gRPC would carry", async () => {
    const { word, bytes } = await ask(path, request.serializeBinary(), {
      supportsFeature: () => Promise.reject(new Error("no ".repeat(10_000))),
    });
    expect(word).toBe(String(grpc.status.UNKNOWN));
    expect(bytes.length).toBe(8_192);
    expect(String(bytes)).toMatch(/^(no )+/);
  });

  it.each([
    ["nobody has", "/pulumirpc.ResourceMonitor/nothing"],
    ["of the other service", engine.EngineService.log.path],
    ["with no name", ""],
  ])("say so of a method %s", async (_, path) => {
    const { word, bytes } = await ask(path, new Uint8Array(), {});
    expect(word).toBe(String(grpc.status.UNIMPLEMENTED));
    expect(String(bytes)).toContain(path);
  });

  it("refuse what is no message of the method", async () => {
    const { word } = await ask(path, Uint8Array.of(0xff, 0xff, 0xff), {
      supportsFeature: () => Promise.reject(new Error("it was taken for a message")),
    });
    expect(word).toBe(String(grpc.status.UNKNOWN));
  });
});
