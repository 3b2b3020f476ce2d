/** A first DNS zone. */

import type { Template } from "./template.ts";

export const dns: Template = {
  name: "dns",
  about: "a DNS zone with a web address and mail",
  body: `config:
  domain:
    type: string
    default: my-company.example

resources:
  zone:
    type: plumbline:dns:Domain
    properties:
      domain: \${domain}
      type: master
      soaEmail: hostmaster@\${domain}

  web:
    type: plumbline:dns:Record
    properties: { domainId: "\${zone.id}", type: A, target: 203.0.113.10 }
  www:
    type: plumbline:dns:Record
    properties: { domainId: "\${zone.id}", type: CNAME, name: www, target: "\${domain}" }
  mail:
    type: plumbline:dns:Record
    properties: { domainId: "\${zone.id}", type: MX, target: mx.mail.example, priority: 10 }

outputs:
  domainId: \${zone.id}
`,
};
