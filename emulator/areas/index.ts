/** Lists the areas that the emulator answers for. */

import type { Area } from "../area.ts";
import { accountArea } from "./account.ts";
import { computeArea } from "./compute.ts";
import { databaseArea } from "./databases.ts";
import { dnsArea } from "./dns.ts";
import { kubernetesArea } from "./kubernetes.ts";
import { managedArea } from "./managed.ts";
import { objectStorageArea } from "./objectstorage.ts";
import { regionArea } from "./regions.ts";
import { stackScriptArea } from "./stackscripts.ts";
import { tagArea } from "./tags.ts";
import { volumeArea } from "./volumes.ts";
import { vpcArea } from "./vpc.ts";

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
