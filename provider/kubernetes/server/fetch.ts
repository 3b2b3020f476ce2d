/** What Kubernetes' client takes from `node-fetch`, as Node itself has it: the build puts this in its place. */

const { Headers, fetch } = globalThis;

export { fetch as default, Headers };
