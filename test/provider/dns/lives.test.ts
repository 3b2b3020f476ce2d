import { leadsItsLife } from "../lifecycle.ts";
import { lives } from "../lives/dns.ts";

for (const life of lives) leadsItsLife(life);
