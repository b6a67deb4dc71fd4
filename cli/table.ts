/** Columns of equal width under their headings; `empty` where there is nothing to show. */
export function table(headings: string[], rows: (string | number | null)[][], empty: string): string {
  if (rows.length === 0) return empty;
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '-' : String(cell))));
  const lines = [headings.map((heading) => heading.toUpperCase()), ...cells];
  const widths = headings.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, displayWidth(line[column] ?? '')), 0),
  );
  return lines
    .map((line) =>
      line
        .map((cell, i) => pad(cell, widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Name and value below each other, the values aligned. */
export function properties(document: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(document).map((key) => key.length));
  return Object.entries(document)
    .map(([key, value]) => `${key.padEnd(width)}  ${describe(value)}`)
    .join('\n');
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.length > 0 ? value.map(describe).join(', ') : '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - displayWidth(text));
}

const MARK = /\p{M}|\p{Cf}/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** Cells that a terminal gives the text: two for wide letters, none for combining marks. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!MARK.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}
