/** Lists the areas that the emulator answers for. */

import type { Area } from "../area.ts";
import { accountArea } from "./account.ts";

export const areas: readonly Area[] = [accountArea];
