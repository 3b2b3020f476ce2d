/** The tags that the account's objects use, and what carries each (notes, section 12). Tags have no life of their own. */

import { type Area, type Call, type GrantEntity, type Handler, notFound } from "../area.ts";

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

/** Lists each label once: tags that differ only in case are one, spelled as first used. */
function list(call: Call) {
  const labels = new Map<string, string>();
  for (const label of carriers(call).flatMap(({ tags }) => tags)) {
    const key = label.toLowerCase();
    if (!labels.has(key)) labels.set(key, label);
  }
  return [...labels.values()].sort().map((label) => ({ label }));
}

/** The tags over the given areas, whose own handlers show the objects. */
export function tagArea(areas: readonly Area[]): Area {
  const handlerOf = (operation: string): Handler | undefined =>
    areas.map((area) => area.handlers[operation]).find((handler) => handler !== undefined);

  async function show(call: Call) {
    const label = (call.params["tagLabel"] ?? "").toLowerCase();
    const found = carriers(call).filter(({ tags }) => tags.some((tag) => tag.toLowerCase() === label));
    if (found.length === 0) notFound();
    return Promise.all(
      found.map(async ({ source, id }) => {
        const handler = handlerOf(source.operation);
        if (!handler) throw new Error(`no area answers ${source.operation}`);
        const params = { ...call.params, [source.parameter]: String(id) };
        return { type: source.entity, data: await handler({ ...call, params, id: () => id }) };
      }),
    );
  }

  return { name: "tags", handlers: { "GET /tags": list, "GET /tags/{tagLabel}": show } };
}
