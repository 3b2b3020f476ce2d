/** How long each transition of these areas takes, in seconds of the service's time, which `--speed` divides. */

export const durations = {
  /** From accepted to started, for events that are scheduled first. Own choice; the life cycle is of the notes, section 11. */
  eventStarted: 1,
  /** `creating` to `active`. Notes, section 10: within seconds. */
  volumeCreated: 3,
  /** A clone copies data first. Own choice. */
  volumeCloned: 6,
  /** `resizing` to `active`. Own choice. */
  volumeResized: 4,
  /** Until the event of an attach is finished; `compute_id` is set at once (notes, section 10). Own choice. */
  volumeAttached: 2,
  /** Until a running instance has let go. Notes, section 10: some polls later. */
  volumeDetached: 6,
  /** `provisioning` to `booting` or `offline`. Own choice. */
  instanceProvisioned: 8,
  /** `booting` to `running`. Own choice. */
  instanceBooted: 10,
  /** `rebooting` to `running`. Own choice. */
  instanceRebooted: 12,
  /** `shutting_down` to `offline`. Own choice. */
  instanceShutDown: 6,
  /** `not ready` to `ready`. Own choice. */
  diskReady: 4,
  /** `provisioning` to `active`: somewhere between the two. Contract section 8: 15 to 30 minutes. */
  databaseProvisionedLeast: 900,
  databaseProvisionedMost: 1800,
  /** `updating` to `active` after a change. Notes, section 5: 73 seconds in a recording. */
  databaseUpdated: 73,
  /** `resizing` to `active`: the nodes are replaced. Own choice. */
  databaseResized: 600,
  /** `updating` to `active` after a patch. Own choice. */
  databasePatched: 120,
  /** `backing_up` to `active`. Own choice. */
  databaseBackedUp: 60,
  /** `restoring` to `active` or `failed`. Own choice. */
  databaseRestored: 180,
  /** Until the new password holds. Contract section 4.3: several seconds. */
  databaseCredentialsReset: 5,
  /** `pending` to `ok` or `problem`: until the first check of a managed service. Own choice. */
  managedChecked: 20,
} as const;
