/** The create log: which creates began and which ids they gave, on disk, so that a killed run loses nothing. It knows no resource and no protocol. */

import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** A create whose end the engine has not shown to know. `id` is there once the service answered. */
export interface Attempt {
  readonly urn: string;
  readonly type: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly id?: string;
  /** The process that began it. */
  readonly pid: number;
}

/** One line of the file. */
type Line =
  | { readonly begin: string; readonly type: string; readonly at: string; readonly pid: number }
  | { readonly made: string; readonly id: string }
  | { readonly end: string };

export interface CreateLog {
  /** The unfinished attempt of a URN, as the file of all processes tells. */
  find(urn: string): Attempt | undefined;
  /** The URNs whose unfinished attempts gave this id, as far as they have been read. */
  withId(type: string, id: string): readonly string[];
  /** Resolves when the attempt is safely on disk; an earlier unfinished one of the URN keeps its start. */
  begin(urn: string, type: string, at: string): Promise<void>;
  /** Resolves when the id is safely on disk. */
  made(urn: string, id: string): Promise<void>;
  /** Forgets the attempt; reaches the disk soon. */
  end(urn: string): void;
  /** Resolves when everything so far is written. */
  settled(): Promise<void>;
  /** Writes what is pending, at once; for the exit of the process. */
  settleNow(): void;
}

/** Waste that is worth a rewrite of the file, in bytes. */
const worthRewriting = 1 << 20;
/** A rewrite takes milliseconds; a lock that old was left by a killed process. */
const lockExpiresMs = 30_000;

/**
 * Opens the log in `file`, which need not exist and is removed when nothing is unfinished. Any number of processes may
 * use one file: lines are appended whole, and one that fell into a file just replaced is written again to the new one.
 * `onTrouble` hears, once, why the log cannot be kept; creates go on without it.
 */
