/** Every built-in rule, in the order in which they are listed. */

import type { AskedRule } from "../rule.ts";
import { openAllowList, singleNodeDatabase } from "./database.ts";
import { openZoneTransfer, ttlBounds } from "./dns.ts";
import { deleteLimit, deleteLosesData, replaceLosesData } from "./loss.ts";
import { naming } from "./naming.ts";
import { publicBucket, publicObject } from "./storage.ts";

export const builtInRules: readonly AskedRule[] = [
  deleteLosesData,
  replaceLosesData,
  deleteLimit,
  publicBucket,
  publicObject,
  openAllowList,
  singleNodeDatabase,
  openZoneTransfer,
  ttlBounds,
  naming,
];
