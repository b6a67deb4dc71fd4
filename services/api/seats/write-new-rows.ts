import { columnsOfLead } from '../bookings/booking-lead.repository';
import { isLive } from '../holds/hold-status';
import { columnsOfHold } from '../holds/seat-hold.repository';
import type { Decided } from './decided';
import type { Part } from './write-changed-rows';
import type { PartialCustomer } from '../customers/customer';
import type { StoredColumns } from '../../platform/database/row-description';

/**
 * Returns the parts that write new holds and bookings, and mark the holds that the bookings consume. A hold that is placed and consumed in
 * the same transaction is inserted as converted.
 * @param at the clock reading of the decisions
 */
export function newRows(decided: Decided<unknown>[], at: string): Part[] {
  const holds = decided.flatMap(({ newHold }) => newHold ?? []);
  const leads = decided.flatMap(({ newLead }) => newLead ?? []);
  const placed = new Set(holds.map(({ held }) => held));
  const consumed = leads.flatMap(({ held }) => (held && !placed.has(held) ? [held] : []));
  const holdRows = holds.map(({ columns, held }) =>
    isLive(held)
      ? columns
      : { ...columns, status: held.status, ended_at: at, ended_by: held.endedBy ?? null },
  );
  return [
    {
      rows: consumed.length,
      counted: 'converted',
      sql: `converted as (
        update seat_holds h set status = c.status, ended_at = :at::timestamptz, ended_by = c.by
        from unnest(:convertedIds::uuid[], :convertedStatuses::text[], :convertedBy::text[]) as c (id, status, by)
        where h.id = c.id and hold_takes_seats(h.status) returning 1)`,
      values: {
        convertedIds: consumed.map(({ id }) => id),
        convertedStatuses: consumed.map(({ status }) => status),
        convertedBy: consumed.map(({ endedBy }) => endedBy),
      },
    },
    inserted('seat_holds', holdRows),
    inserted(
      'octo_bookings',
      holds.flatMap(({ octo }) => (octo ? [octo] : [])),
    ),
    inserted(
      'booking_leads',
      leads.map(({ columns }) => columns),
    ),
    inserted(
      'booking_answers',
      leads.map(({ answers }) => answers).filter((row) => row !== undefined),
    ),
  ];
}

const NOBODY: PartialCustomer = { name: null, phone: null, email: null };

/** Returns the parts of newRows for no hold and no booking, with the columns that new ones have. */
export function noNewRows(): Part[] {
  const [converted] = newRows([], '') as [Part];
  return [
    converted,
    inserted('seat_holds', [], columnsOfHold({ customer: NOBODY })),
    inserted('booking_leads', [], columnsOfLead({ customer: NOBODY })),
  ];
}

/** Inserts rows of a table. All rows have the same columns as `like`. */
function inserted(
  table: 'seat_holds' | 'octo_bookings' | 'booking_leads' | 'booking_answers',
  rows: StoredColumns[],
  like = rows[0] ?? {},
): Part {
  const columns = Object.keys(like).join(', ');
  return {
    rows: rows.length,
    // The number of a booking is chosen before the insert, because its reference contains the number.
    sql: `new_${table} as (
      insert into ${table} (${columns}) overriding system value
      select ${columns} from json_populate_recordset(null::${table}, :new_${table}::json))`,
    values: { [`new_${table}`]: JSON.stringify(rows) },
  };
}
