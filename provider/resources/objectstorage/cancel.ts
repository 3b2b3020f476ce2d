/** The verb that ends Object Storage on the account, with everything that is in it (contract section 4.4). */

import { isAnswerLost, isApiError, type ServicePort } from "../../core/service-port.ts";
import { areaVerb } from "../../core/type/area-verb.ts";

const path = "/object-storage/cancel";

/** How often it is sent while its answer is lost; a second one finds nothing left. */
const attempts = 3;

export const cancel = areaVerb({
  area: "objectstorage",
  name: "cancel",
  description:
    "Cancels Object Storage on the account: every bucket, every object and every key is removed irretrievably, whoever made it. It asks for the account's user name.",
  path,
  args: {},
  destroys: "all buckets of the account with their objects, and all its keys, irretrievably",
  async foresee({ service }) {
    const [buckets, keys, word] = await Promise.all([
      service.list("/object-storage/buckets", { fresh: true }),
      service.list("/object-storage/keys", { fresh: true }),
      userName(service),
    ]);
    const losses = [
      ...buckets.map(
        ({ cluster, label, objects, size }) =>
          `bucket ${cluster}/${label} with ${objects} ${objects === 1 ? "object" : "objects"} (${size} bytes)`,
      ),
      ...keys.map(({ id, label }) => `key "${label}" (id ${id})`),
    ];
    return { losses, word };
  },
  async run({ service }) {
    for (let round = 1; ; round++) {
      try {
        return void (await service.post(path, {}));
      } catch (error) {
        if (!isAnswerLost(error) || round === attempts) throw error;
      }
    }
  },
});

/** The name of the user whose token it is: it tells one account from another. A token that may not ask is shown the verb's own name. */
async function userName(service: Pick<ServicePort, "getFresh">): Promise<string> {
  try {
    const { username } = await service.getFresh("/profile");
    return typeof username === "string" && username !== "" ? username : "cancel";
  } catch (error) {
    if (isApiError(error, 401) || isApiError(error, 403) || isApiError(error, 404)) return "cancel";
    throw error;
  }
}
