/** Functions of the block storage area (contract section 4.8). */

import { id, optional, text } from "../../core/field.ts";
import { providerFunction } from "../../core/function.ts";
import type { WireObject } from "../../core/service-port.ts";
import { viewFields, viewList, viewOf } from "../../core/view.ts";
import { existing, hasTag, needsOne, theOnly } from "../find.ts";
import { Volume } from "./volume.ts";

export const getVolume = providerFunction({
  area: "blockstorage",
  name: "getVolume",
  description: "One Volume, by its id or its label.",
  args: {
    id: optional(id({ description: "Id of the Volume.", reference: "blockstorage/volume" })),
    label: optional(text({ description: "Label of the Volume." })),
  },
  result: viewFields(Volume),
  check: (args, refuse) => needsOne(args, "id", "label", refuse),
  async call({ args, service }) {
    if (args.id !== undefined) {
      return viewOf(Volume, await existing(`Volume with id ${args.id}`, service.get(`/volumes/${args.id}`)));
    }
    const found = (await service.list("/volumes")).filter((volume) => volume["label"] === args.label);
    return viewOf(Volume, theOnly(found, `Volume labelled "${args.label}"`));
  },
});

export const getVolumes = providerFunction({
  area: "blockstorage",
  name: "getVolumes",
  description: "Every Volume of the account that the arguments match.",
  args: {
    region: optional(text({ description: "Only Volumes of this region." })),
    computeId: optional(
      id({ description: "Only Volumes attached to this compute instance.", reference: "compute/instance" }),
    ),
    tag: optional(text({ description: "Only Volumes with this tag; case does not matter." })),
  },
  result: { volumes: viewList(Volume, "The Volumes, by id.") },
  async call({ args, service }) {
    const isWanted = (volume: WireObject) =>
      (args.region === undefined || volume["region"] === args.region) &&
      (args.computeId === undefined || String(volume["compute_id"]) === args.computeId) &&
      hasTag(volume, args.tag);
    return {
      volumes: (await service.list("/volumes")).filter(isWanted).map((volume) => viewOf(Volume, volume)),
    };
  },
});
