/** Where a type or a function has its page, as its token leads there. */
export function pathOf(token: string): string;

/** Every page by its path, as Markdown. */
export function sitePages(): Map<string, string>;

interface Entry {
  readonly text: string;
  readonly link: string;
}

/** What stands beside each page, in the generator's form. */
export function sidebarOf(
  pages: Map<string, string>,
): { readonly text: string; readonly link?: string; readonly items?: readonly Entry[] }[];
