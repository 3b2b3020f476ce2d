/** The command line in a real terminal, and in a pipe whose reader goes away. */

import { spawn, spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../plumbline.ts";
import { openScreen } from "./screen.ts";

const program = resolve(import.meta.dirname, "../../../bin/plumbline");
const hasTerminals = spawnSync("script", ["-qec", "stty size", "/dev/null"]).status === 0;

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const zone = (records: number) =>
  [
    "name: shop",
    "runtime: yaml",
    "resources:",
    "  zone:",
    "    type: plumbline:dns:Domain",
    "    properties: { domain: terminal.example, type: master, soaEmail: a@terminal.example }",
    ...Array.from({ length: records }, (_, n) => [
      `  record-${n}:`,
      "    type: plumbline:dns:Record",
      `    properties: { domainId: "\${zone.id}", type: A, name: h${n}, target: 192.0.2.1 }`,
    ]).flat(),
    "",
  ].join("\n");

function environment(): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  const { baseUrl, token } = desk.emulator;
  return {
    PATH,
    HOME: join(desk.folder, ".home"),
    TERM: "xterm-256color",
    PLUMBLINE_BASE_URL: baseUrl,
    PLUMBLINE_TOKEN: token,
    PLUMBLINE_PASSPHRASE: "correct horse",
  };
}

/** Runs a shell's line in the desk's folder; `onOutput` may type. */
function shell(
  program: string,
  args: readonly string[],
  onOutput?: (text: string, type: (keys: string) => void) => void,
) {
  return new Promise<{ code: number | null; output: string }>((done, fail) => {
    const child = spawn(program, args, { cwd: desk.folder, env: environment() });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      onOutput?.(output, (keys) => child.stdin.write(keys));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.on("error", fail);
    child.on("close", (code) => done({ code, output }));
  });
}

const inTerminal = (
  args: string,
  [columns, rows]: readonly [number, number],
  onOutput?: Parameters<typeof shell>[2],
) =>
  shell(
    "script",
    [
      "-qec",
      `stty cols ${columns} rows ${rows} -onlcr; exec ${process.execPath} ${program} ${args}`,
      "/dev/null",
    ],
    onOutput,
  );

async function seen(output: string, [columns, rows]: readonly [number, number]): Promise<string[]> {
  const screen = openScreen(columns, rows);
  screen.stream.write(output);
  return screen.rows();
}

const recordsOf = async () => {
  const { data } = await desk.api("GET", "/domains");
  const [domain] = data as unknown as { id: number }[];
  return domain === undefined ? 0 : Number((await desk.api("GET", `/domains/${domain.id}/records`)).results);
};

describe.skipIf(!hasTerminals)("in a terminal", () => {
  it("an up of 300 records asks, shows what runs, and leaves a screen without ghosts", async () => {
    const size = [80, 24] as const;
    desk.write("Pulumi.yaml", zone(300));
    let answered = false;
    const { code, output } = await inTerminal("up", size, (text, type) => {
      if (answered || !text.includes("[y/N]")) return;
      answered = true;
      type("y\r");
    });
    expect(code).toBe(0);
    const rows = await seen(output, size);
    const text = rows.join("\n");
    expect(text).toContain("Apply this to dev: 301 to create? [y/N] y");
    expect(rows).toContain("  … 280 more dns:Record created");
    expect(rows.at(-1)).toMatch(/^done: 301 created; /);
    expect(text).not.toMatch(/creating|running|█/);
    expect(await recordsOf()).toBe(300);
  });

  it("Ctrl-C says that nothing is lost and what goes on, and up goes on from there", async () => {
    const size = [80, 24] as const;
    desk.write("Pulumi.yaml", zone(1000));
    let pressed = false;
    const { code, output } = await inTerminal("up -y --skip-preview", size, (text, type) => {
      if (pressed || !/\b[1-9]\d* done/.test(text)) return;
      pressed = true;
      type("\u0003");
    });
    expect(code).toBe(130);
    const text = (await seen(output, size)).join("\n");
    expect(text).toContain("nothing is lost;\n  once more to stop at once");
    expect(text).toContain("nothing is lost: `plumbline up` goes on from here.");
    expect(text).not.toMatch(/creating|█|\^C/);
    const made = await recordsOf();
    expect(made).toBeLessThan(1000);
    expect((await desk.run(["up", "-y"])).text).toMatch(/created, .*done|done: /);
    expect(await recordsOf()).toBe(1000);
  });
});

describe.skipIf(!hasTerminals)("a destroy in a terminal", () => {
  it("says once what will be lost, before it asks", async () => {
    const volume = "plumbline:blockstorage:Volume";
    desk.write(
      "Pulumi.yaml",
      `name: lost\nruntime: yaml\nresources:\n  data: { type: "${volume}", properties: { label: data, region: us-east } }\n`,
    );
    expect((await desk.run(["up", "-y"])).code).toBe(0);
    let answered = false;
    const { code, output } = await inTerminal("destroy", [100, 24], (text, type) => {
      if (answered || !text.includes("[y/N]")) return;
      answered = true;
      type("y\r");
    });
    expect(code, output).toBe(0);
    const warning = "all its data are lost with it (policy delete-loses-data)";
    expect(output.split(warning)).toHaveLength(2);
    expect(output.indexOf(warning)).toBeLessThan(output.indexOf("[y/N]"));
  });
});

it("a reader that goes away ends no run midway and sees no trace, and the exit code is the run's own", async () => {
  desk.write("Pulumi.yaml", zone(0));
  const line = `${process.execPath} ${program} up -y --skip-preview --diff | head -n 2; echo "code \${PIPESTATUS[0]}"`;
  const { output } = await shell("bash", ["-c", line]);
  expect(output.trim().split("\n")).toHaveLength(3);
  expect(output).toContain("code 0");
  expect(output).not.toMatch(/EPIPE|at .*\.js/);
  expect(await recordsOf()).toBe(0);
});
