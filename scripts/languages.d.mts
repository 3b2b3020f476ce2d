/** The folder of the Python that has Pulumi's package, as far as there is one. */
export function findPython(): string | undefined;

/** The go program, if it can build the example without a network. */
export function findGo(): string | undefined;
