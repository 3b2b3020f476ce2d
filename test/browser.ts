/** A real browser for the tests of pages, where there is one, and what it has against a page. */

import axe from "axe-core";
import type { Page } from "playwright-core";
import { findBrowser } from "../scripts/programs.mjs";

/** Its program; undefined: there is none, and its tests are left out. */
export const browserProgram = findBrowser();

/** Adds to the list whatever the browser complains of on the page. */
export function listenTo(page: Page, complaints: string[]): void {
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
}

/** The rules of accessibility that the page breaks, each with where. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate(
    'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] })',
  )) as axe.AxeResults;
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/** True when nothing of the page is wider than its window. */
export const fits = async (page: Page) =>
  (await page.evaluate("document.documentElement.scrollWidth <= innerWidth")) === true;
