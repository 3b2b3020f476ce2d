/** What bash, zsh and fish complete, asked of the shells themselves. */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findProgram } from "../../scripts/programs.mjs";
import { type Desk, openDesk } from "./plumbline.ts";
import { openScreen } from "./render/screen.ts";

const program = resolve(import.meta.dirname, "../../bin/plumbline");
const [zsh, fish] = [findProgram("zsh"), findProgram("fish")];

let desk: Desk;
/** Writes what `plumbline completion` prints for a shell to a file of its home. */
async function place(shell: string, ...path: string[]): Promise<string> {
  const file = join(desk.folder, ...path);
  mkdirSync(resolve(file, ".."), { recursive: true });
  writeFileSync(file, (await desk.run(["completion", shell])).stdout);
  return file;
}

beforeAll(async () => {
  desk = await openDesk();
  const records = ["www", "web mail"].map(
    (name) =>
      `  ${name}: { type: "plumbline:dns:Record", properties: { domainId: "1", type: A, name: "", target: 192.0.2.1 } }\n`,
  );
  desk.write("Pulumi.yaml", `name: shop\nruntime: yaml\nresources:\n${records.join("")}`);
  mkdirSync(join(desk.folder, "path"));
  writeFileSync(
    join(desk.folder, "path", "plumbline"),
    `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`,
    { mode: 0o755 },
  );
});
afterAll(() => desk.close());

const surroundings = () => ({
  cwd: desk.folder,
  env: {
    PATH: [join(desk.folder, "path"), process.env["PATH"]].join(delimiter),
    HOME: desk.folder,
    TERM: "xterm",
    LANG: "C.UTF-8",
  },
});

describe("in bash", () => {
  it("what is asked for is completed, also types, which hold colons", async () => {
    const script = await place("bash", "completion.bash");
    const completed = (line: string) => {
      const asked = `source ${script}; COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; COMP_WORDBREAKS=' :'; _plumbline; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return spawnSync("bash", ["-c", asked], { ...surroundings(), encoding: "utf8" }).stdout;
    };
    expect(completed("plumbline import plumbline:dns:D")).toBe("Domain\n");
    expect(completed("plumbline up --target ww")).toBe("www\n");
  });
});

describe.skipIf(!fish)("in fish", () => {
  const completed = (line: string) => {
    const asked = spawnSync(fish!, ["-c", `complete -C '${line}'`], { ...surroundings(), encoding: "utf8" });
    expect([asked.status, asked.stderr]).toEqual([0, ""]);
    return asked.stdout.trim().split("\n");
  };

  it("what is asked for is completed, and files where nothing else is known", async () => {
    await place("fish", ".config", "fish", "completions", "plumbline.fish");
    expect(completed("plumbline sta")).toEqual(["stack", "state"]);
    expect(completed("plumbline import plumbline:dns:")).toEqual(
      ["Domain", "Record", "Zone"].map((name) => `plumbline:dns:${name}`),
    );
    expect(completed("plumbline up --target w")).toEqual(["web mail", "www"]);
    expect(completed("plumbline up --ref")).toEqual(["--refresh"]);
    expect(completed("plumbline up --plan Pul")).toEqual(["Pulumi.yaml"]);
  });
});

const hasTerminals = spawnSync("script", ["-qec", "stty size", "/dev/null"]).status === 0;

describe.skipIf(!zsh || !hasTerminals)("in zsh", () => {
  /** Types the line in a terminal, and a Tab, and waits for what that shows. */
  async function completed(line: string, awaited: string): Promise<void> {
    const shell = spawn(
      "script",
      ["-qec", `stty cols 100 rows 40 -onlcr; exec ${zsh} -i`, "/dev/null"],
      surroundings(),
    );
    const ended = new Promise((done) => shell.once("close", done));
    const screen = openScreen(100, 40);
    shell.stdout.setEncoding("utf8").on("data", (text: string) => screen.stream.write(text));
    const shown = async () => (await screen.rows()).join("\n");
    try {
      await expect.poll(shown).toMatch(/^ready ?$/);
      shell.stdin.write(`${line}\t`);
      await expect.poll(shown).toContain(awaited);
    } finally {
      // The shell goes with its terminal.
      shell.kill();
      await ended;
    }
  }

  const settings = (load: string) => {
    writeFileSync(
      join(desk.folder, ".zshrc"),
      `fpath=(~/.zfunc $fpath)\nautoload -U compinit && compinit -u\n${load}\nPS1='ready '\n`,
    );
  };

  it("what is asked for is completed at the first key, and files where nothing else is known", async () => {
    await place("zsh", ".zfunc", "_plumbline");
    settings("");
    await completed("plumbline import plumbline:dns:D", "ready plumbline import plumbline:dns:Domain");
    await completed("plumbline sta", "stack  state");
    await completed("plumbline up --target we", "ready plumbline up --target web\\ mail");
    await completed("plumbline up --plan Pul", "ready plumbline up --plan Pulumi.yaml");
  });

  it("it is so, too, when the settings read what is printed", async () => {
    settings("source <(plumbline completion zsh)");
    await completed("plumbline up --ref", "ready plumbline up --refresh");
  });
});
