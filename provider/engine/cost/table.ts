/** A table of prices that the user gives for what the service tells none of. Pure. */

import type { ChargeInfo, Price } from "../../core/protocol.ts";

interface Row {
  readonly monthly: number;
  readonly hourly?: number;
  /** A month's price by region, where it is another. */
  readonly regions: ReadonlyMap<string, number>;
}

export interface PriceTable {
  readonly currency: string;
  /** By item; `*` stands for any characters. */
  readonly rows: ReadonlyMap<string, Row>;
}

type Given = { readonly [name: string]: unknown };
const isRecord = (value: unknown): value is Given =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isAmount = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;

/** Reads a table (`currency`, `prices`). What is wrong is given to `fault`. */
export function readTable(given: unknown, fault: (message: string) => void): PriceTable {
  if (!isRecord(given) || !isRecord(given["prices"])) {
    fault(
      'needs "prices": an object of prices by item (plumbline preview --cost tells what items there are)',
    );
    return { currency: "USD", rows: new Map() };
  }
  const { currency = "USD", prices, ...rest } = given;
  for (const key of Object.keys(rest))
    fault(`"${key}" is no key of a table of prices: write currency or prices`);
  if (typeof currency !== "string" || !/^[A-Z]{3}$/.test(currency))
    fault('"currency" must be a code of three capital letters (USD)');
  const rows = Object.entries(prices as Given).flatMap(([item, value]): [string, Row][] => {
    const row = rowOf(value, (message) => fault(`${JSON.stringify(item)}: ${message}`));
    return row === undefined ? [] : [[item, row]];
  });
  return { currency: String(currency), rows: new Map(rows) };
}

function rowOf(value: unknown, fault: (message: string) => void): Row | undefined {
  if (isAmount(value)) return { monthly: value, regions: new Map() };
  if (!isRecord(value)) {
    fault("must be the price of a month, from 0, or an object with monthly");
    return undefined;
  }
  const { monthly, hourly, regions = {}, ...rest } = value;
  for (const key of Object.keys(rest)) fault(`"${key}" is not known: write monthly, hourly or regions`);
  if (!isAmount(monthly)) fault('"monthly" must be a number from 0');
  if (hourly !== undefined && !isAmount(hourly)) fault('"hourly" must be a number from 0');
  if (!isRecord(regions) || !Object.values(regions).every(isAmount))
    fault('"regions" must be an object of prices of a month, from 0, by region');
  if (!isAmount(monthly) || !isRecord(regions)) return undefined;
  return {
    monthly,
    ...(isAmount(hourly) ? { hourly } : {}),
    regions: new Map(Object.entries(regions as { readonly [region: string]: number })),
  };
}

/** The price of what is charged for; undefined where the table has none. The item itself comes before patterns, and longer ones before shorter. */
export function priceFrom(
  { currency, rows }: PriceTable,
  { item, region }: Pick<ChargeInfo, "item" | "region">,
): Price | undefined {
  const patterns = [...rows.keys()]
    .filter((pattern) => matches(pattern, item))
    .sort((a, b) => Number(a.includes("*")) - Number(b.includes("*")) || b.length - a.length);
  const row = rows.get(patterns[0] ?? "");
  if (row === undefined) return undefined;
  const regional = region === undefined ? undefined : row.regions.get(region);
  if (regional !== undefined) return { monthly: regional, currency };
  return { monthly: row.monthly, ...(row.hourly === undefined ? {} : { hourly: row.hourly }), currency };
}

const matches = (pattern: string, item: string): boolean =>
  new RegExp(`^${pattern.replace(/[\\^$.|?+()[\]{}]/g, "\\$&").replaceAll("*", ".*")}$`).test(item);
