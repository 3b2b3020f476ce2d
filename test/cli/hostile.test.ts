/** Texts of a hostile service: what the command line shows of them, on every way out. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "./plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const password = 'pa"ss wörd/9';
const token = "tok-7f3a9c";
const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQsecretsecret\n-----END PRIVATE KEY-----";
const reason = [
  `no: ${password} ${token}`,
  JSON.stringify(password),
  encodeURIComponent(password),
  Buffer.from(`user:${password}`).toString("base64"),
  key,
  "\u001b[2J\u001b[1;1H\u009b31m\u202eevil\rdone: 9 created",
  "error: a line of ours",
  "done: 1 created",
].join("\n");

const stack = (label: string) => `
name: hostile
runtime: yaml
resources:
  login:
    type: plumbline:managed:Credential
    properties:
      label: ${label}
      username: root
      password: ${JSON.stringify(password)}
`;

/** A service whose every list is empty, and that refuses every write with a text of its own. */
async function refusing(): Promise<{ baseUrl: string; close: () => void }> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/json");
    if (request.method === "GET") return void response.end('{"data":[],"page":1,"pages":1,"results":0}');
    response.statusCode = 400;
    response.end(JSON.stringify({ errors: [{ reason }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v4`, close: () => void server.closeAllConnections() };
}

describe("a refusal full of secrets and escapes", () => {
  it.each([
    ["up", "--yes"],
    ["up", "--yes", "--json"],
    ["up", "--yes", "--color=always"],
  ])("shows none of them: %s %s %s", async (...args) => {
    const service = await refusing();
    desk.write("Pulumi.yaml", stack("mine"));
    const env = { PLUMBLINE_BASE_URL: service.baseUrl, PLUMBLINE_TOKEN: token };
    const ran = await desk.run(["--state", `s${args.length}${args.at(-1)}`, ...args], { env });
    service.close();
    expect(ran.code).toBe(1);
    expect(ran.text).toContain("[secret]");
    expect(ran.text).toContain("[private key]");
    for (const hidden of [
      password,
      token,
      encodeURIComponent(password),
      "MIIEvQ",
      JSON.stringify(password).slice(1, -1),
    ])
      expect(ran.text).not.toContain(hidden);
    const plain = ran.text.replace(/\u001b\[\d+m/g, "");
    expect(plain).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    const starts = plain.split("\n").map((line) => line.slice(0, 24));
    for (const ours of ["error: a line of ours", "done: 1 created", "done: 9 created"])
      expect(starts.filter((start) => start.startsWith(ours))).toEqual([]);
  });
});

describe("a property that is declared secret", () => {
  it("is shown by neither drift nor refresh --diff, though the service tells it without that mark", async () => {
    desk.write(
      "Pulumi.yaml",
      `
name: declared
runtime: yaml
resources:
  zone:
    type: plumbline:dns:Domain
    properties:
      domain: declared.example
      type: master
      soaEmail: a@declared.example
      description: { fn::secret: first-hidden-words }
`,
    );
    const made = await desk.run(["up", "--yes"]);
    expect(made.code, made.text).toBe(0);
    const { data } = (await desk.api("GET", "/domains")) as unknown as {
      data: { id: number; domain: string }[];
    };
    const id = data.find(({ domain }) => domain === "declared.example")?.id;
    await desk.api("PUT", `/domains/${id}`, { description: "second-hidden-words" });
    for (const args of [["drift"], ["drift", "--json"], ["refresh", "--yes", "--diff"]]) {
      const { text } = await desk.run(args);
      expect(text).toContain("description");
      expect(text).not.toContain("hidden-words");
    }
  });
});
