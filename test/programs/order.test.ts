/** Registrations that wait for others by name: in their turn, or refused when that cannot come. */

import { expect, test } from "vitest";
import { createOrder } from "../../provider/engine/programs/order.ts";

const urn = (name: string) => `urn:pulumi:dev::shop::plumbline:vpc/vpc:Vpc::${name}`;
const first = new Map([[urn("taker"), [urn("holder")]]]);

test("a registration waits until what goes before it has ended, and learns whether it failed", async () => {
  for (const isMade of [true, false]) {
    const order = createOrder({ first, patience: 60_000 });
    const told: string[] = [];
    const taking = order.during(async () => told.push(`turn ${await order.turn(urn("taker"))}`));
    await order.during(async () => {
      await Promise.resolve();
      told.push("holder");
      order.end(urn("holder"), isMade);
    });
    await taking;
    expect(told).toEqual(["holder", `turn ${isMade}`]);
    order.close();
  }
});

test("one that nothing goes before has its turn at once", async () => {
  const order = createOrder({ first, patience: 60_000 });
  expect(await order.during(() => order.turn(urn("other")))).toBe(true);
  order.close();
});

test("a program that declares the other only after it has the first is told so", async () => {
  const order = createOrder({ first, patience: 20 });
  const stuck = order.during(() => order.turn(urn("taker")));
  await expect(stuck).rejects.toThrow(
    /"holder" has to let go of first.*does not declare "holder" before it has "taker"/,
  );
  order.close();
});

test("nobody is taken to be stuck while the program waits for something else", async () => {
  const order = createOrder({ first, patience: 20 });
  let end = (): void => {};
  const other = order.during(
    () =>
      new Promise<void>((settle) => {
        end = settle;
      }),
  );
  let isRefused = false;
  const taking = order
    .during(() => order.turn(urn("taker")))
    .catch(() => {
      isRefused = true;
    });
  await new Promise((settle) => setTimeout(settle, 80));
  expect(isRefused).toBe(false);
  order.end(urn("holder"), true);
  end();
  await Promise.all([other, taking]);
  expect(isRefused).toBe(false);
  order.close();
});

test("the end of the program ends the waiting", async () => {
  const order = createOrder({ first, patience: 60_000 });
  const waiting = order.during(() => order.turn(urn("taker")));
  order.close();
  await expect(waiting).rejects.toThrow(/two runs/);
});
