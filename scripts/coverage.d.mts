/** Reachers by operation. */
type Calls = { readonly [operation: string]: readonly string[] };

export function readCalls(folder: string): Calls;
export function readRecord(): Calls;
export function joined(record: Calls, calls: Calls): Calls;
export function judge(record: Calls, calls: Calls): { untrue: string[]; untold: string[] };
