import { inspectInstallation } from '../../../services/api/health/inspect-installation';
import { SALE_TRIAL } from '../../../services/api/seats/try-sale';
import type { Db } from '../../../services/platform/database/database';
import { type Seats, seatsTaken } from '../../support/website';
import type { Acknowledged } from './clients';

/** Violations; every list is empty when all promises were kept. */
export interface Breaches {
  /** Purchases that were acknowledged with 201 and whose rows are missing or different. */
  lost: string[];
  /** Purchases with more than one row. */
  duplicated: string[];
  /** Stored purchases that were refused or never requested. */
  unrequested: string[];
  /** Bookings without exactly one event, and events without a booking. */
  withoutEvent: string[];
  /** Answers that this load should not get. */
  unexpected: string[];
  /** Departures whose seats differ from their holds and bookings. */
  miscounted: string[];
  /** Findings of `tourctl doctor`. */
  unhealthy: string[];
}

interface Row {
  reference: string;
  name: string;
  quantity: number;
  departure: string;
  takesSeats: boolean;
}

/** Compares the clients' answers with the database. The clients of the test must be the only ones that wrote to the database. */
export async function checkPurchases(
  db: Db,
  acknowledged: Acknowledged[],
  departures: Seats[],
): Promise<Breaches> {
  const rows = [...(await readHolds(db)), ...(await readLeads(db))];
  const byReference = new Map<string, Row[]>();
  for (const row of rows) byReference.set(row.reference, [...(byReference.get(row.reference) ?? []), row]);
  const made = acknowledged.filter(({ status }) => status === 201);
  const asked = new Set(made.map(({ intent }) => intent.reference));
  return {
    lost: made.filter((answer) => !isThere(answer, byReference)).map(({ intent }) => intent.reference),
    duplicated: [...byReference].filter(([, same]) => same.length > 1).map(([reference]) => reference),
    unrequested: [...byReference.keys()].filter((reference) => !asked.has(reference)),
    withoutEvent: await findEventless(db),
    unexpected: acknowledged
      .filter((answer) => !isExpected(answer))
      .map(({ status, text }) => `${status} ${text}`),
    miscounted: await recount(db, rows, departures),
    unhealthy: (await inspectInstallation(db, SALE_TRIAL))
      .filter(({ status }) => status === 'broken')
      .map(({ name, detail }) => `${name}: ${detail}`),
  };
}

function isThere({ intent, text }: Acknowledged, byReference: Map<string, Row[]>): boolean {
  const { hold_id, booking_ref } = JSON.parse(text) as { hold_id?: string; booking_ref?: string };
  const name = intent.kind === 'hold' ? hold_id : booking_ref;
  const same = byReference.get(intent.reference) ?? [];
  return same.some((row) => row.name === name && row.quantity === intent.quantity);
}

function isExpected({ status, text }: Acknowledged): boolean {
  return status === 201 || (status === 409 && text.includes('"insufficient_seats"'));
}

async function readHolds(db: Db): Promise<Row[]> {
  const { rows } = await db.raw(
    `select external_ref as reference, id as name, seats as quantity, departure_id as departure, status = 'active' as "takesSeats"
     from seat_holds`,
  );
  return rows;
}

async function readLeads(db: Db): Promise<Row[]> {
  const { rows } = await db.raw(
    `select external_ref as reference, booking_ref as name, seats as quantity, departure_id as departure,
       status = 'pending_payment' as "takesSeats" from booking_leads`,
  );
  return rows;
}

async function findEventless(db: Db): Promise<string[]> {
  const { rows } = await db.raw(
    `select coalesce(l.booking_ref, e.booking_ref) as name
     from booking_leads l full join webhook_events e on e.booking_ref = l.booking_ref and e.type = 'booking.created'
     group by 1 having count(l.id) <> 1 or count(e.id) <> 1`,
  );
  return rows.map(({ name }: { name: string }) => name);
}

async function recount(db: Db, rows: Row[], departures: Seats[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const seats of departures) {
    const { id } = await db('departures')
      .where({ tour_id: seats.tour.id, departure_date: seats.date })
      .first('id');
    const taking = rows.filter(({ departure, takesSeats }) => departure === id && takesSeats);
    const sum = taking.reduce((total, { quantity }) => total + quantity, 0);
    const taken = await seatsTaken(db, seats);
    if (taken !== sum) wrong.push(`${seats.tour.slug}: ${taken}, and its rows have ${sum}`);
  }
  return wrong;
}
