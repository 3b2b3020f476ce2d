/** The areas of the service, as `--area` names them. */

import { shortToken } from "../core/token.ts";
import { catalogue } from "../provider.ts";
import { CommandError } from "./exit.ts";

/** Throws a CommandError that lists them. Undefined is every area. */
export function refuseUnknownArea(area: string | undefined): void {
  const areas = [
    ...new Set([...catalogue.resources.keys()].map((token) => shortToken(token).split(":")[1]!)),
  ];
  if (area === undefined || areas.includes(area)) return;
  throw new CommandError(`--area: there is no area "${area}"; there are: ${areas.join(", ")}`);
}
