/** Where states are, as a user writes it: the path of a folder, or a URL whose scheme says what keeps them. Opens nothing. */

import { homedir } from "node:os";
import { resolve } from "node:path";
import { didYouMean } from "../../../core/nearest.ts";
import { EngineError } from "../../failure.ts";
import { usualLease } from "./lease.ts";
import { type Environment, numberOf, type Rest, refuse, truthOf, usualKeep } from "./parameters.ts";
import {
  type PostgresAddress,
  postgresKnows,
  postgresOf,
  postgresPulumis,
  refusePieces,
} from "./postgres/address.ts";

export type { PostgresAddress };

/** A place that was told apart from every other, with what its kind needs. */
export type StateAddress = FolderAddress | S3Address | PostgresAddress;

interface Kept {
  /** How many versions of a state are kept. */
  readonly keep: number;
}

export interface FolderAddress extends Kept {
  readonly kind: "folder";
  /** Absolute. */
  readonly folder: string;
}

export interface S3Address extends Kept {
  readonly kind: "s3";
  readonly bucket: string;
  /** What all keys begin with, without a slash at either end; may be empty. */
  readonly prefix: string;
  /** URL of the store. */
  readonly endpoint: string;
  readonly region: string;
  /** True: the bucket stands in the path, and not in the name of the host. */
  readonly isPathStyle: boolean;
  /** Of the credentials' file; absent: AWS_PROFILE, or none. */
  readonly profile?: string;
  /** What each object is written with (`x-amz-server-side-encryption…`), for buckets whose rules demand it; most often nothing. */
  readonly encryption: { readonly [header: string]: string };
  /** Seconds. */
  readonly lease: number;
}

interface Scheme {
  /** The parameters that it knows. */
  readonly knows: readonly string[];
  /** Those that say something to Pulumi alone, where both read one project file: taken, and of no effect here. */
  readonly pulumis: readonly string[];
  /** True: a plus of a parameter is one, and no space. */
  readonly keepsPlus?: true;
  /** Before anything of it is told in a refusal. */
  readonly refuseFirst?: (rest: string) => void;
  readonly read: (rest: Rest) => StateAddress;
}

const postgres: Scheme = {
  knows: postgresKnows,
  pulumis: postgresPulumis,
  keepsPlus: true,
  refuseFirst: refusePieces,
  read: postgresOf,
};

const schemes: { readonly [scheme: string]: Scheme } = {
  file: {
    knows: ["keep"],
    pulumis: ["metadata", "no_tmp_dir", "create_dir", "base_url", "secret_key_path"],
    read: ({ place, base, parameters }) => ({
      kind: "folder",
      folder: place === "" ? refuse("file:// names no folder: this one is file://.") : folderOf(place, base),
      keep: numberOf(parameters, "keep", usualKeep),
    }),
  },
  s3: {
    knows: [
      "endpoint",
      "region",
      "profile",
      "s3ForcePathStyle",
      "use_path_style",
      "disableSSL",
      "ssetype",
      "kmskeyid",
      "lease",
      "keep",
    ],
    pulumis: ["awssdk"],
    read: s3Of,
  },
  postgres,
  postgresql: postgres,
};

const known = Object.keys(schemes)
  .map((scheme) => `${scheme}://`)
  .join(", ");

/** What begins as an address does, and is none. */
const halfAddress = new RegExp(`^(${Object.keys(schemes).join("|")})(:(?!//)|//)`, "i");

