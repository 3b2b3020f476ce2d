/** The reference of policies tells of every built-in rule what the code says of it. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { annotations } from "../../provider/core/type/field.ts";
import { builtInRules } from "../../provider/engine/policy/builtin/index.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/reference/policies.md"), "utf8");

/** The section of a rule, from its heading to the next. */
const sectionOf = (name: string): string | undefined =>
  page.split(/^### /m).find((section) => section.startsWith(`\`${name}\`\n`));

describe("docs/reference/policies.md", () => {
  it.each(builtInRules.map((rule) => [rule.name, rule] as const))("tells what %s is", (name, rule) => {
    const section = sectionOf(name);
    expect(section, `a heading ### \`${name}\``).toBeDefined();
    expect(section).toContain(rule.description);
    expect(section).toContain(`Default: ${rule.level}`);
    expect(/`--allow [a-z-]+` lets it pass/.test(section!)).toBe(rule.allow);
    const settings = [...section!.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \|$/gm)].map(([, ...cells]) => cells);
    const known = Object.entries(rule.fields ?? {}).map(([setting, field]) => {
      const { description, default: fallback } = annotations(field);
      return [setting, description, fallback === undefined ? "" : `\`${JSON.stringify(fallback)}\``];
    });
    expect(settings).toEqual(known);
  });

  it("tells of no other", () => {
    const told = [...page.matchAll(/^### `([a-z-]+)`$/gm)].map(([, name]) => name);
    expect(told).toEqual(builtInRules.map(({ name }) => name));
  });
});
