/**
 * What runs in the program's process before the program. Pulumi's runtime notes for each of its promises (some thirty a resource) where it was made,
 * and its own formatting of that, by way of source maps, is most of what a program takes: it is left out unless the user asks for these notes.
 */

const script = `
let set;
const prepare = (error, sites) => {
  const top = sites[0];
  const isNote = top?.getFunctionName() === "debuggablePromise" && /[\\\\/]debuggable\\.js$/.test(top.getFileName() ?? "");
  return isNote ? "" : set(error, sites);
};
Object.defineProperty(Error, "prepareStackTrace", {
  configurable: true,
  enumerable: true,
  get: () => (set === undefined ? undefined : prepare),
  set: (next) => {
    if (next !== prepare) set = next;
  },
});
`;

/** Arguments for Node. */
export function preload(environment: { readonly [name: string]: string | undefined }): string[] {
  if (environment["PULUMI_DEBUG_PROMISE_LEAKS"]) return [];
  return [`--import=data:text/javascript,${encodeURIComponent(script)}`];
}
