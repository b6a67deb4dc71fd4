/** Letters that Unicode does not decompose, and punctuation that is typed in several forms. */
const FOLDED: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ð: 'd',
  đ: 'd',
  ø: 'o',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ı: 'i',
  ĸ: 'k',
  ς: 'σ',
  ʻ: "'",
  ʼ: "'",
  ʿ: "'",
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '‐': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
};
const FOLDED_LETTER = new RegExp(`[${Object.keys(FOLDED).join('')}]`, 'gu');
/**
 * The combining marks that foldName removes. They are not all marks (\p{M}), because Japanese voicing marks and Indic vowels distinguish
 * words.
 */
const ACCENT = /[\u0300-\u036f]/g;

/**
 * Folds a name for sorting and searching: lower case, no accents, special letters as ASCII (ß as ss, đ as d), and single
 * spaces. Folding twice changes nothing.
 */
export function foldName(name: string): string {
  // Removes the accents after the change to lower case: the lower case of İ is i with a dot above, which is also an accent.
  const bare = name.normalize('NFKD').toLowerCase().replace(ACCENT, '').normalize('NFC');
  return bare.replace(FOLDED_LETTER, (letter) => FOLDED[letter] ?? letter).replace(/\s+/g, ' ');
}
