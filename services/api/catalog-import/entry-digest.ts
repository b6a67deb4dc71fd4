import { createHash } from 'node:crypto';

/**
 * Raise it with every change to what an entry of a catalog file means or may be (check-*.ts, merge-rows.ts, tour-shape.ts, the
 * lists of currencies and countries): what earlier imports found sound is then read and checked again.
 */
const RULES = 1;
/** Time zones and their names are the runtime's. */
const RUNTIME = `${process.versions.icu} ${process.versions.tz}`;
const PREFIX = `catalog entry, rules ${RULES}, ${RUNTIME}\n`;

/** Of the text of one tour in a JSON file, to the letter, without the white space around it; hexadecimal. */
export function digestEntry(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isJsonSpace(text.charCodeAt(start))) start++;
  while (end > start && isJsonSpace(text.charCodeAt(end - 1))) end--;
  return createHash('sha256').update(PREFIX).update(text.slice(start, end)).digest('hex');
}

/** Other white space, which trim() takes away too, is a fault in JSON. */
function isJsonSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}
