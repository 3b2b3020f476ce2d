/** Where tests of Zones begin: an account with one domain, and what its records are. */

import type { ValueMap } from "../../../../provider/core/value.ts";
import { type Account, openAccount, resourceNamed } from "../../deployment.ts";

export const zone = resourceNamed("plumbline:dns/zone:Zone", "zone");

/** So many address records, of names of their own. */
export const hosts = (count: number, target = "192.0.2.1") =>
  Array.from({ length: count }, (_, i): ValueMap => ({ type: "A", name: `h${i}`, target }));

export interface Domain {
  readonly account: Account;
  readonly domainId: string;
  /** Of its records. */
  readonly path: string;
}

/** An account with the domain z.example. */
export async function openDomain(): Promise<Domain> {
  const account = await openAccount();
  const body = { domain: "z.example", type: "master", soa_email: "r@z.example" };
  const domainId = String((await account.call("POST", "/domains", body))["id"]);
  return { account, domainId, path: `/domains/${domainId}/records` };
}

/** One record as the service tells it. */
export interface Live {
  readonly id: number;
  readonly type: string;
  readonly name: string;
  readonly target: string;
}

export async function liveRecords({ account, path }: Domain): Promise<readonly Live[]> {
  return (await account.call("GET", `${path}?page_size=500`))["data"] as Live[];
}

/** `www/A 192.0.2.1` for each record, sorted. */
export const titlesOf = (records: readonly Live[]) =>
  records.map(({ name, type, target }) => `${name}/${type} ${target}`).sort();
