/** The account behind the API in one piece: store, clock, jobs, events and randomness, filled by the areas' seeds. */

import type { Area, Item, World } from "../area.ts";
import { checkData, type Seed } from "./account-file.ts";
import { createClock, type MovableClock } from "./clock.ts";
import { createEvents, type EventItem, eventCollection } from "./events.ts";
import { createJobs, type Job, type JobQueue, type Speed } from "./jobs.ts";
import { type AccountData, type Changes, watchValues } from "./journal.ts";
import { createRandom } from "./random.ts";
import { createStore } from "./store.ts";
import { newUser, ownerName, ownerToken, type TokensFile, tokens, userNamed, users } from "./users.ts";

export interface AccountOptions {
  readonly areas: readonly Area[];
  /** The brand word on the wire. */
  readonly brand: string;
  readonly speed: Speed;
  /** What the clock says at first; absent: the machine's time. */
  readonly startTime: Date | undefined;
  readonly seed: Seed | undefined;
  readonly tokens: TokensFile | undefined;
  /** Receives the failure of a job. */
  readonly log: (line: string) => void;
  /** Called after jobs changed the account. */
  readonly changed: () => void;
}

export interface Account {
  readonly clock: MovableClock;
  readonly jobs: JobQueue;
  /** A token of an unrestricted user with every scope. */
  readonly token: string;
  /** The world in which events without a username are this user's; `null` for the system's own doing. */
  worldOf(username: string | null): World;
  /** True when the account has a collection of that name. */
  holds(name: string): boolean;
  /** The names of all its collections. */
  names(): string[];
  data(): AccountData;
  /** What changed since the last time it was asked; `"all"` after `setData` or `reset`, and the first time. Nothing: nothing did. */
  changes(): Changes | "all" | undefined;
  /** Replaces everything; refuses with 400 what is no account. */
  setData(data: unknown): void;
  /** Makes the present content what `reset` goes back to. */
  begin(): void;
  /** Back to the start, with the clock going on. */
  reset(): void;
}

/** Any account starts from the same randomness, so that a run can be repeated. */
const firstRandom = 20_240_417;

/** The owner's token where the tokens file has none, and without a tokens file one that is good like any other. */
const spareToken = "emulator-owner";

/** An account as it starts: the areas' seeds, the seed file's objects, the tokens file's users. */
export function createAccount(options: AccountOptions): Account {
  const store = createStore();
  const clock = createClock();
  if (options.startTime) clock.setOffset(options.startTime.getTime() - clock.millis());
  const random = createRandom(firstRandom);
  const worlds = new Map<string | null, World>();
  const kinds = new Map(options.areas.flatMap((area) => Object.entries(area.jobs ?? {})));

  const shows = new Map(options.areas.flatMap((area) => Object.entries(area.shows ?? {})));

  function perform(job: Job): void {
    const work = kinds.get(job.kind);
    try {
      if (!work) throw new Error("no area knows this kind of job");
      work(worldOf(null), job.data);
    } catch (error) {
      options.log(`job ${job.kind} ${JSON.stringify(job.data)} failed: ${(error as Error).stack}`);
    }
    options.changed();
  }
  const shownBy = ({ kind, data }: Pick<Job, "kind" | "data">) => shows.get(kind)?.(worldOf(null), data);
  const jobs = createJobs(clock, options.speed, perform, shownBy);

  function worldOf(username: string | null): World {
    let world = worlds.get(username);
    if (!world) {
      world = {
        collection: store.collection,
        clock,
        events: createEvents(store.collection<EventItem>(eventCollection), clock, username),
        jobs,
        account: store.account,
        hex: random.hex,
        integer: random.integer,
        brand: options.brand,
      };
      worlds.set(username, world);
    }
    return world;
  }

  function applyTokens(world: World): void {
    for (const user of structuredClone(options.tokens?.users ?? [])) {
      const present = userNamed(world, user.username);
      if (present) users(world).update(present.id, user);
      else users(world).insert(user);
    }
    if (!users(world).find((user) => !user.restricted)) users(world).insert(newUser(ownerName));
    for (const token of options.tokens?.tokens ?? []) {
      const present = tokens(world).by("_token", token._token)[0];
      if (present) tokens(world).update(present.id, token);
      else tokens(world).insert({ ...token, created: clock.stamp() });
    }
    if (options.tokens && ownerToken(world) === undefined) {
      const { username } = users(world).find((user) => !user.restricted)!;
      const fields = {
        label: "emulator",
        expiry: null,
        scopes: "*",
        _token: spareToken,
        _username: username,
      };
      tokens(world).insert({ ...fields, created: clock.stamp() });
    }
  }

  function plant(seed: Seed): void {
    Object.assign(store.account, structuredClone(seed.account));
    for (const [name, items] of Object.entries(seed.collections)) {
      const collection = store.collection(name);
      for (const item of structuredClone(items)) {
        if (item.id !== undefined) collection.delete(item.id);
        collection.insert(item as Item);
      }
    }
  }

  const changedValues = watchValues(store.account);
  let replaced = true;
  let told = { clockOffset: 0, random: 0 };

  function changes(): Changes | "all" | undefined {
    const now = { clockOffset: clock.offset(), random: random.state() };
    const parts: Changes = {
      items: store.changes(),
      ...definite("account", changedValues()),
      ...definite("jobs", jobs.changes()),
      ...definite("clockOffset", now.clockOffset === told.clockOffset ? undefined : now.clockOffset),
      ...definite("random", now.random === told.random ? undefined : now.random),
    };
    told = now;
    if (replaced) {
      replaced = false;
      return "all";
    }
    return parts.items.length > 0 || Object.keys(parts).length > 1 ? parts : undefined;
  }

  const account: Account = {
    clock,
    jobs,
    token: spareToken,
    worldOf,
    holds: store.holds,
    names: store.names,
    data: () => ({
      format: 1,
      clockOffset: clock.offset(),
      random: random.state(),
      ...store.data(),
      jobs: jobs.data(),
    }),
    changes,
    setData: (data) => {
      replaced = true;
      const checked = structuredClone(checkData(data));
      store.setData(checked);
      clock.setOffset(checked.clockOffset);
      random.setState(checked.random);
      jobs.setData(checked.jobs);
      applyTokens(worldOf(null));
    },
    begin: () => {
      start = structuredClone(account.data());
    },
    reset: () => {
      account.setData({ ...start, clockOffset: clock.offset() });
    },
  };
  const world = worldOf(null);
  for (const area of options.areas) area.seed?.(world);
  if (options.seed) plant(options.seed);
  applyTokens(world);
  let start = structuredClone(account.data());
  return { ...account, token: ownerToken(world) ?? spareToken };
}

/** The one member, or none when its value is not there. */
function definite<K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [key in K]: V });
}
