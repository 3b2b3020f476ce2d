/** A watcher of single requests: what it sees, and what is played when it says so. */

import { afterEach, expect, it } from "vitest";
import { type Disturbance, type Emulator, startEmulator } from "../../../emulator/index.ts";

let emulator: Emulator;
afterEach(() => emulator.close());

const ask = (method: string, path: string, body?: object) =>
  fetch(`${emulator.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${emulator.token}` },
    ...(body && { body: JSON.stringify(body) }),
  });
const vpcs = () => (emulator.data() as { collections: { vpcs?: unknown[] } }).collections.vpcs?.length ?? 0;
const vpc = { label: "one", region: "us-east" };

it("is called before a request is handled, and again when the service has acted", async () => {
  const seen: unknown[] = [];
  emulator = await startEmulator({
    watch: (moment, { n, method, template }) => {
      seen.push([moment, n, method, template, vpcs()]);
      return undefined;
    },
  });
  expect((await ask("POST", "/vpcs", vpc)).status).toBe(200);
  expect(seen).toEqual([
    ["before", 1, "POST", "/vpcs", 0],
    ["after", 1, "POST", "/vpcs", 1],
  ]);
});

const page: Disturbance = { status: 200, headers: { "Content-Type": "text/html" }, body: "<p>Sign in</p>" };

it.each([
  ["before", "cut", 0],
  ["after", "cut", 1],
  ["after", "truncate", 1],
] as const)("%s: %s leaves no whole answer, and %i objects", async (at, how, left) => {
  emulator = await startEmulator({ watch: (moment) => (moment === at ? how : undefined) });
  const answer = ask("POST", "/vpcs", vpc).then((response) => response.text());
  await expect(answer).rejects.toThrow();
  expect(vpcs()).toBe(left);
});

it("an answer of its own stands in the service's place", async () => {
  emulator = await startEmulator({ watch: (moment) => (moment === "before" ? page : undefined) });
  const answer = await ask("POST", "/vpcs", vpc);
  expect([answer.status, await answer.text(), vpcs()]).toEqual([200, "<p>Sign in</p>", 0]);
});
