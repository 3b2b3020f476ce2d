/** A terminal without a window: what is written to it is seen as a person would see it, wrapped, erased and scrolled. */

import headless from "@xterm/headless";

export interface Screen {
  readonly stream: NodeJS.WriteStream;
  /** Every row with what was scrolled out, without trailing empty ones. */
  readonly rows: () => Promise<string[]>;
  /** The same, with rows that were too wide for one in one. */
  readonly lines: () => Promise<string[]>;
  /** Rows that go on in the next one because they were too wide. */
  readonly wrapped: () => Promise<number>;
  readonly resize: (columns: number, rows: number) => Promise<void>;
  /** Bytes written so far. */
  readonly written: () => number;
}

export function openScreen(columns: number, rows: number): Screen {
  const terminal = new headless.Terminal({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true });
  let written = 0;
  const stream = {
    isTTY: true,
    columns,
    rows,
    write(text: string) {
      written += text.length;
      // A terminal's driver returns to the first column at each line end.
      terminal.write(text.replaceAll("\n", "\r\n"));
      return true;
    },
  };
  const flushed = () => new Promise<void>((done) => terminal.write("", done));
  const lines = () =>
    Array.from({ length: terminal.buffer.active.length }, (_, at) => terminal.buffer.active.getLine(at)!);
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    written: () => written,
    async rows() {
      await flushed();
      const texts = lines().map((line) => line.translateToString(true));
      while (texts.at(-1) === "") texts.pop();
      return texts;
    },
    async lines() {
      await flushed();
      const texts: string[] = [];
      for (const line of lines()) {
        if (line.isWrapped) texts.push(`${texts.pop()}${line.translateToString(true)}`);
        else texts.push(line.translateToString(true));
      }
      while (texts.at(-1) === "") texts.pop();
      return texts;
    },
    async wrapped() {
      await flushed();
      return lines().filter((line) => line.isWrapped).length;
    },
    async resize(columns, rows) {
      await flushed();
      terminal.resize(columns, rows);
      Object.assign(stream, { columns, rows });
    },
  };
}
