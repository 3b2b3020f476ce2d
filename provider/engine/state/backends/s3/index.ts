/** States in a bucket of an S3 store: which objects are whose. Everything hangs on conditional writes, so that a store must honour them. */

import { randomUUID } from "node:crypto";
import { createWays, proxiesOf } from "../../../../provider.ts";
import { EngineError } from "../../../failure.ts";
import type { StateBackend } from "../../backend.ts";
import { isKeepable, keepable } from "../../names.ts";
import type { Machine } from "../../owner.ts";
import type { S3Address } from "../address.ts";
import { noKeyStore } from "../no-key.ts";
import { pulumisPaths } from "../pulumis.ts";
import { type Bucket, openBucket } from "./client.ts";
import { type FoundHead, readHead } from "./head.ts";
import { isSeal, segmentsIn } from "./segments.ts";
import { createStackStore } from "./stack.ts";

export interface S3Options {
  readonly address: S3Address;
  readonly machine: Machine;
  readonly now: () => Date;
  readonly environment?: { readonly [name: string]: string | undefined };
}

/** Makes no request yet. */
export function createS3Backend({
  address,
  machine,
  now,
  environment = process.env,
}: S3Options): StateBackend {
  const origin = new URL(address.endpoint).origin;
  let ways: ReturnType<typeof createWays> | undefined;
  const bucket = openBucket(address, () => {
    ways ??= createWays(proxiesOf(environment), { connections: 64 });
    return ways.to(origin);
  });
  let proof: Promise<void> | undefined;
  const prove = (key: string, found: FoundHead): Promise<void> => {
    proof ??= proveConditions(bucket, key, found);
    return proof;
  };
  const { lease, keep } = address;

  async function has(project: string, stack: string): Promise<boolean> {
    const base = `stacks/${project}/${stack}`;
    const { head } = await readHead(bucket, `${base}/head.json`);
    if (head.snapshot !== undefined) return true;
    return !segmentsIn(await bucket.list(`${base}/journal/${head.journal}/`)).every(isSeal);
  }

  async function stacks(project: string): Promise<readonly string[]> {
    const within = `stacks/${keepable("project", project)}/`;
    const names = (await bucket.folders(within)).filter(isKeepable);
    const found = await Promise.all(names.map((name) => has(project, name)));
    return names.filter((_, at) => found[at]).sort();
  }

  return {
    place: bucket.place,
    key: noKeyStore,
    stack: (project, stack) =>
      createStackStore(keepable("project", project), keepable("stack", stack), {
        ...{ bucket, prove, machine, now, lease, keep },
      }),
    stacks,
    async projects() {
      const names = (await bucket.folders("stacks/")).filter(isKeepable);
      const found = await Promise.all(names.map(async (name) => (await stacks(name)).length > 0));
      return names.filter((_, at) => found[at]).sort();
    },
    async pulumis(project, stack) {
      const paths = pulumisPaths(keepable("project", project), keepable("stack", stack));
      const found = (await bucket.list(paths[0]!)).find(({ key }) => paths.includes(key));
      return found && `${bucket.place}/${found.key}`;
    },
    /** Whatever is asked afterwards, such as the end of a lock, opens connections anew. */
    async close() {
      const opened = ways;
      ways = undefined;
      await opened?.close();
    },
  };
}

/** Tries writes whose conditions do not hold, on an object that is this run's: both must be refused. One that is done all the same changes nothing but the revision. */
async function proveConditions(bucket: Bucket, key: string, { head }: FoundHead): Promise<void> {
  const probe = () => JSON.stringify({ ...head, revision: randomUUID() });
  const done = await Promise.all([
    bucket.put(key, probe(), { absent: true }),
    bucket.put(key, probe(), { etag: '"00000000000000000000000000000000"' }),
  ]);
  const ignored = ["If-None-Match", "If-Match"].filter((_, at) => done[at] !== undefined);
  if (ignored.length === 0) return;
  throw new EngineError(
    "state",
    `The store ${bucket.place} ignores the condition of a write (${ignored.join(", ")}), so that two runs could change a stack at once: states cannot be kept in it. Use a store with conditional writes.`,
  );
}
