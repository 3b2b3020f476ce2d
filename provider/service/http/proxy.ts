/**
 * Which way requests go: straight, or through the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name. Knows addresses, not what
 * is sent: to an https address a proxy gives a tunnel, and never sees what goes through it.
 */

import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { SettingError } from "../errors.ts";

/** The proxies of an environment; absent: none. */
export interface Proxies {
  readonly http?: string;
  readonly https?: string;
  /** Hosts that are reached without one: `*`, or names (with all below them) and addresses, each with a port or without, separated by commas. */
  readonly no?: string;
}

/** Opens connections, the straight ones and those through a proxy. */
export interface Ways {
  /** What sends requests to this origin. Opens no connection by itself. */
  to(origin: string): Dispatcher;
  /** What messages add where a proxy is between: ` through the proxy http://proxy:3128`; else nothing. */
  through(origin: string): string;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

/** Reads the variables in small and in capital letters; small ones come first, as with other tools. */
export function proxiesOf(environment: { readonly [name: string]: string | undefined }): Proxies {
  const value = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const [http, https, no] = [value("HTTP_PROXY"), value("HTTPS_PROXY"), value("NO_PROXY")];
  return { ...(http && { http }), ...(https && { https }), ...(no && { no }) };
}

/** The proxy on the way to an origin. This machine itself is always reached straight. Throws SettingError for an address that is none. */
export function proxyFor(origin: string, { http, https, no = "" }: Proxies): URL | undefined {
  const { protocol, hostname, port } = new URL(origin);
  const proxy = protocol === "https:" ? https : http;
  if (proxy === undefined || isLoopback(hostname) || isExempt(hostname, port || defaultPort(protocol), no))
    return undefined;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  throw new SettingError(
    `${name} must be the address of an http or https proxy, like http://proxy.example.com:3128; or name ${hostname} in NO_PROXY`,
  );
}

/** True for the machine itself, where plain http goes over no wire. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])\.?$/i.test(hostname);
}

export function createWays(proxies: Proxies, options: { readonly connections: number }): Ways {
  const { connections } = options;
  const agents = new Map<string, Dispatcher>();
  return {
    to(origin) {
      const proxy = proxyFor(origin, proxies);
      // A tunnel for https; a proxy for http is asked for the whole address, as proxies that tunnel to port 443 only have it.
      const proxyTunnel = origin.startsWith("https:");
      const key = `${proxy?.href ?? ""} ${proxyTunnel}`;
      const known = agents.get(key);
      if (known !== undefined) return known;
      const shared = { connections, pipelining: 1 };
      const made = proxy ? new ProxyAgent({ ...shared, uri: proxy.href, proxyTunnel }) : new Agent(shared);
      agents.set(key, made);
      return made;
    },
    through(origin) {
      const proxy = proxyFor(origin, proxies);
      return proxy === undefined ? "" : ` through the proxy ${proxy.origin}`;
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

function isExempt(hostname: string, port: string, no: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, "");
  return no
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = "", only] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.replace(/^\[(.*)\]/, "$1")) ?? [];
      if (entry === "*") return true;
      if (name === "" || (only !== undefined && only !== port)) return false;
      return host === name || host.endsWith(`.${name}`);
    });
}

function defaultPort(protocol: string): string {
  return protocol === "https:" ? "443" : "80";
}
