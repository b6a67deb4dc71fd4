import leven from 'leven';

const ERRORS_MAX = 3;

/** Allows typing errors in a third of the letters, three at most. */
const tolerance = (word: string) => Math.min(ERRORS_MAX, Math.max(1, Math.floor(word.length / 3)));

/** Returns the candidates with the fewest typing errors. Returns none if even these candidates have too many errors. */
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

/** Counts missing, added and wrong letters. Two swapped letters count as one error; Levenshtein counts two. */
function typingErrors(typed: string, meant: string): number {
  const errors = leven(typed, meant);
  if (errors > ERRORS_MAX + 1) return errors;
  const swapped = Array.from(typed.slice(1), (letter, i) =>
    [typed.slice(0, i), letter, typed[i], typed.slice(i + 2)].join(''),
  );
  return Math.min(errors, ...swapped.map((word) => leven(word, meant) + 1));
}
