import { afterAll, beforeAll, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import type { ResourceInitFailedError } from "../../provider/core/protocol.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import { type Account, apply, checked, openAccount, resourceNamed } from "./deployment.ts";

/** Domains that begin as copies: of another domain of the account, or of a zone on another nameserver. */
let account: Account;
let elsewhere: Emulator;
beforeAll(async () => {
  account = await openAccount();
  elsewhere = await startEmulator({ speed: "instant", dns: 0 });
  const call = async (path: string, body: object) => {
    const headers = { Authorization: `Bearer ${elsewhere.token}`, "Content-Type": "application/json" };
    const response = await fetch(`${elsewhere.baseUrl}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return (await response.json()) as { id: number };
  };
  const zone = {
    domain: "move.example",
    type: "master",
    soa_email: "x@move.example",
    axfr_ips: ["127.0.0.1"],
  };
  const { id } = await call("/domains", zone);
  await call(`/domains/${id}/records`, { type: "A", name: "www", target: "192.0.2.1" });
  elsewhere.advance(600);
});
afterAll(async () => {
  await account.close();
  await elsewhere.close();
});

const domain = (name: string) => resourceNamed("plumbline:dns/domain:Domain", name);
const recordsOf = async (id: string) =>
  (await account.call("GET", `/domains/${id}/records`))["data"] as { name: string }[];

test("a zone is imported by a transfer, brought to its declared settings, and is then as declared", async () => {
  const declared = {
    domain: "move.example",
    type: "master",
    soaEmail: "y@move.example",
    tags: ["moved"],
    importFrom: { remoteNameserver: `127.0.0.1:${elsewhere.dnsPort}` },
  };
  const made = await apply(account, domain("moved"), declared, undefined);
  expect(made.state).toMatchObject({
    soaEmail: "y@move.example",
    tags: ["moved"],
    importFrom: declared.importFrom,
  });
  expect((await recordsOf(made.id)).map(({ name }) => name)).toContain("www");
  expect((await apply(account, domain("moved"), declared, made)).operation).toBe("same");
  const { importFrom: _, ...without } = declared;
  expect((await apply(account, domain("moved"), without, made)).operation).toBe("same");
  const again: ValueMap = { ...declared, importFrom: { remoteNameserver: "other.example" } };
  const diff = await account.during(async (provider) =>
    provider.diff({
      ...domain("moved"),
      id: made.id,
      oldInputs: made.inputs,
      state: made.state,
      newInputs: again,
    }),
  );
  expect(diff).toMatchObject({ replaces: ["importFrom"], deleteBeforeReplace: true });
});

test("a nameserver that does not answer is told on the user's own property", async () => {
  const inputs = {
    domain: "none.example",
    type: "master",
    soaEmail: "x@none.example",
    importFrom: { remoteNameserver: "127.0.0.1:1" },
  };
  const failed = account.during((provider) => provider.create({ ...domain("none"), inputs, preview: false }));
  await expect(failed).rejects.toMatchObject({
    failures: [{ property: "importFrom.remoteNameserver" }],
  });
});

test("a clone has the records of its source and its own settings", async () => {
  const source = await apply(
    account,
    domain("source"),
    { domain: "s.example", type: "master", soaEmail: "x@s.example" },
    undefined,
  );
  await account.call("POST", `/domains/${source.id}/records`, {
    type: "A",
    name: "www",
    target: "192.0.2.1",
  });
  const declared = { domain: "c.example", type: "master", cloneOf: source.id, ttlSec: 300 };
  const copy = await apply(account, domain("copy"), declared, undefined);
  expect(copy.state).toMatchObject({
    domain: "c.example",
    ttlSec: 300,
    soaEmail: "x@s.example",
    cloneOf: source.id,
  });
  expect(await recordsOf(copy.id)).toHaveLength(1);
  expect((await apply(account, domain("copy"), declared, copy)).operation).toBe("same");
});

test("a copy whose settings are refused exists, and is told as unfinished", async () => {
  const source = await account.call("POST", "/domains", {
    domain: "t.example",
    type: "master",
    soa_email: "x@t.example",
  });
  const provider = await account.open();
  const inputs = await checked(provider, domain("half"), {
    domain: "h.example",
    type: "master",
    cloneOf: String(source["id"]),
    ttlSec: 300,
  });
  account.emulator.setFaults([
    { method: "PUT", path: "/domains/{domainId}", do: "status", status: 400, times: 9 },
  ]);
  const failed = (await provider
    .create({ ...domain("half"), inputs, preview: false })
    .catch((error: unknown) => error)) as ResourceInitFailedError;
  account.emulator.setFaults([]);
  expect(failed).toMatchObject({
    name: "ResourceInitFailedError",
    state: { domain: "h.example", ttlSec: 0 },
  });
  expect(failed.inputs).not.toHaveProperty("ttlSec");
});
