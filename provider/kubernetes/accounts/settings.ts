/** What an Account says of how it is kept. Pure. */

import { parseDuration } from "../../core/duration.ts";
import type { KubeObject } from "../api.ts";

export interface Settings {
  /** Seconds between two looks at everything. */
  readonly interval: number;
  /** Percent of the limit that they may use. */
  readonly budget: number;
}

export interface AccountSpec {
  readonly tokenSecretRef: { readonly name: string; readonly key: string };
  readonly baseUrl?: string;
  readonly brand?: string;
  readonly interval?: string;
  readonly budget?: number;
}

export const specOf = ({ spec }: KubeObject): AccountSpec => spec as unknown as AccountSpec;

/** Seconds. */
const usual = { interval: 600, budget: 50, least: 30 };

export function settingsOf(account: KubeObject | undefined): Settings {
  const { interval, budget = usual.budget } = (account?.spec ?? {}) as Partial<AccountSpec>;
  const seconds = interval === undefined ? undefined : parseDuration(interval);
  return { interval: Math.max(usual.least, seconds ?? usual.interval), budget };
}
