/** Writes JSON in ASCII alone: characters beyond it come as escapes, as labels of clusters must (contract section 2.7). It knows no schema. */

const beyond = /[\u0080-\uffff]/g;

/** The JSON text of a value; whoever reads it as JSON reads the same. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    beyond,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
