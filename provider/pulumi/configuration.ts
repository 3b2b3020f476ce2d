/** The provider's own configuration: CheckConfig, DiffConfig, Configure. It knows the many shapes in which engines send it, not what the keys mean. */

import type { CheckRequest, ConfigureRequest, DiffRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import wire from "@pulumi/pulumi/proto/provider_pb.js";
import type { Catalogue, ValueMap } from "../core/protocol.ts";
import { CheckFailedError } from "../core/protocol.ts";
import { isSecret, reveal, secret, type Value } from "../core/value.ts";
import { decodeProperties, encodeProperties } from "../wire/struct.ts";
import { typedConfig } from "../wire/typed-config.ts";
import type { Session } from "./session.ts";
import { boundIn, nextTarget, refusalOf, targetOf, withTarget } from "./target.ts";
import { checkFailures, failureOf, missingKeys } from "./wire/failure.ts";
import { diffReply } from "./wire/reply.ts";

type Config = Catalogue["config"];

/** Keys that the engine owns: they say which plugin it is, not how it works. */
const engineKeys = ["version", "pluginDownloadURL"];

/** Splits what the engine owns from what is meant for the provider. */
function split(values: ValueMap): { own: ValueMap; engines: ValueMap } {
  const entries = Object.entries(values).filter(([name]) => !name.startsWith("__"));
  return {
    own: Object.fromEntries(entries.filter(([name]) => !engineKeys.includes(name))),
    engines: Object.fromEntries(entries.filter(([name]) => engineKeys.includes(name))),
  };
}

/** The checked config in the representation it came in; keys of secrets are marked, what the check added is text as SDKs would send it. */
function asSent(checked: ValueMap, sent: ValueMap, config: Config): ValueMap {
  return Object.fromEntries(
    Object.entries(checked).map(([name, value]) => {
      const bare = reveal(value);
      const original = sent[name] ?? (typeof bare === "string" ? bare : JSON.stringify(bare));
      return [name, isSecret(value) || config[name]?.secret ? secret(original) : original];
    }),
  );
}

export function configuration(session: Session) {
  async function checkConfig(request: CheckRequest) {
    return session.run("", async ({ provider, catalogue, log, signal }) => {
      const { config } = catalogue;
      const { own, engines } = split(decodeProperties(request.getNews()));
      session.guard(own);
      const bound = boundIn(decodeProperties(request.getOlds()));
      const { createProvider } = await session.parts();
      const typed = typedConfig(own, config);
      const now = await targetOf(createProvider, typed, { asks: bound?.account === undefined, signal });
      const refusal = refusalOf(bound, now);
      const { inputs, failures } = await provider.checkConfig({
        urn: request.getUrn(),
        oldInputs: typedConfig(split(decodeProperties(request.getOlds())).own, config),
        newInputs: typed,
        log,
        signal,
      });
      const response = new wire.CheckResponse();
      const checked = { ...asSent(inputs, own, config), ...engines };
      response.setInputs(encodeProperties(withTarget(checked, nextTarget(bound, now))));
      const refused =
        refusal === undefined
          ? []
          : [{ property: "baseUrl", reason: refusal, errorCode: "PLB-TARGET" as const }];
      response.setFailuresList(checkFailures([...failures, ...refused], inputs, session.hide));
      return response;
    });
  }

  async function diffConfig(request: DiffRequest) {
    return session.run("", async ({ provider, catalogue, log, signal }) => {
      const own = (values: ValueMap) => typedConfig(split(values).own, catalogue.config);
      const diff = await provider.diffConfig({
        urn: request.getUrn(),
        // The old outputs are what engines before the old inputs were sent have; for a provider they are the same.
        oldInputs: own(decodeProperties(request.getOldInputs() ?? request.getOlds())),
        newInputs: own(decodeProperties(request.getNews())),
        log,
        signal,
      });
      return diffReply(diff);
    });
  }

  async function configure(request: ConfigureRequest) {
    const { catalogue } = await session.parts();
    // Engines since 2022 say that they take secrets; the oldest do not.
    session.keepSecrets = request.getAcceptsecrets();
    const sent = request.hasArgs() ? decodeProperties(request.getArgs()) : variablesOf(request);
    const own = typedConfig(split(sent).own, catalogue.config);
    try {
      await session.configure(own, boundIn(sent), request.getUrn() || undefined);
    } catch (error) {
      throw missing(error, own, catalogue.config) ?? error;
    }
    const response = new wire.ConfigureResponse();
    response.setAcceptsecrets(true);
    response.setAcceptresources(true);
    response.setAcceptoutputs(true);
    response.setSupportspreview(true);
    response.setSupportsAutonamingConfiguration(true);
    return response;
  }

  return { checkConfig, diffConfig, configure };
}

/** The config as the oldest engines send it: `plumbline:config:key` to text. */
function variablesOf(request: ConfigureRequest): ValueMap {
  const values: { [name: string]: Value } = {};
  request.getVariablesMap().forEach((value, key) => {
    values[key.slice(key.lastIndexOf(":") + 1)] = value;
  });
  return values;
}

/** The status that makes the engine print how to set what is missing, when that is all that is wrong. */
function missing(error: unknown, given: ValueMap, config: Config): Error | undefined {
  if (!(error instanceof CheckFailedError) || error.failures.length === 0) return undefined;
  const isMissing = ({ property }: { property: string }) =>
    config[property] !== undefined && given[property] === undefined;
  if (!error.failures.every(isMissing)) return undefined;
  return missingKeys(
    error.failures.map(({ property, reason }) => ({
      name: property,
      description: reason || failureOf(error).details,
    })),
  );
}
