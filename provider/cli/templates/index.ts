/** The templates of `plumbline new`, and the text of the file that is made of one. */

import { database } from "./database.ts";
import { dns } from "./dns.ts";
import { kubernetes } from "./kubernetes.ts";
import { monitoring } from "./monitoring.ts";
import { objectStorage } from "./object-storage.ts";
import { stackscript } from "./stackscript.ts";
import type { Template } from "./template.ts";
import { vpc } from "./vpc.ts";

/** In the order in which they are listed. */
export const templates: readonly Template[] = [
  dns,
  vpc,
  database,
  objectStorage,
  kubernetes,
  monitoring,
  stackscript,
];

/** The stack file of a project. `schema` is where editors find what may stand in it. */
export function stackFileOf(template: Template, project: string, schema: string): string {
  return `# yaml-language-server: $schema=${schema}
name: ${JSON.stringify(project)}
runtime: yaml
description: ${upperFirst(template.about)}.

${template.body}`;
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
