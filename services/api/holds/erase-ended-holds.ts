import { type Db, inTransaction, type Trx } from '../../platform/database/database';
import { personFinder } from '../customers/person-finder';
import { ENDED_STATUSES } from './hold-status';
import { octoDetails } from './octo-booking';
import { peopleOfHold, type SeatHold } from './seat-hold';
import { eraseCustomersOfHolds, withoutCustomer } from './seat-hold.repository';
import type { PartialCustomer } from '../customers/customer';

/** How long ended holds without a booking are kept, in days after their end. */
export interface HoldRetention {
  /** HOLD_CUSTOMER_DAYS: then the hold loses its customer. */
  customerDays: number;
  /** HOLD_RETENTION_DAYS: then the hold is deleted. */
  retentionDays: number;
}

const BATCH_SIZE = 500;
/** Limits one call, so that other periodic tasks do not wait. The next call continues. */
const BATCHES = 10;

/**
 * Erases the customers of holds that ended without a booking long ago, and deletes older ones. Each batch is one short transaction, which
 * skips locked holds. A hold that a booking names keeps its customer and its row: `booking anonymize` erases this customer.
 * @rule ended holds lose their customers: test/cli/anonymize-hold.test.ts
 */
export async function eraseEndedHolds(
  db: Db,
  { customerDays, retentionDays }: HoldRetention,
): Promise<{ anonymized: number; deleted: number }> {
  return {
    deleted: await inBatches(() => inTransaction(db, (trx) => deleteBatch(trx, retentionDays))),
    anonymized: await inBatches(() => inTransaction(db, (trx) => anonymizeBatch(trx, customerDays))),
  };
}

async function inBatches(run: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < BATCHES; batch++) {
    const done = await run();
    total += done;
    if (done < BATCH_SIZE) break;
  }
  return total;
}

/** As SQL: the index seat_holds_to_anonymize (0139_customers_of_holds_indexes.sql) has the same list. */
const ENDED = ENDED_STATUSES.map((status) => `'${status}'`).join();

type EndedHold = Pick<SeatHold, 'id' | 'externalRef' | 'octo'> &
  Record<'customerName' | 'customerPhone' | 'customerPhoneAsSent' | 'customerEmail', string | null>;

async function anonymizeBatch(trx: Trx, days: number): Promise<number> {
  const { rows } = await trx.raw<{ rows: EndedHold[] }>(
    `select h.id, h.external_ref, h.customer_name, h.customer_phone, h.customer_phone_as_sent, h.customer_email,
       ${octoDetails('h.id')} as octo
     from seat_holds h
     where h.status in (${ENDED}) and h.anonymized_at is null
       and h.expires_at < statement_timestamp() - make_interval(days => :days)
     order by h.expires_at limit :limit for update of h skip locked`,
    { days, limit: BATCH_SIZE },
  );
  await eraseCustomersOfHolds(
    trx,
    rows.map((hold) =>
      withoutCustomer(hold, personFinder(peopleOfHold({ ...hold, customer: customerOf(hold) }))),
    ),
  );
  return rows.length;
}

function customerOf(hold: EndedHold): PartialCustomer {
  return {
    name: hold.customerName,
    phone: hold.customerPhone,
    phoneAsSent: hold.customerPhoneAsSent,
    email: hold.customerEmail,
  };
}

/** Uses a function, because the login of the API may not delete holds (0138_customers_of_holds.sql). */
async function deleteBatch(trx: Trx, days: number): Promise<number> {
  const { rows } = await trx.raw<{ rows: { deleted: number }[] }>(
    'select delete_ended_holds(:days, :limit) as deleted',
    { days, limit: BATCH_SIZE },
  );
  return rows[0]!.deleted;
}
