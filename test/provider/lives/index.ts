/** The lives of all resource types. */

import type { AnyLife } from "../lifecycle.ts";
import { lives as blockstorage } from "./blockstorage.ts";
import { lives as databases } from "./databases.ts";
import { lives as dns } from "./dns.ts";
import { lives as objectstorage } from "./objectstorage.ts";
import { lives as vpc } from "./vpc.ts";
import { lives as zone } from "./zone.ts";

export const lives: readonly AnyLife[] = [
  ...dns,
  ...zone,
  ...vpc,
  ...blockstorage,
  ...databases,
  ...objectstorage,
];
