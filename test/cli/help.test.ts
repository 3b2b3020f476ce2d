/** What the command line says of itself: help of every command, the version, and what to do where there is no stack file. */

import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "./plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const reference = readFileSync(resolve(import.meta.dirname, "../../docs/reference/cli.md"), "utf8");

/** The names under `Commands:`. */
const listed = (help: string) =>
  [...(help.split("\nCommands:\n")[1] ?? "").split("\n\n")[0]!.matchAll(/^ {2}([a-z]+)/gm)].map(
    ([, name]) => name!,
  );
const optionsIn = (text: string) => [...text.matchAll(/--[a-z][a-z-]*/g)].map(([option]) => option);

/** Every command as its words (`stack graph`), with its help. */
async function everyHelp(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const visit = async (words: readonly string[]): Promise<void> => {
    const ran = await desk.run([...words, "--help"]);
    expect(ran.code, ran.text).toBe(0);
    if (words.length > 0) found.set(words.join(" "), ran.stdout);
    for (const name of listed(ran.stdout)) await visit([...words, name]);
  };
  await visit([]);
  return found;
}

describe("help", () => {
  it("is shown, as no error, where nothing is asked for", async () => {
    const ran = await desk.run([]);
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(listed(ran.stdout)).toEqual(expect.arrayContaining(["new", "preview", "up", "stack", "help"]));
    expect((await desk.run(["help"])).stdout).toBe(ran.stdout);
    const group = await desk.run(["stack"]);
    expect([group.code, group.stderr]).toEqual([0, ""]);
    expect(listed(group.stdout)).toContain("graph");
  });

  it("of each command has its own and the common options, examples that it takes, and exit codes", async () => {
    const helps = await everyHelp();
    expect(helps.size).toBeGreaterThan(20);
    for (const [words, help] of helps) {
      expect(help, words).toMatch(/^Global Options:\n.*-C, --cwd/ms);
      expect(help, words).toMatch(/^Exit codes:\n {2}0 .*\n {2}1 /m);
      const known = new Set(optionsIn(help.split("\nExamples:\n")[0]!));
      const examples = (help.split("\nExamples:\n")[1] ?? "").split("\n\n")[0]!.split("\n");
      expect(examples.length, words).toBeGreaterThan(0);
      for (const example of examples) {
        const [line = "", what = ""] = example.trim().split(/ {2,}/);
        expect(what, example).not.toBe("");
        expect(line, example).toMatch(new RegExp(`^plumbline (${words}|help)\\b`));
        if (line.startsWith(`plumbline ${words}`))
          for (const option of optionsIn(line)) expect(known, example).toContain(option);
      }
      const asked = await desk.run(["help", ...words.split(" ")]);
      expect(asked.stdout, words).toBe(help);
    }
  });

  it("and the reference name the same commands and options", async () => {
    const untold: string[] = [];
    for (const [words, help] of await everyHelp()) {
      if (!new RegExp(`\\b${words}\\b`).test(reference)) untold.push(words);
      const own = help.split("\nGlobal Options:")[0]!.split("\nOptions:\n")[1] ?? "";
      // Those of the emulator are told in its own reference.
      const options = words === "emulator" ? [] : [...own.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)];
      for (const [, option] of options)
        if (option !== "--help" && !reference.includes(option!)) untold.push(`${words} ${option}`);
    }
    expect(untold).toEqual([]);
  });

  it("of a command that there is not names the nearest one", async () => {
    const ran = await desk.run(["help", "stack", "grph"]);
    expect([ran.code, ran.stderr]).toEqual([
      1,
      "error: there is no command stack grph; did you mean graph?\n",
    ]);
  });

  it("tells the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8"));
    expect((await desk.run(["--version"])).stdout).toBe(`${version}\n`);
  });
});

describe("without a stack file", () => {
  it("each way out is named, and the folders that have one", async () => {
    mkdirSync(join(desk.folder, "shop"));
    mkdirSync(join(desk.folder, "shop/inner"));
    desk.write("shop/Pulumi.yaml", "name: shop\nruntime: yaml\n");
    for (const [args, where] of [
      [["preview"], "there is one in shop"],
      [["destroy"], "there is one in shop"],
      [["stack", "list"], "there is one in shop"],
      [["up", "-C", "shop/inner"], "there is one in shop"],
    ] as const) {
      const ran = await desk.run(args);
      expect(ran.code).toBe(1);
      for (const way of ["there is no Pulumi.yaml in", "plumbline new", "import --all", "-C", "-f", where])
        expect(ran.text, args.join(" ")).toContain(way);
    }
    const json = await desk.run(["validate", "--json"]);
    expect(JSON.parse(json.stdout).diagnostics[0].message).toContain("plumbline new");
  });
});
