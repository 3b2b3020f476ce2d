/** Lists the areas that the emulator answers for. */

import type { Area } from "../area.ts";
import { accountArea } from "./account.ts";
import { dnsArea } from "./dns.ts";
import { volumeArea } from "./volumes.ts";
import { vpcArea } from "./vpc.ts";

export const areas: readonly Area[] = [accountArea, dnsArea, vpcArea, volumeArea];
