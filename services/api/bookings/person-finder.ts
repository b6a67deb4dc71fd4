/** Shorter ones stand in too many words by chance. */
const SHORTEST_PART = 4;

/**
 * Does a text say who the person is? References and keys are the website's own, and some build them of name or email, so
 * case, accents' form and what stands between letters and digits make no difference.
 * @param person name, phone, email; null where it is not known
 */
export function personFinder(person: (string | null)[]): (text: string) => boolean {
  const known = person.map((value) => fold(value ?? '')).filter(Boolean);
  return (text) => {
    const folded = fold(text);
    return known.some((value) => (value.length < SHORTEST_PART ? folded === value : folded.includes(value)));
  };
}

function fold(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
