import type { Duplex } from "node:stream";

export interface Frames {
  /** `word`: ASCII, at most 65,535 characters. `message`: less than 4 GiB. Nothing is sent over a stream that has ended. `mayWait`: for the pause; default true. */
  readonly send: (call: number, word: string, message: Uint8Array, mayWait?: boolean) => void;
}

/** Calls back with each message that comes over the stream. What is sent within `pause` milliseconds of a write leaves together; default 0. */
export function framesOver(
  stream: Duplex,
  heard: (call: number, word: string, message: Uint8Array) => void,
  options?: { readonly pause?: number },
): Frames;
