import { inTransaction } from '../../services/platform/database/database';
import { eraseCustomer } from '../../services/webhook-queue/deliveries/erase-customer';
import {
  disableByOperator,
  enableEndpoint,
} from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { departureEntry, importFiles, tourEntry } from '../catalog/catalog-files';
import { departureOf, insertLead, tourOf } from '../catalog/catalog-rows';
import { useTestApi } from '../support/api';
import { givenTenant, unique } from '../support/given';
import { endPaymentWindow, givenSeats, givenWebsite, useWebsite } from '../support/website';
import { add } from '../webhook-queue/queue-fixture';

const api = useTestApi();
const website = useWebsite(api);
const CHANGES = 20;
const HOUR_MS = 3_600_000;

interface Body {
  event_type: string;
  updated_at: string;
}

/** Returns the bodies of the tenant's events without booking.created, in the order in which they were written. */
async function eventsOf(tenantId: string): Promise<Body[]> {
  const events = api.db('webhook_events').where({ tenant_id: tenantId }).orderBy('id');
  const bodies = await events.whereNot({ type: 'booking.created' }).pluck<string[]>('body');
  return bodies.map((body) => JSON.parse(body));
}

const timesOf = (events: Body[]) => events.map((event) => Date.parse(event.updated_at));
const isRising = (times: number[]) => times.every((time, at) => at === 0 || time > times[at - 1]!);

/** Books for a new tenant that receives all other events of bookings. */
async function givenBooking() {
  const asking = await givenWebsite(api);
  const events = ['booking.confirmed', 'booking.updated', 'booking.cancelled', 'booking.expired'];
  await add(api.db, asking.tenant.id, 'https://acme.example/webhooks', events);
  const seats = await givenSeats(api.db);
  const order = { tour_id: seats.tour.id, departure_date: seats.date };
  const { booking_ref, updated_at } = (await asking.book(order)).body;
  const path = `/api/tenant/bookings/${booking_ref}`;
  const read = async () => (await asking.get(path)).body;
  return { asking, seats, path, read, bookingRef: booking_ref as string, bookedAt: updated_at as string };
}

/** Changes a row many times as fast as the database can, and returns its updated_at after each change in whole milliseconds. */
async function changeFast(table: string, column: string, value: string): Promise<number[]> {
  return inTransaction(api.db, async (trx) => {
    await trx.raw('create temporary table seen (at bigint) on commit drop');
    await trx.raw(`do $$ begin
      for n in 1 .. ${CHANGES} loop
        with changed as (update ${table} set status = status where ${column} = '${value}' returning updated_at)
        insert into seen select floor(extract(epoch from updated_at) * 1000) from changed;
      end loop;
    end $$`);
    return (await trx('seen').orderBy('at').pluck('at')).map(Number);
  });
}

/** Moves the time of a row's last change into the future, as if the clock of the database had gone back. */
async function moveAhead(table: string, column: string, value: string, time = 'updated_at'): Promise<void> {
  await inTransaction(api.db, async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    await trx(table)
      .where({ [column]: value })
      .update({ [time]: new Date(Date.now() + HOUR_MS) });
  });
}

