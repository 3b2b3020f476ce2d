/** The command line as it is packed for npm: installed where nothing else is, it does the whole job. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packCommandLine } from "../../scripts/release/npm.mjs";
import { canEnclose, comeStranger, type Stranger } from "./stranger.ts";

const root = resolve(import.meta.dirname, "../..");
const stack = `
name: site
runtime: yaml
resources:
  zone:
    type: plumbline:dns:Domain
    properties: { domain: site.example, type: master, soaEmail: admin@site.example }
outputs:
  domain: \${zone.domain}
`;

describe("the packed command line", { timeout: 300_000 }, () => {
  const shelf = mkdtempSync(join(tmpdir(), "plumbline-shelf-"));
  let user: Stranger;
  let archive: string;
  let installed: string;
  beforeAll(() => {
    archive = join(shelf, packCommandLine(shelf));
    user = comeStranger();
    installed = join(user.folder, "node_modules", "@plumbline", "cli");
    writeFileSync(join(user.folder, "Pulumi.yaml"), stack);
  });
  afterAll(() => {
    user?.leave();
    rmSync(shelf, { recursive: true, force: true });
  });

  it("is installed from its file alone: no other package, no network", () => {
    if (canEnclose) expect(user.run("ls", root).stdout).toBe("");
    const { code, stderr } = user.run(
      "npm",
      "install",
      "--offline",
      "--no-audit",
      `./${user.download(archive)}`,
    );
    expect(code, stderr).toBe(0);
    const packages = readdirSync(join(user.folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect([packages, readdirSync(join(user.folder, "node_modules", "@plumbline"))]).toEqual([
      ["@plumbline"],
      ["cli"],
    ]);
  });

  it("tells its version", () => {
    const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    const { code, stdout } = user.run("npx", "--offline", "plumbline", "--version");
    expect([code, stdout]).toEqual([0, `${version}\n`]);
  });

  it("takes at most 6 MB, with both schemas and the licences of what is bundled", () => {
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
    const bytes = files.map((file) => statSync(join(installed, file))).filter((at) => at.isFile());
    expect(bytes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(6_000_000);
    expect(files).toContain("schemas/stack.json");
    expect(files).toContain("schemas/pulumi.json");
    expect(readFileSync(join(installed, "dist/third-party-licences.txt"), "utf8")).toContain("ajv 8.");
    expect(files.filter((file) => /\.map$|node_modules/.test(file))).toEqual([]);
  });

  it("has a README whose links lead to files of the package", () => {
    const readme = readFileSync(join(installed, "README.md"), "utf8");
    const links = [...readme.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(15);
    expect(links.filter((link) => !existsSync(join(installed, link)))).toEqual([]);
  });

  it("previews, applies, finds nothing more to do, and takes down, on the emulator that it brings", () => {
    const plumbline = (...args: string[]) => {
      const { code, stdout, stderr } = user.run(
        "npx",
        "--offline",
        "plumbline",
        ...args,
        "--emulator=account.json",
      );
      return { code, text: stdout + stderr };
    };
    const preview = plumbline("preview");
    expect(preview.text).toContain("site.example");
    expect(preview.code).toBe(0);
    expect(plumbline("up", "-y").code).toBe(0);
    expect(plumbline("stack", "output", "domain").text).toContain("site.example");
    expect(plumbline("preview", "--expect-no-changes").code).toBe(0);
    expect(plumbline("destroy", "-y").code).toBe(0);
  });
});
