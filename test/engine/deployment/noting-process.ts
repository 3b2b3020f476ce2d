/** A process of its own for the tests of the notes: makes a thing, notes something in its update, says so, and waits to be killed. Argument: the state folder. */

import { createEngine } from "../../../provider/engine/engine.ts";
import { program } from "./program.ts";
import { world, worldCatalogue, worldProvider } from "./world.ts";

const there = world();
for (const size of [1, 2]) {
  await createEngine({
    project: "shop",
    stack: "dev",
    stateFolder: process.argv[2] as string,
    program: program([{ name: "a", inputs: { label: "a", size } }]),
    environment: {},
    catalogue: worldCatalogue,
    createProvider: () => ({
      ...worldProvider(there),
      async update({ id, notes }) {
        await notes?.set("pool", ["p1"]);
        process.stdout.write(`${id}\n`);
        setInterval(() => {}, 1_000);
        return new Promise(() => {});
      },
    }),
  }).up();
}
