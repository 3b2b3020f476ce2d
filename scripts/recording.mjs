/**
 * `npm run recording`: runs the command line in a pseudo-terminal on its emulator, and writes what the terminal showed, in its colours, as the README's
 * picture. Its rows appear one after the other where the reader likes motion; how long the run took does not tell when.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import headless from "@xterm/headless";

const root = resolve(import.meta.dirname, "..");
/** Where the README finds it. */
export const picture = join(root, "docs", "recording.svg");

const commands = [
  "plumbline new dns",
  "plumbline up --emulator=account.json",
  "sed -i s/203.0.113.10/203.0.113.20/ Pulumi.yaml",
  "plumbline up --diff --emulator=account.json",
];
const columns = 100;

/** What each command showed, as its terminal got it. */
function perform() {
  const place = mkdtempSync(join(tmpdir(), "plumbline-recording-"));
  try {
    const [folder, programs, steps] = ["first-zone", "bin", "steps.json"].map((name) => join(place, name));
    for (const made of [folder, programs]) mkdirSync(made);
    symlinkSync(join(root, "bin", "plumbline"), join(programs, "plumbline"));
    writeFileSync(steps, JSON.stringify(commands.map((text) => ({ text, terminal: "main" }))));
    const { PATH } = process.env;
    const ran = spawnSync(process.execPath, [join(root, "test", "packages", "walk.mjs"), steps], {
      cwd: folder,
      env: { PATH: `${programs}${delimiter}${PATH}`, HOME: place },
      encoding: "utf8",
    });
    const { results, problem } = JSON.parse(ran.stdout || JSON.stringify({ problem: ran.stderr }));
    if (problem) throw new Error(problem);
    return results;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

function lookOf(cell) {
  const look = [cell.isBold() && "bold", cell.isDim() && "dim"];
  if (cell.isFgPalette()) look.push(names[cell.getFgColor() % 8]);
  if (!look.some((one) => one && one !== "bold")) look.push("plain");
  return look.filter(Boolean).join(" ");
}

/** The rows that a person sees in the end, each a list of `{ text, look, at }`. */
async function rowsOf(output) {
  const terminal = new headless.Terminal({
    cols: columns,
    rows: 50,
    scrollback: 1000,
    allowProposedApi: true,
  });
  await new Promise((done) => terminal.write(output.replaceAll("\n", "\r\n"), done));
  const { active } = terminal.buffer;
  const rows = [];
  for (let number = 0; number < active.length; number++) {
    const line = active.getLine(number);
    const parts = [];
    for (let at = 0; at < line.translateToString(true).length; at++) {
      const cell = line.getCell(at);
      const [text, look, last] = [cell.getChars() || " ", lookOf(cell), parts.at(-1)];
      if (last?.look === look) last.text += text;
      else parts.push({ text, look, at });
    }
    rows.push(parts);
  }
  while (rows.at(-1)?.length === 0) rows.pop();
  return rows;
}

/** By look, in light and in dark; each stands out from the ground by 4.5 to 1 at least, which a test holds it to. */
export const colours = {
  ground: ["#f6f8fa", "#0d1117"],
  plain: ["#1f2328", "#e6edf3"],
  dim: ["#59636e", "#9198a1"],
  red: ["#a40e26", "#ff7b72"],
  green: ["#116329", "#7ee787"],
  yellow: ["#6f4400", "#e3b341"],
  blue: ["#0550ae", "#79c0ff"],
  magenta: ["#6639ba", "#d2a8ff"],
  cyan: ["#1b5f66", "#76e3ea"],
};

const rulesOf = (shade) =>
  Object.entries(colours)
    .map(([look, shades]) => `.${look}{fill:${shades[shade]}}`)
    .join("");

const style = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}.bold{font-weight:bold}${rulesOf(0)}
@media (prefers-color-scheme:dark){${rulesOf(1)}}
@media (prefers-reduced-motion:no-preference){g{animation:show 1ms both}@keyframes show{from{opacity:0}to{opacity:1}}}`;

const [advance, leading, margin] = [8.4, 19, 16];
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Every word has its own place and length, so that columns stand under each other in any font. */
const part = ({ text, look, at }, y) =>
  [...text.matchAll(/\S+(?: \S+)*/g)]
    .map(({ 0: words, index }) => {
      const [x, length] = [margin + (at + index) * advance, words.length * advance].map((all) =>
        all.toFixed(1),
      );
      const place = `x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"`;
      return `<text class="${look}" ${place}>${escaped(words)}</text>`;
    })
    .join("");

function draw(rows) {
  const [width, height] = [columns * advance, rows.length * leading].map((all) =>
    Math.ceil(all + 2 * margin),
  );
  const lines = rows.map(({ parts, after }, number) => {
    const y = margin + (number + 0.75) * leading;
    return `<g style="animation-delay:${after.toFixed(2)}s">${parts.map((one) => part(one, y)).join("")}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">A terminal: plumbline makes a DNS zone on its emulator, and changes one record of it</title>
<style>${style}</style>
<rect class="ground" width="100%" height="100%" rx="8"/>
${lines.join("\n")}
</svg>
`;
}

/** Runs the commands, and resolves to the picture of it. */
export async function record() {
  const rows = [];
  let time = 0;
  for (const [number, output] of perform().entries()) {
    const typed = [
      { text: "$", look: "dim", at: 0 },
      { text: commands[number], look: "bold plain", at: 2 },
    ];
    const shown = await rowsOf(output);
    time += 1;
    rows.push({ parts: typed, after: time });
    time += 0.6;
    for (const parts of shown) {
      rows.push({ parts, after: time });
      // As long as a person takes to read the question and to answer.
      time += parts.some(({ text }) => text.includes("[y/N]")) ? 1.5 : 0.08;
    }
    rows.push({ parts: [], after: time });
  }
  return draw(rows.slice(0, -1));
}

/** What the picture says, without how long anything took; rows that are told in any order are in one. */
export function wordsOf(svg) {
  const lines = [...svg.matchAll(/<g [^>]*>(.*?)<\/g>/g)].map(([, row]) =>
    row.replace(/<[^>]+>/g, " ").replace(/\d+\.\d s\b/g, "# s"),
  );
  return lines.map((line) => line.replace(/\s+/g, " ").trim()).sort();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const made = await record();
  const before = (() => {
    try {
      return readFileSync(picture, "utf8");
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
      return "";
    }
  })();
  // Another run takes other times: that alone makes no new picture.
  if (JSON.stringify(wordsOf(made)) === JSON.stringify(wordsOf(before)))
    console.log("the picture is as the run");
  else writeFileSync(picture, made);
}
