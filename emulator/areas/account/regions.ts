/** What an account finds ready: regions, plans, kernels and images (notes, section 12). */

import { type Area, notFound } from "../../area.ts";
import { images, showImage } from "../../catalogue/images.ts";
import { kernels } from "../../catalogue/kernels.ts";
import { findPlan, type Plan, plans, showPlan } from "../../catalogue/plans.ts";
import { findRegion, type Region, regions, showRegion } from "../../catalogue/regions.ts";

/** Plans whose availability the service tells: those that not every region has. */
const scarce = plans.filter((plan) => plan.class === "premium" || plan.class === "gpu");

function isAvailable(region: Region, plan: Plan): boolean {
  return plan.class === "premium" ? region.capabilities.includes("Premium Plans") : region.id === "us-east";
}

const availability = (region: Region) =>
  scarce.map((plan) => ({ region: region.id, plan: plan.id, available: isAvailable(region, plan) }));

function one<T>(found: T | undefined): T {
  return found === undefined ? notFound() : found;
}

export const regionArea: Area = {
  name: "regions",
  handlers: {
    "GET /regions": () => regions.map(showRegion),
    "GET /regions/availability": () => regions.flatMap(availability),
    "GET /regions/{regionId}": (call) => showRegion(one(findRegion(call.params["regionId"] ?? ""))),
    "GET /regions/{regionId}/availability": (call) =>
      availability(one(findRegion(call.params["regionId"] ?? ""))),
    "GET /compute/types": () => plans.map(showPlan),
    "GET /compute/types/{typeId}": (call) => showPlan(one(findPlan(call.params["typeId"] ?? ""))),
    "GET /compute/kernels": () => kernels,
    "GET /compute/kernels/{kernelId}": (call) =>
      one(kernels.find(({ id }) => id === call.params["kernelId"])),
    "GET /images": () => images.map(showImage),
    "GET /images/{imageId}": (call) => showImage(one(images.find(({ id }) => id === call.params["imageId"]))),
  },
};
