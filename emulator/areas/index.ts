/** Lists the areas that the emulator answers for. */

import type { Area } from "../area.ts";
import { accountArea } from "./account/index.ts";
import { regionArea } from "./account/regions.ts";
import { tagArea } from "./account/tags.ts";
import { computeArea } from "./compute/index.ts";
import { databaseArea } from "./databases/index.ts";
import { dnsArea } from "./dns/index.ts";
import { kubernetesArea } from "./kubernetes/index.ts";
import { managedArea } from "./managed/index.ts";
import { objectStorageArea } from "./objectstorage/index.ts";
import { stackScriptArea } from "./stackscripts/index.ts";
import { volumeArea } from "./volumes/index.ts";
import { vpcArea } from "./vpc/index.ts";

const own: readonly Area[] = [
  accountArea,
  dnsArea,
  vpcArea,
  volumeArea,
  computeArea,
  regionArea,
  databaseArea,
  objectStorageArea,
  kubernetesArea,
  stackScriptArea,
  managedArea,
];

export const areas: readonly Area[] = [...own, tagArea(own)];
