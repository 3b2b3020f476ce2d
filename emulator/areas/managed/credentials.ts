/** Managed credentials, whose user names and passwords are never told, and the account's SSH key (contract section 2.8; notes, section 8). */

import { createHash } from "node:crypto";
import {
  type Call,
  type Collection,
  type Handler,
  type Item,
  notFound,
  type Reason,
  refuseAll,
  type World,
} from "../../area.ts";
import { services } from "./services.ts";

interface Credential extends Item {
  label: string;
  last_decrypted: string | null;
  _username: string;
  _password: string;
}

export function credentials(world: World): Collection<Credential> {
  return world.collection<Credential>("managedCredentials");
}

function reachCredential(call: Call): Credential {
  return credentials(call.world).get(call.id("credentialId")) ?? notFound();
}

function labelReasons(world: World, label: string | undefined, own?: number): Reason[] {
  const taken =
    label !== undefined &&
    credentials(world)
      .by("label", label)
      .some(({ id }) => id !== own);
  return taken ? [{ reason: "Label must be unique among your credentials", field: "label" }] : [];
}

function create(call: Call): Credential {
  const { world, body } = call;
  refuseAll(labelReasons(world, body["label"]));
  return credentials(world).insert({
    label: body["label"],
    last_decrypted: null,
    _username: body["username"] ?? "",
    _password: body["password"],
  });
}

function rename(call: Call): Credential {
  const { world, body } = call;
  const credential = reachCredential(call);
  refuseAll(labelReasons(world, body["label"], credential.id));
  return credentials(world).update(credential.id, { label: body["label"] ?? credential.label });
}

function change(call: Call) {
  const { world, body } = call;
  const credential = reachCredential(call);
  credentials(world).update(credential.id, {
    _username: body["username"] ?? credential._username,
    _password: body["password"],
  });
  return {};
}

/** Services no longer name what is revoked. */
function revoke(call: Call) {
  const { world } = call;
  const { id } = reachCredential(call);
  credentials(world).delete(id);
  for (const service of services(world).filter((one) => one.credentials.includes(id)))
    services(world).update(service.id, { credentials: service.credentials.filter((one) => one !== id) });
  return {};
}

/** A length before its bytes, as SSH writes texts and numbers. */
function counted(content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

/** The account's own key, always the same: 2048 bits that follow from the account's number, as nobody needs the other half. */
function sshKey(world: World): string {
  const account = String(world.account["euuid"] ?? "");
  const modulus = Buffer.concat(
    Array.from({ length: 4 }, (_, part) => createHash("sha512").update(`${account} ${part}`).digest()),
  );
  modulus[0] = (modulus[0] as number) | 0x80;
  modulus[modulus.length - 1] = (modulus.at(-1) as number) | 1;
  const key = Buffer.concat([
    counted(Buffer.from("ssh-rsa")),
    counted(Buffer.from([1, 0, 1])),
    // A number whose first bit is set would be negative.
    counted(Buffer.concat([Buffer.from([0]), modulus])),
  ]);
  return `ssh-rsa ${key.toString("base64")} managedservices@${world.brand ?? "compute"}`;
}

export const credentialHandlers: { readonly [operation: string]: Handler } = {
  "GET /managed/credentials": (call) => credentials(call.world).all(),
  "POST /managed/credentials": create,
  "GET /managed/credentials/sshkey": (call) => ({ ssh_key: sshKey(call.world) }),
  "GET /managed/credentials/{credentialId}": reachCredential,
  "PUT /managed/credentials/{credentialId}": rename,
  "POST /managed/credentials/{credentialId}/update": change,
  "POST /managed/credentials/{credentialId}/revoke": revoke,
};

export const credentialJudges = {
  "POST /managed/credentials": (call: Call) => labelReasons(call.world, call.body["label"]),
  "PUT /managed/credentials/{credentialId}": (call: Call) =>
    labelReasons(call.world, call.body["label"], reachCredential(call).id),
  "POST /managed/credentials/{credentialId}/update": (call: Call) => {
    reachCredential(call);
    return [];
  },
};
