import { leadsItsLife } from "./lifecycle.ts";
import { lives } from "./lives/kubernetes.ts";

for (const life of lives) leadsItsLife(life);
