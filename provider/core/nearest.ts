/** Finds the name that was probably meant; knows nothing of where names come from. Pure. */

/** The candidate closest to `name`, or undefined when none is close (a third of the longer name's letters wrong at most). Letter case counts for nothing. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const other = candidate.toLowerCase();
    const limit = Math.min(bestDistance, allowed(wanted, other) + 1);
    const difference = Math.abs(other.length - wanted.length);
    let distance = difference >= limit ? limit : distanceBetween(wanted, other, limit);
    // A name that goes on where the other ends is close, however short they are.
    if (isBeginning(wanted, other) && difference <= 3) distance = Math.min(distance, difference, 1);
    if (
      distance < bestDistance &&
      distance <= Math.max(allowed(wanted, other), isBeginning(wanted, other) ? 1 : 0)
    ) {
      best = candidate;
      bestDistance = distance;
      if (distance === 0) break;
    }
  }
  return best;
}

function allowed(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  return shorter < 2 ? 0 : Math.max(1, Math.floor(Math.max(a.length, b.length) / 3));
}

function isBeginning(a: string, b: string): boolean {
  return Math.min(a.length, b.length) > 1 && (a.startsWith(b) || b.startsWith(a));
}

/** ` - did you mean "x"?` or the empty text, to end a message with. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const found = nearest(name, candidates);
  return found === undefined ? "" : ` - did you mean ${JSON.stringify(found)}?`;
}

/** As didYouMean; when nothing is close, a short list of what there is instead. */
export function didYouMeanOrOneOf(name: string, candidates: Iterable<string>): string {
  const all = [...candidates];
  const close = didYouMean(name, all);
  if (close !== "" || all.length === 0) return close;
  const shown = all.slice(0, 12).join(", ");
  return ` - there is ${shown}${all.length > 12 ? ", …" : ""}`;
}

/** Edits (insert, drop, replace, swap neighbours) between two texts, or `limit` as soon as it is sure that there are as many. */
function distanceBetween(a: string, b: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, beforeLast[j - 2]! + 1);
      }
      row.push(value);
      least = Math.min(least, value);
    }
    if (least >= limit) return limit;
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
