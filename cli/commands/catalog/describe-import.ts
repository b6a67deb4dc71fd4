import type { Place } from '../../../services/api/catalog-import/catalog-file';
import type {
  FieldDiff,
  ImportReport,
  PastDepartures,
  TourDiff,
} from '../../../services/api/catalog-import/import-report';
import { nameDeparture } from '../../../services/api/catalog/start-time';
import { formatMoney } from '../../engine/values';
import type { Output } from '../../terminal/output';
import { table } from '../../terminal/table';
import { countIs, countOf } from '../../terminal/text';

/* Formats the report of an import for a person. */

/** Formats the report of an import. If there are issues, formats only the issues, because nothing was written. */
export function describeReport(report: ImportReport): string {
  if (report.errors.length > 0) return describeIssues(report);
  const parts = [
    ...describeChanges(report),
    table(
      ['', 'created', 'updated', 'unchanged'],
      (['tours', 'departures', 'resources', 'pickup_points'] as const).flatMap((name) => {
        const counts = report[name];
        return counts ? [[name.replace('_', ' '), counts.created, counts.updated, counts.unchanged]] : [];
      }),
      '',
    ),
    ...describePruned(report),
    ...describeBookings(report),
    ...describeRemovedPrices(report),
    ...describeTenfold(report),
  ];
  return parts.join('\n\n');
}

function describeIssues({ errors, errors_total: total }: ImportReport): string {
  const rows = errors.map(({ file, line, index, field, message }) => {
    return [placeOf({ file, line, index }), field || '-', message];
  });
  return limited(table(['where', 'field', 'issue'], rows, ''), errors.length, total);
}

/** Formats a place as a compiler does: `tours.csv:3`, or `tours.json[3]`. */
function placeOf({ file, line, index }: Place): string {
  return line === undefined ? `${file}[${index}]` : `${file}:${line}`;
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
  const rows = concerned.map(({ tour, departure_date, start_time, booking_refs }) => [
    tour,
    nameDeparture(departure_date, start_time),
    booking_refs.join(' '),
  ]);
  return [table(['cancelled', 'on', 'affected bookings'], rows, '')];
}

function describeRemovedPrices({
  removed_prices: prices,
  removed_prices_total: total,
}: ImportReport): string[] {
  if (!prices) return [];
  const rows = prices.map(({ tour, departure_date, start_time, category, price, currency }) => [
    tour,
    nameDeparture(departure_date, start_time),
    category,
    formatMoney(price, currency),
  ]);
  return [limited(table(['removed price', 'on', 'category', 'price'], rows, ''), prices.length, total)];
}

/** Adds the number of entries that a list leaves out. */
function limited(list: string, listed: number, total = listed): string {
  return total === listed ? list : `${list}\n… and ${total - listed} more`;
}

function describeTenfold({ tenfold_prices: prices, tenfold_prices_total: total }: ImportReport): string[] {
  if (!prices) return [];
  const rows = prices.map(({ tour, departure_date, start_time, field, before, after, currency }) => [
    tour,
    departure_date === undefined ? '-' : nameDeparture(departure_date, start_time ?? null),
    field,
    `${before} → ${after} ${currency}`,
  ]);
  return [limited(table(['tenfold price', 'on', 'field', 'change'], rows, ''), prices.length, total)];
}

/** Maximum lines of a dry run on a screen; --json lists all. */
const LINES_MAX = 60;
const CHARACTERS_MAX = 40;

const SIGNS = { created: '+', updated: '~', archived: '-', deleted: '-', cancelled: '-' };

/** Lists the changes of a dry run, one line for each field: `~` changed, `+` new, `-` removed. */
function describeChanges({ changes, changes_left_out: leftOut = 0 }: ImportReport): string[] {
  if (!changes || changes.length === 0) return [];
  const lines: string[] = [];
  let tours = 0;
  for (const change of changes) {
    if (lines.length >= LINES_MAX) break;
    lines.push(...describeTour(change));
    tours++;
  }
  const hidden = changes.length - tours + leftOut;
  const shown = lines.slice(0, LINES_MAX);
  if (lines.length > LINES_MAX) shown.push(`… ${lines.length - LINES_MAX} more lines of the last tour`);
  if (hidden > 0)
    shown.push(`… and ${countOf(hidden, 'more tour')}; --json lists ${leftOut > 0 ? 'more' : 'them'}`);
  return [shown.join('\n')];
}

function describeTour({ tour, change, fields = [], departures = [] }: TourDiff): string[] {
  const lines = [`${SIGNS[change ?? 'updated']} ${tour}${change ? ` ${change}` : ''}`];
  lines.push(...fields.map((field) => `    ${describeField(field)}`));
  for (const departure of departures) {
    const name = nameDeparture(departure.departure_date, departure.start_time);
    const what = `${SIGNS[departure.change]} ${name} ${departure.change}`;
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
  return characters.length > CHARACTERS_MAX ? `${characters.slice(0, CHARACTERS_MAX).join('')}…` : text;
}

/** Describes the new departures that are past. */
export function describePast({ departures, first }: PastDepartures): string {
  const many = countIs(departures, 'new departure');
  const name = nameDeparture(first.departure_date, first.start_time);
  return `${many} in the past and cannot be booked: ${first.tour} on ${name}${departures === 1 ? '' : ' and others'}`;
}

/** The most warnings that a screen shows. */
const WARNINGS_MAX = 5;

/** Warns of what may be wrong in the files, before a question is asked. With --json, the report has the warnings. */
export function warnOfReport(output: Output, { warnings = [] }: ImportReport): void {
  if (output.json) return;
  for (const warning of warnings.slice(0, WARNINGS_MAX))
    output.warn(`${placeOf(warning)}${warning.field && ` ${warning.field}`}: ${warning.message}`);
  if (warnings.length > WARNINGS_MAX)
    output.warn(`and ${countOf(warnings.length - WARNINGS_MAX, 'more warning')}; --json lists them`);
}
