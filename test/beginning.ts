/** When the emulator's clock begins in tests that are about no moment, whatever the machine's clock says. */

/** A Wednesday morning, hours before any backup. */
export const beginning = new Date("2026-03-04T09:00:00Z");
