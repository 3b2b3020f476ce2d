/** Turns requested interfaces of a profile into what will be stored, or says every reason why not (contract section 2.9; notes, section 12). */

import type { Call, Reason, World } from "../../area.ts";
import { findRegion } from "../../catalogue/regions.ts";
import { addressProblem, extraRange, freeAddress, type Occupancy, occupancy } from "../vpc/addresses.ts";
import { single, subnets, vpcs } from "../vpc/network.ts";
import { parseAddress, parseRange } from "../vpc/range.ts";
import { type Interface, interfaces, interfacesOf } from "./objects.ts";

/** An interface as asked for; absent and `null` are the same but for `nat_1_1`, where `null` takes the address away. */
export interface Wanted {
  purpose: "public" | "vlan" | "vpc";
  primary?: boolean | undefined;
  label?: string | null | undefined;
  ipam_address?: string | null | undefined;
  subnet_id?: number | null | undefined;
  ipv4?: { vpc?: string | null; nat_1_1?: string | null } | null | undefined;
  ip_ranges?: readonly string[] | null | undefined;
  /** The stored interface that this one continues: it keeps its id, address and activity. */
  keep?: Interface | undefined;
}

export interface Draft {
  keep: Interface | undefined;
  purpose: "public" | "vlan" | "vpc";
  primary: boolean;
  label: string | null;
  ipam_address: string | null;
  vpc_id: number | null;
  subnet_id: number | null;
  ipv4: { vpc: string; nat_1_1: string | null } | null;
  ip_ranges: string[];
}

/** The profile that the interfaces are for. */
export interface Place {
  region: string;
  /** The instance's public IPv4 address, which `nat_1_1` may name. */
  publicAddress: string;
  /** `null` while the instance is being created. */
  computeId: number | null;
  configId: number | null;
}

const mostInterfaces = 3;
const empty = (value: unknown) =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Fields that only one purpose takes. */
const only = {
  vlan: ["label", "ipam_address"],
  vpc: ["subnet_id", "ipv4", "ip_ranges"],
  public: [],
} as const;

function purposeReasons(wanted: Wanted, region: string, field: (name: string) => string): Reason[] {
  const reasons: Reason[] = [];
  for (const purpose of ["vlan", "vpc"] as const) {
    if (purpose === wanted.purpose) continue;
    for (const name of only[purpose])
      if (!empty(wanted[name]))
        reasons.push({ reason: `Only allowed when purpose=${purpose}`, field: field(name) });
  }
  if (wanted.purpose === "vlan") {
    if (empty(wanted.label)) reasons.push({ reason: "label is required", field: field("label") });
    else if (!/^[A-Za-z0-9-]{1,64}$/.test(wanted.label as string))
      reasons.push({
        reason: "Label must include only ASCII letters, numbers, and dashes",
        field: field("label"),
      });
    if (!empty(wanted.ipam_address) && parseRange(wanted.ipam_address as string) === undefined)
      reasons.push({ reason: "Must be an IPv4 address in CIDR form", field: field("ipam_address") });
    if (wanted.primary)
      reasons.push({ reason: "A VLAN interface cannot be primary", field: field("primary") });
    if (!findRegion(region)?.capabilities.includes("Vlans"))
      reasons.push({ reason: "VLANs are not available in this region", field: field("purpose") });
  }
  return reasons;
}

function countReasons(wanted: readonly Wanted[], field: (index: number, name: string) => string): Reason[] {
  const reasons: Reason[] = [];
  if (wanted.length > mostInterfaces)
    reasons.push({ reason: `At most ${mostInterfaces} interfaces`, field: "interfaces" });
  const once = (test: (one: Wanted) => boolean, name: string, reason: string) => {
    const extra = wanted.flatMap((one, index) => (test(one) ? [index] : [])).slice(1);
    for (const index of extra) reasons.push({ reason, field: field(index, name) });
  };
  once((one) => one.purpose === "public", "purpose", "Only one public interface a configuration profile");
  once((one) => one.primary === true, "primary", "Only one interface can be primary");
  return reasons;
}

