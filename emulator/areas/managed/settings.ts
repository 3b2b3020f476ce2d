/** How support staff reach each instance: one entry for every instance of the account (contract section 2.8; notes, section 8). */

import { isIP } from "node:net";
import { type Call, type Handler, notFound, type Reason, refuseAll } from "../../area.ts";
import { type Instance, instances } from "../compute/objects.ts";

interface SshSettings {
  access: boolean;
  /** `null` means root. */
  user: string | null;
  /** An address, or `any`. */
  ip: string;
  /** `null` means 22. */
  port: number | null;
}

const defaults: SshSettings = { access: true, user: null, ip: "any", port: null };

const sshOf = (instance: Instance): SshSettings => ({ ...defaults, ...instance["_managedSsh"] });

const show = (instance: Instance) => {
  const { id, label, group } = instance;
  return { id, label, group, ssh: sshOf(instance) };
};

function reachInstance(call: Call): Instance {
  return instances(call.world).get(call.id("computeId")) ?? notFound();
}

function settingsReasons(body: Call["body"]): Reason[] {
  const ip: string | undefined = body["ssh"]?.ip;
  return ip === undefined || ip === "any" || isIP(ip) !== 0
    ? []
    : [{ reason: "Must be an IP address or any", field: "ssh.ip" }];
}

/** Changes what is given of `ssh`; an empty user is none. What has its default is not kept. */
function update(call: Call) {
  const instance = reachInstance(call);
  refuseAll(settingsReasons(call.body));
  const ssh = { ...sshOf(instance), ...call.body["ssh"] };
  const told = Object.entries({ ...ssh, user: ssh.user || null });
  const own = told.filter(([name, value]) => value !== defaults[name as keyof SshSettings]);
  const _managedSsh = own.length > 0 ? Object.fromEntries(own) : undefined;
  return show(instances(call.world).update(instance.id, { _managedSsh }));
}

export const settingsHandlers: { readonly [operation: string]: Handler } = {
  "GET /managed/compute-settings": (call) => instances(call.world).all().map(show),
  "GET /managed/compute-settings/{computeId}": (call) => show(reachInstance(call)),
  "PUT /managed/compute-settings/{computeId}": update,
};

export const settingsJudges = {
  "PUT /managed/compute-settings/{computeId}": (call: Call) => {
    reachInstance(call);
    return settingsReasons(call.body);
  },
};
