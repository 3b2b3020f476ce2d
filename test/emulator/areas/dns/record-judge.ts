/** Judges records of one zone by the emulator's rules, for tests of these rules. */

import { expect } from "vitest";
import { listedNeighbours } from "../../../../emulator/areas/dns/neighbours.ts";
import { judgeRecord, type RecordChanges, type RecordFields } from "../../../../emulator/areas/dns/record.ts";

/** The name of the zone. */
export const zone = "Example.com";

/** What a record would be beside others, or in place of a stored one. */
export function judge(
  changes: RecordChanges,
  others: RecordFields[] = [],
  current?: RecordFields,
  remoteAddress = "192.0.2.77",
) {
  return judgeRecord(changes, { zone, neighbours: listedNeighbours(others), remoteAddress }, current);
}

/** A record as it is stored; it must be accepted. */
export function stored(changes: RecordChanges, others: RecordFields[] = []): RecordFields {
  const { fields, reasons } = judge(changes, others);
  expect(reasons).toEqual([]);
  return fields;
}

/** An SRV record that is accepted. */
export const srv = {
  type: "SRV",
  service: "sip",
  protocol: "tcp",
  priority: 10,
  weight: 5,
  port: 5060,
  target: "sip.example.net",
};
