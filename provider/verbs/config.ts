/** The provider's own configuration: checked, compared, and resolved against the environment when it is used. Makes no request. */

import { createHash } from "node:crypto";
import { CodedError } from "../core/error-code.ts";
import { markSecrets } from "../core/judgement/check.ts";
import { same } from "../core/judgement/compare.ts";
import { knownValues, plainInputs, withoutNulls } from "../core/plain.ts";
import {
  type CheckConfigRequest,
  type CheckFailure,
  type CheckResponse,
  type DiffResponse,
  MissingSettingError,
  type PropertyDiff,
} from "../core/protocol.ts";
import { type Fields, optional, text } from "../core/type/field.ts";
import { validate } from "../core/validate.ts";
import { containsSecret, containsUnknown, revealAll, type Value, type ValueMap } from "../core/value.ts";
import { isLoopback, type Proxies, proxiesOf } from "../service/http/proxy.ts";

/** Config keys, with the environment variable that stands in for each. */
export const configFields = {
  baseUrl: optional(
    text({
      description:
        "Address of the service, with its version segment `/v4`. Without it, `PLUMBLINE_BASE_URL` is used.",
    }),
  ),
  token: optional(
    text({ description: "Personal access token. Without it, `PLUMBLINE_TOKEN` is used.", secret: true }),
  ),
  brand: optional(
    text({
      description:
        "Word that the service writes in paths, fields and scopes where its contract writes `compute`. Without it, `PLUMBLINE_BRAND` is used. Default: `compute`.",
      rules: [{ pattern: "^[a-z][a-z0-9]*$", says: "must be a lower-case word" }],
    }),
  ),
} satisfies Fields;

const environmentOf = {
  baseUrl: "PLUMBLINE_BASE_URL",
  token: "PLUMBLINE_TOKEN",
  brand: "PLUMBLINE_BRAND",
} as const;

/** Keys that engines put beside ours; they pass through untouched. */
const engineKeys = new Set(["version", "pluginDownloadURL", "__internal", "__defaults", "__target"]);

/** Where and as whom to call the service. */
export interface Target {
  /** In its one spelling: see `normalUrl`. */
  readonly baseUrl: string;
  readonly token: string;
  readonly brand: string;
  readonly proxies: Proxies;
}

/** What must be said of a target once a run; absent: nothing. */
export function warningOf({ baseUrl }: Target): string | undefined {
  const { protocol, hostname, host } = new URL(baseUrl);
  if (protocol === "https:" || isLoopback(hostname)) return undefined;
  return `the token goes to ${host} in plain http, where everybody on the way can read it: use https in PLUMBLINE_BASE_URL or plumbline:baseUrl`;
}

export async function checkConfig(request: CheckConfigRequest): Promise<CheckResponse> {
  const given = withoutNulls(request.newInputs);
  const ours = Object.fromEntries(Object.entries(given).filter(([name]) => !engineKeys.has(name)));
  const plain = plainInputs(configFields, decoded(ours));
  const failures: CheckFailure[] = await validate({ fields: configFields, noun: "setting" }, plain);
  const { baseUrl } = knownValues(plain);
  if (typeof baseUrl === "string" && failures.every(({ property }) => property !== "baseUrl")) {
    const fault = urlFault(baseUrl);
    if (fault) failures.push({ property: "baseUrl", reason: fault, errorCode: "PLB-SETTING" });
  }
  const { __internal: _, ...kept } = given;
  return { inputs: markSecrets(configFields, kept), failures };
}

function urlFault(baseUrl: string): string | undefined {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  // These first, because the others show the address.
  if (url?.username || url?.password)
    return "must not hold a user or a password; the token is its own setting";
  if (url?.search || url?.hash) return "must hold nothing after its path (no ?, no #)";
  if (!url || !/^https?:$/.test(url.protocol))
    return `must be an http or https address, not ${JSON.stringify(baseUrl)}`;
  if (!/\/v4(beta)?\/*$/.test(url.pathname))
    return `must end with the version segment /v4: ${JSON.stringify(baseUrl)}`;
  return undefined;
}

/** One spelling for each address, so that states can be compared by it: no slash at the end, no default port, the host in small letters. */
function normalUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, "");
}

/** Values that arrive as JSON in a string (settings of other types than text do). */
function decoded(values: ValueMap): ValueMap {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const field = (configFields as Fields)[name] as { type?: string } | undefined;
      if (!field || field.type === "string" || typeof value !== "string") return [name, value];
      try {
        return [name, JSON.parse(value) as Value];
      } catch {
        return [name, value];
      }
    }),
  );
}

/** Tells two targets apart without showing the token. */
export function credentialOf({ baseUrl, token }: Target): string {
  return createHash("sha256").update(`${baseUrl}\n${token}`).digest("base64url");
}

/** A change of target or token is never a replacement: the objects stay where they are. */
export function diffConfig(request: CheckConfigRequest): DiffResponse {
  const detailedDiff: { [path: string]: PropertyDiff } = {};
  for (const [name, field] of Object.entries(configFields)) {
    const before = decoded(request.oldInputs)[name];
    const after = decoded(request.newInputs)[name];
    if (same(field, before, after)) continue;
    detailedDiff[name] = {
      kind: before === undefined ? "add" : after === undefined ? "delete" : "update",
      inputDiff: true,
    };
  }
  const changes = Object.keys(detailedDiff).length > 0;
  return { changes, detailedDiff, replaces: [], deleteBeforeReplace: false, stables: [] };
}

/** The target: explicit settings before the environment. Throws an error that names both ways when something is missing. */
export function resolveTarget(
  config: ValueMap,
  environment: { readonly [name: string]: string | undefined },
): Target {
  const values = decoded(revealAll(withoutNulls(config)) as ValueMap);
  const setting = (name: keyof typeof configFields): string | undefined => {
    const value = values[name];
    if (value !== undefined && containsUnknown(value)) throw new Error(`plumbline:${name} is not known yet`);
    return typeof value === "string" && value !== "" ? value : environment[environmentOf[name]] || undefined;
  };
  const need = (name: "baseUrl" | "token", what: string): string => {
    const value = setting(name);
    if (value !== undefined) return value;
    const secretly = containsSecret(markSecrets(configFields, { [name]: "x" })) ? " --secret" : "";
    const [key, variable] = [`plumbline:${name}`, environmentOf[name]];
    throw new MissingSettingError(
      `${what} is not set: set the config key ${key} (pulumi config set${secretly} ${key} …) or the environment variable ${variable}`,
      { what, key, variable },
    );
  };
  const baseUrl = need("baseUrl", "the service's address");
  const fault = urlFault(baseUrl);
  if (fault)
    throw new CodedError(
      "PLB-SETTING",
      `the service's address (plumbline:baseUrl or PLUMBLINE_BASE_URL) ${fault}`,
    );
  return {
    baseUrl: normalUrl(baseUrl),
    token: need("token", "the access token"),
    brand: setting("brand") ?? "compute",
    proxies: proxiesOf(environment),
  };
}
