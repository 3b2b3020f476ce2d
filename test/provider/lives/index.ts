/** The lives of all resource types. */

import type { AnyLife } from "../lifecycle.ts";
import { lives as blockstorage } from "./blockstorage.ts";
import { lives as compute } from "./compute.ts";
import { lives as databases } from "./databases.ts";
import { lives as dns } from "./dns.ts";
import { lives as kubernetes } from "./kubernetes.ts";
import { lives as managed } from "./managed.ts";
import { lives as objectstorage } from "./objectstorage.ts";
import { lives as vpc } from "./vpc.ts";
import { lives as zone } from "./zone.ts";

export const lives: readonly AnyLife[] = [
  ...dns,
  ...zone,
  ...vpc,
  ...blockstorage,
  ...compute,
  ...databases,
  ...objectstorage,
  ...kubernetes,
  ...managed,
];
