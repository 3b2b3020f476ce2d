/** The plans of instances, which the service calls types (notes, section 12): memory, disk, price. */

import { regionalPrices } from "./regions.ts";

type PlanClass = "nanode" | "standard" | "dedicated" | "highmem" | "premium" | "gpu";

export interface Plan {
  readonly id: string;
  readonly label: string;
  readonly class: PlanClass;
  /** MB. */
  readonly memory: number;
  /** MB. */
  readonly disk: number;
  readonly vcpus: number;
  readonly gpus: number;
  /** GB a month. */
  readonly transfer: number;
  /** Mbit/s. */
  readonly networkOut: number;
  /** USD. */
  readonly hourly: number;
  readonly monthly: number;
}

const names: { [name in PlanClass]: string } = {
  nanode: "Nanode",
  standard: "Compute",
  dedicated: "Dedicated",
  highmem: "Compute High Memory",
  premium: "Premium",
  gpu: "Dedicated GPU",
};

/** Memory, disk in GB; transfer in TB; the price of an hour is a 667th of a month's, to a tenth of a cent and at the least. */
function plan(
  id: string,
  kind: PlanClass,
  [memory, disk, vcpus, transfer, monthly, gpus = 0]: readonly [
    number,
    number,
    number,
    number,
    number,
    number?,
  ],
): Plan {
  return {
    id,
    label: `${names[kind]} ${memory}GB`,
    class: kind,
    memory: memory * 1024,
    disk: disk * 1024,
    vcpus,
    gpus,
    transfer: transfer * 1000,
    networkOut: Math.min(12000, Math.max(1000, transfer * 1000)),
    hourly: Math.round((monthly / 667) * 1000) / 1000,
    monthly,
  };
}

export const plans: readonly Plan[] = [
  plan("g6-nanode-1", "nanode", [1, 25, 1, 1, 5]),
  plan("g6-standard-1", "standard", [2, 50, 1, 2, 12]),
  plan("g6-standard-2", "standard", [4, 80, 2, 4, 24]),
  plan("g6-standard-4", "standard", [8, 160, 4, 5, 48]),
  plan("g6-standard-6", "standard", [16, 320, 6, 8, 96]),
  plan("g6-standard-8", "standard", [32, 640, 8, 16, 192]),
  plan("g6-standard-16", "standard", [64, 1280, 16, 20, 384]),
  plan("g6-standard-20", "standard", [96, 1920, 20, 20, 576]),
  plan("g6-standard-24", "standard", [128, 2560, 24, 20, 768]),
  plan("g6-standard-32", "standard", [192, 3840, 32, 20, 1152]),
  plan("g7-highmem-1", "highmem", [24, 20, 2, 5, 60]),
  plan("g7-highmem-2", "highmem", [48, 40, 2, 6, 120]),
  plan("g7-highmem-4", "highmem", [90, 90, 4, 7, 240]),
  plan("g6-dedicated-2", "dedicated", [4, 80, 2, 4, 36]),
  plan("g6-dedicated-4", "dedicated", [8, 160, 4, 5, 72]),
  plan("g6-dedicated-8", "dedicated", [16, 320, 8, 6, 144]),
  plan("g6-dedicated-16", "dedicated", [32, 640, 16, 7, 288]),
  plan("g6-dedicated-32", "dedicated", [64, 1280, 32, 8, 576]),
  plan("g6-dedicated-48", "dedicated", [96, 1920, 48, 9, 864]),
  plan("g7-premium-2", "premium", [4, 80, 2, 4, 43]),
  plan("g7-premium-4", "premium", [8, 160, 4, 5, 86]),
  plan("g1-gpu-rtx6000-1", "gpu", [32, 640, 8, 16, 1000, 1]),
];

const byId = new Map(plans.map((one) => [one.id, one]));

export function findPlan(id: string): Plan | undefined {
  return byId.get(id);
}

const backups = (one: Plan) => Math.max(2, Math.round(one.monthly / 4.8));

/** The prices where they are not the usual ones. */
const pricesByRegion = (hourly: number, monthly: number) =>
  [...regionalPrices].map(([id, factor]) => ({
    id,
    hourly: Math.round(hourly * factor * 10_000) / 10_000,
    monthly: Math.round(monthly * factor * 100) / 100,
  }));

/** A plan as the service answers it. */
export function showPlan(one: Plan): Record<string, unknown> {
  const monthly = backups(one);
  const hourly = Math.round((monthly / 667) * 1000) / 1000;
  return {
    id: one.id,
    label: one.label,
    price: { hourly: one.hourly, monthly: one.monthly },
    region_prices: pricesByRegion(one.hourly, one.monthly),
    addons: { backups: { price: { hourly, monthly }, region_prices: pricesByRegion(hourly, monthly) } },
    memory: one.memory,
    disk: one.disk,
    transfer: one.transfer,
    vcpus: one.vcpus,
    gpus: one.gpus,
    network_out: one.networkOut,
    class: one.class,
    successor: null,
  };
}
