import { revokeCredential } from '../../services/api/credentials/manage-credentials';
import {
  cancelDeparture,
  reopenDeparture,
  setSeats,
} from '../../services/api/seats/changes/change-departure';
import { changeBooking } from '../../services/api/seats/changes/change-booking';
import type { BulkChange } from '../../services/api/seats/bulk-change';
import { byOperator } from '../../services/api/tenants/actor';
import type { Tenant } from '../../services/api/tenants/tenant';
import { changeTenantStatus } from '../../services/api/tenants/manage-tenants';
import { awaitUses } from '../../services/api/tenants/use-lock';
import { type Db, inTransaction, type Trx } from '../../services/platform/database/database';
import { AppError } from '../../services/platform/errors';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { change, changeDepartures } from '../support/change';
import type { Command } from './schedule';
import { TOUR_VERSIONS, type World } from './world';

/** A revocation of a key or a suspension of a tenant, after its command has returned. */
export interface Ban {
  /** Id of the key or of the tenant. */
  id: string;
  /** Time at which the command returned, by performance.now(). */
  at: number;
}

export const ADJUSTMENT_REASON = 'The model adjusts';

/**
 * Runs a terminal command by its use case. The command changes nothing if it is refused, for example because it names fewer seats
 * than are taken.
 */
export async function operate(db: Db, world: World, command: Command): Promise<Ban | undefined> {
  const { kind, tenant, key, departure, adults, pick } = command;
  const { tour, departures, sellers } = world;
  const { date, time } = departures[departure]!;
  const named = { date, time: time ?? undefined };
  const changeDates = (prepare: (trx: Trx) => Promise<BulkChange>) =>
    unlessRefused(inTransaction(db, (trx) => changeDepartures(trx, prepare(trx))));
  switch (kind) {
    case 'set seats':
      return changeDates((trx) => setSeats(trx, tour, named, 1 + ((adults + pick) % 14)));
    case 'cancel departure':
      return changeDates((trx) => cancelDeparture(trx, tour, named));
    case 'reopen departure':
      return changeDates((trx) => reopenDeparture(trx, tour, named));
    case 'import':
      if (++world.version >= TOUR_VERSIONS.length) return undefined;
      return unlessRefused(world.import(world.version));
    case 'revoke key': {
      const { id } = sellers[tenant]!.keys[key]!;
      await db.transaction((trx) => revokeCredential(trx, 'api_key', id));
      return toBan(db, id);
    }
    case 'suspend': {
      // Never suspends the first tenant, because the test reads the final state as this tenant.
      const { id, slug } = sellers[1 + (tenant % 2)]!.tenant;
      await db.transaction((trx) => changeTenantStatus(trx, slug, 'suspended'));
      return toBan(db, id);
    }
    default:
      return undefined;
  }
}

/** Waits as the terminal does until the change applies on every instance, and no write of the key or tenant runs. */
async function toBan(db: Db, id: string): Promise<Ban> {
  await awaitInstances(db);
  if (!(await awaitUses(db, id, { atMostMs: 5_000 }))) throw new Error(`writes of ${id} still run`);
  return { id, at: performance.now() };
}

async function unlessRefused(work: Promise<unknown>): Promise<undefined> {
  await work.catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
  });
}

/**
 * Adjusts the price of a booking, as the terminal does.
 * @param amount decimal text in major units
 * @returns true if the booking has changed; false also after a refusal, for example because the total would be below 0
 */
export async function adjustBooking(
  db: Db,
  tenant: Tenant,
  bookingRef: string,
  amount: string,
): Promise<boolean> {
  const adjustment = { amount, reason: ADJUSTMENT_REASON };
  const wanted = {
    bookingRef,
    by: byOperator({ name: 'model' }),
    customer: {},
    expectedTotal: null,
    adjustment,
  };
  let isChanged = false;
  await unlessRefused(
    inTransaction(db, async (trx) => {
      const { before, after } = await change(trx, tenant, changeBooking, wanted);
      isChanged = after !== before;
    }),
  );
  return isChanged;
}

/**
 * Moves the end of a live hold to `milliseconds` from now, and waits until the hold has ended. Takes the departure's lock first,
 * without a time limit.
 */
export async function endHold(db: Db, id: string, milliseconds: number): Promise<void> {
  await db.transaction(async (trx) => {
    const hold = () => trx('seat_holds').where({ id, status: 'active' });
    await trx('departures').whereIn('id', hold().select('departure_id')).forUpdate();
    await hold()
      .where('expires_at', '>', trx.raw('clock_timestamp()'))
      .update({ expires_at: trx.raw(`clock_timestamp() + ? * interval '1 millisecond'`, [milliseconds]) });
  });
  if (milliseconds > 0) await db.raw('select pg_sleep(?)', [milliseconds / 1000]);
}

/** Moves the end of the booking's payment window to one millisecond ago, under the departure's lock. */
export async function endPayment(db: Db, ref: string): Promise<void> {
  await db.transaction(async (trx) => {
    const lead = () => trx('booking_leads').where({ booking_ref: ref, status: 'pending_payment' });
    await trx('departures').whereIn('id', lead().select('departure_id')).forUpdate();
    await lead().update({ payment_due_at: trx.raw(`clock_timestamp() - interval '1 millisecond'`) });
  });
}
