/** What leaves a state in plain text, or on its way to Pulumi. */

import { expect, test } from "vitest";
import { secret } from "../../../provider/core/value.ts";
import type { EngineOptions } from "../../../provider/engine/engine.ts";
import { type Bench, type Block, bench } from "../deployment/program.ts";
import { type Life, life, world } from "../deployment/world.ts";

const login: Block = { name: "a", inputs: { label: "a", password: secret("open sesame") } };
const under = (passphrase?: string): Partial<EngineOptions> => ({
  environment: passphrase === undefined ? {} : { PLUMBLINE_PASSPHRASE: passphrase },
});

test("an export in plain text is taken in under any passphrase, and sealed there", async () => {
  const b = bench(world());
  await b.engine([login], under("one")).up();
  const engine = () => b.engine([], under("one"));
  const sealed = JSON.stringify(await engine().exportState());
  expect(sealed).not.toContain("open sesame");
  const plain = await engine().exportState({ showSecrets: true });
  expect(plain.deployment).not.toHaveProperty("secrets_providers");
  const elsewhere = await engine().exportPulumi({ showSecrets: true });
  // As a stack that is sealed by a cloud's key leaves Pulumi with --show-secrets.
  const foreign = { ...elsewhere.deployment, secrets_providers: { type: "cloud", state: {} } };
  for (const given of [plain, elsewhere, { version: 3, deployment: foreign }]) {
    expect(JSON.stringify(given)).toContain("open sesame");
    const c = bench(b.world);
    await c.engine([], under("two")).importState(JSON.stringify(given));
    expect([...c.files.values()].join()).not.toContain("open sesame");
    expect(await c.engine([login], under("two")).preview()).toMatchObject({ changes: false });
  }
  await expect(bench(b.world).engine([], under("two")).importState(sealed)).rejects.toThrow("passphrase");
});

test("a stack that Pulumi sealed under an empty passphrase is taken over, and sealed under a key of its own", async () => {
  const b = bench(world());
  await b.engine([login], under("one")).up();
  const { createPassphraseCrypter } = await import("../../../provider/engine/state/passphrase.ts");
  const { cheapKey } = await import("../cheap-key.ts");
  const empty = await createPassphraseCrypter("", undefined, cheapKey);
  const { deployment } = await b.engine([], under("one")).exportPulumi({ showSecrets: true });
  const text = JSON.stringify({
    version: 3,
    deployment: { ...deployment, secrets_providers: { type: "passphrase", state: { salt: empty.state } } },
  }).replace(
    /"plaintext":("(?:[^"\\]|\\.)*")/g,
    (_, json: string) => `"ciphertext":${JSON.stringify(empty.encrypt(JSON.parse(json) as string))}`,
  );
  expect(text).not.toContain("open sesame");
  const c = bench(b.world);
  const environment = { PULUMI_CONFIG_PASSPHRASE: "" };
  await c.engine([], { environment }).importState(text);
  expect([...c.files.keys()]).toContain("/state/key");
  expect(await c.engine([login]).preview()).toMatchObject({ changes: false });
  await expect(bench(b.world).engine([]).importState(text)).rejects.toThrow("passphrase");
});

/** Kills an `up` while something is being made. */
async function killed(b: Bench): Promise<void> {
  for (let moment = 1; moment < 100; moment += 1) {
    const of: Life = life(moment);
    await Promise.race([b.engine([login], { of }).up(), of.ended]);
    if (b.world.objects.size > 0) return;
  }
  throw new Error("nothing was made");
}

test("nothing goes to Pulumi while it is not known what became of it, for Pulumi would make it again", async () => {
  const b = bench(world());
  await killed(b);
  await expect(b.engine([]).exportPulumi()).rejects.toMatchObject({
    code: "usage",
    message: expect.stringMatching(/plumbline refresh[\s\S]*urn:pulumi:dev::shop::.*::a$/),
  });
  expect(JSON.stringify(await b.engine([]).exportState())).toContain("pending_operations");
  await b.engine([login]).refresh();
  const { deployment } = await b.engine([]).exportPulumi();
  expect(deployment.resources?.map(({ urn }) => String(urn).split("::").pop())).toContain("a");
});
