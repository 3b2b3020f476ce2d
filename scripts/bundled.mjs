/** What a bundle holds of other people's packages, as esbuild's account of it tells, and the notices that their licences ask for. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** The folders of the packages whose code is in the bundles, from the root, each once and in order. */
export function packagesIn(...metafiles) {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs: held }) => used(held)),
  );
  const folders = inputs.flatMap(
    (file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  );
  return [...new Set(folders)].sort();
}

/** What was looked at and left out again is not in the bundle. */
const used = (inputs) =>
  Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));

function textsIn(folder) {
  return readdirSync(join(root, folder))
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    .sort()
    .map((file) => readFileSync(join(root, folder, file), "utf8").trim());
}

/** The section of a package's page that is the licence. */
function textsInReadme(folder) {
  const page = readdirSync(join(root, folder)).find((file) => /^readme/i.test(file));
  const text = page === undefined ? "" : readFileSync(join(root, folder, page), "utf8");
  const [, section] = /^#+ *licen[cs]e *\n(.*?)(?=\n#|$(?![\s\S]))/ims.exec(text) ?? [];
  return section !== undefined && /copyright/i.test(section) ? [section.trim()] : [];
}

/** Some packages of a publisher leave the text of their common licence to the others: that of one with the same scope and licence is theirs. */
function textsBeside(folder, license) {
  const [, scope] = /^(.*node_modules\/@[^/]+)\//.exec(folder) ?? [];
  if (scope === undefined) return [];
  const alike = readdirSync(join(root, scope))
    .map((name) => `${scope}/${name}`)
    .filter((each) => JSON.parse(readFileSync(join(root, each, "package.json"), "utf8")).license === license)
    .map(textsIn);
  return alike.find((texts) => texts.length > 0) ?? [];
}

/** The licences of packages, each text once under the names of all packages that have it. One without a licence's text cannot be handed on. */
export function licencesOf(folders) {
  const groups = new Map();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const texts = [textsIn, textsInReadme, textsBeside].reduce(
      (found, look) => (found.length > 0 ? found : look(folder, license)),
      [],
    );
    if (texts.length === 0) throw new Error(`${folder} has no licence text (${license})`);
    const text = texts.join("\n\n");
    // Line breaks and margins make no other licence.
    const key = text.replace(/\s+/g, " ");
    const group = groups.get(key) ?? { text, names: [] };
    groups.set(key, group);
    group.names.push(`${name} ${version} (${license})`);
  }
  return [...groups.values()]
    .map(({ text, names }) => `${names.join("\n")}\n\n${text}`)
    .join(`\n\n${"-".repeat(80)}\n\n`);
}
