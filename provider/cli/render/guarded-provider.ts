/** A provider whose secrets are hidden from all that is printed, before anybody else learns them: a program that asked may say them. */

import type { Provider } from "../../core/protocol.ts";
import { guard } from "./door.ts";

export function guardedProvider(provider: Provider): Provider {
  const guarding =
    <Request, Answer>(verb: (request: Request) => Promise<Answer>) =>
    async (request: Request): Promise<Answer> => {
      const answer = await verb(request);
      guard(answer);
      return answer;
    };
  return {
    ...provider,
    check(request) {
      guard(request.newInputs);
      return guarding(provider.check)(request);
    },
    create: guarding(provider.create),
    find: guarding(provider.find),
    read: guarding(provider.read),
    update: guarding(provider.update),
    invoke: guarding(provider.invoke),
  };
}
