/** The package's version, as package.json says it; a test compares the two. */

export const version = "0.1.0";
