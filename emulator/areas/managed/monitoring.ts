/** The operations on managed services and issues, and what they refuse (contract sections 2.8, 3 and 4.6). */

import { type Call, type Handler, notFound, type Reason, refuseAll } from "../../area.ts";
import { findRegion } from "../../catalogue/regions.ts";
import { hostOf, isPrivate, type ServiceType, withoutFragment } from "./address.ts";
import { beginMonitoring, endMonitoring, knownIssues } from "./checks.ts";
import { credentials } from "./credentials.ts";
import { type Service, serviceEntity, services } from "./services.ts";

function reachService(call: Call): Service {
  return services(call.world).get(call.id("serviceId")) ?? notFound();
}

const addressForms = {
  url: "Must be an address like https://example.org/path",
  tcp: "Must be an address like example.org:25",
} as const;

/** What a region must be for such an address; a change of the address drops one that it no longer takes. */
function placeReasons(call: Call, before: Service | undefined): { region: string | null; reasons: Reason[] } {
  const { body } = call;
  const type: ServiceType | undefined = body["service_type"] ?? before?.service_type;
  const address: string | undefined = body["address"] ?? before?.address;
  const sent: string | null | undefined = body["region"] === "" ? null : body["region"];
  const known = sent === undefined || sent === null || findRegion(sent) !== undefined;
  const reasons: Reason[] = known ? [] : [{ reason: "region is not valid", field: "region" }];
  if (type === undefined || address === undefined) return { region: sent ?? null, reasons };
  const host = hostOf(type, withoutFragment(address));
  if (host === undefined) {
    reasons.push({ reason: addressForms[type], field: "address" });
    return { region: null, reasons };
  }
  if (!isPrivate(host)) {
    if (sent) reasons.push({ reason: "Must not be set for an address that is not private", field: "region" });
    return { region: null, reasons };
  }
  const region = sent === undefined ? (before?.region ?? null) : sent;
  if (region === null) reasons.push({ reason: "region is required for a private address", field: "region" });
  return { region, reasons };
}

function judge(call: Call, before?: Service): { region: string | null; reasons: Reason[] } {
  const wanted: readonly number[] = call.body["credentials"] ?? [];
  const place = placeReasons(call, before);
  const unknown = wanted.flatMap((id, index) =>
    credentials(call.world).get(id)
      ? []
      : [{ reason: `There is no credential ${id}`, field: `credentials[${index}]` }],
  );
  return { region: place.region, reasons: [...place.reasons, ...unknown] };
}

function create(call: Call): Service {
  const { world, body } = call;
  const { region, reasons } = judge(call);
  refuseAll(reasons);
  const now = world.clock.stamp();
  const service = services(world).insert({
    status: "pending",
    service_type: body["service_type"],
    label: body["label"],
    address: withoutFragment(body["address"]),
    timeout: body["timeout"],
    body: body["body"] ?? "",
    consultation_group: body["consultation_group"] ?? "",
    notes: body["notes"] ?? "",
    region,
    credentials: [...new Set<number>(body["credentials"] ?? [])],
    created: now,
    updated: now,
  });
  world.events.emit({ action: "managed_service_create", entity: serviceEntity(service) });
  return beginMonitoring(world, service.id);
}

/** What a check looks at: when one of these changes, a monitored service is checked anew. */
const checked = ["service_type", "address", "timeout", "body"] as const;

function update(call: Call): Service {
  const { world, body } = call;
  const before = reachService(call);
  const { region, reasons } = judge(call, before);
  refuseAll(reasons);
  const present = checked.map((name) => before[name]);
  const changed = services(world).update(before.id, {
    service_type: body["service_type"] ?? before.service_type,
    label: body["label"] ?? before.label,
    address: body["address"] === undefined ? before.address : withoutFragment(body["address"]),
    timeout: body["timeout"] ?? before.timeout,
    body: body["body"] === null ? "" : (body["body"] ?? before.body),
    consultation_group: body["consultation_group"] ?? before.consultation_group,
    notes: body["notes"] === null ? "" : (body["notes"] ?? before.notes),
    region,
    credentials: [...new Set<number>(body["credentials"] ?? before.credentials)],
    updated: world.clock.stamp(),
  });
  const same = checked.every((name, index) => changed[name] === present[index]);
  return same || changed.status === "disabled" ? changed : beginMonitoring(world, changed.id);
}

function remove(call: Call) {
  const { world } = call;
  const service = reachService(call);
  services(world).delete(service.id);
  endMonitoring(world, service.id);
  world.events.emit({ action: "managed_service_delete", entity: serviceEntity(service) });
  return {};
}

function disable(call: Call): Service {
  const { world } = call;
  const service = reachService(call);
  if (service.status === "disabled") return service;
  const changed = services(world).update(service.id, { status: "disabled", updated: world.clock.stamp() });
  endMonitoring(world, service.id);
  return changed;
}

function enable(call: Call): Service {
  const { world } = call;
  const service = reachService(call);
  if (service.status !== "disabled") return service;
  services(world).update(service.id, { updated: world.clock.stamp() });
  return beginMonitoring(world, service.id);
}

export const serviceHandlers: { readonly [operation: string]: Handler } = {
  "GET /managed/services": (call) => services(call.world).all(),
  "POST /managed/services": create,
  "GET /managed/services/{serviceId}": reachService,
  "PUT /managed/services/{serviceId}": update,
  "DELETE /managed/services/{serviceId}": remove,
  "POST /managed/services/{serviceId}/disable": disable,
  "POST /managed/services/{serviceId}/enable": enable,
  "GET /managed/issues": (call) => knownIssues(call.world),
  "GET /managed/issues/{issueId}": (call) =>
    knownIssues(call.world).find(({ id }) => id === call.id("issueId")) ?? notFound(),
};

export const serviceJudges = {
  "POST /managed/services": (call: Call) => judge(call).reasons,
  "PUT /managed/services/{serviceId}": (call: Call) => judge(call, reachService(call)).reasons,
};
