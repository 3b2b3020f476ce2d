/** The verbs of one resource, from the wire to the Provider and back: Check, Diff, Read, Update, Delete. It renames the protocol's `olds` here, and nowhere else. */

import grpc from "@grpc/grpc-js";
import type {
  CheckRequest as WireCheckRequest,
  DeleteRequest as WireDeleteRequest,
  DiffRequest as WireDiffRequest,
  ReadRequest as WireReadRequest,
  UpdateRequest as WireUpdateRequest,
} from "@pulumi/pulumi/proto/provider_pb.js";
import wire from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { markSecretOutputs, secretOutputs, unknownProperties } from "../core/engines/outputs.ts";
import { errorCodeOf, withErrorCode } from "../core/error-code.ts";
import type { DiffResponse, ResourceIdentity, ValueMap } from "../core/protocol.ts";
import { ResourceInitFailedError, surelyNotWritten } from "../core/protocol.ts";
import { exchange } from "./exchange.ts";
import type { Session, Verb } from "./session.ts";
import type { Naming } from "./unfinished/create-log.ts";
import { lastingInputs, readAsMade } from "./unfinished/resumption.ts";
import { checkFailures, StatusError } from "./wire/failure.ts";
import { diffReply } from "./wire/reply.ts";
import { timeoutOf, typeIn } from "./wire/request.ts";

export function lifecycle(session: Session) {
  const { encode, decode, run, sawId, kept } = exchange(session);

  async function check(request: WireCheckRequest) {
    return run(request, async ({ provider, catalogue, log, signal }, identity) => {
      const oldInputs = decode(request.getOlds());
      const isNew = Object.keys(oldInputs).length === 0;
      const takeover = session.takeover(identity.urn);
      const info = catalogue.resources.get(identity.type);
      if (!isNew) takeover.sawOldInputs(identity.urn, lastingInputs(oldInputs, info));
      const given = namingOf(request);
      const { seed, autonaming } = isNew ? takeover.naming(identity.urn, given) : given;
      const { inputs, failures } = await provider.check({
        ...identity,
        log,
        signal,
        ...(isNew ? {} : { oldInputs }),
        newInputs: decode(request.getNews()),
        randomSeed: Buffer.from(seed, "base64"),
        ...(autonaming && { autonaming }),
      });
      const response = new wire.CheckResponse();
      response.setInputs(encode(inputs));
      response.setFailuresList(checkFailures(failures, inputs, session.hide));
      return response;
    });
  }

  /** What the engine has of an object, or what is left of it where an earlier run was killed while it deleted it; undefined: nothing. */
  async function leftOf(
    { provider, log, signal }: Verb,
    identity: ResourceIdentity,
    known: Known,
  ): Promise<Known | undefined> {
    const { deletions } = session.takeover(identity.urn);
    if (!(await deletions.isOpen(identity.type, known.id))) return known;
    const { id, oldInputs: inputs, state } = known;
    const left = await readAsMade(provider, { ...identity, log, signal, id, inputs, state });
    return left && { id, oldInputs: left.inputs, state: left.state };
  }

  const knownIn = (request: WireDiffRequest | WireUpdateRequest): Known => ({
    id: request.getId(),
    oldInputs: decode(request.getOldInputs() ?? request.getOlds()),
    state: decode(request.getOlds()),
  });

  async function diff(request: WireDiffRequest) {
    return run(request, async (verb, identity) => {
      const { provider, log, signal } = verb;
      const id = request.getId();
      const takeover = sawId(identity, id);
      const { notebook } = takeover;
      const newInputs = decode(request.getNews());
      const left = await leftOf(verb, identity, knownIn(request));
      if (left === undefined) {
        log("info", `an earlier run was killed while it deleted this: ${id} is gone, and another is made`);
        return diffReply(madeAnew(newInputs));
      }
      const ignoreChanges = request.getIgnorechangesList();
      const compared = { ...identity, ...left, log, signal, newInputs, ignoreChanges };
      // A diff writes nothing: it reads what was noted, as a preview does.
      const answer: DiffResponse = await notebook.of({ ...identity, id, isPreview: true }, (notes) =>
        provider.diff({ ...compared, notes }),
      );
      const abandoned = answer.replaces.length > 0 ? undefined : takeover.abandoned(identity.urn, id, "diff");
      if (abandoned !== undefined) log("warning", withErrorCode(abandoned, "PLB-PENDING"));
      return diffReply(answer);
    });
  }

  async function read(request: WireReadRequest) {
    return run(request, async ({ provider, catalogue, log, signal, admit }, identity) => {
      const id = request.getId();
      const state = request.hasProperties() ? decode(request.getProperties()) : undefined;
      if (state === undefined) refuseShortType(typeIn(request), identity, id);
      const inputs = request.hasInputs() ? decode(request.getInputs()) : undefined;
      const notebook = state && sawId(identity, id).notebook;
      const mark = (outputs: ValueMap, live: ValueMap) =>
        markSecretOutputs(
          outputs,
          { ...inputs, ...live },
          secretOutputs(catalogue.resources.get(identity.type)),
        );
      const response = new wire.ReadResponse();
      try {
        const common = { ...identity, log, signal, id, ...(inputs && { inputs }) };
        const found = await (notebook?.of({ ...identity, id }, (notes) =>
          provider.read({ ...common, notes, state }),
        ) ?? provider.read(common));
        // Only the answer tells whose account it is about, and one of another account tells nothing of this object.
        await admit({ asks: false });
        if (found === undefined) {
          notebook?.gone(identity.type, id);
          return response;
        }
        const stillUnknown = unknownProperties(found.state).concat(unknownProperties(found.inputs));
        if (found.id === "" || stillUnknown.length > 0) {
          const what = found.id === "" ? "no id" : `nothing known of: ${stillUnknown.join(", ")}`;
          throw new StatusError(grpc.status.INTERNAL, `the provider read ${id} and gave ${what}`);
        }
        response.setId(found.id);
        response.setProperties(encode(mark(found.state, found.inputs)));
        response.setInputs(encode(found.inputs));
        return response;
      } catch (error) {
        if (!(error instanceof ResourceInitFailedError)) throw error;
        const live = error.inputs ?? inputs ?? {};
        throw kept(error.id, mark(error.state, live), live, error.reasons, errorCodeOf(error));
      }
    });
  }

  async function update(request: WireUpdateRequest) {
    return run(request, async (verb, identity) => {
      const { provider, catalogue, log, signal, admit } = verb;
      await admit({ asks: !request.getPreview() });
      const id = request.getId();
      const { notebook, deletions } = sawId(identity, id);
      const known = knownIn(request);
      const { oldInputs } = known;
      const newInputs = decode(request.getNews());
      const mark = (state: ValueMap) =>
        markSecretOutputs(state, newInputs, secretOutputs(catalogue.resources.get(identity.type)));
      const isPreview = request.getPreview();
      const left = (await leftOf(verb, identity, known)) ?? known;
      const response = new wire.UpdateResponse();
      try {
        const { state } = await notebook.of({ ...identity, id, isPreview }, (notes) =>
          provider.update({
            ...identity,
            log,
            signal,
            notes,
            ...left,
            newInputs,
            preview: isPreview,
            ignoreChanges: request.getIgnorechangesList(),
            ...timeoutOf(request),
          }),
        );
        const stillUnknown = isPreview ? [] : unknownProperties(state);
        if (stillUnknown.length > 0) {
          throw kept(id, mark(state), oldInputs, [
            `updated, but nothing is known of: ${stillUnknown.join(", ")}`,
          ]);
        }
        if (!isPreview) deletions.forget(identity.type, id);
        response.setProperties(encode(mark(state)));
        return response;
      } catch (error) {
        if (!(error instanceof ResourceInitFailedError)) throw error;
        // The old inputs stay remembered, so that the next Diff still sees what is missing.
        throw kept(id, mark(error.state), error.inputs ?? oldInputs, error.reasons, errorCodeOf(error));
      }
    });
  }

  async function remove(request: WireDeleteRequest) {
    return run(request, async ({ provider, log, signal, admit }, identity) => {
      await admit({ asks: true });
      const id = request.getId();
      const takeover = sawId(identity, id, true);
      const { notebook, deletions } = takeover;
      const abandoned = takeover.abandoned(identity.urn, id, "delete");
      if (abandoned !== undefined) log("warning", withErrorCode(abandoned, "PLB-PENDING"));
      const oldInputs = decode(request.getOldInputs() ?? request.getProperties());
      const state = decode(request.getProperties());
      const known = { ...identity, log, signal, id, oldInputs, state };
      await deletions.begin(identity.type, id);
      try {
        await notebook.of(known, (notes) => provider.delete({ ...known, notes, ...timeoutOf(request) }));
      } catch (error) {
        if (surelyNotWritten(error)) deletions.forget(identity.type, id);
        throw error;
      }
      deletions.done(identity.type, id);
      notebook.gone(identity.type, id);
      return new empty.Empty();
    });
  }

  return { check, diff, read, update, delete: remove };
}

