import { leadsItsLife } from "../lifecycle.ts";
import { lives } from "../lives/blockstorage.ts";

for (const life of lives) leadsItsLife(life);
