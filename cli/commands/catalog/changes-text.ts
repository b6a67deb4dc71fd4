import type { ChangedField, ChangeInCatalog } from '../../../services/api/catalog/files/diff-tour';
import type { ImportReport } from '../../../services/api/catalog/files/import-report';

/** So many lines of a dry run a person is shown; --json has them all. */
const MOST_LINES = 60;
const MOST_CHARACTERS = 40;

const SIGNS = { created: '+', updated: '~', archived: '-', deleted: '-', cancelled: '-' };

/** What a dry run would change, a line a field: `~` before what is changed, `+` what is new, `-` what goes. */
export function describeChanges({ changes, changes_left_out: leftOut = 0 }: ImportReport): string[] {
  if (!changes || changes.length === 0) return [];
  const lines: string[] = [];
  let told = 0;
  for (const change of changes) {
    if (lines.length >= MOST_LINES) break;
    lines.push(...describeTour(change));
    told++;
  }
  const untold = changes.length - told + leftOut;
  const shown = lines.slice(0, MOST_LINES);
  if (lines.length > MOST_LINES) shown.push(`… ${lines.length - MOST_LINES} more lines of the last tour`);
  if (untold > 0) shown.push(`… and ${untold} more tours; --json lists ${leftOut > 0 ? 'more' : 'them'}`);
  return [shown.join('\n')];
}

function describeTour({ tour, change, fields = [], departures = [] }: ChangeInCatalog): string[] {
  const lines = [`${SIGNS[change ?? 'updated']} ${tour}${change ? ` ${change}` : ''}`];
  lines.push(...fields.map((field) => `    ${describeField(field)}`));
  for (const departure of departures) {
    const what = `${SIGNS[departure.change]} ${departure.departure_date} ${departure.change}`;
    const changed = departure.fields?.map(describeField).join(', ');
    lines.push(`    ${what}${changed ? `: ${changed}` : ''}`);
  }
  return lines;
}

function describeField({ field, before, after }: ChangedField): string {
  return `${field} ${inShort(before)} → ${inShort(after)}`;
}

function inShort(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  const characters = [...text];
  return characters.length > MOST_CHARACTERS ? `${characters.slice(0, MOST_CHARACTERS).join('')}…` : text;
}
