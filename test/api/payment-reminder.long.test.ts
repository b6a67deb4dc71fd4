import { setTimeout as sleep } from 'node:timers/promises';
import { findLeadsById } from '../../services/api/bookings/booking-lead.repository';
import { confirmBooking } from '../../services/api/seats/changes/confirm-booking';
import { remindOfPayments } from '../../services/api/bookings/remind-payment';
import { inTransaction } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { change } from '../support/change';
import { untilTransactionWaits } from '../support/lock-wait';
import { sweep } from '../support/sweep';
import { givenSeats, givenWebsite, type Seats, type Website } from '../support/website';
import { add } from '../webhook-queue/queue-fixture';

const EVENTS = ['booking.payment_due', 'booking.confirmed'];
const api = useTestApi();
let website: Website;
let seats: Seats;

beforeEach(async () => {
  website = await givenWebsite(api);
  await add(api.db, website.tenant.id, 'https://acme.example/', EVENTS);
  seats = await givenSeats(api.db, { seats: 1_000 });
});

/** Moves the times of a booking. @param due the hours from now until the payment is due @param window the hours of the payment window */
async function setWindow(bookingRef: string, { due, window = 72 }: { due: number; window?: number }) {
  const hours = (n: number) => api.db.raw(`clock_timestamp() + ? * interval '1 hour'`, [n]);
  await api
    .db('booking_leads')
    .where({ booking_ref: bookingRef })
    .update({ created_at: hours(due - window), payment_due_at: hours(due) });
}

/** Books one adult. The payment window ends in `due` hours. */
async function givenUnpaid(times: { due: number; window?: number }, of = website, more: object = {}) {
  const { body } = await of.book({ tour_id: seats.tour.id, departure_date: seats.date, ...more });
  await setWindow(body.booking_ref, times);
  return body as { booking_ref: string; lead_id: number; deposit_total: number };
}

/** Returns the bodies of the tenant's events except booking.created, the oldest first. */
async function eventsOf({ tenant }: Website): Promise<{ event_type: string; booking_ref: string }[]> {
  const rows = await api
    .db('webhook_events')
    .where({ tenant_id: tenant.id })
    .whereNot({ type: 'booking.created' })
    .orderBy('id');
  return rows.map(({ body }) => JSON.parse(body));
}

const typesOf = async (of = website) => (await eventsOf(of)).map(({ event_type }) => event_type);
const remind = () => remindOfPayments(api.db);

