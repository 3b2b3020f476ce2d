/** A first page that is watched. */

import type { Template } from "./template.ts";

export const monitoring: Template = {
  name: "monitoring",
  about: "a page that is watched, and whom to tell",
  body: `config:
  page:
    type: string
    default: https://my-company.example/health

resources:
  lead:
    type: plumbline:managed:Contact
    properties: { name: Ada Pope, email: ada@my-company.example, group: on-call }

  # Up while it answers within ten seconds and says so.
  site:
    type: plumbline:managed:Service
    properties:
      label: my-site
      serviceType: url
      address: \${page}
      timeout: 10
      body: ok
      consultationGroup: \${lead.group}

outputs:
  siteId: \${site.id}
`,
};