/** Drafts one VPC interface and takes its addresses in `occupied`. */
function draftVpc(
  call: Call,
  wanted: Wanted,
  place: Place,
  occupiedIn: (subnetId: number) => Occupancy | undefined,
  field: (name: string) => string,
): { draft: Partial<Draft>; reasons: Reason[] } {
  const reasons: Reason[] = [];
  const fail = (name: string, reason: string) => {
    reasons.push({ reason, field: field(name) });
    return { draft: {}, reasons };
  };
  const subnetId = wanted.subnet_id;
  if (typeof subnetId !== "number") return fail("subnet_id", "subnet_id is required");
  const subnet = subnets(call.world).get(subnetId);
  const vpc = subnet && vpcs(call.world).get(subnet.vpc_id);
  const occupied = occupiedIn(subnetId);
  if (!subnet || !vpc || !occupied || !call.caller.may("vpc", vpc.id, "read_only"))
    return fail("subnet_id", "subnet_id is not valid");
  if (vpc.region !== place.region)
    return fail("subnet_id", `The VPC is in ${vpc.region}, but the instance is in ${place.region}`);
  const take = (range: ReturnType<typeof single>) => {
    occupied.taken.push(range);
    occupied.foreign.push(range);
  };

  const asked = wanted.ipv4?.vpc ?? wanted.keep?.ipv4?.vpc;
  const address = asked ?? freeAddress(occupied);
  if (address === undefined) return fail("ipv4.vpc", `No address is free in subnet ${subnet.ipv4}`);
  const problem = addressProblem(address, occupied);
  if (problem) return fail("ipv4.vpc", problem);
  take(single(parseAddress(address) as number));

  const ranges: string[] = [];
  (wanted.ip_ranges ?? []).forEach((text, index) => {
    const extra = extraRange(text, occupied);
    if ("problem" in extra) {
      fail(`ip_ranges[${index}]`, extra.problem);
    } else {
      ranges.push(extra.range.text);
      take(extra.range);
    }
  });

  const nat = wanted.ipv4?.nat_1_1 === undefined ? (wanted.keep?.ipv4?.nat_1_1 ?? null) : wanted.ipv4.nat_1_1;
  if (nat !== null && nat !== "any" && nat !== place.publicAddress)
    return fail("ipv4.nat_1_1", "Must be any, or the instance's own public IPv4 address");
  return {
    draft: {
      vpc_id: vpc.id,
      subnet_id: subnet.id,
      ipv4: { vpc: address, nat_1_1: nat === null ? null : place.publicAddress },
      ip_ranges: ranges,
    },
    reasons,
  };
}

/**
 * Drafts all the interfaces of a profile, which replace those that it has. Addresses that are asked for or kept are taken first, so that
 * an automatic one never stands in their way.
 */
export function draftInterfaces(
  call: Call,
  place: Place,
  wanted: readonly Wanted[],
  field: (index: number, name: string) => string,
): { drafts: Draft[]; reasons: Reason[] } {
  const reasons = countReasons(wanted, field);
  const drafts: Draft[] = [];
  const occupied = new Map<number, Occupancy>();
  const occupiedIn = (subnetId: number) => {
    const subnet = subnets(call.world).get(subnetId);
    if (subnet && !occupied.has(subnetId))
      occupied.set(subnetId, occupancy(call.world, subnet, place.computeId, place.configId));
    return occupied.get(subnetId);
  };
  const hasAddress = (one: Wanted) => !empty(one.ipv4?.vpc) || one.keep?.ipv4 != null;
  const order = wanted.map((one, index) => ({ one, index }));
  order.sort((a, b) => Number(hasAddress(b.one)) - Number(hasAddress(a.one)) || a.index - b.index);
  for (const { one, index } of order) {
    // The schema refused its purpose: nothing else of it can be judged.
    if (one.purpose === undefined) continue;
    const own = (name: string) => field(index, name);
    reasons.push(...purposeReasons(one, place.region, own));
    const vpc = one.purpose === "vpc" ? draftVpc(call, one, place, occupiedIn, own) : undefined;
    reasons.push(...(vpc?.reasons ?? []));
    drafts[index] = {
      keep: one.keep,
      purpose: one.purpose,
      primary: one.primary ?? false,
      label: one.label || null,
      ipam_address: one.ipam_address || null,
      vpc_id: null,
      subnet_id: null,
      ipv4: null,
      ip_ranges: [],
      ...vpc?.draft,
    };
  }
  return { drafts, reasons };
}

/** Why interfaces that the drafts leave out cannot go: an active one in a VPC needs the instance shut down first (contract section 3). */
export function removalReasons(world: World, configId: number, drafts: readonly Draft[]): Reason[] {
  const kept = new Set(drafts.map((draft) => draft.keep?.id));
  return interfacesOf(world, configId)
    .filter((one) => one.purpose === "vpc" && one.active && !kept.has(one.id))
    .map((one) => ({ reason: `Interface ${one.id} is active: shut down the instance first` }));
}

/** Stores drafts as the interfaces of a profile, in their order; what they do not keep is removed. */
export function storeInterfaces(
  world: World,
  computeId: number,
  configId: number,
  drafts: readonly Draft[],
): void {
  const kept = new Set(drafts.map((draft) => draft.keep?.id));
  for (const one of interfacesOf(world, configId)) if (!kept.has(one.id)) interfaces(world).delete(one.id);
  drafts.forEach(({ keep, ...fields }, position) => {
    if (keep) interfaces(world).update(keep.id, { ...fields, position });
    else
      interfaces(world).insert({
        compute_id: computeId,
        config_id: configId,
        position,
        active: false,
        ...fields,
      });
  });
}

/** Asks for a stored interface as it is. */
export function unchanged(one: Interface): Wanted {
  const { purpose, primary, label, ipam_address, subnet_id, ipv4, ip_ranges } = one;
  return { purpose, primary, label, ipam_address, subnet_id, ipv4, ip_ranges, keep: one };
}

/** Pairs requested interfaces with stored ones of the same purpose, label and subnet, so that an unchanged list changes nothing. */
export function pair(requested: readonly Wanted[], stored: readonly Interface[]): Wanted[] {
  const left = [...stored];
  return requested.map((wanted) => {
    const at = left.findIndex(
      (one) =>
        one.purpose === wanted.purpose &&
        one.subnet_id === (wanted.subnet_id ?? null) &&
        one.label === (wanted.label || null),
    );
    return at < 0 ? wanted : { ...wanted, keep: left.splice(at, 1)[0] };
  });
}
