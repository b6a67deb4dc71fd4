import { moveDeparture } from '../../services/api/seats/changes/move-departure';
import { setStartTime } from '../../services/api/seats/changes/change-departure';
import { confirmBooking } from '../../services/api/seats/changes/confirm-booking';
import { remindOfPayments } from '../../services/api/bookings/remind-payment';
import { byOperator } from '../../services/api/tenants/actor';
import { inTransaction } from '../../services/platform/database/database';
import { departureEntry, importFiles, tourEntry } from '../catalog/catalog-files';
import { useTestApi } from '../support/api';
import { change, changeDepartures } from '../support/change';
import { daysFromToday, givenDeparture } from '../support/given';
import { expectProblem } from '../support/responses';
import { sweep } from '../support/sweep';
import { CUSTOMER, givenSeats, givenWebsite, type Seats, seatsTaken, useWebsite } from '../support/website';
import { add } from '../webhook-queue/queue-fixture';

const api = useTestApi();
const website = useWebsite(api);
const TOMORROW = daysFromToday(1);
const LATER = daysFromToday(30);
const WINDOW_MS = 72 * 3_600_000;
const operator = byOperator({ name: 'ops' });

const pathOf = (ref: string) => `/api/tenant/bookings/${ref}`;
const read = async (ref: string, of = website) => (await of.get(pathOf(ref))).body;

/** Creates a tour with a departure tomorrow, and one on LATER. */
async function givenTomorrow(startTime?: string): Promise<Seats> {
  const seats = await givenSeats(api.db, { date: TOMORROW, startTime });
  await givenDeparture(api.db, seats.tour, { date: LATER, startTime });
  return seats;
}

async function book({ tour, date }: Seats, more: object = {}, of = website) {
  const { status, body } = await of.book({ tour_id: tour.id, departure_date: date, ...more });
  expect(status).toBe(201);
  return body as { booking_ref: string; created_at: string; payment_due_at: string; updated_at: string };
}

/** Returns the end of the payment window of 72 hours. */
const windowEnd = ({ created_at }: { created_at: string }) =>
  new Date(Date.parse(created_at) + WINDOW_MS).toISOString();
const startAt = (date: string, time: string) => `${date}T${time}:00.000Z`;
const endOf = (date: string) => new Date(Date.parse(date) + 86_400_000).toISOString();

describe('until when an unpaid booking stands', () => {
  it('the payment is due when the departure starts, if the payment window ends later', async () => {
    const booking = await book(await givenTomorrow('09:30'));
    expect(booking.payment_due_at).toBe(startAt(TOMORROW, '09:30'));
    expect((await read(booking.booking_ref)).payment_due_at).toBe(booking.payment_due_at);
  });

  it('the payment is due at the end of the date, if the departure has no start time', async () => {
    const booking = await book(await givenTomorrow());
    expect(booking.payment_due_at).toBe(endOf(TOMORROW));
  });

  it('the payment is due when the window ends, if the departure starts later or the booking has no date', async () => {
    const seats = await givenTomorrow('09:30');
    const [dated, undated] = [
      await book({ ...seats, date: LATER }),
      await website.book({ tour_id: seats.tour.id }),
    ];
    expect(dated.payment_due_at).toBe(windowEnd(dated));
    expect(undated.body.payment_due_at).toBe(windowEnd(undated.body));
  });

  it('a booking without a payment window never becomes due, and has no reminder', async () => {
    const patient = await givenWebsite(api, { paymentWindowMinutes: null });
    const seats = await givenTomorrow('09:30');
    const booking = await book(seats, {}, patient);
    expect(booking.payment_due_at).toBeNull();
    await setTime(seats, '23:00', LATER);
    await moveTo(seats, LATER);
    expect(await read(booking.booking_ref, patient)).toMatchObject({
      payment_due_at: null,
      departure_date: LATER,
    });
  });

  it('a change of the date writes the time anew: never later than the window, whose end is kept', async () => {
    const seats = await givenTomorrow('09:30');
    const { booking_ref, ...booking } = await book(seats);
    const changed = await website.patch(pathOf(booking_ref), { departure_date: LATER });
    expect([changed.status, changed.body.payment_due_at]).toEqual([200, windowEnd(booking)]);
    expect((await read(booking_ref)).payment_due_at).toBe(windowEnd(booking));
    const back = await website.patch(pathOf(booking_ref), { departure_date: TOMORROW });
    expect(back.body.payment_due_at).toBe(startAt(TOMORROW, '09:30'));
    expect({ ...(await read(booking_ref)), reduction: null }).toEqual(back.body);
  });

  it('a booking that gets its first date becomes due no later than that departure', async () => {
    const seats = await givenTomorrow('09:30');
    const { body } = await website.book({ tour_id: seats.tour.id });
    const dated = await website.patch(pathOf(body.booking_ref), { departure_date: TOMORROW });
    expect(dated.body.payment_due_at).toBe(startAt(TOMORROW, '09:30'));
    expect((await read(body.booking_ref)).payment_due_at).toBe(dated.body.payment_due_at);
  });

  it('a change of other fields keeps the time', async () => {
    const booking = await book(await givenTomorrow('09:30'));
    const changed = await website.patch(pathOf(booking.booking_ref), { adults: 2, notes: 'Vegetarian' });
    expect(changed.body.payment_due_at).toBe(booking.payment_due_at);
  });
});