describe('the event booking.payment_due', () => {
  it('the event booking.payment_due is sent once, with the fields of booking.updated, payment_due_at and deposit_total', async () => {
    const { booking_ref, lead_id } = await givenUnpaid({ due: 23 }, website, { external_ref: 'cart-7' });
    const { body } = await website.get(`/api/tenant/bookings/${booking_ref}`);
    await remind();
    await remind();
    expect((await eventsOf(website)).map((event) => Object.entries(event))).toEqual([
      Object.entries({
        event_type: 'booking.payment_due',
        booking_ref,
        lead_id,
        source: 'tenant_api',
        external_ref: 'cart-7',
        customer: { name: 'Ana Lima', phone: '+4930901820', email: 'ana@example.com' },
        departure_date: seats.date,
        departure_time: null,
        total_price: 500,
        payment_due_at: body.payment_due_at,
        deposit_total: 100,
        updated_at: body.updated_at,
      }),
    ]);
  });

  it('the event booking.payment_due is no change of the booking for a website that copies changed bookings', async () => {
    const { booking_ref } = await givenUnpaid({ due: 23 });
    const read = async () => (await website.get(`/api/tenant/bookings/${booking_ref}`)).body;
    const before = await read();
    await remind();
    expect([await typesOf(), await read()]).toEqual([['booking.payment_due'], before]);
  });

  it('the event booking.payment_due is sent 24 hours before the payment is due unless the tenant has another time', async () => {
    const { booking_ref } = await givenUnpaid({ due: 25 });
    await remind();
    expect(await typesOf()).toEqual([]);
    await setWindow(booking_ref, { due: 23.9 });
    await remind();
    expect(await typesOf()).toEqual(['booking.payment_due']);
    const early = await givenWebsite(api, { paymentReminderMinutes: 30 * 60 });
    await add(api.db, early.tenant.id, 'https://early.example/', EVENTS);
    await givenUnpaid({ due: 29 }, early);
    await remind();
    expect(await typesOf(early)).toEqual(['booking.payment_due']);
  });

  it('the event booking.payment_due is never sent if the tenant has no reminder or the booking is never due', async () => {
    const silent = await givenWebsite(api, { paymentReminderMinutes: null });
    await add(api.db, silent.tenant.id, 'https://silent.example/', EVENTS);
    await givenUnpaid({ due: 1 }, silent);
    const patient = await givenWebsite(api, { paymentWindowMinutes: null });
    await add(api.db, patient.tenant.id, 'https://patient.example/', EVENTS);
    await patient.book({ tour_id: seats.tour.id, departure_date: seats.date });
    await remind();
    expect([await typesOf(silent), await typesOf(patient)]).toEqual([[], []]);
  });

  it('the event booking.payment_due is never sent if the payment window is shorter than twice the reminder time', async () => {
    const short = await givenUnpaid({ due: 1, window: 47.9 });
    const long = await givenUnpaid({ due: 1, window: 48 });
    await remind();
    expect((await eventsOf(website)).map(({ booking_ref }) => booking_ref)).toEqual([long.booking_ref]);
    expect(short.booking_ref).not.toBe(long.booking_ref);
  });

  it('the event booking.payment_due is sent earlier when payment_due_at moves to an earlier time', async () => {
    const { booking_ref } = await givenUnpaid({ due: 60, window: 100 });
    await remind();
    expect(await typesOf()).toEqual([]);
    await api
      .db('booking_leads')
      .where({ booking_ref })
      .update({ payment_due_at: api.db.raw(`payment_due_at - interval '40 hours'`) });
    await remind();
    expect(await typesOf()).toEqual(['booking.payment_due']);
  });

  it('the event booking.payment_due is not sent after the payment, a cancellation or the end of the payment window', async () => {
    const [paid, cancelled, late] = [
      await givenUnpaid({ due: 23 }),
      await givenUnpaid({ due: 23 }),
      await givenUnpaid({ due: 23 }),
    ];
    await website.post(`/api/tenant/bookings/${paid.booking_ref}/confirm`);
    await website.post(`/api/tenant/bookings/${cancelled.booking_ref}/cancel`);
    await setWindow(late.booking_ref, { due: -0.001 });
    await remind();
    await sweep(api.db);
    await remind();
    expect(await typesOf()).toEqual(['booking.confirmed']);
  });

  it('the event booking.payment_due is not sent while the departure is cancelled', async () => {
    await givenUnpaid({ due: 23 });
    const setStatus = (status: string) =>
      api.db('departures').where({ tour_id: seats.tour.id }).update({ status });
    await setStatus('cancelled');
    await remind();
    expect(await typesOf()).toEqual([]);
    await setStatus('scheduled');
    await remind();
    expect(await typesOf()).toEqual(['booking.payment_due']);
  });

  it('the event booking.payment_due is sent only to endpoints that subscribe to it, even just before the end', async () => {
    const other = await givenWebsite(api);
    await add(api.db, other.tenant.id, 'https://other.example/', ['booking.created', 'booking.updated']);
    const { booking_ref } = await givenUnpaid({ due: 2 }, other);
    await remind();
    expect(await typesOf(other)).toEqual([]);
    await add(api.db, other.tenant.id, 'https://late.example/', ['booking.payment_due']);
    await remind();
    expect(await eventsOf(other)).toMatchObject([{ event_type: 'booking.payment_due', booking_ref }]);
  });

  it('the event booking.payment_due is sent for a sandbox booking and for a booking without a date', async () => {
    const sandbox = await givenWebsite(api, { sandbox: true });
    await add(api.db, sandbox.tenant.id, 'https://sandbox.example/', EVENTS);
    await givenUnpaid({ due: 23 }, sandbox, { departure_date: undefined });
    await remind();
    expect(await eventsOf(sandbox)).toMatchObject([
      { event_type: 'booking.payment_due', departure_date: null },
    ]);
  });

  it('the event booking.payment_due is sent by the next run if its transaction fails', async () => {
    await givenUnpaid({ due: 23 });
    await api.db.raw(
      `alter table webhook_events add constraint no_reminder check (type <> 'booking.payment_due') not valid`,
    );
    await expect(remind()).rejects.toMatchObject({ constraint: 'no_reminder' });
    await api.db.raw('alter table webhook_events drop constraint no_reminder');
    expect(await typesOf()).toEqual([]);
    await remind();
    expect(await typesOf()).toEqual(['booking.payment_due']);
  });

  it('the event booking.payment_due is sent for more bookings than one transaction takes', async () => {
    const { lead_id } = await givenUnpaid({ due: 23 });
    const { rows } = await api.db.raw(
      `select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
       where table_schema = 'public' and table_name = 'booking_leads' and column_name not in ('id', 'booking_ref')`,
    );
    const { columns } = rows[0];
    await api.db.raw(
      `insert into booking_leads (booking_ref, ${columns})
       select 'MANY-' || ?::text || n, ${columns} from booking_leads, generate_series(1, 250) n where id = ?`,
      [lead_id, lead_id],
    );
    await remind();
    expect(new Set((await eventsOf(website)).map(({ booking_ref }) => booking_ref)).size).toBe(251);
  });
});

