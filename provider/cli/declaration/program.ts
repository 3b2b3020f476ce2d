/** Writes blocks as a Pulumi program in TypeScript, on the generated SDK. */

import { type Block, type BlockValue, type BlockValues, Reference } from "./block.ts";

const reserved = new Set(
  (
    "plumbline pulumi exports module require arguments await break case catch class const continue debugger default delete do else enum eval " +
    "export extends false finally for function if implements import in instanceof interface let new null package private protected public " +
    "return static super switch this throw true try typeof undefined var void while with yield async of"
  ).split(" "),
);

/** The program's text. A block comes after those that it refers to, as they are given. */
export function programText(blocks: readonly Block[]): string {
  const variables = variablesOf(blocks);
  const needed = new Set(blocks.flatMap(({ properties }) => [...referencesIn(properties)]));
  const statements = blocks.map((block) => {
    const [, area, name] = block.type.split(":");
    const variable = needed.has(block.key) ? `const ${variables.get(block.key)} = ` : "";
    const args = valueText(block.properties, "", variables);
    const options = Object.entries(block.options).map(([option, value]) => `${option}: ${value}`);
    const last = options.length > 0 ? `, { ${options.join(", ")} }` : "";
    const notes = block.untold.map(
      (input) =>
        `// The service never tells ${input}. It stays as it is until you set it here (config.requireSecret).\n`,
    );
    return `${notes.join("")}${variable}new plumbline.${area}.${name}(${text(block.name ?? block.key)}, ${args}${last});\n`;
  });
  return [
    "/** Everything that was on the account, as plumbline import --all found it. Pulumi runs it with `runtime: nodejs`. */\n\n",
    'import * as plumbline from "@plumbline/pulumi";\n\n',
    statements.join("\n"),
  ].join("");
}

/** Files that the program needs beside it, by name, for where there are none. */
export function projectFiles(project: string): { readonly [file: string]: string } {
  const manifest = {
    name: project.toLowerCase(),
    private: true,
    main: "index.ts",
    dependencies: { "@plumbline/pulumi": "^0.1.0", "@pulumi/pulumi": "^3.230.0" },
    devDependencies: { "@types/node": "^20", typescript: "^5.9.0" },
  };
  const compiler = {
    compilerOptions: {
      target: "es2022",
      module: "nodenext",
      moduleResolution: "nodenext",
      types: ["node"],
      outDir: "bin",
      strict: true,
      skipLibCheck: true,
    },
    files: ["index.ts"],
  };
  return {
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    "tsconfig.json": `${JSON.stringify(compiler, null, 2)}\n`,
  };
}

/** A variable for each block: its key in camel case, each once. */
function variablesOf(blocks: readonly Block[]): ReadonlyMap<string, string> {
  const used = new Set<string>(reserved);
  return new Map(
    blocks.map(({ key }) => {
      const camel = key.replace(/[^A-Za-z0-9]+(.?)/g, (_, next: string) => next.toUpperCase());
      const own = /^[A-Za-z]/.test(camel) ? camel : `object${camel}`;
      let variable = own;
      for (let count = 2; used.has(variable); count++) variable = `${own}${count}`;
      used.add(variable);
      return [key, variable];
    }),
  );
}

function* referencesIn(value: BlockValue): Generator<string> {
  if (value instanceof Reference) yield value.key;
  else if (Array.isArray(value)) for (const item of value) yield* referencesIn(item as BlockValue);
  else if (typeof value === "object" && value !== null)
    for (const item of Object.values(value as BlockValues)) yield* referencesIn(item);
}

/** A string literal; separators of lines, which JSON allows and old readers do not, are escaped too. */
const text = (value: string) =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function valueText(value: BlockValue, margin: string, variables: ReadonlyMap<string, string>): string {
  const inner = `${margin}  `;
  if (value instanceof Reference) return `${variables.get(value.key)}.${value.property}`;
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => valueText(item as BlockValue, inner, variables));
    const line = `[${items.join(", ")}]`;
    if (line.length <= 80 && !line.includes("\n")) return line;
    return `[\n${items.map((item) => `${inner}${item},\n`).join("")}${margin}]`;
  }
  const members = Object.entries(value as BlockValues).map(
    ([name, item]) =>
      `${inner}${/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : text(name)}: ${valueText(item, inner, variables)},\n`,
  );
  return members.length === 0 ? "{}" : `{\n${members.join("")}${margin}}`;
}
