import { leadsItsLife } from "../lifecycle.ts";
import { lives } from "../lives/vpc.ts";

for (const life of lives) leadsItsLife(life);
