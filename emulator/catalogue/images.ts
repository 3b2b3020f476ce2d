/** The public images that an instance can be deployed from, retired ones included, which are deprecated (notes, section 12). */

export interface Image {
  readonly id: string;
  readonly label: string;
  readonly vendor: string;
  readonly deprecated: boolean;
  /** MB that a disk must have. */
  readonly size: number;
  readonly created: string;
  readonly eol: string;
  readonly capabilities: readonly string[];
}

function image(
  id: string,
  label: string,
  vendor: string,
  size: number,
  created: string,
  eol: string,
  deprecated = false,
): Image {
  const capabilities = deprecated ? [] : ["cloud-init"];
  return { id: `compute/${id}`, label, vendor, deprecated, size, created, eol, capabilities };
}

export const images: readonly Image[] = [
  image("alpine3.19", "Alpine 3.19", "Alpine", 300, "2023-12-11T15:12:41", "2025-11-01T04:00:00"),
  image("almalinux9", "AlmaLinux 9", "AlmaLinux", 2200, "2022-07-08T15:21:21", "2032-05-31T04:00:00"),
  image("centos7", "CentOS 7", "CentOS", 1500, "2014-07-08T10:07:21", "2024-06-30T04:00:00", true),
  image("debian8", "Debian 8", "Debian", 900, "2015-04-27T16:26:41", "2020-06-30T04:00:00", true),
  image("debian9", "Debian 9", "Debian", 1100, "2017-06-16T20:02:29", "2022-06-30T04:00:00", true),
  image("debian10", "Debian 10", "Debian", 1500, "2019-07-08T15:21:21", "2024-06-30T04:00:00", true),
  image("debian11", "Debian 11", "Debian", 1300, "2021-08-14T22:44:02", "2026-06-30T04:00:00"),
  image("debian12", "Debian 12", "Debian", 1600, "2023-06-12T17:32:54", "2028-06-10T04:00:00"),
  image("fedora39", "Fedora 39", "Fedora", 2600, "2023-11-08T13:46:10", "2024-11-12T05:00:00"),
  image("rocky9", "Rocky Linux 9", "Rocky", 1500, "2022-07-21T15:49:45", "2032-05-31T04:00:00"),
  image(
    "ubuntu16.04lts",
    "Ubuntu 16.04 LTS",
    "Ubuntu",
    2700,
    "2016-04-22T14:11:29",
    "2021-04-30T04:00:00",
    true,
  ),
  image(
    "ubuntu18.04",
    "Ubuntu 18.04 LTS",
    "Ubuntu",
    2700,
    "2018-04-26T14:40:32",
    "2023-04-30T04:00:00",
    true,
  ),
  image("ubuntu20.04", "Ubuntu 20.04 LTS", "Ubuntu", 2600, "2020-04-27T18:50:49", "2025-04-30T04:00:00"),
  image("ubuntu22.04", "Ubuntu 22.04 LTS", "Ubuntu", 2700, "2022-04-26T13:34:09", "2027-04-27T04:00:00"),
];

/** An image as the service answers it. */
export function showImage(one: Image): Record<string, unknown> {
  return {
    ...one,
    updated: one.created,
    description: "",
    created_by: "compute",
    type: "manual",
    is_public: true,
    expiry: null,
    status: "available",
  };
}
