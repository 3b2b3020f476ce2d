/** The public face as types: what other rooms pass and get, and the words that the HTTP side shares with them. It must know no implementation. */

import type { Seed } from "./account/account-file.ts";
import type { Changes } from "./account/changes.ts";

export interface EmulatorOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Default `127.0.0.1`. */
  host?: string;
  /** The brand word on the wire, where the contract writes `compute`. Default `compute`. */
  brand?: string;
  /** File that keeps the account between runs: read at start when it exists; a change is on the disk before it is answered. */
  data?: string;
  /** First content of the account: a file, or what such a file holds. */
  seed?: string | Seed;
  /**
   * Divides the contract's durations. `max`: each state of a transition is told by one GET of its object, and over at the next request;
   * `instant`: over at the next request, told or not. Default 1.
   */
  speed?: number | "max" | "instant";
  /**
   * What the clock says at the start; it goes on from there as the machine's does. An account that `data` kept goes on with its own time.
   * Default: the machine's time.
   */
  startTime?: Date;
  /** Default `off` when embedded. A number is the general limit of requests in 2 minutes. */
  rateLimit?: "off" | "standard" | number;
  /**
   * File with `{"users": [{"username", "restricted", "grants": {"global": {"add_volumes": true}, "volume": [{"id", "permissions"}]}}],
   * "tokens": [{"token", "username", "scopes": "domains:read_write volumes:read_only", "expiry": "2030-01-01T00:00:00"}]}`; scopes
   * default to `*`, expiry to never, users to unrestricted. Without it any bearer token is the unrestricted owner, except that one made
   * by `POST /profile/tokens` has its own scopes, and one that starts with `invalid` is refused with 401.
   */
  tokens?: string;
  /** True sends the service's own CORS headers, which let every web page use the API with a token that it knows. Default false. */
  cors?: boolean;
  /** First fault rules. */
  faults?: readonly FaultRule[];
  /** Port of the DNS answers (UDP and TCP); absent: none. 0 picks one. */
  dns?: number;
  /**
   * For tests: every answer is checked against the contract's response schema, every declared property required unless marked
   * `x-optional`. A mismatch answers 500 with a reason that says what differs, and is remembered in `mismatches`. Default false.
   */
  checkAnswers?: boolean;
  /**
   * For tests that look at, or disturb, one request: called before each is handled, and again when its answer stands but is not sent. What
   * it returns is waited for and played in place of what would come: `cut` closes the connection, `truncate` sends half of the answer.
   */
  watch?: (moment: "before" | "after", request: Watched) => Disturbance | Promise<Disturbance>;
  /** Receives lines about failures of the emulator itself (a handler that threw, a file that cannot be written). Default: standard error. */
  log?: (line: string) => void;
}

/** A request as `watch` sees it. */
export interface Watched {
  /** Counts from 1. */
  readonly n: number;
  readonly method: string;
  /** With the version segment, without the query. */
  readonly path: string;
  /** The contract's template; `null` when no path of the contract matches. */
  readonly template: string | null;
}

/** What `watch` has played; nothing: the answer as it is. `truncate` before the request is handled is as `cut`. */
export type Disturbance =
  | undefined
  | "cut"
  | "truncate"
  | { readonly status: number; readonly headers: { readonly [name: string]: string }; readonly body: string };

/** One rule of `POST /_emulator/faults`; see the command line reference. The first rule that hits a request is played. */
export interface FaultRule {
  /** Or `*`. */
  method: string;
  /**
   * The contract's template (`/volumes/{volumeId}`), that of objects served beside the API (`/_objects/{clusterId}/{bucket}/{name}`), or
   * `*` for every request, those to unknown paths included.
   */
  path: string;
  /** The first match to be hit. Default 1. */
  nth?: number;
  /** In place of `nth`: each match is hit by chance. */
  probability?: number;
  /** Of the chance; the same seed hits the same matches. Default 1. */
  seed?: number;
  /** How many matches from `nth` on, default 1; with `probability` how many at most, default all. */
  times?: number;
  /**
   * `status` answers in the service's place, which does not act (502 is a web page); `reset-before` cuts the connection and the service
   * does not act. With all others it acts: `reset-after` cuts, `drop-after` never answers and closes after `seconds` (default 30),
   * `delay` answers after `seconds`, `truncate` sends half the body under the whole's length, `garbage` answers 200 with no JSON.
   */
  do: "status" | "reset-before" | "reset-after" | "drop-after" | "delay" | "truncate" | "garbage";
  status?: number;
  headers?: { [name: string]: string };
  seconds?: number;
}

export interface EmulatorStats {
  /** By operation: `GET /domains/{domainId}`. */
  requests: { [operation: string]: number };
  total: number;
}

export interface Emulator {
  /** With `/v4`. */
  readonly baseUrl: string;
  /** A token of the unrestricted owner. */
  readonly token: string;
  readonly port: number;
  readonly dnsPort?: number;
  /** What `checkAnswers` found, oldest first. */
  readonly mismatches: readonly string[];
  stats(): EmulatorStats;
  /** Empties the account (the seed stays), statistics and faults. */
  reset(): void;
  /** Moves the clock on by seconds, and brings about everything that becomes due on the way, in order. */
  advance(seconds: number): void;
  /** Replaces the fault rules. */
  setFaults(rules: readonly FaultRule[]): void;
  /** The whole account, plain JSON. */
  data(): unknown;
  setData(data: unknown): void;
  /** Changes single objects and values of the account, all or none; throws when one is not there. */
  change(changes: Changes): void;
  /** Resolves with the reason when the emulator stops by itself: a change could not be written to the data file. It is then to be closed. */
  readonly stopped: Promise<Error>;
  /** Ends it. Rejects when the data file cannot be written, or could not before. */
  close(): Promise<void>;
}
