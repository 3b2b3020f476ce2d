/** Plans and graphs as pages of their own: whole, escaped, without secrets, and without anything from elsewhere. */

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Desk, openDesk } from "./plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  desk.write(
    "Pulumi.yaml",
    `name: shop
runtime: yaml
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: html.example, type: master, soaEmail: a@html.example } }
  note: { type: "plumbline:dns:Record", name: "<script>alert(1)</script>", properties: { domainId: "\${zone.id}", type: TXT, name: note, target: "\\"><img src=x>" } }
  login: { type: "plumbline:managed:Credential", properties: { label: login, password: { "fn::secret": open sesame } } }
`,
  );
});
afterAll(() => desk.close());
const page = (name: string) => readFileSync(join(desk.folder, name), "utf8");
const isWhole = (text: string) => {
  expect(text).toMatch(/^<!doctype html>[\s\S]*name="viewport"[\s\S]*<\/html>\n$/);
  expect(text).not.toMatch(/<script|<img|<link|\bsrc=[^&]*>|https?:\/\//);
  expect(text).not.toContain("sesame");
};

it("a plan is one page, with its details folded", async () => {
  const ran = await desk.run(["preview", "--html", "plan.html"]);
  expect(ran.code, ran.text).toBe(0);
  expect(ran.stdout).toContain("3 to create");
  const text = page("plan.html");
  isWhole(text);
  expect(text).toContain("&#60;script&#62;alert(1)");
  expect(text.match(/<details class="create">/g)).toHaveLength(3);
  expect(text).toContain("password: &#34;[secret]&#34;");
  expect(statSync(join(desk.folder, "plan.html")).mode & 0o077).toBe(0);
});

it("a graph is one page, with a drawing and links between the resources", async () => {
  expect((await desk.run(["up", "-y", "--skip-preview"])).code).toBe(0);
  const ran = await desk.run(["stack", "graph", "--html", "graph.html"]);
  expect([ran.code, ran.stdout]).toEqual([0, ""]);
  const text = page("graph.html");
  isWhole(text);
  expect(text.match(/<rect /g)).toHaveLength(3);
  expect(text.match(/<line /g)).toHaveLength(1);
  expect(text).toMatch(/needs <a href="#r\d">zone<\/a>/);
  expect(text).toMatch(/needed by <a href="#r\d">&#60;script/);
});
