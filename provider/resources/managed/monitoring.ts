/** Functions of the managed area for what monitoring tells: issues, usage and the support staff's key (contract section 4.6). */

import { group, id, integer, list, number, optional, text } from "../../core/field.ts";
import { providerFunction } from "../../core/function.ts";
import type { WireObject } from "../../core/service-port.ts";
import { objectFromWire } from "../../core/wire.ts";
import { existing } from "../find.ts";

const issue = {
  id: text({ description: "Id of the issue." }),
  created: text({ description: "When it began (UTC)." }),
  services: list(text({ description: "Id of a Service." }), {
    description: "Ids of the Services that failed.",
  }),
  entity: group(
    {
      id: text({ description: "Id of the ticket." }),
      type: text({ description: "Always `ticket`." }),
      label: text({ description: "Title of the ticket." }),
      url: text({ description: "Path of the ticket." }),
    },
    { description: "The support ticket about it.", typeName: "IssueTicket" },
  ),
};

export const getIssue = providerFunction({
  area: "managed",
  name: "getIssue",
  description: "One issue of monitored services: ongoing, or recent.",
  args: { id: id({ description: "Id of the issue.", reference: "managed/issue" }) },
  result: issue,
  async call({ args, service }) {
    const read = service.get(`/managed/issues/${args.id}`);
    return objectFromWire(issue, await existing(`issue with id ${args.id}`, read));
  },
});

export const getIssues = providerFunction({
  area: "managed",
  name: "getIssues",
  description: "The ongoing and recent issues of monitored services.",
  args: {
    serviceId: optional(id({ description: "Only issues of this Service.", reference: "managed/service" })),
  },
  result: {
    issues: list(group(issue, { description: "An issue.", typeName: "Issue" }), {
      description: "The issues, newest first.",
    }),
  },
  async call({ args, service }) {
    const isWanted = ({ services }: WireObject) =>
      args.serviceId === undefined || (services as number[]).map(String).includes(args.serviceId);
    const found = (await service.list("/managed/issues")).filter(isWanted);
    return { issues: found.map((each) => objectFromWire(issue, each)) };
  },
});

const graph = (description: string) =>
  list(
    group(
      {
        x: integer({ description: "Milliseconds since 1970." }),
        y: number({ description: "Use at that time." }),
      },
      { description: "A point of a graph.", typeName: "StatsPoint" },
    ),
    { description: `${description}, every five minutes of the last 24 hours, oldest first.` },
  );

const graphs = {
  cpu: graph("Processors, in percent"),
  disk: graph("Disk blocks"),
  swap: graph("Swap blocks"),
  netIn: graph("Bits a second received"),
  netOut: graph("Bits a second sent"),
};

export const getStats = providerFunction({
  area: "managed",
  name: "getStats",
  description: "What all managed compute instances together used in the last 24 hours.",
  args: {},
  result: {
    ...graphs,
    message: optional(text({ description: "Why there are no graphs yet; they are all empty then." })),
  },
  async call({ service }) {
    const { data } = await service.getFresh("/managed/stats");
    if (!Array.isArray(data)) return objectFromWire(graphs, data as WireObject);
    const empty = Object.fromEntries(Object.keys(graphs).map((name) => [name, []]));
    return { ...empty, message: data.join(" ") };
  },
});

export const getSshKey = providerFunction({
  area: "managed",
  name: "getSshKey",
  description:
    "The public key that support staff log in with: put it into the `authorized_keys` of the user that InstanceSettings name. Each account has one of its own.",
  args: {},
  result: { sshKey: text({ description: "The public key." }) },
  async call({ service }) {
    const { ssh_key } = await service.getFresh("/managed/credentials/sshkey");
    return { sshKey: String(ssh_key) };
  },
});
