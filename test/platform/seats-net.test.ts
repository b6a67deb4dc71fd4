import type { Db } from '../../services/platform/database/database';
import { useTestDatabase } from '../support/database';
import { givenTenant } from '../support/given';
import { untilTransactionWaits } from '../support/lock-wait';
import { givenSeats, type PlacedSeats, seatsTaken, seatsTakenByKind } from '../support/website';

/**
 * Tests the trigger of ADR 8. The tests insert holds and bookings without a lock and without counting seats. Still no seat is sold
 * twice.
 */

const database = useTestDatabase();
let db: Db;
let tenantId: string;
let sandboxId: string;
beforeAll(async () => {
  db = database.db;
  tenantId = (await givenTenant(db)).id;
  sandboxId = (await givenTenant(db, { sandbox: true })).id;
});

const givenNumbered = (seats: number) => givenSeats(db, { seats });
const ofSandbox = () => ({ tenant_id: sandboxId, sandbox: true });
const setSeats = ({ departureId }: PlacedSeats, seats: number) =>
  db('departures').where({ id: departureId }).update({ seats_total: seats });

const money = { prices_minor: { adult: 1 }, currency: 'EUR', currency_digits: 2, price_breakdown: {} };

const holdRow = (db: Db, departure: PlacedSeats, quantity: number, more: object = {}) => ({
  tenant_id: tenantId,
  departure_id: departure.departureId,
  party: { adult: quantity },
  seats: quantity,
  hold_minutes: 15,
  expires_at: db.raw(`now() + interval '15 minutes'`),
  ...money,
  ...more,
});

let leads = 0;
const leadRow = (departure: PlacedSeats, adults: number, more: object = {}) => ({
  tenant_id: tenantId,
  booking_ref: `NET-${++leads}`,
  tour_id: departure.tour.id,
  departure_id: departure.departureId,
  departure_date: departure.date,
  party: { adult: adults },
  seats: adults,
  total_minor: adults,
  deposit_minor: 0,
  payment_method: 'bank',
  customer_name: 'x',
  customer_phone: 'x',
  customer_email: 'x',
  ...money,
  ...more,
});

const insertHold = (db: Db, departure: PlacedSeats, quantity: number, more?: object) =>
  db('seat_holds')
    .insert(holdRow(db, departure, quantity, more))
    .returning('id');

const insertLead = (db: Db, departure: PlacedSeats, adults: number, more?: object) =>
  db('booking_leads')
    .insert(leadRow(departure, adults, more))
    .returning('id');

async function expectRefused(write: PromiseLike<unknown>): Promise<void> {
  const oversold = { code: '23514', constraint: 'departures_never_oversold' };
  await expect(Promise.resolve(write)).rejects.toMatchObject(oversold);
}