/** What the engine has of an object. */
interface Known {
  readonly id: string;
  readonly oldInputs: ValueMap;
  readonly state: ValueMap;
}

/** The diff of what is gone. The deletion comes first, for another one may get the same id. */
function madeAnew(newInputs: ValueMap): DiffResponse {
  const replaces = Object.keys(newInputs).slice(0, 1);
  const detailedDiff = Object.fromEntries(
    replaces.map((name) => [name, { kind: "update-replace" as const, inputDiff: true }]),
  );
  return { changes: true, detailedDiff, replaces, deleteBeforeReplace: true, stables: [] };
}

const autonamingModes = ["propose", "enforce", "disable"] as const;

/** What the engine gives automatic names to come from. */
function namingOf(request: WireCheckRequest): Naming {
  const seed = request.getRandomseed_asB64();
  const autonaming = request.getAutonaming();
  if (!autonaming) return { seed };
  const mode = autonamingModes[autonaming.getMode()] ?? "propose";
  return { seed, autonaming: { proposedName: autonaming.getProposedName(), mode } };
}

/**
 * Refuses an import by the short spelling of a type: the engine would keep it under that, and a program, whose types are the canonical ones,
 * would declare another resource.
 */
function refuseShortType(asked: string, { type, name }: ResourceIdentity, id: string): void {
  if (asked === type) return;
  const word = /^[\w./:@-]+$/.test(id) ? id : `'${id.replaceAll("'", "'\\''")}'`;
  throw new StatusError(
    grpc.status.INVALID_ARGUMENT,
    `Pulumi keeps an import under the type as it is written, and programs declare ${type}, not ${asked}; import it so: pulumi import ${type} ${name} ${word}`,
  );
}
