const ESCAPED: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * One row in PostgreSQL's text form of COPY.
 * @param types of the columns: `jsonb` and `text[]` have forms of their own
 */
export function copyLine(row: object, types: Record<string, string>): string {
  let line = '';
  for (const column in types) {
    const value = (row as Record<string, unknown>)[column];
    if (line !== '') line += '\t';
    line += value === null || value === undefined ? '\\N' : escaped(inForm(value, types[column]!));
  }
  return `${line}\n`;
}

function inForm(value: unknown, type: string): string {
  if (type === 'jsonb') return JSON.stringify(value);
  if (type === 'text[]') return `{${(value as string[]).map(quoted).join(',')}}`;
  return String(value);
}

function quoted(item: string): string {
  return `"${item.replace(/["\\]/g, '\\$&')}"`;
}

function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => ESCAPED[character]!) : text;
}
