/** The emulator's container file, followed line by line; what is made there runs as the user that the file names. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildImage, type Image, isRoot, packages } from "../deploy/containerfile.ts";
import { ask } from "../emulator/client.ts";

let built: Image;
let image: string;
beforeAll(() => {
  built = buildImage("deploy/emulator/Containerfile");
  image = built.folder;
});
afterAll(() => built.remove());

describe("the emulator's container", () => {
  it("gets its packages as they are locked", () => {
    expect(built.all("RUN")).toContain(packages);
  });

  it("runs as nobody's root, holds no sources and no packages", () => {
    expect(built.last("USER")).toBe("1000:1000");
    expect(existsSync(join(image, "opt/plumbline/dist/cli/public/index.html"))).toBe(true);
    expect(existsSync(join(image, "source"))).toBe(false);
    expect(existsSync(join(image, "opt/plumbline/node_modules"))).toBe(false);
    expect(readFileSync(join(image, "opt/plumbline/third-party-licences.txt"), "utf8")).toContain("ajv 8.");
    expect(existsSync(join(image, "opt/plumbline/LICENSE"))).toBe(true);
  });

  it("serves, is found healthy, keeps its account in the volume, and ends when it is told to", async () => {
    const command = [...built.list("ENTRYPOINT"), ...built.list("CMD"), "--port", "0"].map(built.within);
    const [program, ...args] = [...built.asUser, ...command];
    const emulator = spawn(program!, args, { cwd: "/", stdio: ["ignore", "pipe", "inherit"] });
    try {
      const [line] = await once(emulator.stdout, "data");
      const port = /^listening on http:\/\/0\.0\.0\.0:(\d+)\/v4$/m.exec(String(line))![1]!;
      const check = (at: string) => {
        const [node, ...rest] = built.list("HEALTHCHECK").map((text) => text.replace("4747", at));
        return spawnSync(node!, rest).status;
      };
      expect([check(port), check("1")]).toEqual([0, 1]);
      expect((await ask(Number(port), "GET", "/_emulator/")).status).toBe(200);
      await ask(Number(port), "POST", "/v4/profile/tokens", {
        body: { label: "kept in the volume" },
        headers: { "content-type": "application/json" },
      });
      const account = join(image, "data/account.json");
      expect(readFileSync(account, "utf8")).toContain("kept in the volume");
      if (isRoot) expect(statSync(account).uid).toBe(1000);
    } finally {
      emulator.kill("SIGTERM");
    }
    expect((await once(emulator, "exit"))[0]).toBe(0);
    expect(built.last("EXPOSE")).toBe("4747");
  });
});
