/** Managed monitoring, for unrestricted users alone (contract sections 2.8, 3 and 4.6; notes, section 8). */

import type { Area } from "../area.ts";
import { checkJobs } from "../managed/checks.ts";
import { contactHandlers, contactJudges } from "../managed/contacts.ts";
import { credentialHandlers, credentialJudges } from "../managed/credentials.ts";
import { serviceHandlers, serviceJudges } from "../managed/monitoring.ts";
import { settingsHandlers, settingsJudges } from "../managed/settings.ts";
import { managedStats } from "../managed/stats.ts";

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
  jobs: checkJobs,
};
