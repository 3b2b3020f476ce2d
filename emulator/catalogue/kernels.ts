/** The kernels that a configuration profile may name (notes, section 12). */

export interface Kernel {
  readonly id: string;
  readonly label: string;
  readonly version: string;
  readonly kvm: boolean;
  readonly architecture: "x86_64" | "i386";
  readonly pvops: boolean;
  readonly deprecated: boolean;
  readonly built: string;
}

function kernel(id: string, label: string, version: string, built: string, deprecated = false): Kernel {
  const architecture = id.includes("32") ? "i386" : "x86_64";
  return { id: `compute/${id}`, label, version, kvm: true, architecture, pvops: true, deprecated, built };
}

export const kernels: readonly Kernel[] = [
  kernel("latest-64bit", "Latest 64 bit (6.2.9-x86_64)", "6.2.9", "2023-04-05T13:20:25"),
  kernel("latest-32bit", "Latest 32 bit (6.2.9-x86)", "6.2.9", "2023-04-05T13:20:25"),
  kernel("grub2", "GRUB 2", "2.06", "2022-01-01T00:00:00"),
  kernel("direct-disk", "Direct Disk", "1.0", "2015-05-04T00:00:00"),
  kernel("6.1.10-x86_64", "6.1.10-x86_64", "6.1.10", "2023-02-08T15:17:43"),
  kernel("5.10.13-x86_64", "5.10.13-x86_64", "5.10.13", "2021-02-08T15:17:43", true),
];
