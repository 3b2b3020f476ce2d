/** Functions of the block storage area (contract section 4.8). */

import { id, text } from "../../core/type/field.ts";
import { getAll, getOne, shown } from "../../core/type/getter.ts";
import { taggedWith } from "../fields.ts";
import { Volume } from "./volume.ts";

const volume = shown(Volume);

export const getVolume = getOne(volume, { by: { label: text({ description: "Label of the Volume." }) } });

export const getVolumes = getAll(volume, {
  filters: {
    region: text({ description: "Only Volumes of this region." }),
    computeId: id({
      description: "Only Volumes attached to this compute instance.",
      reference: "compute/instance",
    }),
    tag: taggedWith("Volumes"),
  },
});