/** Reads an address, whatever spaces and line ends are around it; paths are relative to the folder `base`. Throws EngineError `usage`, without any secret of the text. */
export function parseAddress(
  written: string,
  base: string,
  environment: Environment = process.env,
): StateAddress {
  const text = written.trim();
  if (text === "") refuse(`the address of the states is empty: give ${known}, or the path of a folder`);
  const half = halfAddress.exec(text)?.[1]?.toLowerCase();
  if (half !== undefined)
    refuse(`an address begins with "${half}://"; where a folder of that name is meant, write ./ before it`);
  const [, name, rest] = /^([A-Za-z][A-Za-z0-9+.-]+):\/\/(.*)$/s.exec(text) ?? [];
  if (name === undefined || rest === undefined)
    return { kind: "folder", folder: resolve(base, text), keep: usualKeep };
  const scheme = Object.hasOwn(schemes, name.toLowerCase()) ? schemes[name.toLowerCase()] : undefined;
  if (scheme === undefined)
    throw new EngineError(
      "usage",
      `no states can be kept in "${name}://": give an address that begins with ${known}, or the path of a folder`,
    );
  scheme.refuseFirst?.(rest);
  const [place = "", query = ""] = rest.split(/\?(.*)/s, 2);
  const parameters = new Map(new URLSearchParams(scheme.keepsPlus ? query.replaceAll("+", "%2B") : query));
  for (const key of parameters.keys())
    if (!scheme.knows.includes(key) && !scheme.pulumis.includes(key))
      refuse(`"${key}" is no parameter of ${name}://${didYouMean(key, scheme.knows)}`);
  // Most often a variable that is not set; what would count instead may be another place, or a way that is less closed.
  for (const [key, value] of parameters)
    if (value === "" && scheme.knows.includes(key))
      refuse(`"${key}" has no value: give one, or leave it out`);
  return scheme.read({ whole: rest, place, parameters, base, environment });
}

/** As Pulumi reads it: `~` is the home folder, and what does not begin with `/` is relative. */
function folderOf(place: string, base: string): string {
  return resolve(
    base,
    place.replace(/^~(?=\/|$)/, () => homedir()),
  );
}

function s3Of({ place, parameters, environment }: Rest): S3Address {
  const [bucket = "", ...folders] = place.split("/");
  const prefix = folders.filter((folder) => folder !== "").join("/");
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(bucket))
    refuse(
      "an address of S3 names a bucket of 3 to 63 letters, digits, dots and hyphens: s3://BUCKET/PREFIX",
    );
  if (!/^[A-Za-z0-9._/-]*$/.test(prefix) || /(^|\/)\.{1,2}(\/|$)/.test(prefix))
    refuse('the prefix of an address of S3 may hold letters, digits, ".", "_", "-" and "/"');
  const region =
    parameters.get("region") ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || "us-east-1");
  const given =
    parameters.get("endpoint") ?? (environment.AWS_ENDPOINT_URL_S3 || environment.AWS_ENDPOINT_URL);
  const style = truthOf(parameters, "s3ForcePathStyle") ?? truthOf(parameters, "use_path_style");
  const isPlain = truthOf(parameters, "disableSSL");
  const profile = parameters.get("profile");
  return {
    kind: "s3",
    bucket,
    prefix,
    region,
    endpoint: given ? endpointOf(given, isPlain ?? false) : `https://s3.${region}.amazonaws.com`,
    isPathStyle: style ?? (given !== undefined || bucket.includes(".")),
    encryption: encryptionOf(parameters),
    lease: numberOf(parameters, "lease", usualLease),
    keep: numberOf(parameters, "keep", usualKeep),
    ...(profile === undefined ? {} : { profile }),
  };
}

/** As a bucket's rules name them (S3's `x-amz-server-side-encryption`). */
const encryptions = ["AES256", "aws:kms", "aws:kms:dsse"];

function encryptionOf(parameters: ReadonlyMap<string, string>): S3Address["encryption"] {
  const key = parameters.get("kmskeyid");
  const given = parameters.get("ssetype") ?? (key === undefined ? undefined : "aws:kms");
  if (given === undefined) return {};
  const type = encryptions.find((one) => one.toLowerCase() === given.toLowerCase());
  if (type === undefined) refuse(`"ssetype" must be one of ${encryptions.join(", ")}`);
  if (key !== undefined && type === "AES256") refuse('"kmskeyid" goes with ssetype=aws:kms or aws:kms:dsse');
  return {
    "x-amz-server-side-encryption": type,
    ...(key === undefined ? {} : { "x-amz-server-side-encryption-aws-kms-key-id": key }),
  };
}

function endpointOf(given: string, isPlain: boolean): string {
  const text = /^https?:\/\//i.test(given) ? given : `${isPlain ? "http" : "https"}://${given}`;
  if (!URL.canParse(text)) refuse("the endpoint is no address: write endpoint=https://HOST, or HOST:PORT");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || url.search !== "")
    refuse(
      "the endpoint is an address alone: credentials come from the environment (AWS_ACCESS_KEY_ID) or a profile",
    );
  return text;
}
