/** A process of its own for the tests of the notes: notes something in an update, says so, and waits to be killed. Arguments: the create log's file, a type. */

import { openCreateLog } from "../../../provider/pulumi/unfinished/create-log.ts";
import { createTakeover } from "../../../provider/pulumi/unfinished/takeover.ts";

const [file = "", type = ""] = process.argv.slice(2);
const { notebook } = createTakeover(openCreateLog(file), "run");
await notebook.of({ type, id: "7" }, async (notes) => {
  await notes.set("pool", ["p1"]);
  process.stdout.write("noted\n");
  setInterval(() => {}, 1_000);
  await new Promise(() => {});
});
