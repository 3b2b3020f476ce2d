/** Rows of plain texts in columns. Pure. */

/** A line for each row; the last column is not padded. */
export function table(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((cells) => cells[at]!.length)));
  return rows.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join("  ")
      .trimEnd(),
  );
}
