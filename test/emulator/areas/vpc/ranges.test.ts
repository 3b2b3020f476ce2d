import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freeAddress } from "../../../../emulator/areas/vpc/addresses.ts";
import { formatAddress, parseRange, storedRange, subnetMask } from "../../../../emulator/areas/vpc/range.ts";
import { openSession, type Session } from "../../session.ts";

/** The plain reference: ranges as strings of bits, where one overlaps another exactly when its bits begin with the other's. */
const bits = (address: string) =>
  address
    .split(".")
    .map((octet) => Number(octet).toString(2).padStart(8, "0"))
    .join("");
const network = (range: string) => bits(range.split("/")[0]!).slice(0, Number(range.split("/")[1]));
const isWithin = (inner: string, outer: string) => network(inner).startsWith(network(outer));
const overlap = (a: string, b: string) => isWithin(a, b) || isWithin(b, a);

function isAccepted(range: string, siblings: readonly string[]): boolean {
  const [address, length] = range.split("/");
  const prefix = Number(length);
  return (
    prefix >= 1 &&
    prefix <= 29 &&
    !bits(address!).slice(prefix).includes("1") &&
    ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"].some((space) => isWithin(range, space)) &&
    !overlap(range, "192.168.128.0/17") &&
    !siblings.some((sibling) => overlap(range, sibling))
  );
}

const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const starts = fc.constantFrom<readonly (number | undefined)[]>(
  [10],
  [10, 0],
  [172],
  [172, 16],
  [172, 31],
  [192, 168],
  [192, 168, 128],
  [192, 168, 100],
  [],
);
/** Addresses in and around the private spaces, mostly with the host bits cut off; few distinct ones, so that ranges meet. */
const range = fc
  .tuple(
    octets,
    starts,
    fc.oneof(
      { weight: 1, arbitrary: fc.nat(32) },
      { weight: 3, arbitrary: fc.integer({ min: 12, max: 29 }) },
    ),
    fc.constantFrom(true, true, true, true, false),
    fc.boolean(),
  )
  .map(([free, start, prefix, cut, coarse]) => {
    const address = free.map((octet, at) => start[at] ?? (coarse ? octet & 0xc0 : octet));
    const whole = address.map((octet) => octet.toString(2).padStart(8, "0")).join("");
    const kept = cut ? whole.slice(0, prefix).padEnd(32, "0") : whole;
    const text = [0, 8, 16, 24].map((at) => Number.parseInt(kept.slice(at, at + 8), 2)).join(".");
    return `${text}/${prefix}`;
  });

let on: Session;
beforeAll(async () => {
  on = await openSession();
});
afterAll(() => on.close());

test("a subnet is accepted exactly when the plain reference accepts it beside those before it", async () => {
  const seen = { accepted: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(range, { minLength: 1, maxLength: 8 }), async (ranges) => {
      on.emulator.reset();
      const vpc = await on.post("/vpcs", { label: "v", region: "us-east" });
      const accepted: string[] = [];
      for (const [index, ipv4] of ranges.entries()) {
        const body = { label: `s${index}`, ipv4 };
        if (isAccepted(ipv4, accepted)) {
          expect(await on.post(`/vpcs/${vpc.id}/subnets`, body)).toMatchObject(body);
          accepted.push(ipv4);
          seen.accepted += 1;
        } else {
          const reasons = await on.refused(400, "POST", `/vpcs/${vpc.id}/subnets`, body);
          expect(new Set(reasons.map(({ field }) => field))).toEqual(new Set(["ipv4"]));
          seen.refused += 1;
        }
      }
      const stored = (await on.get(`/vpcs/${vpc.id}`)).subnets.map(({ ipv4 }: { ipv4: string }) => ipv4);
      expect(stored).toEqual(accepted);
    }),
    { numRuns: 120 },
  );
  // Both must be met often, or the property says little.
  expect(seen.accepted).toBeGreaterThan(5);
  expect(seen.refused).toBeGreaterThan(5);
});

test("subnets of one create request are accepted together exactly when each is beside the others", async () => {
  const seen = { accepted: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(range, { minLength: 1, maxLength: 3 }), async (ranges) => {
      on.emulator.reset();
      const body = {
        label: "v",
        region: "us-east",
        subnets: ranges.map((ipv4, at) => ({ label: `s${at}`, ipv4 })),
      };
      const good = ranges.every((one, at) => isAccepted(one, ranges.slice(0, at)));
      if (good) {
        expect(await on.post("/vpcs", body)).toMatchObject(body);
        seen.accepted += 1;
      } else {
        for (const { field } of await on.refused(400, "POST", "/vpcs", body))
          expect(field).toMatch(/^subnets\[\d\]\.ipv4$/);
        expect(await on.list("/vpcs")).toEqual([]);
        seen.refused += 1;
      }
    }),
    { numRuns: 200 },
  );
  // Both must be met often, or the property says little.
  expect(seen.accepted).toBeGreaterThan(5);
  expect(seen.refused).toBeGreaterThan(5);
});

test("a range reads back as it was written, bounds and mask fitting", () => {
  fc.assert(
    fc.property(range, (text) => {
      const parsed = parseRange(text)!;
      const [, prefix] = text.split("/");
      expect(parsed.text.endsWith(`/${prefix}`)).toBe(true);
      expect(bits(formatAddress(parsed.first)).slice(Number(prefix))).not.toContain("1");
      expect(bits(formatAddress(parsed.last)).slice(Number(prefix))).not.toContain("0");
      expect(bits(subnetMask(Number(prefix)))).toBe("1".repeat(Number(prefix)).padEnd(32, "0"));
      expect(overlap(text, parsed.text)).toBe(true);
    }),
  );
});

test("the free address of a subnet is the first that no range has, of those that are not kept", () => {
  const inside = fc.tuple(fc.nat(31), fc.integer({ min: 27, max: 32 })).map(([host, prefix]) => {
    const size = 2 ** (32 - prefix);
    return storedRange(`10.0.0.${Math.floor(host / size) * size}/${prefix}`);
  });
  let full = 0;
  fc.assert(
    fc.property(fc.array(inside, { maxLength: 12 }), (taken) => {
      const isTaken = (address: string) => taken.some(({ text }) => isWithin(`${address}/32`, text));
      const hosts = Array.from({ length: 28 }, (_, at) => `10.0.0.${at + 2}`);
      const expected = hosts.find((address) => !isTaken(address));
      if (expected === undefined) full += 1;
      expect(freeAddress({ range: storedRange("10.0.0.0/27"), taken, foreign: [] })).toBe(expected);
    }),
    { numRuns: 500 },
  );
  expect(full).toBeGreaterThan(5);
});
