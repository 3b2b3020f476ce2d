/** Writes the reference of the kinds of Kubernetes (Markdown) from their definitions, as `kubectl explain` has it in pieces. */

const cell = (text) => (text ?? "").replaceAll("|", "\\|").replaceAll("\n", " ");

/** How a property's type reads. */
function typeText({ type, items, additionalProperties, properties }) {
  if (type === "array") return `list of ${typeText(items)}`;
  if (additionalProperties) return `map of ${typeText(additionalProperties)}`;
  if (type === "object") return properties ? "object" : "any object";
  return type ?? "any value";
}

/** What a value has to be, where one look tells. */
function bounds({ enum: words, minimum, maximum, minLength, maxLength }) {
  if (words) return words.map((word) => `\`${word}\``).join(", ");
  const range = (least, most, noun) =>
    least === undefined && most === undefined ? [] : [`${least ?? ""}…${most ?? ""}${noun}`];
  return [...range(minimum, maximum, ""), ...range(minLength || undefined, maxLength, " characters")].join(
    "; ",
  );
}

/** Rows of the properties, those within an object after it, by their paths. */
function rows({ properties = {}, required = [] }, immutable, prefix = "") {
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const inner = property.properties ? property : (property.items ?? property.additionalProperties ?? {});
    const step = property.items ? "[]." : property.additionalProperties ? ".*." : ".";
    const rules = [
      required.includes(name) ? "required" : "",
      immutable.has(path) ? "replaces" : "",
      bounds(property),
    ].filter(Boolean);
    return [
      `| \`${path}\` | ${typeText(property)} | ${cell(rules.join("; "))} | ${cell(property.description)} |`,
      ...(inner.properties ? rows(inner, immutable, `${path}${step}`) : []),
    ];
  });
}

const table = (schema, immutable = new Set()) =>
  ["| property | type | rule | what it is |", "| --- | --- | --- | --- |", ...rows(schema, immutable)].join(
    "\n",
  );

/** Everything that a cluster refuses of a spec as a whole, in its words. */
const refusals = ({ "x-kubernetes-validations": rules = [] }) =>
  rules.map(({ message, messageExpression, fieldPath }) => {
    const said = messageExpression
      ? messageExpression.replace(/' \+ self\.(\w+) \+ '/g, "($1)").slice(1, -1)
      : message;
    return `- ${fieldPath ? `\`${fieldPath.slice(1)}\` ` : ""}${said}`;
  });

/** The page; `objects` are definitions and what goes with them. */
export function kindsPage(objects) {
  const definitions = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
  const immutable = new Map(
    objects
      .filter(
        ({ kind, metadata }) =>
          kind === "ValidatingAdmissionPolicy" && metadata.name.startsWith("immutable-"),
      )
      .map(({ metadata, spec }) => [
        metadata.name.slice("immutable-".length),
        new Set(spec.validations.map(({ message }) => /^spec\.(\w+)/.exec(message)[1])),
      ]),
  );
  const parts = definitions.flatMap(({ metadata, spec: { group, names, versions } }) => {
    const [{ name: version, schema, subresources }] = versions;
    const { openAPIV3Schema: whole } = schema;
    const { spec, status } = whole.properties;
    const short = names.shortNames?.length
      ? `; short: ${names.shortNames.map((each) => `\`${each}\``).join(", ")}`
      : "";
    const scale = subresources.scale ? " It can be scaled (`kubectl scale`)." : "";
    const refused = refusals(spec);
    const { atProvider, ...told } = status.properties;
    const known = atProvider ?? { properties: {} };
    return [
      `## ${names.kind}`,
      `\`${group}/${version}\`, \`${metadata.name}\`${short}. ${whole.description}${scale}`,
      table(spec, immutable.get(metadata.name)),
      ...(refused.length > 0 ? [`Refused by the cluster:\n\n${[...new Set(refused)].join("\n")}`] : []),
      ...(Object.keys(known.properties).length > 0
        ? [
            `\`status.atProvider\`: ${Object.keys(known.properties)
              .map((name) => `\`${name}\``)
              .join(", ")}.`,
          ]
        : [
            `\`status\`: ${Object.keys(told)
              .map((name) => `\`${name}\``)
              .join(", ")}.`,
          ]),
    ];
  });
  return `${[
    "# Kinds of Kubernetes",
    "Generated from the resource types by `npm run generate`; `kubectl explain` tells the same. What is common to all of them is in [Kubernetes](kubernetes.md). *replaces*: a change of this property, once the object is made, is refused unless the object may be replaced. A `…Ref` names another object of the same namespace in the place of the property that has its id; a `…SecretRef` names the key of a Secret.",
    ...parts,
  ].join("\n\n")}\n`;
}
