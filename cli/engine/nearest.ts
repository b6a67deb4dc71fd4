import leven from 'leven';

const MAX_ERRORS = 3;

/** Returns how many typing errors still let a word be recognised: a third of its letters, three at most. */
const tolerance = (word: string) => Math.min(MAX_ERRORS, Math.max(1, Math.floor(word.length / 3)));

/** Returns the candidates that the fewest typing errors lead to. */
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

/** Counts letters left out, added or mistaken. Two neighbours swapped are one error, where Levenshtein counts two. */
function typingErrors(typed: string, meant: string): number {
  const errors = leven(typed, meant);
  if (errors > MAX_ERRORS + 1) return errors;
  const swapped = Array.from(typed.slice(1), (letter, i) =>
    [typed.slice(0, i), letter, typed[i], typed.slice(i + 2)].join(''),
  );
  return Math.min(errors, ...swapped.map((word) => leven(word, meant) + 1));
}
