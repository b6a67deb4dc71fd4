import type { Db } from '../../../services/platform/database/database';

/** The hold, the booking and the events of one reference. The record comes from the acknowledged answers or from the rows. */
export interface SaleRecord {
  hold?: { status: string; seats: number; extensions: number; changes: number };
  lead?: { ref: string; status: string; seats: number; changes: number };
  /** Types of the booking's events, sorted. */
  events: string[];
}

/**
 * Returns the record as text: status, seats, number of extensions and of changes of the hold; status, seats and number of changes
 * of the booking; the events.
 */
export function describeSale(record: SaleRecord | undefined, withRef = false): string {
  const { hold, lead, events = [] } = record ?? {};
  const held = hold && `hold ${hold.status} ${hold.seats} ${hold.extensions} ${hold.changes}`;
  const booked =
    lead && `booking ${withRef ? `${lead.ref} ` : ''}${lead.status} ${lead.seats} ${lead.changes}`;
  return [held ?? 'no hold', booked ?? 'no booking', events.join(' ') || 'no event'].join(', ');
}

/** Reads the records of all holds, bookings and events. `doubled` lists each reference that has a second hold or a second booking. */
export async function readSales(db: Db): Promise<{ found: Map<string, SaleRecord>; doubled: string[] }> {
  const found = new Map<string, SaleRecord>();
  const doubled: string[] = [];
  const recordOf = (reference: string) => {
    if (!found.has(reference)) found.set(reference, { events: [] });
    return found.get(reference)!;
  };
  for (const { reference, ...hold } of await rowsOf<HoldRow>(db, HOLDS)) {
    const record = recordOf(reference);
    if (record.hold) doubled.push(`hold ${reference}`);
    record.hold = hold;
  }
  for (const { reference, events, ...lead } of await rowsOf<LeadRow>(db, LEADS)) {
    const record = recordOf(reference);
    if (record.lead) doubled.push(`booking ${reference}`);
    record.lead = lead;
    record.events = events;
  }
  return { found, doubled };
}

type HoldRow = NonNullable<SaleRecord['hold']> & { reference: string };
type LeadRow = NonNullable<SaleRecord['lead']> & { reference: string; events: string[] };

async function rowsOf<T>(db: Db, sql: string): Promise<T[]> {
  return (await db.raw<{ rows: T[] }>(sql)).rows;
}

const HOLDS = `
  select h.external_ref as reference, h.status, h.seats,
    (select count(*) from hold_extensions e where e.hold_id = h.id) as extensions,
    (select count(*) from hold_changes c where c.hold_id = h.id) as changes
  from seat_holds h`;

const LEADS = `
  select l.external_ref as reference, l.booking_ref as ref, l.status, l.seats,
    (select count(*) from booking_changes c where c.lead_id = l.id) as changes,
    (select coalesce(json_agg(e.type order by e.type), '[]') from webhook_events e where e.booking_ref = l.booking_ref) as events
  from booking_leads l`;
