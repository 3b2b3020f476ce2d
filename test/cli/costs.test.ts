/** `preview --cost` as users meet it: what a plan changes in the cost of a month, from the service's prices and a table, and what is not known. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "./plumbline.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const declare = (...resources: string[]) =>
  desk.write("Pulumi.yaml", `name: shop\nruntime: yaml\nresources:\n${resources.join("\n")}\n`);
const database = (more = "") =>
  `  db: { type: "plumbline:databases:MySqlInstance", properties: { label: shop, engine: mysql/8.0.30, type: g6-standard-1, region: us-east${more} } }`;
const volume = (size: number, options = "") =>
  `  vol: { type: "plumbline:blockstorage:Volume", properties: { label: data, size: ${size}, region: us-east }${options} }`;
const cluster = (region: string, pool: string, more = "") =>
  `  apps: { type: "plumbline:kubernetes:Cluster", properties: { label: apps, region: ${region}, k8sVersion: "1.29", nodePools: { main: ${pool} }${more} } }`;
const prices = `currency: USD
prices:
  blockstorage:Volume: { monthly: 0.1, regions: { br-gru: 0.14 } }
  kubernetes:Cluster.highAvailability: 60
  kubernetes:*: 0
  dns:*: 0
`;

interface Cost {
  readonly totals: readonly { readonly currency: string; readonly [side: string]: unknown }[];
  readonly resources: readonly { readonly name: string; readonly charges: readonly object[] }[];
  readonly unknown: readonly { readonly item: string; readonly reason: string; readonly charges: number }[];
}
async function costOf(...flags: string[]): Promise<Cost> {
  const ran = await desk.run(["preview", "--cost", "--json", ...flags]);
  expect(ran.code, ran.text).toBe(0);
  return (JSON.parse(ran.stdout) as { cost: Cost }).cost;
}
const usd = (before: number, after: number, to = after) => ({
  currency: "USD",
  before: { min: before, max: before },
  after: { min: after, max: to },
  difference: { min: after - before, max: to - before },
});

describe("preview --cost", () => {
  it("adds up what the service lists, and says of what it lists no price", async () => {
    declare(
      database(),
      database(", clusterSize: 3").replace("  db:", "  db3:").replace("label: shop", "label: shop3"),
      volume(50),
    );
    const { types = [] } = {
      types: (await desk.api("GET", "/databases/types"))["data"] as unknown as Offer[],
    };
    const offer = types.find(({ id }) => id === "g6-standard-1")!.engines.mysql;
    const priceOf = (nodes: number) => offer.find(({ quantity }) => quantity === nodes)!.price.monthly;
    expect(priceOf(3)).toBeGreaterThan(priceOf(1));
    const cost = await costOf();
    expect(cost.totals).toEqual([usd(0, priceOf(1) + priceOf(3))]);
    expect(cost.unknown).toEqual([
      { item: "blockstorage:Volume", unit: "GB", charges: 1, reason: "the service lists no price of it" },
    ]);
    const text = await desk.run(["preview", "--cost"]);
    expect(text.stdout).toMatch(/^ {2}databases:MySqlInstance {2}db3? +\+\d+\.\d\d USD$/m);
    expect(text.stdout).toContain(
      "not known: 1 × blockstorage:Volume (per GB): the service lists no price of it",
    );
    const markdown = await desk.run(["preview", "--cost", "--markdown", "--html", "plan.html"]);
    expect(markdown.stdout).toMatch(/^\*\*Cost:\*\* [\d.,]+ USD a month at most, \+[\d.,]+$/m);
    expect(markdown.stdout).toMatch(
      /^\| \*\*db\*\* \| plumbline:databases:MySqlInstance \| \+\d+\.\d\d USD \|$/m,
    );
  });

  it("takes the rest from a table, by region, and the service's own prices before it", async () => {
    desk.write("prices.yaml", `${prices}  databases:*: 1000000\n`);
    declare(
      volume(50),
      volume(10).replace("vol:", "far:").replace("us-east", "br-gru").replace("data", "far"),
    );
    expect((await costOf("--prices", "prices.yaml")).totals).toEqual([usd(0, 6.4)]);
    declare(database());
    const { totals } = await costOf("--prices", "prices.yaml");
    expect((totals[0] as unknown as { after: { max: number } }).after.max).toBeLessThan(1000);
    desk.write("Pulumi.yaml", `name: shop\nruntime: yaml\nprices: prices.yaml\nresources:\n${volume(50)}\n`);
    expect((await costOf()).totals).toEqual([usd(0, 5)]);
  });

  it("counts nodes, with the bounds of an autoscaler and the prices of the region", async () => {
    desk.write("prices.yaml", prices);
    const [{ price } = { price: { monthly: 0 } }] = (
      (await desk.api("GET", "/compute/types"))["data"] as unknown as Plan[]
    ).filter(({ id }) => id === "g6-standard-2");
    declare(
      cluster("us-east", "{ type: g6-standard-2, count: 3 }", ", controlPlane: { highAvailability: true }"),
    );
    expect((await costOf("--prices", "prices.yaml")).totals).toEqual([usd(0, 3 * price.monthly + 60)]);
    declare(
      cluster("us-east", "{ type: g6-standard-2, count: 3, autoscaler: { enabled: true, min: 2, max: 6 } }"),
    );
    expect((await costOf("--prices", "prices.yaml")).totals).toEqual([
      usd(0, 2 * price.monthly, 6 * price.monthly),
    ]);
    declare(cluster("br-gru", "{ type: g6-standard-2, count: 3 }"));
    const [far] = (await costOf("--prices", "prices.yaml")).totals as unknown as { after: { min: number } }[];
    expect(far!.after.min).toBeGreaterThan(3 * price.monthly);
    const pool = `  more: { type: "plumbline:kubernetes:NodePool", properties: { clusterId: "\${apps.id}", type: g6-standard-2, count: 3 } }`;
    declare(cluster("br-gru", "{ type: g6-standard-2, count: 3 }"), pool);
    const [both] = (await costOf("--prices", "prices.yaml")).totals as unknown as {
      after: { min: number };
    }[];
    expect(both!.after.min).toBeCloseTo(2 * far!.after.min, 6);
    const { id } = await desk.api("POST", "/lke/clusters", {
      label: "other",
      region: "us-east",
      k8s_version: "1.29",
      node_pools: [{ type: "g6-standard-1", count: 1 }],
    });
    declare(pool.replace("${apps.id}", String(id)));
    const alone = await costOf();
    expect(alone.totals).toEqual([]);
    expect(alone.unknown[0]?.reason).toBe("its region is not known, and some have prices of their own");
  });

  it("tells the difference of updates, deletes, and what is kept or only taken over", async () => {
    desk.write("prices.yaml", prices);
    const how = ["--prices", "prices.yaml"];
    declare(volume(50));
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    expect((await costOf(...how)).totals).toEqual([usd(5, 5)]);
    declare(volume(80));
    expect((await costOf(...how)).totals).toEqual([usd(5, 8)]);
    const update = await desk.run(["preview", "--cost", ...how]);
    expect(update.stdout).toContain("+3.00 USD (5.00 → 8.00)");
    declare(
      "  {}".replace(
        "{}",
        'other: { type: "plumbline:dns:Domain", properties: { domain: a.example, type: master, soaEmail: a@a.example } }',
      ),
    );
    expect((await costOf(...how)).totals).toEqual([usd(5, 0)]);
    declare(volume(50, ", options: { retainOnDelete: true }"));
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    declare(
      '  other: { type: "plumbline:dns:Domain", properties: { domain: a.example, type: master, soaEmail: a@a.example } }',
    );
    expect((await costOf(...how)).totals).toEqual([usd(5, 5)]);
  });

  it("says what is not known yet instead of a price", async () => {
    declare(
      '  zone: { type: "plumbline:dns:Domain", properties: { domain: a.example, type: master, soaEmail: a@a.example } }',
      `  vol: { type: "plumbline:blockstorage:Volume", properties: { label: data, cloneOf: "\${zone.id}", region: us-east } }`,
    );
    desk.write("prices.yaml", prices);
    const { unknown, totals } = await costOf("--prices", "prices.yaml");
    expect(unknown).toEqual([
      { item: "blockstorage:Volume", unit: "GB", charges: 1, reason: "how many is not known yet" },
    ]);
    expect(totals).toEqual([usd(0, 0)]);
  });

  it("asks a provider that the stack declares, where there is no other", async () => {
    const provider = (token: string) =>
      `  own: { type: "pulumi:providers:plumbline", properties: { token: ${token}, baseUrl: "${desk.emulator.baseUrl}" } }`;
    const owned = database().replace(/ }$/, ', options: { provider: "${own}" } }');
    declare(provider(desk.emulator.token), owned);
    const env = { PLUMBLINE_TOKEN: undefined, PLUMBLINE_BASE_URL: undefined };
    const ran = await desk.run(["preview", "--cost"], { env });
    expect(ran.code, ran.text).toBe(0);
    expect(ran.stdout).toMatch(/^ {2}databases:MySqlInstance {2}db {2}\+\d+\.\d\d USD$/m);
    const zone = `  zone: { type: "plumbline:dns:Domain", properties: { domain: a.example, type: master, soaEmail: a@a.example } }`;
    declare(zone, provider('"${zone.id}"'), owned);
    const late = await desk.run(["preview", "--cost"]);
    expect(late.code, late.text).toBe(0);
  });

  it("keeps currencies apart", async () => {
    desk.write("prices.yaml", "currency: EUR\nprices: { blockstorage:Volume: 0.2 }\n");
    declare(volume(50), database());
    const { totals } = await costOf("--prices", "prices.yaml");
    expect(totals.map(({ currency }) => currency).sort()).toEqual(["EUR", "USD"]);
  });

  it("asks for each list of prices once, and for none that the preview has read already", async () => {
    const dbs = Array.from({ length: 4 }, (_, at) =>
      database().replace("db:", `db${at}:`).replace("label: shop", `label: shop${at}`),
    );
    declare(...dbs);
    const [, plain] = await desk.counted(() => desk.run(["preview"]));
    const [, priced] = await desk.counted(() => desk.run(["preview", "--cost"]));
    expect(priced).toBe(plain);
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    const [, nothing] = await desk.counted(() => desk.run(["preview"]));
    const [, once] = await desk.counted(() => desk.run(["preview", "--cost"]));
    expect(once - nothing).toBe(1);
  });

  it("goes on where the token may not see prices, and says so", async () => {
    declare(database());
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    desk.emulator.setFaults([
      { method: "GET", path: "/databases/types", do: "status", status: 403, times: 100 },
    ]);
    const { unknown } = await costOf();
    expect(unknown[0]?.reason).toContain("the service does not tell its prices");
  });

  it.each([
    ["prices: { a: cheap }", '"a": must be the price of a month'],
    ["prices: { a: -1 }", '"a": must be the price of a month'],
    ["prices: { a: { monthly: 1, weekly: 2 } }", '"weekly" is not known'],
    ["prices: { a: { hourly: 1 } }", '"monthly" must be a number'],
    ["prices: { a: { monthly: 1, regions: [1] } }", '"regions" must be an object'],
    ["prices: []", 'needs "prices"'],
    ["currency: dollars\nprices: {}", '"currency" must be a code'],
    ["prise: {}\nprices: {}", '"prise" is no key'],
    ["prices: [", "cannot read the prices"],
  ])("refuses a table that is none: %s", async (text, reason) => {
    desk.write("prices.yaml", text);
    declare(volume(50));
    const ran = await desk.run(["preview", "--cost", "--prices", "prices.yaml"]);
    expect(ran.code).toBe(1);
    expect(ran.text).toContain(reason);
  });

  it("needs --cost for --prices, and a file that is there", async () => {
    declare(volume(50));
    expect((await desk.run(["preview", "--prices", "none.yaml"])).text).toContain(
      "--prices goes with --cost",
    );
    expect((await desk.run(["preview", "--cost", "--prices", "none.yaml"])).text).toContain(
      "cannot read the prices",
    );
  });
});

interface Offer {
  readonly id: string;
  readonly engines: {
    readonly mysql: readonly { readonly quantity: number; readonly price: { readonly monthly: number } }[];
  };
}
interface Plan {
  readonly id: string;
  readonly price: { readonly monthly: number };
}
