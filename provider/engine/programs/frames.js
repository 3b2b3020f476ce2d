/**
 * Messages between the engine and a program's process, over a descriptor that both have: each is a frame of its length, the number of its call, a word
 * and bytes. Both ends have this file, that of the program as it stands here.
 */

/** Bytes before the word: the length of all that follows it (32 bits), the call (32), the length of the word (16). */
const headBytes = 10;

/**
 * Calls back with each message that comes over the stream. What is sent in one turn of the loop leaves as one write, and so does what is sent
 * within `pause` milliseconds of the last write, unless it may not wait: one that wakes the other side costs as much as a dozen messages.
 */
export function framesOver(stream, heard, { pause = 0 } = {}) {
  let [chunks, held, needed] = [[], 0, 4];
  stream.on("data", (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    if (held < needed) return;
    let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks, held);
    for (;;) {
      needed = bytes.length < 4 ? 4 : 4 + bytes.readUInt32LE(0);
      if (bytes.length < needed) break;
      const word = headBytes + bytes.readUInt16LE(8);
      heard(bytes.readUInt32LE(4), bytes.toString("latin1", headBytes, word), bytes.subarray(word, needed));
      bytes = bytes.subarray(needed);
    }
    [chunks, held] = [[bytes], bytes.length];
  });
  let due = [];
  let nextWrite = 0;
  let timer;
  const leave = () => {
    timer = undefined;
    const bytes = due.length === 1 ? due[0] : Buffer.concat(due);
    due = [];
    nextWrite = performance.now() + pause;
    if (!stream.destroyed) stream.write(bytes);
  };
  return {
    /** `word`: ASCII. */
    send(call, word, message, mayWait = true) {
      const head = Buffer.allocUnsafe(headBytes + word.length);
      head.writeUInt32LE(head.length - 4 + message.length, 0);
      head.writeUInt32LE(call, 4);
      head.writeUInt16LE(word.length, 8);
      head.write(word, headBytes, "latin1");
      const wait = mayWait ? nextWrite - performance.now() : 0;
      if (due.length === 0 && wait > 0) timer = setTimeout(leave, wait);
      else if (due.length === 0) setImmediate(leave);
      else if (timer !== undefined && wait <= 0) {
        clearTimeout(timer);
        timer = undefined;
        setImmediate(leave);
      }
      due.push(head, message);
    },
  };
}
