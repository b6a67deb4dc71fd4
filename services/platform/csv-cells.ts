/* Writes CSV lines as RFC 4180 defines them. Escapes text that a spreadsheet would run as a formula, and reads escaped text back. */

/** Matches a character that is invisible in a cell. */
const UNSEEN = '\\s\\p{Cc}\\p{Cf}';
const FORMULA = '[=+\\-@＝＋－＠]';
const FIRST = new RegExp(`^'*(?:[\\t\\r\\n]|[${UNSEEN}]*${FORMULA})`, 'u');
/** Matches the text before the start of a cell in a spreadsheet that separates cells by another character (`;`, `|` or a tab). */
const BEFORE = `[;|\\t\\r\\n](?:[${UNSEEN}']*")?[${UNSEEN}']*`;
const LATER = new RegExp(`(?=${FORMULA})(?<=${BEFORE})`, 'gu');
const LATER_ESCAPED = new RegExp(`'(?=${FORMULA})(?<=${BEFORE})`, 'gu');

/** Writes 0.0000001 for 1e-7. */
const DECIMALS = new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 20 });

/** Formats one line. Text is escaped; numbers are written without an exponent. */
export function csvLine(values: readonly (string | number | null)[]): string {
  const cells = values.map((value) => {
    const text = String(value ?? '');
    if (typeof value === 'number') return text.includes('e') ? DECIMALS.format(value) : text;
    return quote(escapeFormulas(text));
  });
  return `${cells.join(',')}\r\n`;
}

/** Adds an apostrophe before each text that a spreadsheet would run as a formula. */
function escapeFormulas(text: string): string {
  const later = text.replace(LATER, "'");
  return FIRST.test(text) ? `'${later}` : later;
}

/** Removes the apostrophes that `csvLine` added to a text. */
export function readFormulas(cell: string): string {
  const text = cell.replace(LATER_ESCAPED, '');
  return text.startsWith("'") && FIRST.test(text) ? text.slice(1) : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
