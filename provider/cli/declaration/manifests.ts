/** Resources as manifests of Kubernetes, on standard output, and manifests of files as what they declare. */

import { parseAllDocuments, stringify } from "yaml";
import { type Asset, isAsset, reveal } from "../../core/value.ts";
import { declaredIn, type GivenObject, type Taken } from "../../kubernetes/from-manifests.ts";
import { type Declared, largestContent, manifestsOf } from "../../kubernetes/manifests.ts";
import { catalogue, contentOf, kinds } from "../../provider.ts";
import { CommandError } from "../exit.ts";
import { readGiven, readStandardInput, standardInput } from "../given-files.ts";
import { print, printError, printWhole } from "../render/door.ts";

/** What manifests in these files declare; `-` is standard input. Throws CommandError for what is no manifest. */
export async function givenIn(
  files: readonly string[],
  { showSecrets }: { readonly showSecrets: boolean },
): Promise<Taken> {
  const objects: GivenObject[] = [];
  for (const file of files) objects.push(...(await objectsOf(file)));
  const isUntold = (type: string, input: string): boolean =>
    catalogue.resources.get(type)?.inputs[input]?.untold === true;
  return declaredIn(objects, kinds, { showSecrets, isUntold });
}

async function objectsOf(file: string): Promise<GivenObject[]> {
  const shown = file === "-" ? standardInput : file;
  const given = { shown, option: "--from-kubernetes" };
  const text = file === "-" ? await readStandardInput(given) : readGiven(file, given);
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new CommandError(`${shown} is no YAML: ${error.message.split("\n")[0]}`);
    const object = document.toJS() as unknown;
    if (object === null) return [];
    if (typeof object === "object" && !Array.isArray(object) && "kind" in object)
      return [object as GivenObject];
    throw new CommandError(`${shown} has something that is no manifest: it has no kind`);
  });
}

/** Refuses a name that no namespace can have. */
export function refuseNamespace(name: string | undefined): void {
  if (name === undefined || /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) return;
  throw new CommandError(
    `--namespace needs the name of a namespace, small letters, digits and inner hyphens, not ${JSON.stringify(name)}`,
  );
}

/** Contents of files are in the manifests. What cannot be is told. */
export async function printManifests(
  resources: readonly Declared[],
  { namespace, showSecrets }: { readonly namespace: string | undefined; readonly showSecrets: boolean },
): Promise<void> {
  const contents = await contentsOf(resources);
  const { manifests, named } = manifestsOf(resources, kinds, {
    ...(namespace === undefined ? {} : { namespace }),
    ...{ showSecrets, contentOf: (given) => contents.get(given) },
  });
  for (const { name, keys } of named)
    printError(`to be made: Secret ${name} with ${keys.join(" and ")}; --show-secrets writes it`);
  const text = manifests
    .map((each) => stringify(each, { lineWidth: 0 }))
    .join("---\n")
    .trimEnd();
  if (text === "") return;
  if (showSecrets) printWhole(text);
  else print(text);
}

/** What the files of resources hold. One that cannot be read, or is another than was applied, is told of, and left out. */
async function contentsOf(resources: readonly Declared[]): Promise<ReadonlyMap<Asset, Uint8Array>> {
  const contents = new Map<Asset, Uint8Array>();
  for (const { name, inputs } of resources)
    for (const [input, value] of Object.entries(inputs)) {
      const given = reveal(value);
      if (!isAsset(given)) continue;
      const leave = (why: string): void => printError(`${name}.${input} is left out: ${why}`);
      try {
        const bytes = await contentOf(given);
        if (bytes.length <= largestContent) contents.set(given, bytes);
        else leave(`${bytes.length} bytes are more than an object of a cluster holds (${largestContent})`);
      } catch (error) {
        leave((error as Error).message);
      }
    }
  return contents;
}
