/** The verbs of one resource, from the wire to the Provider and back: Check, Diff, Create, Read, Update, Delete. It renames the protocol's `olds` here, and nowhere else. */

import grpc from "@grpc/grpc-js";
import type {
  CheckRequest as WireCheckRequest,
  CreateRequest as WireCreateRequest,
  DeleteRequest as WireDeleteRequest,
  DiffRequest as WireDiffRequest,
  ReadRequest as WireReadRequest,
  UpdateRequest as WireUpdateRequest,
} from "@pulumi/pulumi/proto/provider_pb.js";
import wire from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { noNotes } from "../core/notes.ts";
import type { DiffResponse, Provider, ResourceIdentity, ValueMap } from "../core/protocol.ts";
import { ResourceInitFailedError, surelyNotWritten } from "../core/protocol.ts";
import { checkFailures, initFailed, StatusError } from "./failure.ts";
import { diffReply, markSecrets, unknownProperties, withoutUnknowns } from "./reply.ts";
import { identityOf, type Named, timeoutOf } from "./request.ts";
import type { Session, Verb } from "./session.ts";
import type { Takeover } from "./takeover.ts";
import { decodeProperties, encodeProperties } from "./wire.ts";

const autonamingModes = ["propose", "enforce", "disable"] as const;

/** How far this machine's clock is trusted to agree with the service's. */
const clockToleranceMs = 5 * 60_000;

/**
 * When a create begins, for a later run that looks for objects not older than that. Before the first request only this
 * machine's clock is known, and one that is ahead of the service's would make the object seem too old.
 */
function startOf(provider: Provider): string {
  const isClockKnown = Object.values(provider.requests()).some((count) => count > 0);
  const now = provider.serviceTime();
  return isClockKnown ? now : new Date(Date.parse(now) - clockToleranceMs).toISOString();
}

