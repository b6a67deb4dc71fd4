import { inspectInstallation } from '../../../services/api/health/inspect-installation';
import { SALE_TRIAL } from '../../../services/api/seats/try-sale';
import type { Db } from '../../../services/platform/database/database';
import { webhookId } from '../../../services/webhook-queue/signing/sign-payload';
import type { Seen } from '../receiver-process';
import { breaches, readDeliveryRecords } from '../verdict';
import type { Stock } from './clients';
import { describeSale, readSales, type SaleRecord } from './sales';

/** Checks of the end state. Every list is empty when all promises were kept. */
export interface Faulty {
  /** Rows and events that differ from the acknowledged answers, in either direction. */
  differing: string[];
  /** More than one row for one reference. */
  doubled: string[];
  /** Departures with more seats taken than they have. */
  oversold: string[];
  /** Findings of `tourctl doctor`. */
  unhealthy: string[];
  /** Idempotency-Keys that are used and have no answer. */
  unanswered: string[];
  /** Results of findUndelivered. */
  undelivered: string[];
  /** Broken promises of the queue (test/chaos/verdict.ts). */
  deliveries: Record<string, string[]>;
}

export const FAULTLESS: Faulty = {
  differing: [],
  doubled: [],
  oversold: [],
  unhealthy: [],
  unanswered: [],
  undelivered: [],
  deliveries: {},
};

/** Compares the database and the receiver with the answers of the clients. The clients of the test must be the only ones that wrote. */
export async function inspect(
  db: Db,
  { promised, stock }: { promised: Map<string, SaleRecord>; stock: Stock[] },
  seen: Seen[],
): Promise<Faulty> {
  const { found, doubled } = await readSales(db);
  const health = await inspectInstallation(db, SALE_TRIAL);
  return {
    differing: compare(promised, found),
    doubled,
    oversold: (await countSeats(db, stock)).flatMap(({ slug, total, taken }) =>
      taken > total ? [`${slug}: ${taken} of ${total}`] : [],
    ),
    unhealthy: health
      .filter(({ status }) => status === 'broken')
      .map(({ name, detail }) => `${name}: ${detail}`),
    unanswered: await db('idempotency_keys').whereNull('status').orWhereNull('answer').pluck('key'),
    undelivered: await findUndelivered(db, seen),
    deliveries: breaches(await readDeliveryRecords(db, seen)),
  };
}

function compare(promised: Map<string, SaleRecord>, found: Map<string, SaleRecord>): string[] {
  const references = new Set([...promised.keys(), ...found.keys()]);
  return [...references].flatMap((reference) => {
    const [wanted, real] = [promised.get(reference), found.get(reference)].map((record) =>
      describeSale(record, true),
    );
    return wanted === real ? [] : [`${reference}: acknowledged ${wanted}, found ${real}`];
  });
}

/** Counts the seats from the rows of holds and bookings, without the functions of the service. */
export async function countSeats(
  db: Db,
  stock: Stock[],
): Promise<{ slug: string; date: string; total: number; taken: number }[]> {
  const { rows } = await db.raw<{ rows: { slug: string; date: string; total: number; taken: number }[] }>(
    `select t.slug, d.departure_date as date, d.seats_total as total,
       (select coalesce(sum(h.seats), 0)::int from seat_holds h
        where h.departure_id = d.id and h.status = 'active' and h.expires_at > clock_timestamp())
       + (select coalesce(sum(l.seats), 0)::int from booking_leads l
          where l.departure_id = d.id and l.status in ('pending_payment', 'confirmed')) as taken
     from departures d join tours t on t.id = d.tour_id where d.id = any (?)`,
    [stock.map(({ departureId }) => departureId)],
  );
  return rows;
}

/** Returns two kinds of errors: events without a delivery to an endpoint, and requests at the receiver without an event. */
export async function findUndelivered(db: Db, seen: Seen[]): Promise<string[]> {
  const endpoints = await db('webhook_endpoints').pluck('id');
  const { rows } = await db.raw<{ rows: { id: string; deliveries: number }[] }>(
    `select e.id, (select count(*)::int from webhook_deliveries d where d.event_id = e.id) as deliveries from webhook_events e`,
  );
  const known = new Set(rows.map(({ id }) => webhookId(id)));
  const strangers = new Set(seen.map(({ id }) => id).filter((id) => !known.has(id)));
  return [
    ...rows
      .filter(({ deliveries }) => deliveries !== endpoints.length)
      .map(({ id, deliveries }) => `${id} has ${deliveries} deliveries`),
    ...[...strangers].map((id) => `${id} was sent and is not stored`),
  ];
}

/** Returns the open transactions and the locks of other sessions. No process will end these. */
export async function findOpenTransactions(db: Db): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { text: string }[] }>(
    `select concat_ws(' ', a.application_name, a.state, 'since', a.xact_start::text, left(a.query, 80)) as text
     from pg_stat_activity a
     where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'
       and (a.state like 'idle in transaction%' or a.xact_start < clock_timestamp() - interval '2 seconds')
     union all
     select concat_ws(' ', 'a prepared transaction', gid) from pg_prepared_xacts`,
  );
  return rows.map(({ text }) => text);
}

/** Returns the workers that have a delivery in flight. */
export async function findWorkersWithLease(db: Db): Promise<string[]> {
  return db('webhook_queue').distinct().whereRaw('lease_until > now()').pluck('worker');
}

/** Returns the deliveries that are not finished. */
export async function findUnfinished(db: Db): Promise<string[]> {
  return db('webhook_queue').pluck('delivery_id');
}
