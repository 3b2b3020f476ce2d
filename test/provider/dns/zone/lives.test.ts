import { leadsItsLife } from "../../lifecycle.ts";
import { lives } from "../../lives/zone.ts";

for (const life of lives) leadsItsLife(life);
