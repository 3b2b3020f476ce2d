/** The API server as the controller asks it (`api.ts`), over the credentials of Kubernetes' own client. Objects are JSON as the server sends it. */

import { setMaxListeners } from "node:events";
import { type Kind, kindOf, version } from "../core/schema/manifest/form.ts";
import { type Api, ConflictError, type KubeObject, type Leases, TakenError } from "./api.ts";
import { type Connection, hasStatus, type Json } from "./server/connection.ts";
import { createEvents } from "./server/events.ts";
import { type FollowOptions, follow } from "./server/following.ts";
import { leasesOf } from "./server/leases.ts";

export interface ClientOptions {
  readonly connection: Connection;
  /** Namespaces whose objects are followed; empty: all. */
  readonly namespaces: readonly string[];
  /** Name of this replica. */
  readonly instance: string;
  /** Told of what could not be done, and that it can be again (undefined); `what` is followed, or what was tried. */
  readonly troubled: (what: string, error: Error | undefined) => void;
  /** Milliseconds without a word after which a watch counts as lost. Default 150,000: a server says something every minute. */
  readonly silence?: number;
}

export interface Client extends Api {
  readonly leases: Leases;
  /** Tells the name of every Secret or ConfigMap, then of each that changed or is gone; resolves when all that are there were told. Asks for no value. */
  readonly followNames: (
    kind: "Secret" | "ConfigMap",
    heard: (namespace: string, name: string) => void,
  ) => Promise<void>;
  /** The values of a Secret of the controller's own namespace; where there is none it is made of these. */
  readonly ownSecret: (
    name: string,
    make: () => { readonly [key: string]: string },
  ) => Promise<ReadonlyMap<string, Uint8Array>>;
  /** Follows nothing any more, and ends every connection. */
  readonly close: () => Promise<void>;
}

const mergePatch = "application/merge-patch+json";
const plurals = { Secret: "secrets", ConfigMap: "configmaps" } as const;

export function createClient(options: ClientOptions): Client {
  const { connection, namespaces, instance, troubled, silence = 150_000 } = options;
  const closing = new AbortController();
  const { signal } = closing;
  // One listener for each request under way is meant, not a leak.
  setMaxListeners(0, signal);
  const events = createEvents({
    ...{ connection, instance },
    troubled: (error) => troubled("events", error),
  });
  const ask = (question: Parameters<Connection["ask"]>[0]): Promise<Json> =>
    connection.ask({ signal, ...question }).catch((error: unknown) => {
      throw hasStatus(error, 409) ? new ConflictError((error as Error).message, { cause: error }) : error;
    });

  /** In each of the namespaces. */
  async function followAll(
    root: string,
    plural: string,
    heard: Pick<FollowOptions, "changed" | "gone">,
    more: { readonly isNamesOnly?: boolean; readonly query?: { readonly [name: string]: string } } = {},
    places: readonly string[] = namespaces,
  ): Promise<void> {
    const within = places.length === 0 ? [""] : places.map((each) => `/namespaces/${each}`);
    await Promise.all(
      within.map((place) =>
        follow({
          ...{ connection, silence, signal, ...heard, ...more, path: `${root}${place}/${plural}` },
          troubled: (error) => troubled(plural, error),
        }),
      ),
    );
  }

  const secretPath = (namespace: string, name = ""): string =>
    `/api/v1/namespaces/${namespace}/secrets${name && `/${name}`}`;

  async function data(kind: "Secret" | "ConfigMap", namespace: string, name: string) {
    const path = `/api/v1/namespaces/${namespace}/${plurals[kind]}/${name}`;
    const found = await orAbsent(ask({ method: "GET", path }));
    return found && valuesOf(kind, found);
  }

  async function ownSecret(
    name: string,
    make: () => { readonly [key: string]: string },
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const { namespace } = connection;
    const found = await data("Secret", namespace, name);
    if (found) return found;
    const body = { metadata: { name, labels: managed }, type: "Opaque", stringData: make() };
    // Another replica may have been faster: its value counts.
    await ask({ method: "POST", path: secretPath(namespace), body }).catch((error) => {
      if (!(error instanceof ConflictError)) throw error;
    });
    return (await data("Secret", namespace, name)) ?? new Map();
  }

  return {
    data,
    ownSecret,
    event: events.tell,
    leases: leasesOf({ connection, ask, followAll }),
    async patchMetadata(object, patch) {
      const { uid, resourceVersion } = object.metadata;
      const body = { metadata: { uid, resourceVersion, ...patch } };
      const path = pathOf(object);
      return slim(await ask({ method: "PATCH", path, body, contentType: mergePatch }));
    },
    async replaceStatus(object, status) {
      const { apiVersion, kind, metadata, spec } = object;
      const body = { apiVersion, kind, metadata, spec, status };
      return slim(await ask({ method: "PUT", path: `${pathOf(object)}/status`, body }));
    },
    async writeSecret(owner, name, values) {
      const { namespace, uid, name: ownName } = owner.metadata;
      const found = await orAbsent(ask({ method: "GET", path: secretPath(namespace, name) }));
      const encoded = Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
      );
      if (found === undefined) {
        const reference = { apiVersion: owner.apiVersion, kind: owner.kind, name: ownName, uid };
        const metadata = { name, labels: managed, ownerReferences: [{ ...reference, controller: true }] };
        const body = { metadata, type: "Opaque", data: encoded };
        await ask({ method: "POST", path: secretPath(namespace), body });
        return;
      }
      const { metadata, data: held = {} } = found as unknown as {
        readonly metadata: { resourceVersion: string; ownerReferences?: readonly { uid: string }[] };
        readonly data?: { readonly [key: string]: string };
      };
      if (!metadata.ownerReferences?.some((each) => each.uid === uid))
        throw new TakenError(
          `the Secret ${name} is not of ${owner.kind} ${ownName}: name another, or delete it`,
        );
      if (Object.entries(encoded).every(([key, value]) => held[key] === value)) return;
      const body = { metadata: { resourceVersion: metadata.resourceVersion }, data: encoded };
      await ask({ method: "PATCH", path: secretPath(namespace, name), body, contentType: mergePatch });
    },
    follow: ({ group, plural, kind }: Kind, heard) =>
      followAll(`/apis/${group}/${version}`, plural, {
        changed: (object) => heard(slim({ apiVersion: `${group}/${version}`, kind, ...object }), false),
        gone: (name, namespace) => heard(tombstone(`${group}/${version}`, kind, name, namespace), true),
      }),
    followNames: (kind, heard) =>
      followAll(
        "/api/v1",
        plurals[kind],
        {
          changed: ({ metadata }) => heard(metadata.namespace, metadata.name),
          gone: (name, namespace) => heard(namespace, name),
        },
        { isNamesOnly: true },
      ),
    async close() {
      await events.close();
      closing.abort();
      await connection.close();
    },
  };
}

