import type { ImportReport } from '../../../services/api/catalog/files/import-report';
import { table } from '../../table';
import { describeChanges } from './changes-text';

/** The report of an import for a person: the faults alone where there are any, since then nothing was written. */
export function describeReport(report: ImportReport): string {
  if (report.errors.length > 0) return describeFaults(report);
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

function describeFaults({ errors, errors_total: total }: ImportReport): string {
  const rows = errors.map(({ file, line, index, field, message }) => {
    const place = line === undefined ? `${file}[${index}]` : `${file}:${line}`;
    return [place, field || '-', message];
  });
  const listed = table(['where', 'field', 'what is wrong'], rows, '');
  return total === undefined ? listed : `${listed}\n… and ${total - errors.length} more`;
}

function describePruned({ pruned }: ImportReport): string[] {
  if (!pruned) return [];
  const { tours_archived: tours, departures_deleted: deleted, departures_cancelled: cancelled } = pruned;
  return [`Pruned: ${tours} tours archived, ${deleted} departures deleted, ${cancelled} cancelled`];
}

function describeBookings({ bookings_to_tell: concerned }: ImportReport): string[] {
  if (!concerned) return [];
  const rows = concerned.map(({ tour, departure_date, booking_refs }) => [
    tour,
    departure_date,
    booking_refs.join(' '),
  ]);
  return [table(['cancelled', 'on', 'bookings to tell'], rows, '')];
}
