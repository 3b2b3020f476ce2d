/** Words that messages are made of. Pure. */

/** A noun with the article that goes before it: `a Record`, `an Object`. */
export const withArticle = (noun: string): string => `${/^[AEIOU]/i.test(noun) ? "an" : "a"} ${noun}`;
