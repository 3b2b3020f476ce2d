/** Managed services and the issues about them as the account keeps them (contract section 2.8; notes, section 8). */

import type { Collection, Item, World } from "../../area.ts";
import type { ServiceType } from "./address.ts";

export interface Service extends Item {
  status: "pending" | "ok" | "problem" | "disabled";
  service_type: ServiceType;
  label: string;
  address: string;
  /** Seconds. */
  timeout: number;
  /** "" when not given, as are the next two. */
  body: string;
  consultation_group: string;
  notes: string;
  region: string | null;
  credentials: number[];
  created: string;
  updated: string;
  /** A control for tests, through `/_emulator/data`: while it is true, the checks of this service fail. */
  _failing?: boolean;
}

export interface Issue extends Item {
  created: string;
  services: number[];
  entity: { id: number; type: "ticket"; label: string; url: string };
  /** When the last of its services was well again, or no longer monitored; absent: it goes on. */
  _closed?: string;
}

export function services(world: World): Collection<Service> {
  return world.collection<Service>("managedServices");
}

export function issues(world: World): Collection<Issue> {
  return world.collection<Issue>("managedIssues");
}

export function serviceEntity({ id, label }: Service) {
  return { id, type: "managed_service", label, url: `/v4/managed/services/${id}` };
}
