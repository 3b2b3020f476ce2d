/** What every answer must hold to before it leaves: no unknown in what exists, secrets marked, diffs in the protocol's shape. It knows no resource. */

import wire from "@pulumi/pulumi/proto/provider_pb.js";
import { parsePath } from "../core/property-path.ts";
import type { DiffKind, DiffResponse, ResourceInfo } from "../core/protocol.ts";
import { containsUnknown, isSecret, secret, type ValueMap } from "../core/value.ts";

/** The top-level properties that hold an unknown. */
export function unknownProperties(properties: ValueMap): string[] {
  return Object.keys(properties).filter((name) => containsUnknown(properties[name] ?? null));
}

/** The properties without those that hold an unknown. */
export function withoutUnknowns(properties: ValueMap): ValueMap {
  const unknowns = new Set(unknownProperties(properties));
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !unknowns.has(name)));
}

/** Marks each top-level output secret whose input of the same name is, or whose type says so. */
export function markSecrets(state: ValueMap, inputs: ValueMap, info: ResourceInfo | undefined): ValueMap {
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => {
      const isMeant = isSecret(inputs[name]) || info?.outputs[name]?.secret || info?.inputs[name]?.secret;
      return [name, isMeant && value !== null && value !== undefined ? secret(value) : value];
    }),
  );
}

const kinds: { readonly [kind in DiffKind]: number } = {
  add: 0,
  "add-replace": 1,
  delete: 2,
  "delete-replace": 3,
  update: 4,
  "update-replace": 5,
};

/** The protocol's shape of a diff. Without changes everything else stays empty, for the engine ignores it. */
export function diffReply(diff: DiffResponse): wire.DiffResponse {
  const response = new wire.DiffResponse();
  if (!diff.changes) {
    response.setChanges(wire.DiffResponse.DiffChanges.DIFF_NONE);
    return response;
  }
  response.setChanges(wire.DiffResponse.DiffChanges.DIFF_SOME);
  const paths = Object.entries(diff.detailedDiff);
  for (const [path, { kind, inputDiff }] of paths) {
    const detail = new wire.PropertyDiff();
    detail.setKind(kinds[kind] as wire.PropertyDiff.Kind);
    detail.setInputdiff(inputDiff);
    response.getDetaileddiffMap().set(path, detail);
  }
  response.setHasdetaileddiff(paths.length > 0);
  response.setDiffsList([...new Set(paths.map(([path]) => String(parsePath(path)[0] ?? "")))]);
  response.setReplacesList([...diff.replaces]);
  response.setDeletebeforereplace(diff.deleteBeforeReplace);
  response.setStablesList([...diff.stables]);
  return response;
}
