/** The example of an issue, which no stack can make: asked about one that the emulator was told to have. */

import { cpSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openDesk } from "./plumbline.ts";

const example = resolve(import.meta.dirname, "../../examples/functions/issue.yaml");

it("examples/functions/issue.yaml tells whose issue it is", async () => {
  const desk = await openDesk();
  onTestFinished(() => desk.close());
  const service = { label: "shop", service_type: "url", address: "https://shop.example", timeout: 30 };
  const { id } = await desk.api("POST", "/managed/services", service);
  desk.emulator.change({ collections: { managedServices: { [String(id)]: { _failing: true } } } });
  desk.emulator.advance(900);
  const [issue] = (await desk.api("GET", "/managed/issues"))["data"]! as { id: number }[];
  cpSync(example, join(desk.folder, "issue.yaml"));
  await desk.run(["config", "set", "issueId", String(issue!.id), "-f", "issue.yaml"]);
  const ran = await desk.run(["up", "-y", "-f", "issue.yaml"]);
  expect(ran.code, ran.text).toBe(0);
  const { stdout } = await desk.run(["stack", "output", "services", "--json", "-f", "issue.yaml"]);
  expect(JSON.parse(stdout)).toEqual([String(id)]);
});