const setTime = ({ tour }: Seats, time: string, date: string) =>
  inTransaction(api.db, (trx) => changeDepartures(trx, setStartTime(trx, tour, { date }, time))).catch(
    (error: Error) => {
      if (!error.message.includes('has a start time')) throw error;
    },
  );
const moveTo = ({ tour, date }: Seats, to: string) =>
  inTransaction(api.db, (trx) =>
    changeDepartures(trx, moveDeparture(trx, tour, { from: { date }, to: { date: to }, by: operator })),
  );

describe('an operator who changes the start of an unpaid booking', () => {
  it('tourctl departure move writes the time anew, and keeps the window', async () => {
    const seats = await givenTomorrow('09:30');
    const booking = await book(seats);
    await moveTo(seats, LATER);
    expect((await read(booking.booking_ref)).payment_due_at).toBe(windowEnd(booking));
    await moveTo({ ...seats, date: LATER }, TOMORROW);
    expect((await read(booking.booking_ref)).payment_due_at).toBe(startAt(TOMORROW, '09:30'));
  });

  it('tourctl departure set-time writes the time of all its bookings, and a copy by updated_since sees it', async () => {
    const seats = await givenTomorrow();
    const unpaid = await book(seats);
    const paid = await book(seats);
    await website.post(`${pathOf(paid.booking_ref)}/confirm`);
    const ended = await book(seats);
    const cancelled = await website.post(`${pathOf(ended.booking_ref)}/cancel`);
    await setTime(seats, '10:00', TOMORROW);
    const after = await read(unpaid.booking_ref);
    expect(after.payment_due_at).toBe(startAt(TOMORROW, '10:00'));
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(unpaid.updated_at));
    expect(await read(paid.booking_ref)).toMatchObject({
      status: 'confirmed',
      payment_due_at: startAt(TOMORROW, '10:00'),
    });
    expect((await read(ended.booking_ref)).updated_at).toBe(cancelled.body.updated_at);
  });

  it.each([
    ['start time', { start_time: '11:00' }, startAt(TOMORROW, '11:00')],
    ['time zone', { start_time: '09:30', time_zone: 'Etc/GMT-2' }, startAt(TOMORROW, '07:30')],
  ])('an import that changes the %s of a tour writes the time of its bookings', async (_, fields, due) => {
    const seats = await givenTomorrow();
    const file = (more: object) =>
      tourEntry({
        slug: seats.tour.slug,
        start_time: '09:30',
        time_zone: 'UTC',
        departures: [departureEntry({ departure_date: TOMORROW, start_time: undefined })],
        ...more,
      });
    await importFiles(api.db, { 'tours.json': [file({})] });
    const booking = await book(seats);
    expect(booking.payment_due_at).toBe(startAt(TOMORROW, '09:30'));
    await importFiles(api.db, { 'tours.json': [file(fields)] });
    expect((await read(booking.booking_ref)).payment_due_at).toBe(due);
  });

  it('a later start does not revive a booking that has lapsed', async () => {
    const seats = await givenTomorrow();
    const { booking_ref } = await book(seats);
    await api
      .db('booking_leads')
      .where({ booking_ref })
      .update({ payment_due_at: api.db.raw(`clock_timestamp() - interval '1 millisecond'`) });
    await api.db('tours').where({ id: seats.tour.id }).update({ time_zone: 'Etc/GMT+5' });
    expect((await read(booking_ref)).status).toBe('expired');
  });

  it('a booking that was paid after it had expired keeps the time at which it expired', async () => {
    const seats = await givenTomorrow();
    const { booking_ref } = await book(seats);
    await api
      .db('booking_leads')
      .where({ booking_ref })
      .update({ payment_due_at: api.db.raw(`clock_timestamp() - interval '1 millisecond'`) });
    await website.post(`${pathOf(booking_ref)}/confirm`);
    const { payment_due_at } = await read(booking_ref);
    const changed = await website.patch(pathOf(booking_ref), { departure_date: LATER });
    expect([changed.status, changed.body.payment_due_at]).toEqual([200, payment_due_at]);
    expect((await read(booking_ref)).payment_due_at).toBe(payment_due_at);
  });
});

