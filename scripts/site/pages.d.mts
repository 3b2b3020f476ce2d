/** Where a type or a function has its page, as its token leads there. */
export function pathOf(token: string): string;

/** Every page by its path, as Markdown. */
export function sitePages(): Map<string, string>;
