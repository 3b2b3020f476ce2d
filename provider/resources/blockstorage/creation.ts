/** The request that makes a volume: beside an instance, on it, or as a copy (contract section 2.10). */

import type { ServicePort } from "../../core/service-port.ts";

interface DeclaredVolume {
  readonly label?: string;
  readonly size?: number;
  readonly region?: string;
  readonly tags?: readonly string[];
  readonly computeId?: string;
  readonly configId?: string;
  readonly persistAcrossBoots?: boolean;
  readonly cloneOf?: string;
}

/** Path, body, and the fields that are settled by it. */
export async function createRequest(declared: DeclaredVolume, service: ServicePort) {
  const { label, size, region, tags, computeId, configId, persistAcrossBoots, cloneOf } = declared;
  if (cloneOf !== undefined) {
    return {
      path: `/volumes/${cloneOf}/clone`,
      body: { label },
      fields: ["label", "cloneOf", "region"] as const,
    };
  }
  const fields = ["label", "size", "region", "tags"] as const;
  const body = { label, size, region, tags };
  if (persistAcrossBoots === false && computeId !== undefined) {
    // A create always attaches across boots, so the volume is made beside the instance and attached afterwards.
    const place = region ?? (await service.get(`/compute/instances/${computeId}`))["region"];
    return { path: "/volumes", body: { ...body, region: place }, fields };
  }
  return {
    path: "/volumes",
    body: { ...body, compute_id: computeId && Number(computeId), config_id: configId && Number(configId) },
    fields: [...fields, "computeId", "configId", "persistAcrossBoots"] as const,
  };
}
