/** Letters that Unicode does not take apart, and punctuation that keyboards write in more than one way. */
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
/** Not every mark (\p{M}): Japanese voicing and the vowels of Indic scripts tell words apart. */
const ACCENT = /[\u0300-\u036f]/g;

/**
 * The one rule by which names are sorted and searched: lower case, no accents, special letters as one types them without
 * (ß as ss, đ as d), a run of white space as one space. Folding twice changes nothing.
 */
export function foldName(name: string): string {
  // Marks go after the lower case: İ becomes i and a dot above.
  const bare = name.normalize('NFKD').toLowerCase().replace(ACCENT, '').normalize('NFC');
  return bare.replace(FOLDED_LETTER, (letter) => FOLDED[letter] ?? letter).replace(/\s+/g, ' ');
}