export function openCreateLog(file: string, onTrouble: (message: string) => void = () => {}): CreateLog {
  const attempts = new Map<string, Attempt>();
  const urnsById = new Map<string, Set<string>>();
  let pending: Line[] = [];
  let written: Promise<void> = Promise.resolve();
  let isScheduled = false;
  let isTroubled = false;
  /** How much of which file has been read. Inode numbers are used again, so the birth time tells files apart. */
  let seen = { identity: "", size: 0 };

  function apply(line: Line): void {
    if ("begin" in line) {
      const { begin: urn, type, at, pid } = line;
      attempts.set(urn, { ...(attempts.get(urn) ?? { urn, type, startedAt: at }), pid });
    } else if ("made" in line) {
      const attempt = attempts.get(line.made);
      if (attempt === undefined) return;
      unindex(attempt);
      attempts.set(line.made, { ...attempt, id: line.id });
      const key = keyOf(attempt.type, line.id);
      const urns = urnsById.get(key);
      if (urns) urns.add(line.made);
      else urnsById.set(key, new Set([line.made]));
    } else {
      unindex(attempts.get(line.end));
      attempts.delete(line.end);
    }
  }

  function unindex(attempt: Attempt | undefined): void {
    if (attempt?.id !== undefined) urnsById.get(keyOf(attempt.type, attempt.id))?.delete(attempt.urn);
  }

  function trouble(error: unknown): void {
    if (isTroubled) return;
    isTroubled = true;
    const why = error instanceof Error ? error.message : String(error);
    onTrouble(
      `the create log cannot be kept (${why}): if this run is killed, look for objects that it made and did not save`,
    );
  }

  /** Takes in what is new in the file, from any process. */
  function catchUp(): void {
    let descriptor: number;
    try {
      descriptor = openSync(file, "r");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") trouble(error);
      else if (!isTroubled) restart("");
      return;
    }
    try {
      const { ino, birthtimeMs, size } = fstatSync(descriptor);
      const identity = `${ino} ${birthtimeMs}`;
      if (identity !== seen.identity || size < seen.size) restart(identity);
      if (size === seen.size) return;
      const bytes = Buffer.alloc(size - seen.size);
      const length = readSync(descriptor, bytes, 0, bytes.length, seen.size);
      const end = bytes.subarray(0, length).lastIndexOf(0x0a) + 1;
      seen = { identity, size: seen.size + end };
      for (const line of linesOf(bytes.subarray(0, end).toString())) apply(line);
      for (const line of pending) apply(line);
    } catch (error) {
      trouble(error);
    } finally {
      closeSync(descriptor);
    }
  }

  function restart(identity: string): void {
    attempts.clear();
    urnsById.clear();
    for (const line of pending) apply(line);
    seen = { identity, size: 0 };
  }

  async function append(lines: readonly Line[]): Promise<void> {
    await mkdir(dirname(file), { recursive: true });
    const text = textOf(lines);
    const isDurable = lines.some((line) => !("end" in line));
    for (;;) {
      const handle = await open(file, "a+", 0o600);
      try {
        await handle.appendFile((await endsMidLine(handle)) ? `\n${text}` : text);
        if (isDurable) await handle.datasync();
        const { ino } = await handle.stat();
        const inPlace = await stat(file).catch(() => undefined);
        if (inPlace?.ino === ino) return;
      } finally {
        await handle.close();
      }
    }
  }

  function write(...lines: Line[]): Promise<void> {
    for (const line of lines) apply(line);
    pending.push(...lines);
    if (!isScheduled) {
      isScheduled = true;
      written = written.then(flush);
    }
    return written;
  }

  async function flush(): Promise<void> {
    isScheduled = false;
    const lines = [...pending];
    if (lines.length === 0) return;
    try {
      await append(lines);
    } catch (error) {
      trouble(error);
    }
    pending = pending.slice(lines.length);
    if (lines.some((line) => "end" in line)) tidy();
  }

  /** Removes the file when nothing in it matters, rewrites it when little does. */
  function tidy(): void {
    if (isTroubled || pending.length > 0) return;
    catchUp();
    const live = textOf([...attempts.values()].flatMap(linesOfAttempt));
    if (live !== "" && seen.size < live.length * 4 + worthRewriting) return;
    try {
      replace(file, live, seen.size);
    } catch (error) {
      trouble(error);
    }
  }

  catchUp();
  return {
    find: (urn) => {
      catchUp();
      return attempts.get(urn);
    },
    withId: (type, id) => [...(urnsById.get(keyOf(type, id)) ?? [])],
    begin: (urn, type, at) => write({ begin: urn, type, at, pid: process.pid }),
    made: (urn, id) => write({ made: urn, id }),
    end: (urn) => {
      if (attempts.has(urn)) void write({ end: urn });
    },
    settled: () => written,
    settleNow: () => {
      const lines = pending;
      pending = [];
      try {
        if (lines.length > 0) {
          mkdirSync(dirname(file), { recursive: true });
          appendFileSync(file, textOf(lines), { mode: 0o600 });
          tidy();
        }
      } catch (error) {
        trouble(error);
      }
    },
  };
}

function keyOf(type: string, id: string): string {
  return `${type} ${id}`;
}

function linesOfAttempt({ urn, type, startedAt, id, pid }: Attempt): Line[] {
  const begin: Line = { begin: urn, type, at: startedAt, pid };
  return id === undefined ? [begin] : [begin, { made: urn, id }];
}

function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A line that a crash cut short is passed over: what it told of had not happened yet, or is found by its begin. */
function linesOf(text: string): Line[] {
  return text.split("\n").flatMap((line) => {
    try {
      const parsed: unknown = JSON.parse(line);
      return typeof parsed === "object" && parsed !== null ? [parsed as Line] : [];
    } catch {
      return [];
    }
  });
}

async function endsMidLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}

/** Puts `content` in the file's place (nothing: removes it), with the lines that other processes appended after the first `size` bytes. */
function replace(file: string, content: string, size: number): void {
  const lock = `${file}.lock`;
  const isLocked = takeLock(lock);
  if (!isLocked) return;
  try {
    const old = openSync(file, "r");
    try {
      const fresh = `${file}.${process.pid}`;
      if (content === "") {
        unlinkSync(file);
      } else {
        writeFileSync(fresh, content, { mode: 0o600 });
        renameSync(fresh, file);
      }
      const late = readFileSync(old).subarray(size);
      if (late.length > 0) appendFileSync(file, late, { mode: 0o600 });
    } finally {
      closeSync(old);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  } finally {
    unlinkSync(lock);
  }
}

function takeLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx"));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  try {
    if (Date.now() - statSync(lock).mtimeMs > lockExpiresMs) unlinkSync(lock);
  } catch {
    // Somebody else let it go.
  }
  return false;
}