describe('the trigger that recounts seats', () => {
  it('the trigger that recounts seats refuses the hold or lead that exceeds the seats, whatever code writes it', async () => {
    const departure = await givenNumbered(5);
    await insertHold(db, departure, 2);
    await insertLead(db, departure, 2);
    await expectRefused(insertHold(db, departure, 2));
    await expectRefused(insertLead(db, departure, 2));
    await insertHold(db, departure, 1);
    expect(await seatsTaken(db, departure)).toBe(5);
  });

  it('the trigger that recounts seats refuses rows of one statement whose sum exceeds the seats', async () => {
    const [one, two] = [await givenNumbered(3), await givenNumbered(3)];
    const rows = [holdRow(db, one, 2), holdRow(db, two, 2), holdRow(db, two, 2)];
    await expectRefused(db('seat_holds').insert(rows));
    expect([await seatsTaken(db, one), await seatsTaken(db, two)]).toEqual([0, 0]);
    await db('seat_holds').insert(rows.slice(0, 2));
  });

  it('the trigger that recounts seats refuses an update that revives, enlarges or moves a hold or lead beyond the seats', async () => {
    const departure = await givenNumbered(3);
    const other = await givenNumbered(3);
    const [hold] = await insertHold(db, departure, 2, { status: 'released' });
    const [late] = await insertHold(db, departure, 2, { expires_at: db.raw('now()') });
    const [lead] = await insertLead(db, departure, 2, { status: 'cancelled' });
    const [unpaid] = await insertLead(db, departure, 2, { payment_due_at: db.raw('now()') });
    const [standing] = await insertHold(db, departure, 2);
    const [moving] = await insertHold(db, other, 2);

    await expectRefused(db('seat_holds').where(hold).update({ status: 'active' }));
    await expectRefused(
      db('seat_holds')
        .where(late)
        .update({ expires_at: db.raw(`now() + interval '1 minute'`) }),
    );
    await expectRefused(db('booking_leads').where(lead).update({ status: 'pending_payment' }));
    await expectRefused(db('booking_leads').where(unpaid).update({ payment_due_at: null }));
    await expectRefused(db('booking_leads').where(unpaid).update({ status: 'confirmed' }));
    await expectRefused(db('seat_holds').where(standing).update({ seats: 4 }));
    await expectRefused(db('seat_holds').where(moving).update({ departure_id: departure.departureId }));
    expect(await seatsTaken(db, departure)).toBe(2);
  });

  it('the trigger that recounts seats refuses to set fewer seats than are sold', async () => {
    const departure = await givenNumbered(5);
    await insertLead(db, departure, 3, { status: 'confirmed' });
    await expectRefused(setSeats(departure, 2));
    await setSeats(departure, 3);
  });

  it('the trigger that recounts seats lets one of two concurrent writers without a lock succeed', async () => {
    const departure = await givenNumbered(1);
    const [first, second] = [await db.transaction(), await db.transaction()];
    await insertHold(first, departure, 1);
    const later = outcomeOf(insertLead(second, departure, 1));
    await untilTransactionWaits(db);
    await first.commit();
    expect(await later).toMatchObject({ constraint: 'departures_never_oversold' });
    await second.rollback();
    expect(await seatsTaken(db, departure)).toBe(1);
  });

  it('the trigger that recounts seats grants exactly five seats to many concurrent writers without a lock', async () => {
    const departure = await givenNumbered(5);
    const write = (n: number) => (n % 2 ? insertHold(db, departure, 1) : insertLead(db, departure, 1));
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, n) => outcomeOf(write(n))));
    const refused = outcomes.filter((outcome) => outcome instanceof Error) as (Error & { code: string })[];
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['23514']));
    expect(refused).toHaveLength(25);
    expect(await seatsTaken(db, departure)).toBe(5);
  });

  it('the trigger that recounts seats refuses a hold in any isolation level but READ COMMITTED', async () => {
    // Tries the isolation levels whose snapshot may be older than the departure's lock.
    const departure = await givenNumbered(5);
    for (const isolation of ['repeatable read', 'serializable']) {
      const work = db.transaction(async (trx) => {
        await trx.raw(`set transaction isolation level ${isolation}`);
        await insertHold(trx, departure, 1);
      });
      await expect(work).rejects.toThrow('READ COMMITTED only');
    }
  });

  it('the trigger that recounts seats allows the release of a hold of an oversold departure', async () => {
    const departure = await givenNumbered(2);
    const [hold] = await insertHold(db, departure, 2);
    await db.raw('alter table seat_holds disable trigger user');
    await insertHold(db, departure, 2);
    await db.raw('alter table seat_holds enable trigger user');

    await db('seat_holds').where(hold).update({ status: 'released' });

    expect(await seatsTaken(db, departure)).toBe(2);
  });

  it('the trigger that recounts seats counts sandbox seats separately from real seats', async () => {
    const departure = await givenNumbered(3);
    await insertHold(db, departure, 3);
    await insertHold(db, departure, 1, ofSandbox());
    await insertLead(db, departure, 2, ofSandbox());
    await expectRefused(insertHold(db, departure, 1, ofSandbox()));
    await expectRefused(insertLead(db, departure, 1, ofSandbox()));
    await expectRefused(insertLead(db, departure, 1));
    expect(await seatsTakenByKind(db, departure)).toEqual({ real: 3, sandbox: 3 });
  });

  it('the trigger that recounts seats refuses a statement that exceeds the seats for real or for sandbox sales', async () => {
    const departure = await givenNumbered(2);
    const [real, test] = [holdRow(db, departure, 2), holdRow(db, departure, 2, ofSandbox())];
    await expectRefused(db('seat_holds').insert([real, test, holdRow(db, departure, 1, ofSandbox())]));
    await expectRefused(db('seat_holds').insert([real, test, holdRow(db, departure, 1)]));
    await db('seat_holds').insert([real, test]);
  });

  it('the trigger that recounts seats lets the seats fall below the sandbox sales, which can still be confirmed', async () => {
    const departure = await givenNumbered(5);
    const [lead] = await insertLead(db, departure, 4, ofSandbox());
    await insertLead(db, departure, 2);
    await setSeats(departure, 2);
    await expectRefused(setSeats(departure, 1));
    await db('booking_leads').where(lead).update({ status: 'confirmed' });
    expect(await seatsTakenByKind(db, departure)).toEqual({ real: 2, sandbox: 4 });
  });

  it('the trigger that recounts seats refuses a sandbox sale of a real tenant, and a real sale of a sandbox tenant', async () => {
    const departure = await givenNumbered(5);
    const mixed = { code: '23514', constraint: 'sales_are_of_their_tenants_kind' };
    const writes = [
      () => insertHold(db, departure, 1, { sandbox: true }),
      () => insertHold(db, departure, 1, { tenant_id: sandboxId }),
      () => insertLead(db, departure, 1, { sandbox: true }),
      () => insertLead(db, departure, 1, { tenant_id: sandboxId }),
    ];
    for (const write of writes) await expect(Promise.resolve(write())).rejects.toMatchObject(mixed);
    const [hold] = await insertHold(db, departure, 1);
    await expect(
      Promise.resolve(db('seat_holds').where(hold).update({ sandbox: true })),
    ).rejects.toMatchObject(mixed);
  });

  it('the trigger that recounts seats accepts a lead of 50 people without a departure', async () => {
    const departure = await givenNumbered(1);
    const dateless = { departure_id: null, departure_date: null };
    await expect(Promise.resolve(insertLead(db, departure, 50, dateless))).resolves.toHaveLength(1);
  });
});

function outcomeOf(write: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(write).catch((error: unknown) => error);
}

it.each([true, false])('the sandbox flag of a tenant never changes from %s', async (sandbox) => {
  const { id } = await givenTenant(db, { sandbox });
  const change = db('tenants').where({ id }).update({ sandbox: !sandbox });
  await expect(Promise.resolve(change)).rejects.toMatchObject({ constraint: 'tenants_kind_never_changes' });
  await db('tenants').where({ id }).update({ sandbox, name: 'Other' });
});
