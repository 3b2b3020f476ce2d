/** Every resource type and every function of the provider, listed once. */

import type { FunctionType } from "../core/function.ts";
import type { ResourceType } from "../core/resource.ts";
import { Domain } from "./dns/domain.ts";
import { Record } from "./dns/record.ts";

export const resourceTypes: readonly ResourceType[] = [Domain, Record];

export const functionTypes: readonly FunctionType[] = [];
