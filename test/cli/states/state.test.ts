/** `plumbline state`: the resources of a state are listed, shown, renamed and forgotten, and no object is touched. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../plumbline.ts";

let desk: Desk;
const stack = (name: string) => `name: shop
runtime: yaml
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: state.example, type: master, soaEmail: a@state.example } }
  ${name}: { type: "plumbline:dns:Record", properties: { domainId: "\${zone.id}", type: A, name: www, target: 192.0.2.1 } }
  net: { type: "plumbline:vpc:Vpc", properties: { label: net, region: us-east }, options: { protect: true } }
  login: { type: "plumbline:managed:Credential", properties: { label: login, password: { "fn::secret": open sesame } } }
`;
beforeAll(async () => {
  desk = await openDesk();
  desk.write("Pulumi.yaml", stack("www"));
  const ran = await desk.run(["up", "-y", "--skip-preview"]);
  expect(ran.code, ran.text).toBe(0);
});
afterAll(() => desk.close());

const unchanged = async () => (await desk.run(["preview", "--expect-no-changes"])).code === 0;

describe("a state", () => {
  it("lists its resources, and shows one without its secrets", async () => {
    const ran = await desk.run(["state", "list"]);
    expect(ran.stdout.split("\n")).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^dns:Domain +zone +\d+$/),
        expect.stringMatching(/^vpc:Vpc +net +\d+ +protected$/),
      ]),
    );
    expect(ran.stdout).not.toContain("pulumi:");
    const shown = await desk.run(["state", "show", "login"]);
    expect(shown.stdout).toContain('password: "[secret]"');
    expect((await desk.run(["state", "show", "login", "--show-secrets"])).stdout).toContain("open sesame");
    const listed = JSON.parse((await desk.run(["state", "list", "--json"])).stdout) as { urn: string }[];
    expect(listed).toHaveLength(4);
    const by = JSON.parse((await desk.run(["state", "show", listed[0]!.urn, "--json"])).stdout);
    expect(by.urn).toBe(listed[0]!.urn);
  });

  it("renames a resource as the file did, without a request, everywhere", async () => {
    desk.write("Pulumi.yaml", stack("web").replaceAll("zone", "domain"));
    const [, requests] = await desk.counted(async () => {
      expect((await desk.run(["state", "mv", "www", "web"])).code).toBe(0);
      expect((await desk.run(["state", "mv", "zone", "domain"])).code).toBe(0);
    });
    expect(requests).toBe(0);
    expect(await unchanged()).toBe(true);
    expect(JSON.stringify((await desk.run(["stack", "export"])).stdout)).not.toContain("::zone");
    const taken = await desk.run(["state", "mv", "web", "web"]);
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining("already")]);
  });

  it("forgets what nothing else needs, after asking, and the object stays", async () => {
    const asked = await desk.run(["state", "rm", "web"]);
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining("--yes")]);
    const needed = await desk.run(["state", "rm", "-y", "domain"]);
    expect([needed.code, needed.stderr]).toEqual([1, expect.stringContaining("::web")]);
    expect(await unchanged()).toBe(true);
    const [ran, requests] = await desk.counted(() => desk.run(["state", "rm", "-y", "domain", "web"]));
    expect([ran.code, requests]).toEqual([0, 0]);
    expect((await desk.run(["state", "list"])).stdout).not.toContain("dns:");
    expect((await desk.api("GET", "/domains")) as object).toMatchObject({ results: 1 });
  });

  it("forgets what is protected only when forced", async () => {
    const kept = await desk.run(["state", "rm", "-y", "net"]);
    expect([kept.code, kept.stderr]).toEqual([4, expect.stringContaining("--force")]);
    expect((await desk.run(["state", "rm", "-y", "net", "--force"])).code).toBe(0);
    expect((await desk.run(["state", "list"])).stdout).not.toContain("vpc");
  });

  it("names the nearest resource where a name is none", async () => {
    const none = await desk.run(["state", "show", "logn"]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("login")]);
  });
});
