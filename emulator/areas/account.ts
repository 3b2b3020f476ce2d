/** The account itself: its data, users, events, profile and tokens (supporting operations; notes, sections 11 and 12). */

import type { Area } from "../area.ts";
import { ownerName } from "../auth.ts";
import { newUser, users } from "../users.ts";

export const accountArea: Area = {
  name: "account",
  handlers: {},
  seed: (world) => {
    users(world).insert(newUser(ownerName));
  },
};
