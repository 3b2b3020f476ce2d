/**
 * Takes the steps of a guide in the order of their reader: types them into terminals, and answers what is asked. The steps are the JSON of
 * the file that is named; prints what each command showed, as JSON. A step that goes wrong is the last one.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [size, patience] = ["stty cols 100 rows 50 -echo -onlcr", 60_000];
const scripts = mkdtempSync(join(tmpdir(), "plumbline-walk-"));
const plain = (text) => text.replace(/\x1b\[[\d;?]*[A-Za-z]/g, "");

/** What a terminal tells programs that ask: its ground is black, the cursor is at its beginning. Pulumi waits seconds for that. */
const told = [
  ["\x1b]11;?", "\x1b]11;rgb:0000/0000/0000\x1b\\"],
  ["\x1b[6n", "\x1b[1;1R"],
];

/** A shell in a pseudo-terminal. */
function openTerminal() {
  const shell = `${size}; exec bash --noprofile --norc --noediting`;
  const child = spawn("script", ["-qefc", shell, "/dev/null"], {
    env: { ...process.env, TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let [output, heard] = ["", () => {}];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
    for (const [question, reply] of told) if (text.includes(question)) child.stdin.write(reply);
    heard();
  });
  child.stdin.on("error", () => {});
  return {
    type: (keys) => child.stdin.write(keys),
    /** Begins to listen anew. */
    clear: () => {
      output = "";
    },
    output: () => output,
    /** Resolves when `isOver` says so of what was shown; throws when that takes too long. */
    until: (isOver) =>
      new Promise((done, fail) => {
        const timer = setTimeout(() => fail(new Error(`nothing more is shown after:\n${output}`)), patience);
        heard = () => {
          if (!isOver(output)) return;
          clearTimeout(timer);
          heard = () => {};
          done();
        };
        heard();
      }),
    close: () =>
      new Promise((done) => {
        child.on("close", done);
        child.kill("SIGKILL");
      }),
  };
}

/** Types what is asked for: yes to a question, else the text that the step has ready. */
function answer(terminal, output, step) {
  const said = plain(output);
  // What ends a question may come a moment after it, and asks nothing more.
  const asked = said.trimEnd().length;
  if (step.answered === asked) return;
  if (/\[y\/N\] $/.test(said)) terminal.type("y\r");
  else if (step.typed !== undefined && /: +\r?$/.test(said)) terminal.type(`${step.typed}\r`);
  else return;
  step.answered = asked;
}

/** The exit code is that of the last command that failed, or 0. */
async function run(terminal, step, number) {
  const file = join(scripts, `${number}.sh`);
  writeFileSync(file, `${step.text}\n`);
  terminal.clear();
  if (step.until !== undefined) {
    terminal.type(`. ${file}\n`);
    await terminal.until((output) => plain(output).includes(step.until));
    return { code: 0, output: terminal.output() };
  }
  terminal.type(`failed=0; trap 'failed=$?' ERR; . ${file}; trap - ERR; printf '\\036%s\\036' $failed\n`);
  const end = /\x1e(\d+)\x1e/;
  await terminal.until((output) => {
    answer(terminal, output, step);
    return end.test(output);
  });
  const output = terminal.output();
  return { code: Number(end.exec(output)[1]), output: output.replace(end, "") };
}

const terminals = new Map();

/** One that shows nothing but what commands say. */
async function terminalNamed(name) {
  if (!terminals.has(name)) {
    const terminal = openTerminal();
    terminals.set(name, terminal);
    terminal.type("unset HISTFILE; PS1=; printf '\\036ready\\036'\n");
    await terminal.until((output) => output.includes("\x1eready\x1e"));
  }
  return terminals.get(name);
}

const results = [];
const steps = JSON.parse(readFileSync(process.argv[2], "utf8"));
let problem;
for (const [number, step] of steps.entries()) {
  try {
    const { code, output } = await run(await terminalNamed(step.terminal), step, number);
    results.push(output);
    if (code !== (step.code ?? 0)) problem = `${step.text}: ends with ${code}:\n${plain(output)}`;
  } catch (error) {
    problem = `${step.text}: ${error.message}`;
  }
  if (problem) break;
}
await Promise.all([...terminals.values()].map((terminal) => terminal.close()));
rmSync(scripts, { recursive: true });
console.log(JSON.stringify({ results, problem }));
