/** Volume: block storage that attaches to a compute instance of its region (contract section 2.10). */

import { exactly } from "../../core/type/charge.ts";
import { flag, id, integer, optional, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";
import { tags, times } from "../fields.ts";
import { judgeRegion } from "../offers.ts";
import { detach, reattach } from "./attachment.ts";
import { createRequest } from "./creation.ts";
import { label } from "./label.ts";

export const Volume = resource({
  area: "blockstorage",
  name: "Volume",
  description:
    "A block storage volume. It grows in place, and attaches, moves and detaches in place. Import by its id or its label.",
  path: "/volumes/{volumeNumber}",
  phrase: ["{label}", "{size} GB", "{region}"],
  nameFormat: "LABEL",
  inputs: {
    label: optional(label),
    size: optional(
      integer({
        description:
          "Size in GB, 10 to 10240. It can only grow. Default: 20; for a clone, the size of its source.",
        minimum: 10,
        maximum: 10_240,
        computed: true,
      }),
    ),
    region: optional(
      text({
        description:
          "Id of the region (`us-east`). Required without `computeId` or `cloneOf`, whose region it has then.",
        minLength: 1,
        immutable: true,
        computed: true,
      }),
    ),
    computeId: optional(
      id({
        description:
          "Id of the compute instance that it is attached to; it must be in the same region. Cleared, it is detached.",
        reference: "compute/instance",
        default: null,
      }),
    ),
    configId: optional(
      id({
        description:
          "Id of the instance's configuration profile that the volume is added to. Left out, the service chooses: the only one, or the one booted last.",
        reference: "compute/config",
        writeOnly: true,
        computed: true,
      }),
    ),
    persistAcrossBoots: optional(
      flag({
        description:
          "False attaches the volume to the running instance only, not to a configuration profile. Default: true.",
        writeOnly: true,
        default: true,
      }),
    ),
    tags: tags(),
    cloneOf: optional(
      id({
        description:
          "Id of a Volume whose data (and size) the new one copies. Taking it out later changes nothing.",
        reference: "blockstorage/volume",
        immutable: true,
        writeOnly: true,
        computed: true,
      }),
    ),
  },
  outputs: {
    status: text({ description: "`active` when it is ready." }),
    filesystemPath: text({ description: "Device path on the instance.", movedBy: ["label"] }),
    hardwareType: optional(text({ description: "`nvme` or `hdd`." })),
    computeLabel: optional(
      text({ description: "Label of the instance that it is attached to.", movedBy: ["computeId"] }),
    ),
    ...times,
  },
  timeouts: { create: 900, update: 1200, delete: 600 },
  demands: [
    {
      when: { computeId: "absent", cloneOf: "absent" },
      ...{ input: "region", is: "given", says: "is required without computeId" },
    },
    {
      when: { computeId: "absent" },
      ...{ input: "configId", is: "absent", says: "needs computeId, whose configuration profile it is" },
    },
    {
      when: { persistAcrossBoots: { in: [false] } },
      input: "configId",
      is: "absent",
      says: "cannot be combined with persistAcrossBoots: false, which uses no configuration profile",
    },
  ],
  refuseChange({ before, after, refuse }) {
    if (before.size !== undefined && after.size !== undefined && after.size < before.size) {
      refuse("size", `cannot shrink from ${before.size} to ${after.size} GB: a volume only grows`);
    }
  },
  async lookup(context) {
    const { after, creating, get, refuse } = context;
    if (creating) await judgeRegion(after.region, context, "Block Storage");
    if (!creating || after.cloneOf === undefined) return;
    const source = await get(`/volumes/${after.cloneOf}`);
    const size = Number(source["size"]);
    if (after.size !== undefined && after.size < size) {
      refuse("size", `must be at least ${size} GB, the size of the volume that it clones`);
    }
    if (after.region !== undefined && after.region !== source["region"]) {
      refuse("region", `must be ${source["region"]}, the region of the volume that it clones, or left out`);
    }
  },
  createRequest,
  charges: ({ values, knows }) => {
    const { size = values.cloneOf === undefined ? 20 : undefined } = values;
    const isKnown = knows("size") && knows("cloneOf") && size !== undefined;
    return [{ unit: "GB", count: isKnown ? exactly(size) : undefined, region: values.region }];
  },
  lost: "all its data",
  ready: {
    isReady: (volume) => volume["status"] === "active",
    failure: (volume) =>
      volume["status"] === "contact_support"
        ? "the service asks to contact support about this volume"
        : undefined,
  },
  aspects: [
    {
      name: "resize",
      fields: ["size"],
      sync: ({ service, path, inputs }) => service.post(`${path}/resize`, { size: inputs.size }),
    },
    { name: "attach", fields: ["computeId", "configId", "persistAcrossBoots"], sync: reattach },
  ],
  beforeDelete: detach,
});
