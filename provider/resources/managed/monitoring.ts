/** Functions of the managed area for what monitoring tells: issues, usage and the support staff's key (contract section 4.6). */

import { objectFromWire } from "../../core/object/wire.ts";
import type { WireObject } from "../../core/service-port.ts";
import { group, id, integer, list, number, optional, text } from "../../core/type/field.ts";
import { providerFunction } from "../../core/type/function.ts";
import { getAll, getOne } from "../../core/type/getter.ts";

const issueFields = {
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

const issue = {
  area: "managed",
  name: "Issue",
  noun: "issue",
  item: group(issueFields, { description: "An issue.", typeName: "Issue" }),
  collection: "/managed/issues",
};

export const getIssue = getOne(issue, {
  description: "One issue of monitored services: ongoing, or recent.",
  id: { id: id({ description: "Id of the issue.", reference: "managed/issue" }) },
});

export const getIssues = getAll(issue, {
  description: "The ongoing and recent issues of monitored services.",
  filters: {
    serviceId: id({
      description: "Only issues of this Service.",
      reference: "managed/service",
      wireName: "services",
    }),
  },
  says: "The issues, newest first.",
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
