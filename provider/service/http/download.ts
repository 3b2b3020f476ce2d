/** Reads what anybody may read at an http or https address. Sends no token and keeps no connection; knows nothing of the service. */

import { interceptors } from "undici";
import { createWays, proxiesOf } from "./proxy.ts";

const MOST_REDIRECTS = 5;
const SECONDS_FOR_AN_ANSWER = 60;

/** The bytes at the address, redirects followed. Rejects with an error that names the address when they cannot be had. */
export async function download(address: string, signal?: AbortSignal): Promise<Uint8Array> {
  const ways = createWays(proxiesOf(process.env), { connections: 1 });
  const { origin, pathname, search } = new URL(address);
  const following = ways.to(origin).compose(interceptors.redirect({ maxRedirections: MOST_REDIRECTS }));
  try {
    const answer = await following.request({
      origin,
      path: pathname + search,
      method: "GET",
      headersTimeout: SECONDS_FOR_AN_ANSWER * 1000,
      bodyTimeout: SECONDS_FOR_AN_ANSWER * 1000,
      ...(signal && { signal }),
    });
    if (answer.statusCode >= 300) {
      await answer.body.dump();
      throw new Error(`it answered ${answer.statusCode}`);
    }
    return await answer.body.bytes();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${origin}${pathname} cannot be read: ${reason}`, { cause: error });
  } finally {
    await ways.close();
  }
}
