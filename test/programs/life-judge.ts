/** What holds of the life of a program in every language, as a user leads it on the embedded engine. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { kept, leftovers, writes } from "../e2e/account.ts";
import type { Projects } from "./project.ts";

/** The programs of a language. */
interface Texts {
  /** A domain with records of these names. */
  readonly zoneOf: (...names: string[]) => string;
  /** Outputs `zoneId`, the domain's id, and `kind`. */
  readonly outputs: string;
  /** The domain alone, which takes over the one of this id. */
  readonly adopting: (id: string) => string;
  /**
   * Prints its stack, project and organization and what is in `list`, and the secret `key`, which is a zone's description and an output; other
   * outputs are `size` and `other`, which is `elsewhere:color`.
   */
  readonly configured: string;
  /** Makes an access key, prints `it is` and its secret, and has that as its output `made`. */
  readonly telling: string;
  /** Prints `theirs is` and what the stack `dev` has as `made`. */
  readonly retelling: string;
  /** Outputs `theirs`: the `kind` of the stack `dev`, whose name follows from what the service says of a network `base` of its own; a network that it makes is called like it. */
  readonly referring: string;
  /** What `configured` prints, and what it does not. */
  readonly says: readonly string[];
  readonly saysNot?: readonly string[];
}

const names = (emulator: Parameters<typeof kept>[0]) =>
  kept(emulator, "domain_records")
    .map(({ name }) => name)
    .filter((name) => name !== "")
    .sort();

export function judgesLife(projects: () => Projects, texts: Texts): void {
  const { zoneOf } = texts;

  it("comes up, needs nothing the second time, follows its text, and goes without a trace", async () => {
    const p = await projects().project(`${zoneOf("www", "mail")}\n${texts.outputs}`);
    const before = leftovers(p.emulator);
    expect(await p.succeed("validate")).toContain("valid");
    expect(await p.succeed("preview")).toMatch(/zoneId +\[unknown\][\s\S]*3 to create/);
    expect(writes(p.emulator)).toEqual({});
    expect(await p.succeed("up", "-y")).toContain("3 created");
    const id = String(kept(p.emulator, "domains")[0]?.id);
    expect(await p.succeed("stack", "output", "zoneId")).toBe(`${id}\n`);
    const sent = writes(p.emulator);
    expect(await p.succeed("up", "-y")).toContain("3 unchanged");
    expect(await p.succeed("refresh", "-y")).toContain("3 unchanged");
    expect(await p.succeed("drift")).toContain("no drift");
    expect(writes(p.emulator)).toEqual(sent);
    p.write(zoneOf("www", "shop"));
    expect(await p.succeed("up", "-y")).toMatch(/1 created.*1 deleted/);
    expect(names(p.emulator)).toEqual(["shop", "www"]);
    expect(await p.succeed("stack", "graph")).toContain("Record shop");
    expect(await p.succeed("destroy", "-y")).toContain("3 deleted");
    expect(leftovers(p.emulator)).toEqual(before);
    expect(p.emulator.mismatches).toEqual([]);
  });

  it("refers to a stack whose name comes from the service", async () => {
    const p = await projects().project(`${zoneOf("www")}\n${texts.outputs}`);
    await p.succeed("up", "-y", "--skip-preview");
    p.write(texts.referring);
    const as = ["--stack", "reader"];
    p.emulator.setFaults([{ method: "POST", path: "/vpcs", do: "status", status: 400 }]);
    const { code, said } = await p.run("up", "-y", ...as);
    expect(code).toBe(1);
    expect(said).toMatch(/what it needs failed: .*::base/);
    expect(kept(p.emulator, "vpcs")).toEqual([]);
    p.emulator.setFaults([]);
    const told = await p.succeed("preview", ...as);
    expect(told).toContain("2 to create");
    expect(told).not.toContain("04da6b54");
    await p.succeed("up", "-y", ...as);
    expect(kept(p.emulator, "vpcs").map(({ label }) => label)).toEqual(["base", "zone"]);
    expect(await p.succeed("stack", "output", "theirs", ...as)).toBe("zone\n");
    expect(await p.succeed("preview", ...as)).toContain("2 unchanged");
  });

  it("adopts what is there already, by import and by its own option", async () => {
    const p = await projects().project(zoneOf());
    await p.succeed("up", "-y", "--skip-preview");
    const id = String(kept(p.emulator, "domains")[0]?.id);
    await p.succeed("state", "rm", "zone", "-y");
    await p.succeed("import", "plumbline:dns:Domain", "zone", id);
    expect(await p.succeed("up", "-y", "--skip-preview")).toContain("1 unchanged");
    await p.succeed("state", "rm", "zone", "-y");
    p.write(texts.adopting(id));
    expect(await p.succeed("up", "-y", "--skip-preview")).toContain("1 imported");
    expect(kept(p.emulator, "domains").map((one) => String(one.id))).toEqual([id]);
  });

  it("is told secrets that the service made, and says none of them, whether they are new, of the state or of another stack", async () => {
    const p = await projects().project(texts.telling);
    const told: string[] = [];
    const tells = async (...args: string[]) => {
      const said = await p.succeed(...args);
      told.push(said);
      return said;
    };
    expect(await tells("up", "-y", "--skip-preview")).toContain("it is [secret]");
    expect(await tells("preview")).toContain("it is [secret]");
    expect(await tells("preview", "--json")).toContain("it is [secret]");
    expect(await tells("up", "-y", "--skip-preview")).toContain("it is [secret]");
    const [made] = JSON.parse(`[${await p.succeed("stack", "output", "made", "--json", "--show-secrets")}]`);
    expect(await p.succeed("preview", "--show-secrets")).toContain(`it is ${made}`);
    p.write(texts.retelling);
    expect(await tells("preview", "--stack", "other")).toContain("theirs is [secret]");
    expect(made).toMatch(/^\w{20,}$/);
    for (const said of told) expect(said).not.toContain(made);
  });

  it.each([
    ["", 1],
    [", also where that is more than an environment takes", 200_000],
  ])("is told its config%s, and no secret of it stands anywhere in plain text", async (_, length) => {
    const integers = { type: "array", items: { type: "integer" }, default: [1, 2] };
    const config = { size: { type: "integer", default: 3 }, list: integers };
    const p = await projects().project(texts.configured, { config });
    await p.succeed("config", "set", "domain", "shop.example");
    await p.succeed("config", "set", "key", "hidden-word", "--secret");
    await p.succeed("config", "set", "elsewhere:color", "red");
    await p.succeed("config", "set", "filler", "x".repeat(length));
    const said = await p.succeed("up", "-y");
    for (const word of ["the key is [secret]", ...texts.says]) expect(said).toContain(word);
    for (const word of ["hidden-word", ...(texts.saysNot ?? [])]) expect(said).not.toContain(word);
    expect(kept(p.emulator, "domains")[0]?.["description"]).toBe("hidden-word");
    for (const file of readdirSync(p.folder, { recursive: true, withFileTypes: true }))
      if (file.isFile())
        expect(readFileSync(join(file.parentPath, file.name), "utf8"), file.name).not.toContain(
          "hidden-word",
        );
    expect(JSON.parse(await p.succeed("stack", "output", "--json", "--show-secrets"))).toEqual({
      key: "hidden-word",
      size: 3,
      other: "red",
    });
    expect(await p.succeed("up", "-y", "--skip-preview", "--json")).not.toContain("hidden-word");
  });
}
