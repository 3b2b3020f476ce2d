/** Functions of the compute area: StackScripts, the account's own and public ones (contract section 4.1). */

import { viewList, viewOf } from "../../core/object/view.ts";
import type { WireObject } from "../../core/service-port.ts";
import { flag, id, optional, text } from "../../core/type/field.ts";
import { providerFunction } from "../../core/type/function.ts";
import { getOne, shown } from "../../core/type/getter.ts";
import { StackScript } from "./stackscript.ts";

export const getStackScript = getOne(shown(StackScript), {
  description: "One StackScript: any by its id, one of the account's own by its label.",
  id: {
    id: id({
      description: "Id of the StackScript; it may be another account's public one.",
      reference: "compute/stackScript",
    }),
  },
  by: { label: text({ description: "Label of one of the account's own StackScripts." }) },
});

export const getStackScripts = providerFunction({
  area: "compute",
  name: "getStackScripts",
  description:
    "The StackScripts that the arguments match: the account's own, or with `mine: false` the public ones of others too.",
  args: {
    mine: optional(
      flag({
        description:
          "True: the account's own alone. False: the public ones of every account too; give other arguments then, as there are thousands. Default: true.",
      }),
    ),
    label: optional(text({ description: "Only StackScripts with this label." })),
    username: optional(text({ description: "Only StackScripts that this user made." })),
    isPublic: optional(flag({ description: "Only public ones, or only private ones." })),
    image: optional(
      text({
        description:
          "Only StackScripts that can be deployed with this image (`compute/debian12`), those for `any/all` included.",
      }),
    ),
  },
  result: { stackScripts: viewList(StackScript, "The StackScripts, by id.") },
  async call({ args, service }) {
    const { mine = true, label, username, isPublic, image } = args;
    const asked = Object.entries({ label, username, is_public: isPublic }).filter(
      ([, value]) => value !== undefined,
    );
    const filter = { ...(mine && { mine }), ...Object.fromEntries(asked) };
    const found = await service.list(StackScript.collection, { filter });
    const isWanted = (script: WireObject) => {
      const images = script["images"] as readonly string[];
      return (
        asked.every(([name, value]) => script[name] === value) &&
        (image === undefined || images.includes(image) || images.includes("any/all"))
      );
    };
    return { stackScripts: found.filter(isWanted).map((script) => viewOf(StackScript, script)) };
  },
});
