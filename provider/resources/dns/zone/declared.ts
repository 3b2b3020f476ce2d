/** The records that a zone declares, as a list or as a zone file, each with the place where it is declared. Pure. */

import { parseZoneFile, type ZoneFile } from "../../../core/zone-file.ts";
import { formOf, type ZoneForm, type ZoneItem } from "./form.ts";

/** A record as declared. */
export interface DeclaredRecord {
  readonly item: ZoneItem;
  readonly form: ZoneForm;
  /** Writes a property of the record as a path of the zone's (`records[17].target`, `zoneFile`) and what is wrong with it. */
  readonly tell: (property: string, reason: string) => readonly [property: string, reason: string];
}

export interface ZoneSource {
  readonly records?: readonly ZoneItem[];
  readonly zoneFile?: string;
}

/** Stands for the zone's name where neither the file nor anybody else tells it, so that relative names can be read all the same. */
const nameless = "zone.invalid";

const parsed = new Map<string, ZoneFile>();
/** Zone files that are kept: the last one applied, the new one, each with and without the zone's name. */
const mostParsed = 8;

/** The zone file, read; without a name it is read under the name that it says itself, if any. */
export function readZoneFile(text: string, zone: string | undefined): ZoneFile {
  const key = `${zone ?? ""}\n${text}`;
  let file = parsed.get(key);
  if (!file) {
    file = parseZoneFile(text, zone === undefined ? {} : { origin: zone });
    if (zone === undefined && file.origin === "")
      file = withoutName(parseZoneFile(text, { origin: nameless }));
  } else parsed.delete(key);
  parsed.set(key, file);
  for (const oldest of parsed.keys()) {
    if (parsed.size <= mostParsed) break;
    parsed.delete(oldest);
  }
  return file;
}

/** Whether a full name is within the zone cannot be told yet. */
function withoutName(file: ZoneFile): ZoneFile {
  return { ...file, problems: file.problems.filter(({ message }) => !message.includes(nameless)) };
}

/** Every declared record; those that a zone file has and the service keeps itself (NS of the zone's own name) are left out. Undefined where nothing known declares any. */
export function declaredOf(
  { records, zoneFile }: ZoneSource,
  zone: string | undefined,
): readonly DeclaredRecord[] | undefined {
  if (records !== undefined) {
    return records.map((item, i) => ({
      item,
      form: formOf(item, zone),
      tell: (property, reason) => [`records[${i}]${property === "" ? "" : `.${property}`}`, reason],
    }));
  }
  if (zoneFile === undefined) return undefined;
  const file = readZoneFile(zoneFile, zone);
  return file.records.flatMap((item, i) => {
    if (item.type === "NS" && !item.name) return [];
    const tell: DeclaredRecord["tell"] = (property, reason) => [
      "zoneFile",
      `line ${file.lines[i]}: ${property === "" ? "" : `${property} `}${reason}`,
    ];
    return [{ item, form: formOf(item, zone ?? (file.origin || undefined)), tell }];
  });
}
