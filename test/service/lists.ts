/** The service's lists, as the types tell the client of them. */

import { specialListsOf } from "../../provider/core/type/special-list.ts";
import { resourceTypes } from "../../provider/resources/index.ts";
import { createLists } from "../../provider/service/lists.ts";

export const specialLists = specialListsOf(resourceTypes);
export const lists = createLists(specialLists);
