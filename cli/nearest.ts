/** Typing errors in a word that still let it be recognised: a third of its letters, three at most. */
const tolerance = (word: string) => Math.min(3, Math.max(1, Math.floor(word.length / 3)));

/** What was probably meant: the candidates that the fewest typing errors lead to. */
export function nearest(word: string, candidates: readonly string[]): string[] {
  const far = candidates.map((candidate) => [candidate, typingErrors(word, candidate)] as const);
  const least = Math.min(...far.map(([, errors]) => errors));
  return least <= tolerance(word)
    ? far.filter(([, errors]) => errors === least).map(([candidate]) => candidate)
    : [];
}

export function didYouMean(meant: string[]): string {
  return meant.length > 0 ? ` (Did you mean ${meant.join(' or ')}?)` : '';
}

/** Letters left out, added, mistaken or swapped with the next (Damerau and Levenshtein, optimal string alignment). */
function typingErrors(typed: string, meant: string): number {
  const table = Array.from({ length: typed.length + 1 }, (_, i) => [i]);
  for (let j = 0; j <= meant.length; j++) table[0]![j] = j;
  for (let i = 1; i <= typed.length; i++) {
    for (let j = 1; j <= meant.length; j++) {
      const mistaken = typed[i - 1] === meant[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && typed[i - 1] === meant[j - 2] && typed[i - 2] === meant[j - 1];
      table[i]![j] = Math.min(
        table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1,
        table[i - 1]![j - 1]! + mistaken,
        swapped ? table[i - 2]![j - 2]! + 1 : Infinity,
      );
    }
  }
  return table[typed.length]![meant.length]!;
}
