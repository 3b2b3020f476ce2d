/** The tags that the account's objects use, and what carries each (notes, section 12). Tags have no life of their own unless they were made by themselves. */

import {
  type Area,
  type Call,
  forbidden,
  type GrantEntity,
  type Handler,
  type Item,
  notFound,
  type Reason,
  refuseAll,
  type World,
} from "../../area.ts";

interface Tagged {
  readonly collection: string;
  readonly entity: GrantEntity;
  /** The operation that shows one object, and its parameter. */
  readonly operation: string;
  readonly parameter: string;
}

const tagged: readonly Tagged[] = [
  { collection: "domains", entity: "domain", operation: "GET /domains/{domainId}", parameter: "domainId" },
  {
    collection: "computeInstances",
    entity: "compute",
    operation: "GET /compute/instances/{computeId}",
    parameter: "computeId",
  },
  { collection: "volumes", entity: "volume", operation: "GET /volumes/{volumeId}", parameter: "volumeId" },
];

/** Every tagged object that the caller may see, with its tags. */
function carriers(call: Call): { source: Tagged; id: number; tags: readonly string[] }[] {
  return tagged.flatMap((source) =>
    call.world
      .collection(source.collection)
      .filter((item) => Array.isArray(item["tags"]) && call.caller.may(source.entity, item.id, "read_only"))
      .map((item) => ({ source, id: item.id, tags: item["tags"] as string[] })),
  );
}

interface StoredTag extends Item {
  label: string;
}

/** Tags that were made by themselves, carried or not. */
const storedTags = (world: World) => world.collection<StoredTag>("tags");

const sameTag = (label: string) => (other: string) => other.toLowerCase() === label.toLowerCase();

/** Lists each label once: tags that differ only in case are one, spelled as first used. */
function list(call: Call) {
  const labels = new Map<string, string>();
  const made = storedTags(call.world).all();
  for (const label of [...made.map((tag) => tag.label), ...carriers(call).flatMap(({ tags }) => tags)]) {
    const key = label.toLowerCase();
    if (!labels.has(key)) labels.set(key, label);
  }
  return [...labels.values()].sort().map((label) => ({ label }));
}

/** By field of a request: what it tags. */
const fields = { computes: "compute", domains: "domain", volumes: "volume" } as const;

function createReasons(call: Call): Reason[] {
  if (call.caller.restricted) forbidden();
  const { world, body } = call;
  const reasons: Reason[] = [];
  if (body["label"] !== undefined && list(call).some(({ label }) => sameTag(body["label"])(label)))
    reasons.push({ reason: "Label must be unique among your tags", field: "label" });
  for (const [field, entity] of Object.entries(fields)) {
    const { collection } = tagged.find((source) => source.entity === entity)!;
    ((body[field] ?? []) as number[]).forEach((id, at) => {
      if (!world.collection(collection).get(id))
        reasons.push({ reason: `${field}[${at}] is not valid`, field: `${field}[${at}]` });
    });
  }
  return reasons;
}

/** Makes a tag, and puts it on what the request names. */
function create(call: Call) {
  refuseAll(createReasons(call));
  const { world, body } = call;
  const { label } = storedTags(world).insert({ label: body["label"] });
  for (const [field, entity] of Object.entries(fields)) {
    const items = world.collection(tagged.find((source) => source.entity === entity)!.collection);
    for (const id of new Set((body[field] ?? []) as number[]))
      items.update(id, { tags: [...(items.get(id)!["tags"] as string[]), label] });
  }
  tell(world, "create", label);
  return { label };
}

function tell(world: World, action: "create" | "delete", label: string): void {
  const url = `/v4/tags/${encodeURIComponent(label)}`;
  world.events.emit({ action: `tag_${action}`, entity: { id: label, type: "tag", label, url } });
}

/** Takes a tag from everything that carries it. */
function remove(call: Call) {
  const { world, caller } = call;
  if (caller.restricted) forbidden();
  const label = call.params["tagLabel"] ?? "";
  const same = sameTag(label);
  const stored = storedTags(world).find((tag) => same(tag.label));
  const found = carriers(call).filter(({ tags }) => tags.some(same));
  if (!stored && found.length === 0) notFound();
  if (stored) storedTags(world).delete(stored.id);
  for (const { source, id, tags } of found)
    world.collection(source.collection).update(id, { tags: tags.filter((tag) => !same(tag)) });
  tell(world, "delete", label);
  return {};
}

/** The tags over the given areas, whose own handlers show the objects. */
export function tagArea(areas: readonly Area[]): Area {
  const handlerOf = (operation: string): Handler | undefined =>
    areas.map((area) => area.handlers[operation]).find((handler) => handler !== undefined);

  async function show(call: Call) {
    const same = sameTag(call.params["tagLabel"] ?? "");
    const found = carriers(call).filter(({ tags }) => tags.some(same));
    if (found.length === 0 && !storedTags(call.world).find((tag) => same(tag.label))) notFound();
    return Promise.all(
      found.map(async ({ source, id }) => {
        const handler = handlerOf(source.operation);
        if (!handler) throw new Error(`no area answers ${source.operation}`);
        const params = { ...call.params, [source.parameter]: String(id) };
        return { type: source.entity, data: await handler({ ...call, params, id: () => id }) };
      }),
    );
  }

  return {
    name: "tags",
    handlers: {
      "GET /tags": list,
      "POST /tags": create,
      "GET /tags/{tagLabel}": show,
      "DELETE /tags/{tagLabel}": remove,
    },
    judges: { "POST /tags": createReasons },
  };
}
