/** Verbs by hand: `plumbline run`. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Desk, openDesk } from "./plumbline.ts";

let desk: Desk;
let id: number;
beforeAll(async () => {
  desk = await openDesk();
  const body = { label: "shop", engine: "mysql/8.0.30", region: "us-east", type: "g6-nanode-1" };
  ({ id } = (await desk.api("POST", "/databases/mysql/instances", body)) as unknown as { id: number });
  await desk.api("GET", `/databases/mysql/instances/${id}`);
});
afterAll(() => desk.close());

const type = "plumbline:databases:MySqlInstance";
const password = async () =>
  String((await desk.api("GET", `/databases/mysql/instances/${id}/credentials`))["password"]);

it("runs what destroys nothing at once, and waits for its end", async () => {
  const ran = await desk.run(["run", `${type}.patch`, "mysql/shop"]);
  expect([ran.code, ran.stdout], ran.text).toEqual([0, "patch of mysql/shop is done\n"]);
  expect(desk.emulator.stats().requests["POST /databases/mysql/instances/{instanceId}/patch"]).toBe(1);
});

it("asks before it destroys, and shows no secret", async () => {
  const before = await password();
  const asked = await desk.run(["run", `${type}.resetCredentials`, String(id)]);
  expect(asked.code).toBe(1);
  expect(asked.text).toMatch(/This destroys the present root password.*--yes/);
  expect(await password()).toBe(before);
  const ran = await desk.run(["run", `${type}.resetCredentials`, String(id), "--yes", "--json"]);
  expect(ran.code, ran.text).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ verb: "resetCredentials", result: "succeeded" });
  expect(await password()).not.toBe(before);
  expect(ran.text).not.toContain(await password());
});

it("says what is wrong with what it was given", async () => {
  const cases: [string[], RegExp][] = [
    [[`${type}.pach`, "1"], /there is no verb .*; did you mean plumbline:databases:MySqlInstance.patch\?/],
    [["patch", "1"], /write TYPE\.VERB\. There are: plumbline:databases:MySqlInstance\.restore/],
    [[`${type}.patch`, "mysql/other"], /there is no MySqlInstance mysql\/other/],
    [[`${type}.restore`, "mysql/shop", "--yes"], /backupId: is required/],
    [[`${type}.restore`, "mysql/shop", "backup=1"], /has no argument backup; did you mean backupId\?/],
  ];
  for (const [words, said] of cases) {
    const ran = await desk.run(["run", ...words]);
    expect(ran.code, ran.text).toBe(1);
    expect(ran.stderr).toMatch(said);
  }
});
