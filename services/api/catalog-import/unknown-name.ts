import leven from 'leven';

/** Lists at most this many known names in a message; of a longer list, names the nearest. */
const FEW = 6;

/** Returns the end of a message about an unknown name: what to write instead. */
export function suggestName(name: string, known: string[]): string {
  if (known.length <= FEW) return `known are ${known.join(', ')}`;
  const near = nearestName(name, known);
  return near === undefined ? 'correct or remove it' : `did you mean ${near}?`;
}

/** Returns the name with the fewest typing errors, at most a quarter of its letters. Ignores case, dashes and dots. */
function nearestName(name: string, known: string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const wanted = plain(name);
  const distances = known.map((other) => ({ other, distance: typingErrors(wanted, plain(other)) }));
  const [best] = distances.sort((a, b) => a.distance - b.distance);
  return best && best.distance * 4 <= plain(best.other).length ? best.other : undefined;
}

function typingErrors(from: string, to: string): number {
  // A text twice as long is no typing error, and the time grows with the length.
  return from.length > 2 * to.length ? from.length : leven(from, to);
}
