/** The verb that ends Object Storage on the account: what it shows, what it asks, and what it leaves. */

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Desk, openDesk } from "./plumbline.ts";

let desk: Desk;
const verb = "plumbline:objectstorage:cancel";
const cluster = "us-east-1";
const operation = "POST /object-storage/cancel";
const sent = () => desk.emulator.stats().requests[operation] ?? 0;
let key: number;

beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(async () => {
  desk.emulator.reset();
  for (const label of ["photos", "logs"])
    await desk.api("POST", "/object-storage/buckets", { cluster, label });
  const asked = { name: "a.txt", method: "PUT", content_type: "text/plain" };
  const { url } = await desk.api("POST", `/object-storage/buckets/${cluster}/photos/object-url`, asked);
  const headers = { "Content-Type": "text/plain" };
  expect((await fetch(url as unknown as string, { method: "PUT", headers, body: "hello" })).ok).toBe(true);
  ({ id: key } = (await desk.api("POST", "/object-storage/keys", { label: "app" })) as unknown as {
    id: number;
  });
});

const left = async () => {
  const [buckets, keys] = [
    await desk.api("GET", "/object-storage/buckets"),
    await desk.api("GET", "/object-storage/keys"),
  ];
  return [buckets["results"], keys["results"]] as unknown as [number, number];
};

it("lists everything that will be lost and demands the account's user name, for which --yes is not enough", async () => {
  const { username } = (await desk.api("GET", "/profile")) as unknown as { username: string };
  const asked = await desk.run(["run", verb, "--yes"]);
  expect(asked.code).toBe(1);
  expect(asked.text).toContain("This destroys all buckets of the account with their objects");
  expect(asked.text).toContain(`bucket ${cluster}/photos with 1 object (5 bytes)`);
  expect(asked.text).toContain(`bucket ${cluster}/logs with 0 objects (0 bytes)`);
  expect(asked.text).toContain(`key "app" (id ${key})`);
  expect(asked.text).toContain(`give --consent ${username} to go on`);
  expect([await left(), sent()]).toEqual([[2, 1], 0]);
});

it("refuses another word, and does nothing", async () => {
  const refused = await desk.run(["run", verb, "--yes", "--consent", "somebody"]);
  expect(refused.code).toBe(1);
  expect(refused.text).toMatch(/its word must be ".+", not "somebody"/);
  expect([await left(), sent()]).toEqual([[2, 1], 0]);
});

it("removes all of it by one request when the word is right, also when the answer is lost", async () => {
  const { username } = (await desk.api("GET", "/profile")) as unknown as { username: string };
  desk.emulator.setFaults([{ method: "POST", path: "/object-storage/cancel", nth: 1, do: "reset-after" }]);
  const ran = await desk.run(["run", verb, "--consent", username, "--json"]);
  expect(ran.code, ran.text).toBe(0);
  expect(JSON.parse(ran.stdout)).toEqual({
    type: "plumbline:objectstorage/cancel:cancel",
    id: null,
    verb: "cancel",
    result: "succeeded",
  });
  expect(await left()).toEqual([0, 0]);
});

it("takes no id and no arguments, and is found by its own name", async () => {
  const cases: [string[], RegExp][] = [
    [[verb, "photos"], /"photos" is not an argument: write name=value/],
    [[verb, "bucket=photos"], /has no argument bucket/],
    [["plumbline:objectstorage:cancle"], /did you mean plumbline:objectstorage:cancel\?/],
    [["plumbline:databases:MySqlInstance.patch"], /needs an id/],
  ];
  for (const [words, said] of cases) {
    const ran = await desk.run(["run", ...words]);
    expect(ran.code, ran.text).toBe(1);
    expect(ran.stderr).toMatch(said);
  }
  expect(sent()).toBe(0);
});
