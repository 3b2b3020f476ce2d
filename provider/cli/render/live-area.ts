/**
 * The rows at the bottom of a terminal that are drawn again and again, under lines that stay. Knows how many rows of the screen its last frame
 * takes, also after the window has become narrower. Knows nothing of what it shows.
 */

import stringWidth from "string-width";

export interface LiveArea {
  /** Writes lines that stay, and the frame anew under them. No row of the frame may be wider than the terminal. */
  draw(lines: readonly string[], frame: readonly string[]): void;
  /** Leaves the cursor below what was drawn last. */
  close(): void;
}

export function createLiveArea(stream: NodeJS.WriteStream): LiveArea {
  /** Widths of the rows of the last frame. */
  let drawn: number[] = [];

  /** Rows of the screen that the last frame takes now: a terminal that has become narrower wraps what was wider. */
  const height = (): number => {
    const columns = stream.columns ?? 80;
    return drawn.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0);
  };

  return {
    draw(lines, frame) {
      const rows = Math.min(height(), stream.rows ?? 24);
      // To the first row of the last frame, and everything from there is new.
      const erase = rows > 0 ? `\u001b[${rows}A\r\u001b[J` : "\r\u001b[J";
      if (lines.length === 0 && frame.length === 0 && rows === 0) return;
      stream.write(`${erase}${[...lines, ...frame].map((line) => `${line}\n`).join("")}`);
      drawn = frame.map((row) => stringWidth(row));
    },
    close() {
      drawn = [];
    },
  };
}
