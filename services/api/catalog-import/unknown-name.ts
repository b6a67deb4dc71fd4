import leven from 'leven';

/** So many names a person reads in a fault; of more, the nearest alone is named. */
const FEW = 6;

/** What to write instead of a name that is none of the known ones: the end of a fault's message. */
export function insteadOf(name: string, known: string[]): string {
  if (known.length <= FEW) return `known are ${known.join(', ')}`;
  const near = nearest(name, known);
  return near === undefined ? 'correct or remove it' : `did you mean ${near}?`;
}

/** At most a quarter of its letters mistyped; upper case, dashes and dots do not count. */
function nearest(name: string, known: string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const wanted = plain(name);
  const distances = known.map((other) => ({ other, distance: typos(wanted, plain(other)) }));
  const [best] = distances.sort((a, b) => a.distance - b.distance);
  return best && best.distance * 4 <= plain(best.other).length ? best.other : undefined;
}

/** Letters to add, drop or change to make one text the other. */
function typos(from: string, to: string): number {
  // Nothing as long as this is a mistyped name, and the time grows with the length.
  return from.length > 2 * to.length ? from.length : leven(from, to);
}