export function lifecycle(session: Session) {
  const encode = (properties: ValueMap) => encodeProperties(properties, { keepSecrets: session.keepSecrets });

  /** Decodes a request's properties and remembers their secrets, so that no message shows them. */
  function decode(properties: Parameters<typeof decodeProperties>[0]): ValueMap {
    const values = decodeProperties(properties);
    session.guard(values);
    return values;
  }

  function run<T>(request: Named, work: (verb: Verb, identity: ResourceIdentity) => Promise<T>): Promise<T> {
    return session.run(request.getUrn(), (verb) => work(verb, identityOf(request, verb.catalogue)));
  }

  /** The engine named the id as the resource's own. */
  function sawId({ urn, type }: ResourceIdentity, id: string): Takeover {
    const takeover = session.takeover(urn);
    takeover.sawId(urn, type, id);
    return takeover;
  }

  /** The status that keeps what exists in the engine's state. */
  function kept(id: string, state: ValueMap, inputs: ValueMap, reasons: readonly string[]): StatusError {
    session.guard(state);
    return initFailed(
      { id, properties: withoutUnknowns(state), inputs, reasons: reasons.map(session.hide) },
      { keepSecrets: session.keepSecrets },
    );
  }

  async function check(request: WireCheckRequest) {
    return run(request, async ({ provider, log, signal }, identity) => {
      const oldInputs = decode(request.getOlds());
      const isNew = Object.keys(oldInputs).length === 0;
      if (!isNew) session.takeover(identity.urn).sawOldInputs(identity.urn);
      const autonaming = request.getAutonaming();
      const { inputs, failures } = await provider.check({
        ...identity,
        log,
        signal,
        ...(isNew ? {} : { oldInputs }),
        newInputs: decode(request.getNews()),
        randomSeed: request.getRandomseed_asU8(),
        ...(autonaming && {
          autonaming: {
            proposedName: autonaming.getProposedName(),
            mode: autonamingModes[autonaming.getMode()] ?? "propose",
          },
        }),
      });
      const response = new wire.CheckResponse();
      response.setInputs(encode(inputs));
      response.setFailuresList(checkFailures(failures, inputs, session.hide));
      return response;
    });
  }

  async function diff(request: WireDiffRequest) {
    return run(request, async ({ provider, log, signal }, identity) => {
      const id = request.getId();
      sawId(identity, id);
      const answer: DiffResponse = await provider.diff({
        ...identity,
        log,
        signal,
        id,
        oldInputs: decode(request.getOldInputs() ?? request.getOlds()),
        state: decode(request.getOlds()),
        newInputs: decode(request.getNews()),
        ignoreChanges: request.getIgnorechangesList(),
      });
      return diffReply(answer);
    });
  }

  async function create(request: WireCreateRequest) {
    return run(request, async ({ provider, catalogue, log, signal }, identity) => {
      const inputs = decode(request.getProperties());
      const common = { ...identity, log, signal, inputs, ...timeoutOf(request) };
      const mark = (state: ValueMap) => markSecrets(state, inputs, catalogue.resources.get(identity.type));
      const response = new wire.CreateResponse();
      if (request.getPreview()) {
        const { state } = await provider.create({ ...common, notes: noNotes, preview: true });
        response.setProperties(encode(mark(state)));
        return response;
      }

      const { urn, type } = identity;
      const takeover = session.takeover(urn);
      const { earlierAttempt, notes, end } = await takeover.begin(urn, type, startOf(provider));
      let made: { id: string; state: ValueMap } | undefined;
      try {
        const { id, state } = await provider.create({
          ...common,
          notes,
          preview: false,
          ...(earlierAttempt && { earlierAttempt }),
          isKnownId: (other, otherType = type) => takeover.isKnownId(urn, otherType, other),
          onCreated: async (newId, newState) => {
            made = { id: newId, state: newState };
            await takeover.made(urn, type, newId);
          },
        });
        made = { id, state };
        if (id === "")
          throw new StatusError(grpc.status.INTERNAL, "the provider gave no id for what it created");
        await takeover.made(urn, type, id);
        if (earlierAttempt?.id !== undefined && earlierAttempt.id !== id) {
          log(
            "warning",
            `an earlier run was killed after it had made ${earlierAttempt.id} for this resource; that is not what is declared now, so ${id} was made. If ${earlierAttempt.id} is still there, delete it or import it.`,
          );
        }
        const stillUnknown = unknownProperties(state);
        if (stillUnknown.length > 0) {
          throw kept(id, mark(state), inputs, [
            `created, but nothing is known of: ${stillUnknown.join(", ")}`,
          ]);
        }
        response.setId(id);
        response.setProperties(encode(mark(state)));
        return response;
      } catch (error) {
        if (error instanceof StatusError) throw error;
        if (error instanceof ResourceInitFailedError) {
          await takeover.made(urn, type, error.id);
          throw kept(error.id, mark(error.state), error.inputs ?? inputs, error.reasons);
        }
        if (made !== undefined && made.id !== "") {
          throw kept(made.id, mark(made.state), inputs, [
            error instanceof Error ? error.message : String(error),
          ]);
        }
        if (surelyNotWritten(error)) takeover.refused(urn);
        throw error;
      } finally {
        end();
      }
    });
  }

  async function read(request: WireReadRequest) {
    return run(request, async ({ provider, catalogue, log, signal }, identity) => {
      const id = request.getId();
      const state = request.hasProperties() ? decode(request.getProperties()) : undefined;
      const inputs = request.hasInputs() ? decode(request.getInputs()) : undefined;
      const notebook = state && sawId(identity, id).notebook;
      const mark = (outputs: ValueMap, live: ValueMap) =>
        markSecrets(outputs, { ...inputs, ...live }, catalogue.resources.get(identity.type));
      const response = new wire.ReadResponse();
      try {
        const common = { ...identity, log, signal, id, ...(inputs && { inputs }) };
        const found = await (notebook?.of({ ...identity, id }, (notes) =>
          provider.read({ ...common, notes, state }),
        ) ?? provider.read(common));
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
        throw kept(error.id, mark(error.state, live), live, error.reasons);
      }
    });
  }

  async function update(request: WireUpdateRequest) {
    return run(request, async ({ provider, catalogue, log, signal }, identity) => {
      const id = request.getId();
      const { notebook } = sawId(identity, id);
      const oldInputs = decode(request.getOldInputs() ?? request.getOlds());
      const newInputs = decode(request.getNews());
      const mark = (state: ValueMap) => markSecrets(state, newInputs, catalogue.resources.get(identity.type));
      const isPreview = request.getPreview();
      const response = new wire.UpdateResponse();
      try {
        const { state } = await notebook.of({ ...identity, id, isPreview }, (notes) =>
          provider.update({
            ...identity,
            log,
            signal,
            notes,
            id,
            oldInputs,
            state: decode(request.getOlds()),
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
        response.setProperties(encode(mark(state)));
        return response;
      } catch (error) {
        if (!(error instanceof ResourceInitFailedError)) throw error;
        // The old inputs stay remembered, so that the next Diff still sees what is missing.
        throw kept(id, mark(error.state), error.inputs ?? oldInputs, error.reasons);
      }
    });
  }

  async function remove(request: WireDeleteRequest) {
    return run(request, async ({ provider, log, signal }, identity) => {
      const id = request.getId();
      const { notebook } = sawId(identity, id);
      await notebook.of({ ...identity, id }, (notes) =>
        provider.delete({
          ...identity,
          log,
          signal,
          notes,
          id,
          oldInputs: decode(request.getOldInputs() ?? request.getProperties()),
          state: decode(request.getProperties()),
          ...timeoutOf(request),
        }),
      );
      notebook.gone(identity.type, id);
      return new empty.Empty();
    });
  }

  return { check, diff, create, read, update, delete: remove };
}
