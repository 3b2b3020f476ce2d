/** A file of JSON lines that several processes append to and read at the same time. It does not know what the lines say. */

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

/** What the lines mean. A line may be applied more than once, always in the order of the file: the last one about a thing must decide. */
export interface LineUse<Line> {
  readonly apply: (line: Line) => void;
  /** Forgets everything that was applied. */
  readonly clear: () => void;
  /** The fewest lines that say what all applied ones said. */
  readonly live: () => readonly Line[];
  /** True when a write resolves only once the line is safely on disk. */
  readonly isDurable: (line: Line) => boolean;
  /** True when earlier lines may be waste because of this one. */
  readonly leavesWaste: (line: Line) => boolean;
  /** Hears, once, why the file cannot be kept; what is written is applied nevertheless. */
  readonly onTrouble: (why: string) => void;
}

export interface LineFile<Line> {
  /** Applies what is new in the file, from any process. */
  readonly catchUp: () => void;
  /** Applies the lines at once and appends them; those of one turn are written together, in order. Resolves when they are in the file. */
  readonly write: (...lines: readonly Line[]) => Promise<void>;
  /** Resolves when everything so far is written. */
  readonly flushed: () => Promise<void>;
  /** Writes what is pending, at once; for the exit of the process. */
  readonly flushNow: () => void;
}

/** Waste that is worth a rewrite of the file, in bytes. */
const worthRewriting = 1 << 20;
/** A rewrite takes milliseconds; a lock that old was left by a killed process. */
const lockExpiresMs = 30_000;

/**
 * Opens the file, which need not exist and is removed when no line is live. Lines are appended whole, and one that fell into a file just
 * replaced by another process is written again to the new one.
 */
export function openLineFile<Line extends object>(file: string, use: LineUse<Line>): LineFile<Line> {
  let pending: Line[] = [];
  let written: Promise<void> = Promise.resolve();
  let isScheduled = false;
  let isAppending = false;
  let isTroubled = false;
  /** How much of which file has been read. Inode numbers are used again, so the birth time tells files apart. */
  let seen = { identity: "", size: 0 };

  function trouble(error: unknown): void {
    if (isTroubled) return;
    isTroubled = true;
    use.onTrouble(error instanceof Error ? error.message : String(error));
  }

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
      for (const line of linesOf<Line>(bytes.subarray(0, end).toString())) use.apply(line);
      for (const line of pending) use.apply(line);
    } catch (error) {
      trouble(error);
    } finally {
      closeSync(descriptor);
    }
  }

  function restart(identity: string): void {
    use.clear();
    for (const line of pending) use.apply(line);
    seen = { identity, size: 0 };
  }

  async function append(lines: readonly Line[]): Promise<void> {
    await mkdir(dirname(file), { recursive: true });
    const text = textOf(lines);
    const isDurable = lines.some(use.isDurable);
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

  function write(...lines: readonly Line[]): Promise<void> {
    for (const line of lines) use.apply(line);
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
    isAppending = true;
    try {
      await append(lines);
    } catch (error) {
      trouble(error);
    }
    isAppending = false;
    pending = pending.slice(lines.length);
    if (pending.length === 0 && lines.some(use.leavesWaste)) tidy();
  }

  /** Removes the file when nothing in it matters, rewrites it when little does. */
  function tidy(): void {
    if (isTroubled) return;
    catchUp();
    const live = textOf(use.live());
    if (live !== "" && seen.size < live.length * 4 + worthRewriting) return;
    try {
      replace(file, live, seen.size);
    } catch (error) {
      trouble(error);
    }
  }

  return {
    catchUp,
    write,
    flushed: () => written,
    flushNow: () => {
      const lines = pending;
      // An append under way may reach the file after this: what came after it is then written once more, as the last word.
      if (!isAppending) pending = [];
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

function textOf(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A line that a crash cut short is passed over: what it told of had not happened yet, or is found by an earlier line. */
function linesOf<Line>(text: string): Line[] {
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
        writeFileSync(fresh, content, { mode: 0o600, flush: true });
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
