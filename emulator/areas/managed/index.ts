/** Managed monitoring, for unrestricted users alone (contract sections 2.8, 3 and 4.6; notes, section 8). */

import type { Area } from "../../area.ts";
import { checkJobs } from "./checks.ts";
import { contactHandlers, contactJudges } from "./contacts.ts";
import { credentialHandlers, credentialJudges } from "./credentials.ts";
import { serviceHandlers, serviceJudges } from "./monitoring.ts";
import { settingsHandlers, settingsJudges } from "./settings.ts";
import { managedStats } from "./stats.ts";

export const managedArea: Area = {
  name: "managed",
  handlers: {
    ...contactHandlers,
    ...credentialHandlers,
    ...serviceHandlers,
    ...settingsHandlers,
    "GET /managed/stats": managedStats,
  },
  judges: { ...contactJudges, ...credentialJudges, ...serviceJudges, ...settingsJudges },
  shows: { "managed.check": (_world, data) => data["service"] as number },
  jobs: checkJobs,
};
