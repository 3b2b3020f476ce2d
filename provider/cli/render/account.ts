/** What an import of a whole account says: what there is, what is left out and why, what was done. */

import { relative } from "node:path";
import { grouped } from "../../core/grouped.ts";
import { quoted } from "../../core/masking.ts";
import type { RequestCounts } from "../../core/protocol.ts";
import { shortToken } from "../../core/token.ts";
import type { LeftOut, Survey } from "../../engine/engine.ts";
import { catalogue } from "../../provider.ts";
import type { Settings } from "../settings.ts";
import { print } from "./door.ts";
import type { Colors } from "./format.ts";

export interface Told {
  readonly settings: Settings;
  readonly survey: Survey;
  /** Paths of what is to be written. */
  readonly files: readonly string[];
  readonly requests: RequestCounts;
}

/** Says what was done, or (`isDone: false`) what would be. */
export function tell(told: Told, isDone: boolean): void {
  const { settings, survey, files, requests } = told;
  if (settings.json) {
    const imported = survey.found.map(({ urn, type, name, id }) => ({ urn, type, name, id }));
    const managed = survey.managed.map(({ state: { urn, type, id } }) => ({
      urn,
      type,
      name: nameOf(urn),
      id,
    }));
    print(
      JSON.stringify({
        result: "succeeded",
        previewOnly: !isDone,
        imported,
        managed,
        leftOut: survey.leftOut,
        untold: untoldOf(survey),
        files: isDone ? files.map(shownPath) : [],
        requests,
      }),
    );
  } else if (isDone) {
    const done = files.length > 0 ? `, and wrote ${files.map(shownPath).join(", ")}` : "";
    print(
      `${settings.colors.green("imported")} ${counted(survey.found.length, "object")} into ${settings.stack}${done}`,
    );
  } else describe(told);
}

/** What there is, by type; what is left out, by reason; what an import cannot know. */
export function describe({ settings: { colors }, survey: { found, managed, leftOut }, survey }: Told): void {
  const counts = grouped(found, ({ type }) => shortToken(type));
  if (counts.size === 0) print("nothing on the account that the stack does not have");
  for (const [type, { length }] of counts) print(`${String(length).padStart(7)} ${type}`);
  if (managed.length > 0)
    print(colors.dim(`${counted(managed.length, "resource")} of the stack stay as they are`));
  for (const line of leftOutLines(leftOut, colors)) print(line);
  for (const line of untoldLines(survey)) print(colors.dim(line));
}

/** What an import cannot know, a line a type. */
export const untoldLines = (survey: Survey): string[] =>
  untoldOf(survey).map(
    ({ type, properties }) =>
      `${shortToken(type)}: the service does not tell ${properties.join(", ")}; left out, they stay as they are`,
  );

/** What is left out, a line a reason. */
export function leftOutLines(leftOut: readonly LeftOut[], colors: Colors): string[] {
  const byReason = grouped(leftOut, ({ type, reason }) => `${shortToken(type)}: ${reason}`);
  return [...byReason].map(([reason, all]) => {
    const ids = all.flatMap(({ id, name }) =>
      id === undefined ? (name ?? []) : [name === undefined ? id : `${name} (${id})`],
    );
    const shown = ids.length > 5 ? [...ids.slice(0, 5), `${ids.length - 5} more`] : ids;
    return `${colors.yellow("left out")} ${quoted(reason)}${shown.length > 0 ? `: ${quoted(shown.join(", "))}` : ""}`;
  });
}

/** What the service keeps of the found objects' types and does not tell. */
function untoldOf({ found }: Survey): { readonly type: string; readonly properties: readonly string[] }[] {
  return [...new Set(found.map(({ type }) => type))].flatMap((type) => {
    const inputs = Object.entries(catalogue.resources.get(type)?.inputs ?? {});
    const properties = inputs.flatMap(([name, { untold }]) => (untold ? [name] : []));
    return properties.length > 0 ? [{ type, properties }] : [];
  });
}

const nameOf = (urn: string) => urn.slice(urn.lastIndexOf("::") + 2);
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** A path as people would write it here. */
export const shownPath = (path: string) => relative(process.cwd(), path) || path;
