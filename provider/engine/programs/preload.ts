/** What runs in the program's process before the program, so that Pulumi's runtime takes less time there. It changes nothing of what a program sees. */

/** Messages are shown without colours. With them Node 20.20 takes half a minute for an error whose stack has a path right below a scope (`@pulumi/resource.ts`). */
const withoutColours = `
import util from "node:util";
const plain = (options) => (typeof options === "object" && options?.colors ? { ...options, colors: false } : options);
util.inspect = new Proxy(util.inspect, {
  apply: (inspect, self, [value, options, ...rest]) => Reflect.apply(inspect, self, [value, plain(options), ...rest]),
});
`;

/**
 * The runtime notes for each of its promises (some thirty a resource) where in the code it was made, and sends several messages for debugging a resource,
 * one after the other, which nobody is shown. Both together are most of what a program of a thousand resources takes.
 */
const withoutNotes = `
import Module from "node:module";
const load = Module._load;
const quick = (noting) => (promise, context) => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return noting(promise, context);
  } finally {
    Error.stackTraceLimit = limit;
  }
};
Module._load = function (request, ...rest) {
  const loaded = Reflect.apply(load, this, [request, ...rest]);
  if (request === "./debuggable" && typeof loaded.debuggablePromise === "function")
    loaded.debuggablePromise = quick(loaded.debuggablePromise);
  if (request === "../../log" && typeof loaded.debug === "function") {
    loaded.debug = () => Promise.resolve();
    // It comes last of the two. Whatever the program loads itself is loaded as ever.
    Module._load = load;
  }
  return loaded;
};
`;

/** Arguments for Node. The notes are kept where the user asks for them. */
export function preload(environment: { readonly [name: string]: string | undefined }): string[] {
  const notes = environment["PULUMI_DEBUG_PROMISE_LEAKS"] ? "" : withoutNotes;
  return [`--import=data:text/javascript,${encodeURIComponent(withoutColours + notes)}`];
}