const managed = { "app.kubernetes.io/managed-by": "plumbline" };

const pathOf = ({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): string =>
  `/apis/${apiVersion}/namespaces/${namespace}/${kindOf({ area: "", name: kind }).plural}/${name}`;

async function orAbsent(answer: Promise<Json>): Promise<Json | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}

function valuesOf(kind: "Secret" | "ConfigMap", object: Json): ReadonlyMap<string, Uint8Array> {
  const parts = object as { readonly [part in "data" | "binaryData"]?: { readonly [key: string]: string } };
  const bytes = (encoding: BufferEncoding, values: { readonly [key: string]: string } = {}) =>
    Object.entries(values).map(
      ([key, value]) => [key, new Uint8Array(Buffer.from(value, encoding))] as const,
    );
  return new Map(
    kind === "Secret"
      ? bytes("base64", parts.data)
      : [...bytes("utf8", parts.data), ...bytes("base64", parts.binaryData)],
  );
}

/** An object without what nobody reads and what is as long as the rest: who managed which field. */
function slim(object: Json): KubeObject {
  const { apiVersion, kind, metadata, spec, status } = object as unknown as KubeObject;
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp } = metadata;
  const { deletionTimestamp, annotations, finalizers } = metadata;
  const { "kubectl.kubernetes.io/last-applied-configuration": _, ...kept } = annotations ?? {};
  return {
    ...{ apiVersion, kind },
    metadata: {
      ...{ name, namespace, uid, resourceVersion, generation, creationTimestamp },
      ...(deletionTimestamp && { deletionTimestamp }),
      ...(annotations && { annotations: kept }),
      ...(finalizers && { finalizers }),
    },
    spec: spec ?? {},
    ...(status && { status }),
  };
}

const tombstone = (apiVersion: string, kind: string, name: string, namespace: string): KubeObject => ({
  ...{ apiVersion, kind, spec: {} },
  metadata: { name, namespace, uid: "", resourceVersion: "", generation: 0, creationTimestamp: "" },
});
