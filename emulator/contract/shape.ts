/** The contract's schemas with references and `allOf` resolved, in the form that validation, filters and the brand word need. */

export type Schema = { readonly [keyword: string]: unknown };

/** One resolved schema. */
export interface Shape {
  /** JSON types allowed; empty: any. */
  readonly types: readonly string[];
  readonly properties: ReadonlyMap<string, Shape>;
  readonly required: ReadonlySet<string>;
  /** What undeclared properties are: of this shape, anything (`true`), or not part of the object (`false`). */
  readonly extra: Shape | boolean;
  readonly items: Shape | undefined;
  readonly alternatives: readonly Shape[];
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
  /** `x-optional`: an answer may leave the property out. */
  readonly optional: boolean;
  /** `x-filterable`: usable in X-Filter. */
  readonly filterable: boolean;
  /** `x-brand`: the value holds the brand word; `first` limits the exchange to its first occurrence. */
  readonly brand: "no" | "first" | "all";
  /** Remaining keywords as written (`enum`, `minLength`, `pattern`, `x-reason`…). */
  readonly rules: Schema;
}

const structural = new Set([
  "$ref",
  "allOf",
  "oneOf",
  "anyOf",
  "type",
  "properties",
  "required",
  "items",
  "additionalProperties",
  "readOnly",
  "writeOnly",
  "examples",
  "description",
  "title",
  "discriminator",
  "x-optional",
  "x-filterable",
  "x-brand",
  "x-supporting",
]);

/** Resolves schemas of one document. References are JSON pointers into it; a schema that contains itself is refused. */
export function shapeReader(document: unknown): (schema: Schema) => Shape {
  const open = new Set<string>();

  function follow(pointer: string): Schema {
    let at: unknown = document;
    for (const part of pointer.replace(/^#\//, "").split("/")) {
      const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      at = typeof at === "object" && at !== null ? (at as { [name: string]: unknown })[name] : undefined;
    }
    if (typeof at !== "object" || at === null)
      throw new Error(`the contract refers to ${pointer}, which does not exist`);
    return at as Schema;
  }

  function read(schema: Schema): Shape {
    const parts: Shape[] = [];
    const pointer = schema["$ref"];
    if (typeof pointer === "string") {
      if (open.has(pointer)) throw new Error(`the contract's schema ${pointer} contains itself`);
      open.add(pointer);
      try {
        parts.push(read(follow(pointer)));
      } finally {
        open.delete(pointer);
      }
    }
    for (const part of list(schema["allOf"])) parts.push(read(part));
    parts.push(own(schema));
    return parts.length === 1 ? parts[0]! : parts.reduce(merge);
  }

  function own(schema: Schema): Shape {
    const properties = new Map<string, Shape>();
    for (const [name, property] of Object.entries((schema["properties"] ?? {}) as { [name: string]: Schema }))
      properties.set(name, read(property));
    const alternatives = [...list(schema["oneOf"]), ...list(schema["anyOf"])].map(read);
    for (const alternative of alternatives)
      for (const [name, property] of alternative.properties)
        if (!properties.has(name)) properties.set(name, property);
    const type = schema["type"];
    const types =
      typeof type === "string" ? [type] : Array.isArray(type) ? type : properties.size > 0 ? ["object"] : [];
    const additional = schema["additionalProperties"];
    const brand = schema["x-brand"];
    return {
      types,
      properties,
      required: new Set((schema["required"] ?? []) as string[]),
      extra:
        typeof additional === "object" && additional !== null
          ? read(additional as Schema)
          : additional === undefined
            ? properties.size === 0
            : additional === true,
      items: schema["items"] === undefined ? undefined : read(schema["items"] as Schema),
      alternatives,
      readOnly: schema["readOnly"] === true,
      writeOnly: schema["writeOnly"] === true,
      optional: schema["x-optional"] === true,
      filterable: schema["x-filterable"] === true,
      brand: brand === "first" ? "first" : brand === true ? "all" : "no",
      rules: Object.fromEntries(Object.entries(schema).filter(([keyword]) => !structural.has(keyword))),
    };
  }

  return read;
}

function list(schemas: unknown): Schema[] {
  return Array.isArray(schemas) ? (schemas as Schema[]) : [];
}

/** Both schemas hold; where they state the same keyword, the second wins. */
function merge(first: Shape, second: Shape): Shape {
  const properties = new Map(first.properties);
  for (const [name, property] of second.properties) {
    const before = properties.get(name);
    properties.set(name, before ? merge(before, property) : property);
  }
  const open = (shape: Shape) => shape.extra === true && shape.properties.size === 0;
  return {
    types: second.types.length > 0 ? second.types : first.types,
    properties,
    required: new Set([...first.required, ...second.required]),
    extra: open(second) ? first.extra : open(first) ? second.extra : second.extra || first.extra,
    items: first.items && second.items ? merge(first.items, second.items) : (second.items ?? first.items),
    alternatives: [...first.alternatives, ...second.alternatives],
    readOnly: first.readOnly || second.readOnly,
    writeOnly: first.writeOnly || second.writeOnly,
    optional: first.optional || second.optional,
    filterable: first.filterable || second.filterable,
    brand: second.brand === "no" ? first.brand : second.brand,
    rules: { ...first.rules, ...second.rules },
  };
}
