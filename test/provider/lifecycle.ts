/** The life that every resource type must be able to lead, driven by a table for each type. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAmong } from "../../provider/core/plain.ts";
import { parsePath } from "../../provider/core/property-path.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import {
  type Account,
  apply,
  checked,
  type Operation,
  openAccount,
  resourceNamed,
  type Saved,
} from "./deployment.ts";

/** What a step declares; `parents` are ids that `prepare` made. */
export type Declare<P> = (parents: P) => ValueMap;

export interface Life<P> {
  readonly type: string;
  /** Makes what the resource stands on. */
  readonly prepare: (account: Account) => Promise<P>;
  /** States one after the other; each is applied, then declared again, which must change nothing. */
  readonly steps: readonly {
    readonly does: Operation;
    readonly declare: Declare<P>;
    /** Top-level properties that the diff must name; default: not looked at. */
    readonly changes?: readonly string[];
    /** Part of the state afterwards. */
    readonly leaves?: ValueMap;
  }[];
  /** The natural name under which the last state can be imported; absent when the id is the only one. */
  readonly naturalName: (parents: P, saved: Saved) => string;
  /** Inputs that an import cannot know, because the service never answers them. */
  readonly unreadable?: readonly string[];
  /** True for a type whose objects nothing lists. */
  readonly unlisted?: boolean;
  /** Part of the state after a delete, of what every account has anyway and a delete only puts back. */
  readonly remains?: ValueMap;
  /** Changes made behind the provider's back, by property: the call, and the live value to be seen. */
  readonly drift: {
    readonly [property: string]: (saved: Saved, parents: P) => { method: string; path: string; body: object };
  };
}

/** A life among others, whose parents only it knows. */
export type AnyLife = Life<unknown>;

export const life = <P>(one: Life<P>): AnyLife => one as unknown as AnyLife;

/** Declares the suite of one type. */
export function leadsItsLife<P>(life: Life<P>): void {
  describe(life.type, () => {
    let account: Account;
    let parents: P;
    let saved: Saved | undefined;
    const resource = resourceNamed(life.type, "subject");
    const last = () => life.steps.at(-1)!.declare(parents);

    beforeAll(async () => {
      account = await openAccount();
      parents = await life.prepare(account);
    });
    afterAll(() => account.close());

    life.steps.forEach(({ does, declare, changes, leaves }, i) => {
      test(`step ${i + 1}: ${does}${changes ? ` of ${changes.join(", ")}` : ""}, and a second run changes nothing`, async () => {
        const applied = await apply(account, resource, declare(parents), saved);
        expect(applied.operation).toBe(does);
        if (changes) {
          const named = Object.keys(applied.diff?.detailedDiff ?? {}).map((path) =>
            String(parsePath(path)[0]),
          );
          expect(new Set(named)).toEqual(new Set(changes));
        }
        if (leaves) expect(applied.state).toMatchObject(leaves);
        saved = applied;
        const again = await apply(account, resource, declare(parents), saved);
        expect(again.diff?.detailedDiff).toEqual({});
        expect(again.operation).toBe("same");
      });
    });

    test("a refresh changes nothing", async () => {
      const read = await account.during((provider) => provider.read({ ...resource, ...saved! }));
      expect(read?.inputs).toEqual(saved!.inputs);
      expect(read?.state).toEqual(saved!.state);
    });

    test("an import by id, and by natural name, gives inputs that the next run does not change", async () => {
      for (const id of [saved!.id, life.naturalName(parents, saved!)]) {
        const imported = await account.during((provider) => provider.read({ ...resource, id }));
        expect(imported?.id).toBe(saved!.id);
        const provider = await account.open();
        expect(await checked(provider, resource, imported!.inputs, imported!.inputs)).toEqual(
          imported!.inputs,
        );
        const own = { ...resource, id: saved!.id, oldInputs: imported!.inputs, state: imported!.state };
        expect((await provider.diff({ ...own, newInputs: imported!.inputs })).changes).toBe(false);
        const newInputs = await checked(provider, resource, last(), imported!.inputs);
        const diff = await provider.diff({ ...own, newInputs });
        const unreadable = (life.unreadable ?? []).map(parsePath);
        const unexpected = Object.keys(diff.detailedDiff).filter(
          (path) => !isAmong(parsePath(path), unreadable),
        );
        expect(unexpected).toEqual([]);
      }
    });

    for (const [property, change] of Object.entries(life.drift)) {
      test(`${property} changed from outside is drift, and the next run sets it right`, async () => {
        const { method, path, body } = change(saved!, parents);
        await account.call(method, path, body);
        const read = await account.during((provider) => provider.read({ ...resource, ...saved! }));
        const drifted = Object.keys({ ...read!.inputs, ...saved!.inputs }).filter(
          (name) => JSON.stringify(read!.inputs[name]) !== JSON.stringify(saved!.inputs[name]),
        );
        expect(drifted).toEqual([property]);
        const restored = await apply(account, resource, last(), read);
        expect(["update", "replace"]).toContain(restored.operation);
        expect(restored.state[property]).toEqual(saved!.state[property]);
        saved = restored;
      });
    }

    test(`it is ${life.unlisted ? "not listed, as nothing lists it" : "listed under its parents"}`, async () => {
      const listed = await account.during((provider) => provider.list({ type: life.type }));
      const ids = listed.map(({ id }) => id);
      if (life.unlisted) expect(ids).toEqual([]);
      else expect(ids).toContain(saved!.id);
    });

    test("a delete removes it, and what is gone can be deleted and reads as gone", async () => {
      const request = { ...resource, id: saved!.id, oldInputs: saved!.inputs, state: saved!.state };
      await account.during((provider) => provider.delete(request));
      await account.during((provider) => provider.delete(request));
      const left = await account.during((provider) => provider.read({ ...resource, ...saved! }));
      if (life.remains) {
        expect(left?.state).toMatchObject(life.remains);
        return;
      }
      expect(left).toBeUndefined();
      const listed = await account.during((provider) => provider.list({ type: life.type }));
      expect(listed.map(({ id }) => id)).not.toContain(saved!.id);
    });
  });
}
