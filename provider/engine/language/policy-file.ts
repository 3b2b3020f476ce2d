/** Reads a file of policies that stands outside a project (`modules`, `rules`), with places in what is wrong. Opens no file. */

import type { Diagnostic, PolicySection } from "../host.ts";
import { readPolicies } from "./program/policies.ts";
import { createReport } from "./syntax/report.ts";
import { parseSyntax } from "./syntax/yaml.ts";

/** What the text says; nothing of it counts when there are errors. */
export function readPolicyFile(
  file: string,
  text: string,
): { readonly section: PolicySection; readonly diagnostics: readonly Diagnostic[] } {
  const report = createReport();
  const root = parseSyntax(report, file, text);
  const section = root === undefined ? { modules: [], rules: new Map() } : readPolicies(report, root);
  return { section, diagnostics: report.diagnostics };
}
