/** Who signed a request to storage: an access key of the account, the service itself, or nobody. It knows no access lists. */

import type { SideRequest } from "../../area.ts";
import { accessDenied, Denied } from "./denied.ts";
import { readPayload } from "./payload.ts";
import { type Place, type SignedRequest, sentResources, serviceSigner, signatureOf } from "./signature.ts";
import { type ClaimV4, momentOf, readClaimV4, signatureV4, unsignedPayload } from "./signature-v4.ts";
import { type AccessKey, accessKeys } from "./stored.ts";

/** `service` for an address that the API made; nothing for an unsigned request. */
export type Signed = AccessKey | "service" | undefined;

export interface Authenticated {
  readonly signer: Signed;
  /** The content that the request brings. */
  readonly content: Buffer;
}

/** How far the clock of a client that signs in a header may be off, in milliseconds. */
const largestSkew = 15 * 60 * 1000;

const mismatch = () =>
  new Denied(
    403,
    "SignatureDoesNotMatch",
    "The signature is for another method, object, header or time of expiry",
  );

function mustBeNow({ world }: SideRequest, told: Date): void {
  if (!(Math.abs(world.clock.now().getTime() - told.getTime()) <= largestSkew))
    throw new Denied(403, "RequestTimeTooSkewed", "The time of the request is too far from the time here");
}

function keyOf({ world }: SideRequest, id: string): AccessKey {
  const key = accessKeys(world).by("access_key", id)[0];
  if (!key) throw new Denied(403, "InvalidAccessKeyId", "There is no such access key");
  return key;
}

/** Version 2's claim in the query or in the header, or nothing when there is none. */
function readClaimV2({ query, headers }: SideRequest) {
  const [, headerId, headerSignature] = /^AWS ([^:]+):(.+)$/.exec(headers["authorization"] ?? "") ?? [];
  if (headerId && headerSignature) return { id: headerId, signature: headerSignature, expires: undefined };
  const [signature, expires, id] = ["Signature", "Expires", "AWSAccessKeyId"].map((name) => query.get(name));
  if (signature === null && expires === null && id === null) return undefined;
  if (!signature || !expires || !id)
    throw accessDenied("A signed request needs Signature, Expires and AWSAccessKeyId");
  if (!/^\d+$/.test(expires)) throw accessDenied("Expires must be a number of seconds");
  return { signature, expires, id };
}

function signedByV2(request: SideRequest, { cluster, bucket, name }: Place): Signed {
  const { world, method, path, query, headers } = request;
  const claim = readClaimV2(request);
  if (!claim) return undefined;
  const service = serviceSigner(world);
  const key = claim.id === service.id ? undefined : keyOf(request, claim.id);
  const date = headers["x-amz-date"] === undefined ? (headers["date"] ?? "") : "";
  const signed: SignedRequest = {
    method,
    cluster,
    bucket,
    name,
    contentType: headers["content-type"] ?? "",
    contentMd5: headers["content-md5"] ?? "",
    expires: claim.expires ?? date,
    extra: Object.entries(headers)
      .filter(([header]) => header.startsWith("x-amz-"))
      .map(([header, value]) => `${header}:${value ?? ""}`)
      .sort(),
  };
  const allowed = key
    ? [undefined, ...sentResources(path, query)].map((resource) => signatureOf(key._secret, signed, resource))
    : [signatureOf(service.secret, signed)];
  if (!allowed.includes(claim.signature)) throw mismatch();
  if (claim.expires === undefined) mustBeNow(request, new Date(headers["x-amz-date"] ?? date));
  else if (Number(claim.expires) * 1000 < world.clock.now().getTime())
    throw accessDenied("Request has expired");
  return key ?? "service";
}

function signedByV4(request: SideRequest, claim: ClaimV4): AccessKey {
  const { world, headers } = request;
  const key = keyOf(request, claim.id);
  const unsigned = Object.keys(headers).filter((name) => name === "host" || name.startsWith("x-amz-"));
  if (!unsigned.every((name) => claim.signedHeaders.includes(name)))
    throw accessDenied("host and all x-amz headers must be among the signed headers");
  const told = momentOf(claim.date);
  if (!claim.date.startsWith(claim.scope.slice(0, 8)))
    throw accessDenied("The credential is for another day");
  const payload = headers["x-amz-content-sha256"] ?? unsignedPayload;
  if (signatureV4(key._secret, request, claim, payload) !== claim.signature) throw mismatch();
  if (claim.expires === undefined) mustBeNow(request, told);
  else if (told.getTime() + claim.expires * 1000 < world.clock.now().getTime())
    throw accessDenied("Request has expired");
  return key;
}

/** Checks the signature, if there is one, and the content; throws what is wrong. */
export function authenticate(request: SideRequest, place: Place): Authenticated {
  const claim = readClaimV4(request);
  if (!claim) return { signer: signedByV2(request, place), content: readPayload(request, undefined) };
  const signer = signedByV4(request, claim);
  return { signer, content: readPayload(request, { claim, secret: signer._secret }) };
}
