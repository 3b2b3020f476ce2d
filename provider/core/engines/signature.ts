/** How Pulumi marks what JSON has no word for, on its wire and in its state alike. Pure. */

/** The key whose value says which special thing an object is. */
export const signatureKey = "4dabf18193072939515e22adb298388d";

export const signatures = {
  secret: "1b47061264138c4ac30d75fd1eb44270",
  asset: "c44067f5952c0a294b673a41bacd8c17",
  archive: "0def7320c3a5731c473e5ecbe6d01bc7",
  resource: "5cf8f73096256a8f31e491e813e4eb8e",
  output: "d0e6a833031e9bbcd3f4e8bde6ca49a4",
} as const;

/** The string that stands for a value not known yet, of whatever type. */
export const unknownString = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
