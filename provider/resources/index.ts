/** Every resource type and every function of the provider, listed once. */

import type { FunctionType } from "../core/function.ts";
import type { ResourceType } from "../core/resource.ts";
import { Volume } from "./blockstorage/volume.ts";
import { Domain } from "./dns/domain.ts";
import { Record } from "./dns/record.ts";
import { Subnet } from "./vpc/subnet.ts";
import { Vpc } from "./vpc/vpc.ts";

export const resourceTypes: readonly ResourceType[] = [Domain, Record, Vpc, Subnet, Volume];

export const functionTypes: readonly FunctionType[] = [];
