/** A first script for new instances. */

import type { Template } from "./template.ts";

export const stackscript: Template = {
  name: "stackscript",
  about: "a script that sets up new compute instances",
  body: `resources:
  greeting:
    type: plumbline:compute:StackScript
    properties:
      label: my-greeting
      # Stands for every image.
      images: [any/all]
      # \`$$\` is a dollar sign that means no reference.
      script: |
        #!/bin/sh
        # <UDF name="greeting" label="What to greet with" default="Hello" />
        echo "$$\{GREETING} from $$(hostname)" > /etc/motd

outputs:
  scriptId: \${greeting.id}
`,
};
