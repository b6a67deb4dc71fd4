import type { Db } from '../../services/platform/database/database';
import type { World } from './world';

/**
 * Records each version of the rows that sales change, in the transaction that writes the version. Writers of one departure hold its
 * lock, so the numbers of the versions follow the order of their transactions.
 */
const JOURNAL = `
  create table model_journal (
    n bigserial primary key,
    at timestamptz not null default clock_timestamp(),
    tx text not null default pg_current_xact_id()::text,
    app text not null default current_setting('application_name'),
    source text not null,
    row jsonb not null
  );
  create function record_version() returns trigger language plpgsql as $$
  begin
    insert into model_journal (source, row) values (tg_table_name, to_jsonb(new));
    return null;
  end $$;
  create trigger model_journal after insert or update on departures for each row execute function record_version();
  create trigger model_journal after insert or update on tours for each row execute function record_version();
  create trigger model_journal after insert or update on seat_holds for each row execute function record_version();
  create trigger model_journal after insert or update on booking_leads for each row execute function record_version();`;

/** The columns of the four tables that the model reads. */
export interface Row {
  id: string | number;
  status: string;
  tenant_id: string;
  departure_id: string | null;
  sandbox: boolean;
  currency: string;
  currency_digits: number;
  /** A hold or booking has the units of each category here, then their seats together, and the price of one unit. */
  party: Record<string, number>;
  seats: number;
  /** Also of a departure. */
  prices_minor: Record<string, number>;
  expires_at: string;
  ended_at: string | null;
  /** Only a row of booking_leads has this field and the four below. */
  booking_ref: string;
  hold_id: string | null;
  payment_due_at: string | null;
  total_minor: number;
  adjustment_minor: number | null;
  /** Only a departure has this field and those below. */
  tour_id: string;
  departure_date: string;
  seats_total: number;
  /** For a tour. */
  base_price_minor: number;
}

export interface Version {
  n: number;
  at: string;
  tx: string;
  /** `application_name` of the connection. */
  app: string;
  source: 'departures' | 'tours' | 'seat_holds' | 'booking_leads';
  row: Row;
}

export async function createJournal(db: Db): Promise<void> {
  await db.raw(JOURNAL);
}

/**
 * Removes the versions of a run from the journal. Returns them by transaction, in the order in which the transactions held a common
 * lock.
 */
export async function takeJournal(db: Db, { tour, sellers, beside }: World): Promise<Version[][]> {
  const { rows } = await db.raw<{ rows: { version: string }[] }>(
    `with taken as (delete from model_journal where (source = 'tours' and row ->> 'id' = :tour)
         or row ->> 'tour_id' = :tour or row ->> 'tenant_id' = any (:tenants) returning *)
     select to_jsonb(t)::text as version from taken t order by max(n) over (partition by tx), n`,
    {
      tour: tour.id,
      tenants: [...sellers.map(({ tenant }) => tenant.id), ...(beside ? [beside.tenantId] : [])],
    },
  );
  const transactions = new Map<string, Version[]>();
  for (const { version } of rows) {
    const read = JSON.parse(version) as Version;
    transactions.set(read.tx, [...(transactions.get(read.tx) ?? []), read]);
  }
  return [...transactions.values()];
}

/** Returns the microseconds of a time of the database. */
export function microseconds(time: string): number {
  const fraction = /[.](\d+)/.exec(time)?.[1] ?? '';
  return Date.parse(time.replace(/[.]\d+/, '')) * 1000 + Number(fraction.padEnd(6, '0'));
}
