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
import type { DiffResponse, ResourceIdentity, ValueMap } from "../core/protocol.ts";
import { ResourceInitFailedError } from "../core/protocol.ts";
import { exchange } from "./exchange.ts";
import type { Session } from "./session.ts";
import type { Naming } from "./unfinished/create-log.ts";
import { lastingInputs } from "./unfinished/resumption.ts";
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

  async function diff(request: WireDiffRequest) {
    return run(request, async ({ provider, log, signal }, identity) => {
      const id = request.getId();
      const takeover = sawId(identity, id);
      const { notebook } = takeover;
      const compared = {
        ...{ ...identity, log, signal, id },
        oldInputs: decode(request.getOldInputs() ?? request.getOlds()),
        state: decode(request.getOlds()),
        newInputs: decode(request.getNews()),
        ignoreChanges: request.getIgnorechangesList(),
      };
      // A diff writes nothing: it reads what was noted, as a preview does.
      const answer: DiffResponse = await notebook.of({ ...identity, id, isPreview: true }, (notes) =>
        provider.diff({ ...compared, notes }),
      );
      const abandoned = answer.replaces.length > 0 ? undefined : takeover.abandoned(identity.urn, id, "diff");
      if (abandoned !== undefined) log("warning", abandoned);
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
        throw kept(error.id, mark(error.state, live), live, error.reasons);
      }
    });
  }

  async function update(request: WireUpdateRequest) {
    return run(request, async ({ provider, catalogue, log, signal, admit }, identity) => {
      await admit({ asks: !request.getPreview() });
      const id = request.getId();
      const { notebook } = sawId(identity, id);
      const oldInputs = decode(request.getOldInputs() ?? request.getOlds());
      const newInputs = decode(request.getNews());
      const mark = (state: ValueMap) =>
        markSecretOutputs(state, newInputs, secretOutputs(catalogue.resources.get(identity.type)));
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
    return run(request, async ({ provider, log, signal, admit }, identity) => {
      await admit({ asks: true });
      const id = request.getId();
      const takeover = sawId(identity, id, true);
      const { notebook } = takeover;
      const abandoned = takeover.abandoned(identity.urn, id, "delete");
      if (abandoned !== undefined) log("warning", abandoned);
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

  return { check, diff, read, update, delete: remove };
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
