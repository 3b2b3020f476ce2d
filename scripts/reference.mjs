/** Writes the reference of resource types and functions (Markdown) from the Pulumi package schema: all on one page, or a page for each. */

export const short = (token) => {
  const [, module, name] = token.split(":");
  return `plumbline:${module.split("/")[0]}:${name}`;
};
export const areaOf = (token) => token.split(":")[1].split("/")[0];
const anchor = (ref) => ref.split(":").at(-1);

/** How a property's type reads: `string`, `list of number`, `map of X`, a named object. */
function typeText(property) {
  if (property.$ref === "pulumi.json#/Asset") return "asset";
  if (property.$ref === "pulumi.json#/Any") return "any value";
  // A choice is told where it is made: its words are in the description.
  if (property.$ref && property.type !== "string")
    return `[${anchor(property.$ref)}](#${anchor(property.$ref).toLowerCase()})`;
  if (property.oneOf) return property.oneOf.map(typeText).join(" or ");
  if (property.type === "array") return `list of ${typeText(property.items)}`;
  if (property.type === "object")
    return `map of ${typeText(property.additionalProperties ?? { type: "string" })}`;
  return property.type;
}

const cell = (text) => (text ?? "").replaceAll("|", "\\|").replaceAll("\n", " ");

function table(properties, required, headings) {
  const rows = Object.entries(properties).map(([name, property]) => {
    const marks = [
      required.includes(name) ? "required" : "",
      property.willReplaceOnChanges || property.replaceOnChanges ? "replaces" : "",
      property.secret ? "secret" : "",
    ].filter(Boolean);
    return `| \`${name}\` | ${typeText(property)} | ${marks.join(", ")} | ${cell(property.description)} |`;
  });
  return [`| ${headings} | type | rule | what it is |`, "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** The objects that these properties hold, each after the one that names it. */
function objectsWithin(schema, properties, found = new Map()) {
  for (const property of Object.values(properties)) {
    const inner = [property, property.items, property.additionalProperties, ...(property.oneOf ?? [])];
    for (const { $ref: ref } of inner.filter(Boolean)) {
      const token = ref?.replace("#/types/", "");
      const type = schema.types[token];
      if (!type || type.enum || found.has(token)) continue;
      found.set(token, type);
      objectsWithin(schema, type.properties, found);
    }
    for (const held of inner.filter((one) => one?.items || one?.additionalProperties))
      objectsWithin(schema, { held: held.items ?? held.additionalProperties }, found);
  }
  return found;
}

function objectParts(schema, ...properties) {
  const found = new Map();
  for (const each of properties) objectsWithin(schema, each, found);
  return [...found].flatMap(([token, type]) => [
    `## ${anchor(token)}`,
    ...(type.description ? [type.description] : []),
    table(type.properties, type.required ?? [], "property"),
  ]);
}

const replacing =
  "*replaces*: a change of this input makes a new object and deletes the old one; every other change is made in place.";

/** One resource type on a page of its own. `examples` are Markdown, and `operations` are what it calls. */
export function typePage(schema, token, examples, operations) {
  const { description, inputProperties, requiredInputs = [], properties } = schema.resources[token];
  const outputs = Object.fromEntries(
    Object.entries(properties).filter(([name]) => !(name in inputProperties)),
  );
  const importing = `npx plumbline import ${short(token)} NAME ID`;
  return page([
    `# ${anchor(token)}`,
    `\`${short(token)}\``,
    description,
    ...examples,
    "## Inputs",
    replacing,
    table(inputProperties, requiredInputs, "input"),
    "## Outputs",
    "Every input is an output, too.",
    ...(Object.keys(outputs).length > 0 ? [table(outputs, [], "output")] : []),
    ...objectParts(schema, inputProperties, outputs),
    "## Import",
    `\`\`\`sh\n${importing}\npulumi import ${token} NAME ID\n\`\`\``,
    ...operationParts(operations),
  ]);
}

/** One function on a page of its own. */
export function functionPage(schema, token, examples, operations) {
  const { description, inputs, outputs } = schema.functions[token];
  const given = inputs?.properties ?? {};
  return page([
    `# ${anchor(token)}`,
    `\`${short(token)}\``,
    description,
    ...examples,
    ...(Object.keys(given).length > 0
      ? ["## Arguments", table(given, inputs.required ?? [], "argument")]
      : []),
    "## Result",
    table(outputs.properties, [], "result"),
    ...objectParts(schema, given, outputs.properties),
    ...operationParts(operations),
  ]);
}

function operationParts(operations) {
  if (operations.length === 0) return [];
  return ["## Operations of the service", operations.map((operation) => `- \`${operation}\``).join("\n")];
}

const page = (parts) => `${parts.join("\n\n")}\n`;

/** The reference as one Markdown page. `replaces` marks inputs whose change makes a new object. */
export function reference(schema) {
  const parts = [
    "# Resource types and functions",
    "Generated from the resource types by `npm run generate`. *replaces*: a change of this input makes a new object and deletes the old one; every other change is made in place. Outputs are listed without the inputs, which are outputs too.",
  ];
  const areas = [
    ...new Set([...Object.keys(schema.resources), ...Object.keys(schema.functions)].map(areaOf)),
  ];
  for (const area of areas) {
    parts.push(`## ${area}`);
    for (const [token, resource] of Object.entries(schema.resources)) {
      if (areaOf(token) !== area) continue;
      parts.push(`### ${short(token)}`, resource.description);
      parts.push(table(resource.inputProperties, resource.requiredInputs ?? [], "input"));
      const outputs = Object.fromEntries(
        Object.entries(resource.properties).filter(([name]) => !(name in resource.inputProperties)),
      );
      if (Object.keys(outputs).length > 0) parts.push(table(outputs, [], "output"));
    }
    for (const [token, info] of Object.entries(schema.functions)) {
      if (areaOf(token) !== area) continue;
      parts.push(`### ${short(token)}`, info.description);
      if (Object.keys(info.inputs?.properties ?? {}).length > 0) {
        parts.push(table(info.inputs.properties, info.inputs.required ?? [], "argument"));
      }
      parts.push(table(info.outputs.properties, [], "result"));
    }
  }
  parts.push("## Objects within properties");
  for (const [token, type] of Object.entries(schema.types ?? {})) {
    if (type.enum) continue;
    parts.push(`### ${anchor(token)}`, ...(type.description ? [type.description] : []));
    parts.push(table(type.properties, type.required ?? [], "property"));
  }
  return `${parts.join("\n\n")}\n`;
}
