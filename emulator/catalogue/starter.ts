/** The account that the command line's emulator starts with: one running instance, so that volumes and subnets have something to belong to. */

import type { Seed } from "../account/account-file.ts";
import { defaultHelpers, noDevices } from "../areas/compute/configs.ts";

const computeId = 1001;
const since = "2026-01-01T00:00:00";

/** Instance 1001 (`web-1`, 4 GB, us-east, running) with its only configuration profile, 2001. */
export const starterAccount: Seed = {
  account: {},
  requests: [],
  collections: {
    computeInstances: [
      {
        id: computeId,
        label: "web-1",
        group: "",
        status: "running",
        created: since,
        updated: since,
        type: "g6-standard-2",
        ipv4: ["198.18.255.1"],
        ipv6: "2001:db8::3e9/128",
        image: null,
        region: "us-east",
        tags: [],
        alerts: { cpu: 90, network_in: 10, network_out: 10, transfer_quota: 80, io: 10000 },
        watchdog_enabled: true,
        host_uuid: "5a4d1e0c7b93f6281d0e9c4b7a6f53e21c8d0b9a",
        has_user_data: false,
        _lastConfig: 2001,
      },
    ],
    computeConfigs: [
      {
        id: 2001,
        compute_id: computeId,
        label: "web-1 profile",
        helpers: defaultHelpers,
        kernel: "compute/latest-64bit",
        comments: "",
        memory_limit: 0,
        created: since,
        updated: since,
        root_device: "/dev/sda",
        devices: noDevices(),
        initrd: null,
        run_level: "default",
        virt_mode: "paravirt",
      },
    ],
  },
};
