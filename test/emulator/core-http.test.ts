import { afterEach, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";

let emulator: Emulator;
afterEach(() => emulator.close());

test("a request without a token is refused with 401", async () => {
  emulator = await startEmulator();
  const answer = await fetch(`${emulator.baseUrl}/domains`);
  expect(answer.status).toBe(401);
  expect(await answer.json()).toEqual({ errors: [{ reason: "Invalid Token" }] });
  expect(answer.headers.get("content-type")).toBe("application/json");
});