describe('a payment reminder beside other changes', () => {
  it('eight concurrent runs send one booking.payment_due for each of twenty bookings', async () => {
    const refs: string[] = [];
    for (let n = 0; n < 20; n++) refs.push((await givenUnpaid({ due: 23 })).booking_ref);
    await Promise.all(Array.from({ length: 8 }, remind));
    expect((await eventsOf(website)).map(({ booking_ref }) => booking_ref).sort()).toEqual(refs.sort());
  });

  it('a booking that is being confirmed gets no payment reminder', async () => {
    const { booking_ref } = await givenUnpaid({ due: 23 });
    const confirming = await api.db.transaction();
    await change(confirming, website.tenant, confirmBooking, { bookingRef: booking_ref, by: null });
    await remind();
    await confirming.commit();
    await remind();
    expect(await typesOf()).toEqual(['booking.confirmed']);
  });

  it('a confirmation waits while a payment reminder of its booking is being sent', async () => {
    const { lead_id, booking_ref } = await givenUnpaid({ due: 23 });
    // Delays the reminder before its COMMIT: a trigger waits for a row that the test's transaction has locked.
    const gate = await api.db.transaction();
    await api.db.raw('create table gate as select 1 as open');
    await gate('gate').forUpdate().select('open');
    await api.db.raw(`
      create function wait_at_gate() returns trigger language plpgsql as $$
        begin perform from gate for update; return new; end $$;
      create trigger gated after insert on payment_reminders for each row execute function wait_at_gate()`);
    const reminding = remind();
    await untilTransactionWaits(api.db);
    const confirming = website.post(`/api/tenant/bookings/${booking_ref}/confirm`);
    const isConfirmed = confirming.then(() => true);
    expect(await Promise.race([isConfirmed, sleep(100, false)])).toBe(false);
    await gate.commit();
    await reminding;
    expect((await confirming).status).toBe(200);
    await api.db.raw('drop table gate; drop function wait_at_gate cascade');
    expect(await typesOf()).toEqual(['booking.payment_due', 'booking.confirmed']);
    expect((await findLeadsById(api.db, [lead_id]))[0]!.status).toBe('confirmed');
  });

  it('each of twenty bookings that are confirmed during the runs gets at most one reminder, before the confirmation', async () => {
    const refs: string[] = [];
    for (let n = 0; n < 20; n++) refs.push((await givenUnpaid({ due: 23 })).booking_ref);
    const confirm = (ref: string) =>
      inTransaction(api.db, (trx) =>
        change(trx, website.tenant, confirmBooking, { bookingRef: ref, by: null }),
      );
    await Promise.all([...refs.map(confirm), remind(), remind(), remind()]);
    await remind();
    const events = await eventsOf(website);
    for (const ref of refs) {
      const types = events.filter((event) => event.booking_ref === ref).map(({ event_type }) => event_type);
      expect([['booking.confirmed'], ['booking.payment_due', 'booking.confirmed']]).toContainEqual(types);
    }
  });
});
