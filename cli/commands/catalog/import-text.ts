import type { FieldDiff, TourDiff } from '../../../services/api/catalog-import/diff.repository';
import type { ImportReport } from '../../../services/api/catalog-import/import-report';
import { table } from '../../terminal/table';
import { countOf } from '../../terminal/text';

/** Formats the report of an import; with issues, only the issues, because nothing was written. */
export function describeReport(report: ImportReport): string {
  if (report.errors.length > 0) return describeIssues(report);
  const parts = [
    ...describeChanges(report),
    table(
      ['', 'created', 'updated', 'unchanged'],
      (['tours', 'departures'] as const).map((name) => {
        const { created, updated, unchanged } = report[name];
        return [name, created, updated, unchanged];
      }),
      '',
    ),
    ...describePruned(report),
    ...describeBookings(report),
  ];
  return parts.join('\n\n');
}

function describeIssues({ errors, errors_total: total }: ImportReport): string {
  const rows = errors.map(({ file, line, index, field, message }) => {
    const place = line === undefined ? `${file}[${index}]` : `${file}:${line}`;
    return [place, field || '-', message];
  });
  const listed = table(['where', 'field', 'issue'], rows, '');
  return total === undefined ? listed : `${listed}\n… and ${total - errors.length} more`;
}

function describePruned({ pruned }: ImportReport): string[] {
  if (!pruned) return [];
  const { tours_archived: tours, departures_deleted: deleted, departures_cancelled: cancelled } = pruned;
  return [
    `Pruned: ${countOf(tours, 'tour')} archived, ${countOf(deleted, 'departure')} deleted, ${cancelled} cancelled`,
  ];
}

function describeBookings({ bookings_to_tell: concerned }: ImportReport): string[] {
  if (!concerned) return [];
  const rows = concerned.map(({ tour, departure_date, booking_refs }) => [
    tour,
    departure_date,
    booking_refs.join(' '),
  ]);
  return [table(['cancelled', 'on', 'affected bookings'], rows, '')];
}

/** Maximum lines of a dry run on a screen; --json lists all. */
const MOST_LINES = 60;
const MOST_CHARACTERS = 40;

const SIGNS = { created: '+', updated: '~', archived: '-', deleted: '-', cancelled: '-' };

/** Lists the changes of a dry run, one line for each field: `~` changed, `+` new, `-` removed. */
function describeChanges({ changes, changes_left_out: leftOut = 0 }: ImportReport): string[] {
  if (!changes || changes.length === 0) return [];
  const lines: string[] = [];
  let tours = 0;
  for (const change of changes) {
    if (lines.length >= MOST_LINES) break;
    lines.push(...describeTour(change));
    tours++;
  }
  const hidden = changes.length - tours + leftOut;
  const shown = lines.slice(0, MOST_LINES);
  if (lines.length > MOST_LINES) shown.push(`… ${lines.length - MOST_LINES} more lines of the last tour`);
  if (hidden > 0)
    shown.push(`… and ${countOf(hidden, 'more tour')}; --json lists ${leftOut > 0 ? 'more' : 'them'}`);
  return [shown.join('\n')];
}

function describeTour({ tour, change, fields = [], departures = [] }: TourDiff): string[] {
  const lines = [`${SIGNS[change ?? 'updated']} ${tour}${change ? ` ${change}` : ''}`];
  lines.push(...fields.map((field) => `    ${describeField(field)}`));
  for (const departure of departures) {
    const what = `${SIGNS[departure.change]} ${departure.departure_date} ${departure.change}`;
    const changed = departure.fields?.map(describeField).join(', ');
    lines.push(`    ${what}${changed ? `: ${changed}` : ''}`);
  }
  return lines;
}

function describeField({ field, before, after }: FieldDiff): string {
  return `${field} ${inShort(before)} → ${inShort(after)}`;
}

function inShort(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  const characters = [...text];
  return characters.length > MOST_CHARACTERS ? `${characters.slice(0, MOST_CHARACTERS).join('')}…` : text;
}
