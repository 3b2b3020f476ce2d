/** Usage of all instances together over the last 24 hours (contract section 2.8; notes, section 8). */

import type { Call } from "../../area.ts";
import { instances } from "../compute/objects.ts";

const step = 300_000;
const points = 288;

/** The usual level of one instance, in the unit of the series: percent, blocks, bits a second. */
const levels = { cpu: 12, disk: 40, swap: 2, net_in: 9_000, net_out: 14_000 } as const;

/** A number of 0 to 1 that always follows from the same three. */
function noise(instance: number, series: number, moment: number): number {
  let mixed =
    Math.imul(instance ^ Math.imul(series + 1, 0x9e3779b1), 0x85ebca6b) ^ Math.imul(moment, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 4_294_967_296;
}

/** Points every five minutes, the sum over the instances that there were; without an instance there is nothing to draw. */
export function managedStats({ world }: Call) {
  const all = instances(world).all();
  if (all.length === 0) return { data: ["Graphs are not yet available."] };
  const born = all.map(({ id, created }) => ({ id, from: Date.parse(`${created}Z`) }));
  const last = Math.floor(world.clock.now().getTime() / step);
  const data = Object.entries(levels).map(([name, level], series) => {
    const line = Array.from({ length: points }, (_, index) => {
      const moment = last - points + 1 + index;
      const x = moment * step;
      const used = born
        .filter(({ from }) => from <= x)
        .reduce((sum, { id }) => sum + level * (0.5 + noise(id, series, moment)), 0);
      return { x, y: Math.round(used * 100) / 100 };
    });
    return [name, line];
  });
  return { data: Object.fromEntries(data) };
}
