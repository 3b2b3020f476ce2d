/** How one connects to a database: root credentials and the authority's certificate, which single views tell (contract section 4.3). */

import type { ServicePort, WireObject } from "../../core/service-port.ts";

/** The certificate in PEM form; undefined where connections need none. */
export async function certificateOf(service: ServicePort, path: string): Promise<string | undefined> {
  const { ca_certificate: encoded } = await service.getFresh(`${path}/ssl`);
  return typeof encoded === "string" ? atob(encoded) : undefined;
}

/** The root user's name and password. */
export function credentialsOf(service: ServicePort, path: string): Promise<WireObject> {
  return service.getFresh(`${path}/credentials`);
}

/** Adds what the single views tell. They answer for an active database only; otherwise what was known stays. */
export async function withAccess(
  { service, path }: { readonly service: ServicePort; readonly path: string },
  database: WireObject,
): Promise<WireObject> {
  if (database["status"] !== "active") return database;
  const [certificate, credentials] = await Promise.all([
    certificateOf(service, path),
    credentialsOf(service, path),
  ]);
  return {
    ...database,
    ca_certificate: certificate,
    root_username: credentials["username"],
    root_password: credentials["password"],
  };
}
