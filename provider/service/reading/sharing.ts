/** Equal questions asked at nearly the same time become one. Knows no request: it is told what to ask. */

import type { Clock } from "../clock.ts";
import type { Memory } from "./memory.ts";

/**
 * The answer of the equal question (`key`) under way, or asked at most `keepMs` ago, if none of our writes could have changed what `path`
 * shows since it was asked; else the answer of `ask`. A failed question is forgotten at once; with `keepMs` 0 an answered one too.
 */
export type Share = <T>(key: string, path: string, keepMs: number, ask: () => Promise<T>) => Promise<T>;

interface Asked {
  readonly stamp: number;
  readonly at: number;
  readonly keepMs: number;
  answered: boolean;
  readonly answer: Promise<unknown>;
}

export function createSharing({ memory, clock }: { memory: Memory; clock: Clock }): Share {
  const questions = new Map<string, Asked>();

  const isOver = (asked: Asked) =>
    asked.answered && (asked.keepMs === 0 || clock.now() - asked.at > asked.keepMs);

  return <T>(key: string, path: string, keepMs: number, ask: () => Promise<T>): Promise<T> => {
    for (const [old, asked] of questions) if (isOver(asked)) questions.delete(old);
    const running = questions.get(key);
    if (running !== undefined && memory.untouched(path, running.stamp)) return running.answer as Promise<T>;
    const at = clock.now();
    const asked: Asked = { stamp: memory.stamp(path), at, keepMs, answered: false, answer: ask() };
    questions.set(key, asked);
    asked.answer.then(
      () => {
        asked.answered = true;
      },
      () => {
        if (questions.get(key) === asked) questions.delete(key);
      },
    );
    return asked.answer as Promise<T>;
  };
}
