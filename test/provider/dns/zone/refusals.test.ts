/** What a Zone is refused for by its declaration alone. */

import { describe, expect, it } from "vitest";
import { unknown, type Value, type ValueMap } from "../../../../provider/core/value.ts";
import { createProvider } from "../../../../provider/provider.ts";
import { resourceNamed } from "../../deployment.ts";

const zone = resourceNamed("plumbline:dns/zone:Zone", "zone");
const provider = createProvider();
const domainId = "1";
const of = (records: readonly Value[], more: ValueMap = {}): ValueMap => ({ domainId, records, ...more });
const refusals = async (newInputs: ValueMap) => {
  const { failures } = await provider.check({ ...zone, newInputs });
  return failures.map(({ property, reason }) => `${property}: ${reason}`);
};

describe("a Zone", () => {
  it("is refused at every place that is wrong, before any request", async () => {
    expect(await refusals({ domainId })).toEqual(["records: is required, or zoneFile in its place"]);
    expect(await refusals({ domainId, records: [], zoneFile: "" })).toEqual([
      "zoneFile: cannot be combined with records; keep one of them",
    ]);
    expect(
      await refusals(
        of(
          [
            { type: "SRV", target: "x" },
            { type: "A", name: "a", target: "nowhere" },
          ],
          { ignore: ["a/b/c"] },
        ),
      ),
    ).toEqual([
      "ignore[0]: must be a name (www, *.dev, @ for the domain itself) or NAME/TYPE",
      "records[0].priority: is required for SRV records",
      "records[0].weight: is required for SRV records",
      "records[0].port: is required for SRV records",
      "records[0].service: is required for SRV records",
      'records[1].target: must be an IPv4 address (or [remote_addr]), not "nowhere"',
    ]);
    const zoneFile =
      "$ORIGIN z.example.\n$TTL soon\na IN MX 999 mail\nb IN SSHFP 1 1 aa\nc.other.example. IN A 192.0.2.1";
    expect((await refusals({ domainId, zoneFile })).map((text) => text.slice(0, 18))).toEqual([
      "zoneFile: line 2: ",
      "zoneFile: line 4: ",
      "zoneFile: line 5: ",
      "zoneFile: line 3: ",
    ]);
    expect(provider.requests()).toEqual({});
  });

  it("judges what is known of records that are known in part", async () => {
    const records = [
      { type: "A", name: "a", target: unknown },
      { type: "A", name: "b", target: "no address" },
    ];
    expect(await refusals({ domainId, records })).toEqual([
      'records[1].target: must be an IPv4 address (or [remote_addr]), not "no address"',
    ]);
  });
});
