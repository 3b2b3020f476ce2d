/** Where states are, as a user writes it: the path of a folder, or a URL whose scheme says what keeps them. Opens nothing. */

import { homedir } from "node:os";
import { resolve } from "node:path";
import { didYouMean } from "../../../core/nearest.ts";
import { EngineError } from "../../failure.ts";
import { usualLease } from "./lease.ts";

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

export interface PostgresAddress extends Kept {
  readonly kind: "postgres";
  /** For the client alone: it may hold a password. */
  readonly url: string;
  /** Without it, for messages. */
  readonly place: string;
  /** Absent: the environment has it, a password file, or nobody. */
  readonly password?: string;
  readonly schema: string;
  /** Where Pulumi keeps its states in the same database. */
  readonly pulumisTable: string;
  /** Seconds. */
  readonly lease: number;
}

type Environment = { readonly [name: string]: string | undefined };

/** What stands behind `://`. */
interface Rest {
  readonly whole: string;
  /** Up to the question mark. */
  readonly place: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly base: string;
  readonly environment: Environment;
}

interface Scheme {
  /** The parameters that it knows. */
  readonly knows: readonly string[];
  /** Those that say something to Pulumi alone, where both read one project file: taken, and of no effect here. */
  readonly pulumis: readonly string[];
  readonly read: (rest: Rest) => StateAddress;
}

/** Versions that are kept where the address says nothing else. */
export const usualKeep = 20;

const postgres: Scheme = {
  knows: [
    ...["sslmode", "sslrootcert", "sslcert", "sslkey", "uselibpqcompat", "host", "port", "user", "password"],
    ...["application_name", "options", "connect_timeout", "schema", "lease", "keep"],
  ],
  pulumis: ["table"],
  read: postgresOf,
};

const schemes: { readonly [scheme: string]: Scheme } = {
  file: {
    knows: ["keep"],
    pulumis: ["metadata", "no_tmp_dir", "create_dir", "base_url", "secret_key_path"],
    read: ({ place, base, parameters }) => ({
      kind: "folder",
      folder: folderOf(place, base),
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

/** Reads an address; paths are relative to the folder `base`. Throws EngineError `usage`, without any secret of the text. */
export function parseAddress(
  text: string,
  base: string,
  environment: Environment = process.env,
): StateAddress {
  const [, name, rest] = /^([A-Za-z][A-Za-z0-9+.-]+):\/\/(.*)$/s.exec(text) ?? [];
  if (name === undefined || rest === undefined)
    return { kind: "folder", folder: resolve(base, text), keep: usualKeep };
  const scheme = Object.hasOwn(schemes, name.toLowerCase()) ? schemes[name.toLowerCase()] : undefined;
  if (scheme === undefined)
    throw new EngineError(
      "usage",
      `no states can be kept in "${name}://": give an address that begins with ${known}, or the path of a folder`,
    );
  const [place = "", query = ""] = rest.split(/\?(.*)/s, 2);
  const parameters = new Map(new URLSearchParams(query));
  for (const key of parameters.keys())
    if (!scheme.knows.includes(key) && !scheme.pulumis.includes(key))
      refuse(`"${key}" is no parameter of ${name}://${didYouMean(key, scheme.knows)}`);
  return scheme.read({ whole: rest, place, parameters, base, environment });
}

function refuse(why: string): never {
  throw new EngineError("usage", why);
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

function postgresOf({ whole, parameters }: Rest): PostgresAddress {
  const text = `postgres://${whole}`;
  if (!URL.canParse(text)) refuse("an address of PostgreSQL reads postgres://USER@HOST:PORT/DATABASE");
  const url = new URL(text);
  const password = decodeURIComponent(url.password) || parameters.get("password");
  const schema = parameters.get("schema") ?? "plumbline";
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    refuse('the schema may have small letters, digits and "_", and begins with no digit');
  for (const key of ["schema", "lease", "keep", ...postgres.pulumis]) url.searchParams.delete(key);
  // As PostgreSQL's own tools read it: `require` encrypts, `verify-full` also asks who is there.
  if (parameters.has("sslmode") && !parameters.has("uselibpqcompat"))
    url.searchParams.set("uselibpqcompat", "true");
  const host = url.host || parameters.get("host") || "";
  return {
    kind: "postgres",
    url: url.href,
    place: `postgres://${url.username === "" ? "" : `${url.username}@`}${host}${url.pathname}`,
    schema,
    pulumisTable: parameters.get("table") || "pulumi_state",
    lease: numberOf(parameters, "lease", usualLease),
    keep: numberOf(parameters, "keep", usualKeep),
    ...(password ? { password } : {}),
  };
}

/** As Go, and so Pulumi, reads a truth value. */
const truths = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

function truthOf(parameters: ReadonlyMap<string, string>, name: string): boolean | undefined {
  const text = parameters.get(name);
  if (text === undefined) return undefined;
  return truths.get(text) ?? refuse(`"${name}" must be true or false`);
}

/** The least that makes sense of each, and the most. */
const bounds: { readonly [name: string]: readonly [number, number] } = { lease: [4, 3600], keep: [1, 1000] };

function numberOf(parameters: ReadonlyMap<string, string>, name: "lease" | "keep", usual: number): number {
  const text = parameters.get(name);
  if (text === undefined) return usual;
  const [least, most] = bounds[name]!;
  const number = Number(text);
  if (!Number.isInteger(number) || number < least || number > most)
    refuse(
      `"${name}" must be a whole number from ${least} to ${most}${name === "lease" ? ", in seconds" : ""}`,
    );
  return number;
}