describe('updated_at of a booking', () => {
  it('each event after booking.created carries the updated_at that the API answers, and each is later than the one before', async () => {
    const { asking, path, read, bookedAt } = await givenBooking();
    const shown = [bookedAt];
    await asking.patch(path, { adults: 2 });
    shown.push((await read()).updated_at);
    await asking.post(`${path}/confirm`);
    shown.push((await read()).updated_at);
    await asking.post(`${path}/cancel`);
    shown.push((await read()).updated_at);
    const events = await eventsOf(asking.tenant.id);
    expect(events.map(({ event_type, updated_at }) => [event_type, updated_at])).toEqual([
      ['booking.updated', shown[1]],
      ['booking.confirmed', shown[2]],
      ['booking.cancelled', shown[3]],
    ]);
    expect(isRising(shown.map((time) => Date.parse(time)))).toBe(true);
  });

  it('booking.created has no updated_at', async () => {
    const { bookingRef } = await givenBooking();
    const [body] = await api.db('webhook_events').where({ booking_ref: bookingRef }).pluck<string[]>('body');
    expect(Object.keys(JSON.parse(body!))).toEqual([
      'event_type',
      'booking_ref',
      'lead_id',
      'source',
      'external_ref',
      'customer',
      'departure_date',
      'total_price',
    ]);
  });

  it('booking.expired carries the updated_at of the expired booking', async () => {
    const { asking, seats, read, bookingRef } = await givenBooking();
    await endPaymentWindow(api.db, bookingRef);
    await website.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    const [event] = await eventsOf(asking.tenant.id);
    expect([event!.event_type, event!.updated_at]).toEqual(['booking.expired', (await read()).updated_at]);
  });

  it('many changes in one millisecond get rising times', async () => {
    const { bookingRef } = await givenBooking();
    const times = await changeFast('booking_leads', 'booking_ref', bookingRef);
    expect(times).toHaveLength(CHANGES);
    expect(isRising(times)).toBe(true);
  });

  it('a change after the clock went back is later than the change before, and than the cancellation of the departure', async () => {
    const { asking, seats, path, read, bookingRef } = await givenBooking();
    await moveAhead('booking_leads', 'booking_ref', bookingRef);
    const ahead = (await read()).updated_at;
    await asking.patch(path, { adults: 2 });
    await moveAhead('departures', 'tour_id', seats.tour.id, 'status_changed_at');
    const statusAhead = (await read()).updated_at;
    await asking.patch(path, { adults: 1 });
    const [first, second] = await eventsOf(asking.tenant.id);
    expect(isRising([ahead, first!.updated_at].map((time) => Date.parse(time)))).toBe(true);
    expect(isRising([statusAhead, second!.updated_at].map((time) => Date.parse(time)))).toBe(true);
  });

  it('a transaction that began first and waited for the booking gets the later time', async () => {
    const { bookingRef } = await givenBooking();
    const change = (notes: string) => ({ where: { booking_ref: bookingRef }, values: { notes } });
    const updatedAt = async () =>
      (await api.db('booking_leads').where({ booking_ref: bookingRef }).first('updated_at')).updatedAt;
    const early = await api.db.transaction();
    await early.raw('select now()');
    const [other, own] = [change('other'), change('own')];
    await api.db('booking_leads').where(other.where).update(other.values);
    const between = await updatedAt();
    await early('booking_leads').where(own.where).update(own.values);
    await early.commit();
    expect((await updatedAt()).getTime()).toBeGreaterThan(between.getTime());
  });

  it('an erased customer leaves the updated_at of the events', async () => {
    const { asking, path, bookingRef } = await givenBooking();
    await asking.patch(path, { adults: 2 });
    const before = timesOf(await eventsOf(asking.tenant.id));
    const rules = { identifiesPerson: () => false, evenUndelivered: true };
    await inTransaction(api.db, (trx) => eraseCustomer(trx, { bookingRef, hold: null }, rules));
    const after = await eventsOf(asking.tenant.id);
    expect(timesOf(after)).toEqual(before);
    expect(after).toMatchObject([{ customer: { name: null } }]);
  });
});

describe('updated_at of a departure', () => {
  it('many changes in one millisecond get rising times', async () => {
    const { seats } = await givenBooking();
    const times = await changeFast('departures', 'tour_id', seats.tour.id);
    expect(times).toHaveLength(CHANGES);
    expect(isRising(times)).toBe(true);
  });

  it('each event of a departure is later than the one before, also for a start time of the tour and after the clock went back', async () => {
    const { db } = api;
    const slug = unique('tour');
    const { id } = await givenTenant(db);
    await add(db, id, 'https://acme.example/', ['departure.updated', 'departure.cancelled']);
    const write = (fields: object, departure: Record<string, unknown>) =>
      importFiles(db, {
        'tours.json': [tourEntry({ slug, departures: [departureEntry(departure)], ...fields })],
      });
    await write({ start_time: '09:30' }, {});
    const { departureDate } = await db('departures')
      .where({ tour_id: (await tourOf(db, slug)).id })
      .first();
    await insertLead(db, id, await departureOf(db, slug, departureDate), unique('REF'));
    await write({ start_time: '09:30' }, { seats_total: 11 });
    await write({ start_time: '10:00' }, { seats_total: 11 });
    await moveAhead('departures', 'tour_id', (await tourOf(db, slug)).id);
    await write({ start_time: '10:30' }, { seats_total: 11 });
    await write({ start_time: '10:30' }, { seats_total: 12 });
    const events = await eventsOf(id);
    expect(events).toHaveLength(4);
    expect(isRising(timesOf(events))).toBe(true);
  });
});

describe('updated_at of an endpoint', () => {
  it('endpoint.disabled carries the time at which the endpoint was disabled, which rises', async () => {
    const { db } = api;
    const { id: tenantId } = await givenTenant(db);
    await add(db, tenantId, 'https://other.example/', ['endpoint.disabled']);
    const { id } = await add(db, tenantId, 'https://acme.example/');
    for (let n = 0; n < 3; n++)
      await inTransaction(db, async (trx) => {
        await disableByOperator(trx, id);
        await enableEndpoint(trx, id);
      });
    await inTransaction(db, (trx) => disableByOperator(trx, id));
    const events = await eventsOf(tenantId);
    const { statusSince } = await db('webhook_endpoints').where({ id }).first('status_since');
    expect(events).toHaveLength(4);
    expect(events[3]!.updated_at).toBe(statusSince.toISOString());
    expect(isRising(timesOf(events))).toBe(true);
  });
});
