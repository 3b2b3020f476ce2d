import { describe, expect, test } from "vitest";
import { fakeHost, head, load, told } from "./language-fixture.ts";

describe("a program", () => {
  test("loads and runs", async () => {
    const program = await load(`${head}config:
  zone: {type: string, default: example.org}
variables:
  mail: hostmaster@\${zone}
resources:
  zone1:
    type: plumbline:dns:Domain
    properties: { domain: "\${zone}", type: master, soaEmail: "\${mail}" }
  www:
    type: plumbline:dns/record:Record
    properties: { domainId: "\${zone1.id}", type: A, target: 192.0.2.1 }
outputs:
  id: \${zone1.id}
  text: "the id is \${www.id}"
`);
    expect(told(program.diagnostics)).toEqual([]);
    const host = fakeHost();
    expect(await program.run(host)).toEqual({ id: "id-zone1", text: "the id is id-www" });
    expect(host.goals.map((goal) => goal.inputs)).toEqual([
      { domain: "example.org", type: "master", soaEmail: "hostmaster@example.org" },
      { domainId: "id-zone1", type: "A", target: "192.0.2.1" },
    ]);
  });
});
