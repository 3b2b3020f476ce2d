/** Where a program declares its resources. Part of `preloaded.js`. */

import { fileURLToPath } from "node:url";

const isOfPackage = (site) => /^node:|[\\/]node_modules[\\/]/.test(site.getFileName() ?? "node:");

/** A frame at the top of an ECMAScript module, which the runtime does not know: no function, and an address. */
const ofModule = /^\s*at (?:async )?(?<file>file:.*):(?<line>[0-9]+):(?<column>[0-9]+)$/;

/**
 * Where a resource is declared is one frame of its stack; the runtime looks up all of them, and each anew for every resource of a loop. What a package
 * declares (`Resource.get`, a component) is declared where the program calls it.
 */
export function lookAtOneFrame(Resource, { wrapCallSite }) {
  const { stackTrace, framePositionRegExp } = Resource;
  if (stackTrace === undefined || Resource.callsites === undefined || wrapCallSite === undefined) return;
  const places = new Map();
  const placeOf = (site) => {
    const key = `${site.getFileName()}:${site.getLineNumber()}:${site.getColumnNumber()}`;
    let place = places.get(key);
    if (place === undefined) {
      const frame = `    at ${wrapCallSite(site)}`;
      const { file, line, column } = (framePositionRegExp.exec(frame) ?? ofModule.exec(frame))?.groups ?? {};
      const path = file?.startsWith("file:") ? fileURLToPath(file) : file;
      place =
        path === undefined || path.startsWith("node:") ? {} : { file: path, line: +line, column: +column };
      places.set(key, place);
    }
    return place;
  };
  let frames = Number.POSITIVE_INFINITY;
  const sitesUpTo = (limit) => {
    Error.stackTraceLimit = limit;
    return new Error().stack;
  };
  Resource.callsites = () => {
    const { stackTraceLimit, prepareStackTrace } = Error;
    Error.prepareStackTrace = (_, sites) => sites;
    try {
      const sites = sitesUpTo(frames);
      if (sites.length === frames && isOfPackage(sites[frames - 1])) {
        const own = sitesUpTo(Number.POSITIVE_INFINITY).find(
          (site, at) => at >= frames && !isOfPackage(site),
        );
        if (own !== undefined) sites[frames - 1] = own;
      }
      return sites.slice(1).map(placeOf);
    } finally {
      Object.assign(Error, { stackTraceLimit, prepareStackTrace });
    }
  };
  Resource.stackTrace = function (skip) {
    // Its own frame, this one and those of `callsites` and `sitesUpTo` come before those that are skipped.
    frames = skip + 4;
    return Reflect.apply(stackTrace, this, [skip + 1]);
  };
}