describe('an unpaid booking whose departure has left', () => {
  const EVENTS = ['booking.payment_due', 'booking.expired'];

  /** Books, and lets the departure leave by a start time in the past. */
  async function givenLeft(of = website) {
    const seats = await givenSeats(api.db, { date: daysFromToday(0) });
    const { booking_ref } = await book(seats, {}, of);
    await api.db('tours').where({ id: seats.tour.id }).update({ start_time: '00:00' });
    return { seats, booking_ref };
  }

  const confirmAsOperator = (bookingRef: string) =>
    inTransaction(api.db, (trx) =>
      change(trx, website.tenant, confirmBooking, { bookingRef, by: operator, byOperator: true }),
    );

  it('the booking has expired at the start, frees its seats, sends one event and no reminder', async () => {
    const acme = await givenWebsite(api, { paymentReminderMinutes: 60 });
    await add(api.db, acme.tenant.id, 'https://acme.example/', EVENTS);
    const { seats, booking_ref } = await givenLeft(acme);
    expect(await read(booking_ref, acme)).toMatchObject({
      status: 'expired',
      payment_due_at: startAt(daysFromToday(0), '00:00'),
    });
    expect(await seatsTaken(api.db, seats)).toBe(0);
    await remindOfPayments(api.db);
    await sweep(api.db);
    await remindOfPayments(api.db);
    const events = api.db('webhook_events').where({ tenant_id: acme.tenant.id }).whereIn('type', EVENTS);
    expect(await events.pluck('type')).toEqual(['booking.expired']);
  });

  it('a website cannot confirm the booking any more, and an operator can, who has seen the money', async () => {
    const { booking_ref, seats } = await givenLeft();
    const refused = await website.post(`${pathOf(booking_ref)}/confirm`);
    expectProblem(refused, 409, 'departure_gone', { alternatives: [] });
    await confirmAsOperator(booking_ref);
    expect((await read(booking_ref)).status).toBe('confirmed');
    expect(await seatsTaken(api.db, seats)).toBe(1);
  });

  it('an operator confirms the booking only if its seats are free and the departure is not cancelled', async () => {
    const { booking_ref, seats } = await givenLeft();
    const confirm = () => confirmAsOperator(booking_ref);
    const setDeparture = (values: object) =>
      api.db('departures').where({ tour_id: seats.tour.id }).update(values);
    await setDeparture({ status: 'cancelled' });
    await expect(confirm()).rejects.toMatchObject({ code: 'departure_cancelled' });
    await setDeparture({ status: 'scheduled', seats_total: 1 });
    const other = await api.db('booking_leads').where({ booking_ref }).first();
    await api.db.raw(
      `insert into booking_leads (booking_ref, tenant_id, tour_id, departure_id, departure_date, seats, party, prices_minor, total_minor,
         deposit_minor, currency, currency_digits, price_breakdown, payment_method, customer_name, customer_phone, customer_email, status)
       select booking_ref || '-2', tenant_id, tour_id, departure_id, departure_date, seats, party, prices_minor, total_minor,
         deposit_minor, currency, currency_digits, price_breakdown, payment_method, :name, :phone, :email, 'confirmed'
       from booking_leads where id = :id`,
      { id: other.id, ...CUSTOMER },
    );
    await expect(confirm()).rejects.toMatchObject({ code: 'insufficient_seats' });
  });
});

describe('the payment reminder of a booking for a near departure', () => {
  /** Books for tomorrow or the day after, with a payment window of 72 hours, a day before the start. */
  async function remindedOf(reminderMinutes: number, hoursBefore: number): Promise<string[]> {
    const acme = await givenWebsite(api, { paymentReminderMinutes: reminderMinutes });
    await add(api.db, acme.tenant.id, 'https://acme.example/', ['booking.payment_due']);
    const { booking_ref } = await book(await givenTomorrow('12:00'), {}, acme);
    await api.db.raw(
      `update booking_leads set created_at = payment_due_at - make_interval(hours => :hoursBefore), updated_at = null
       where booking_ref = :booking_ref`,
      { hoursBefore, booking_ref },
    );
    await remindOfPayments(api.db);
    return api
      .db('webhook_events')
      .where({ tenant_id: acme.tenant.id, type: 'booking.payment_due' })
      .pluck('type');
  }

  it('no reminder is sent if the booking was made less than twice the reminder time before it is due', async () => {
    expect(await remindedOf(48 * 60, 95)).toEqual([]);
  });

  it('a reminder is sent if the booking was made at least twice the reminder time before it is due', async () => {
    expect(await remindedOf(48 * 60, 96)).toEqual(['booking.payment_due']);
  });
});
