/** What the types of the area `compute` must live through. */

import { life } from "../lifecycle.ts";

/** The type of StackScripts. */
export const type = "plumbline:compute/stackScript:StackScript";
/** It asks for a port. */
export const script = '#!/bin/bash\n# <UDF name="port" label="Port" default="80" />\necho "$PORT"\n';
/** The least that a StackScript says. */
export const least = { label: "web server", images: ["compute/debian12"], script };

const stackScript = life({
  type,
  prepare: async () => ({}),
  steps: [
    {
      does: "create",
      declare: () => least,
      leaves: {
        isPublic: false,
        mine: true,
        deploymentsTotal: 0,
        userDefinedFields: [{ name: "port", label: "Port", default: "80" }],
      },
    },
    { does: "same", declare: () => ({ ...least, script: script.replaceAll("\n", "\r\n") }) },
    {
      does: "update",
      declare: () => ({ ...least, label: "web-2", description: "Serves", revNote: "Second" }),
      changes: ["label", "description", "revNote"],
    },
    {
      does: "update",
      declare: () => ({
        label: "web-2",
        images: ["compute/ubuntu22.04", "compute/debian12"],
        script: "#!/bin/sh\r\ntrue\r\n",
      }),
      changes: ["images", "script", "description", "revNote"],
      leaves: { description: "", revNote: "", userDefinedFields: [] },
    },
    {
      does: "same",
      declare: () => ({
        label: "web-2",
        images: ["compute/debian12", "compute/ubuntu22.04"],
        script: "#!/bin/sh\ntrue\n",
      }),
    },
    {
      does: "update",
      declare: () => ({ label: "web-2", images: ["compute/debian12"], script: "#!/bin/sh\nexit\n" }),
      changes: ["images", "script"],
    },
  ],
  naturalName: () => "web-2",
  drift: {
    label: ({ id }) => ({ method: "PUT", path: `/compute/stackscripts/${id}`, body: { label: "theirs" } }),
    description: ({ id }) => ({
      method: "PUT",
      path: `/compute/stackscripts/${id}`,
      body: { description: "theirs" },
    }),
    images: ({ id }) => ({
      method: "PUT",
      path: `/compute/stackscripts/${id}`,
      body: { images: ["any/all"] },
    }),
    revNote: ({ id }) => ({ method: "PUT", path: `/compute/stackscripts/${id}`, body: { rev_note: "x" } }),
    script: ({ id }) => ({
      method: "PUT",
      path: `/compute/stackscripts/${id}`,
      body: { script: "#!/bin/sh\nfalse\n" },
    }),
  },
});

export const lives = [stackScript];
