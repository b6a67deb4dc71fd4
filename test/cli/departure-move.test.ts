import { moveDeparture } from '../../services/api/seats/changes/move-departure';
import { inTransaction } from '../../services/platform/database/database';
import { departureOf, insertHold, insertLead, tourOf } from '../catalog/catalog-rows';
import { changeDepartures } from '../support/change';
import { type GivenTour, givenDeparture, givenTenant, givenTour } from '../support/given';
import { add } from '../webhook-queue/queue-fixture';
import { useTestTerminal } from './terminal';

const FROM = '2031-06-01';
const TO = '2031-06-08';
const terminal = useTestTerminal();
let tour: GivenTour;
let acme: { id: string };

beforeEach(async () => {
  tour = await givenTour(terminal.db);
  acme = await givenTenant(terminal.db);
  await givenDeparture(terminal.db, tour, { date: FROM, seats: 20 });
});

const seatsOn = (date: string, seats: number, startTime?: string) =>
  givenDeparture(terminal.db, tour, { date, seats, startTime });
const book = async (ref: string, fields: object = {}, date = FROM) =>
  insertLead(terminal.db, acme.id, await departureOf(terminal.db, tour.slug, date), ref, { ...fields });
const hold = async (quantity: number, fields: object = {}) =>
  insertHold(terminal.db, acme.id, (await departureOf(terminal.db, tour.slug, FROM)).id, quantity, {
    ...fields,
  });
const move = (more = '', to = TO) => terminal.json(`departure move ${tour.slug} ${FROM} ${to}${more}`);
const datesOf = async () =>
  Object.fromEntries(
    (await terminal.db('booking_leads').where({ tour_id: tour.id })).map((row) => [
      row.bookingRef,
      row.departureDate,
    ]),
  );
const lastAudit = async () => (await terminal.json('audit list --limit 1')).items[0];

describe('tourctl departure move', () => {
  it('tourctl departure move moves live bookings and holds, and leaves cancelled, expired and released ones', async () => {
    await seatsOn(TO, 20);
    await book('M1-1', { adults: 3 });
    await book('M1-2', { status: 'confirmed' });
    await book('M1-3', { status: 'cancelled' });
    await book('M1-4', { payment_due_at: terminal.db.raw("now() - interval '1 second'") });
    await hold(2);
    await hold(4, { status: 'released' });
    await hold(4, { expires_at: terminal.db.raw("now() - interval '1 second'") });
    const { revision } = await tourOf(terminal.db, tour.slug);
    expect(await move()).toEqual({ moved: ['M1-1', 'M1-2'], left: [], holds_moved: 1, holds_left: 0 });
    expect(await datesOf()).toEqual({ 'M1-1': TO, 'M1-2': TO, 'M1-3': FROM, 'M1-4': FROM });
    const [from, to] = (await terminal.json(`departure list ${tour.slug} --from 2031-01-01`)).items;
    expect([from.seats_taken, to.seats_taken]).toEqual([0, 7]);
    expect((await tourOf(terminal.db, tour.slug)).revision).toBe(revision + 1);
  });

  it('tourctl departure move keeps the prices, the deposit, the payment window and the end of a hold', async () => {
    await givenDeparture(terminal.db, tour, { date: TO, prices: { adult: 99_900 } });
    const due = '2031-05-01T12:00:00.000Z';
    const id = await book('M2-1', { deposit_minor: 25_800, payment_due_at: due });
    const holdId = await hold(2);
    const before = await terminal.db('seat_holds').where({ id: holdId }).first();
    await move();
    expect(await terminal.db('booking_leads').where({ id }).first()).toMatchObject({
      pricesMinor: { adult: 129_000 },
      totalMinor: 258_000,
      depositMinor: 25_800,
      paymentDueAt: new Date(due),
    });
    const after = await terminal.db('seat_holds').where({ id: holdId }).first();
    expect([after.pricesMinor, after.expiresAt]).toEqual([before.pricesMinor, before.expiresAt]);
  });

  it('tourctl departure move moves the oldest bookings that fit, and lists the bookings that do not fit', async () => {
    await seatsOn(TO, 6);
    await book('M3-1', { adults: 3 });
    await book('M3-2', { adults: 4 });
    await book('M3-3', { adults: 2 });
    await hold(1);
    await hold(1);
    expect(await move()).toEqual({
      moved: ['M3-1', 'M3-3'],
      left: [{ booking_ref: 'M3-2', why: 'insufficient_seats' }],
      holds_moved: 1,
      holds_left: 1,
    });
    const screen = await terminal.tourctl(`departure move ${tour.slug} ${FROM} ${TO}`);
    expect(screen.stdout).toMatch(/^0 bookings and 0 holds .* moved/);
    expect(screen.stdout).toContain('\n1 hold cannot move, because too few seats are free\n');
    expect(screen.stdout).toMatch(/M3-2 .* 4 +too few seats are free/);
  });

  it('tourctl departure move counts sandbox seats apart from real seats', async () => {
    await seatsOn(TO, 2);
    const sandbox = await givenTenant(terminal.db, { sandbox: true });
    await book('M4-1', { adults: 2 });
    await book('M4-TEST-1', { adults: 2, sandbox: true, tenant_id: sandbox.id });
    expect((await move()).moved).toEqual(['M4-1', 'M4-TEST-1']);
  });

  it('tourctl departure move moves the bookings of a cancelled departure', async () => {
    await seatsOn(TO, 9);
    await book('M5-1');
    await terminal.json(`departure cancel ${tour.slug} ${FROM} --yes`);
    expect((await move()).moved).toEqual(['M5-1']);
  });

  it('tourctl departure move moves bookings to another time of the same date', async () => {
    await terminal.json(`departure set-time ${tour.slug} ${FROM} 09:30`);
    await seatsOn(FROM, 9, '14:30');
    await book('M6-1');
    const dates = [`${FROM}T09:30`, `${FROM}T14:30`];
    const line = ['departure', 'move', tour.slug, ...dates, '--reason', 'The guide is ill', '--json'];
    expect((await terminal.tourctl(line)).json.moved).toEqual(['M6-1']);
    expect((await terminal.json('booking show M6-1')).departure_time).toBe('14:30');
    expect(await lastAudit()).toMatchObject({
      action: 'departure.move',
      subject: `${tour.slug} ${FROM} 09:30`,
      after: { to: `${FROM} 14:30`, reason: 'The guide is ill', moved: ['M6-1'] },
    });
  });

  it('tourctl departure move sends booking.updated for each moved booking, and keeps the change in its history', async () => {
    await seatsOn(TO, 9);
    await add(terminal.db, acme.id, 'https://acme.example/', ['booking.updated']);
    await book('M7-1');
    await move();
    const events = await terminal.db('webhook_events').where({ tenant_id: acme.id, type: 'booking.updated' });
    expect(events.map(({ body }) => JSON.parse(body))).toMatchObject([
      { booking_ref: 'M7-1', departure_date: TO },
    ]);
    const change = await terminal.db('booking_changes').orderBy('at', 'desc').first();
    expect(change).toMatchObject({ by: 'operator olga', fields: { departure_date: [FROM, TO] } });
  });

  it('tourctl departure move writes no audit row if nothing can be moved', async () => {
    await seatsOn(TO, 9);
    const before = await lastAudit();
    expect(await move()).toMatchObject({ moved: [], holds_moved: 0 });
    expect(await lastAudit()).toEqual(before);
  });

  it('tourctl departure move refuses a departure that is cancelled or past, and one that does not exist', async () => {
    await book('M8-1');
    await givenDeparture(terminal.db, tour, { date: TO, status: 'cancelled' });
    await givenDeparture(terminal.db, tour, { date: '2020-01-01' });
    const refusal = (to: string) => terminal.refusal(`departure move ${tour.slug} ${FROM} ${to}`);
    expect(await refusal(TO)).toBe('1 departure_cancelled');
    expect(await refusal('2020-01-01')).toBe('1 departure_gone');
    expect(await refusal('2031-07-01')).toBe('1 departure_not_found');
    expect((await terminal.tourctl(`departure move ${tour.slug} ${FROM} ${TO}`)).stderr).toBe(
      `error: ${tour.slug} on ${TO} is cancelled: reopen it, or name another departure\n`,
    );
    expect((await terminal.tourctl(`departure move ${tour.slug} ${FROM} 2020-01-01`)).stderr).toBe(
      `error: ${tour.slug} on 2020-01-01 is past: name another departure\n`,
    );
    expect(await datesOf()).toMatchObject({ 'M8-1': FROM });
  });

  it('tourctl departure move says that a departure is past or closed, also if it is cancelled', async () => {
    const refused = (to: string) => terminal.tourctl(`departure move ${tour.slug} ${FROM} ${to}`);
    const cancelled = { status: 'cancelled' } as const;
    await givenDeparture(terminal.db, tour, { date: '2020-01-01', ...cancelled });
    await givenDeparture(terminal.db, tour, { date: TO, ...cancelled, closesAt: '2020-01-01T00:00:00Z' });
    expect((await refused('2020-01-01')).stderr).toContain('is past: name another departure');
    expect((await refused(TO)).stderr).toContain('is closed for booking: name another departure');
  });

  it('tourctl departure move exits with 2 if both departures are the same, or if a date has several departures', async () => {
    const refusal = (dates: string) => terminal.tourctl(`departure move ${tour.slug} ${dates} --json`);
    expect(await refusal(`${FROM} ${FROM}`)).toMatchObject({ code: 2 });
    await terminal.json(`departure cancel ${tour.slug} ${FROM} --yes`);
    expect(await refusal(`${FROM} ${FROM}`)).toMatchObject({ code: 2 });
    await seatsOn(TO, 9, '09:30');
    await seatsOn(TO, 9, '14:30');
    const several = await refusal(`${FROM} ${TO}`);
    expect(several).toMatchObject({ code: 2 });
    expect(several.error.message).toContain(`${TO}T09:30, ${TO}T14:30`);
  });

  it('two moves to one departure never give it more bookings than seats', async () => {
    await seatsOn(TO, 5);
    await seatsOn('2031-06-15', 20);
    for (const n of [1, 2, 3, 4]) await book(`M9-${n}`, { adults: 1 });
    for (const n of [5, 6, 7, 8]) await book(`M9-${n}`, { adults: 1 }, '2031-06-15');
    const moveFrom = (date: string) =>
      inTransaction(terminal.db, (trx) =>
        changeDepartures(trx, moveDeparture(trx, tour, { from: { date }, to: { date: TO }, by: 'olga' })),
      );
    const results = await Promise.all([moveFrom(FROM), moveFrom('2031-06-15')]);
    expect(results.flatMap(({ moved }) => moved)).toHaveLength(5);
    expect(results.flatMap(({ left }) => left)).toHaveLength(3);
  });
});

describe('tourctl departure cancel --cancel-bookings', () => {
  const cancel = (more = '') =>
    terminal.json(`departure cancel ${tour.slug} ${FROM} --cancel-bookings${more} --yes`);

  it('tourctl departure cancel --cancel-bookings cancels the bookings of the departure with the reason, and sends booking.cancelled for each', async () => {
    await add(terminal.db, acme.id, 'https://acme.example/', ['booking.cancelled', 'departure.cancelled']);
    await book('C1-1', { status: 'confirmed' });
    await book('C1-2');
    expect(await cancel(' --reason Storm')).toMatchObject({
      status: 'cancelled',
      seats_taken: 0,
      booking_refs: ['C1-1', 'C1-2'],
      bookings_cancelled: 2,
      bookings: [
        { booking_ref: 'C1-1', status: 'cancelled', status_before: 'confirmed' },
        { booking_ref: 'C1-2', status: 'cancelled', status_before: 'pending_payment' },
      ],
    });
    expect((await lastAudit()).after).toMatchObject({
      bookings_cancelled: ['C1-1', 'C1-2'],
      reason: 'Storm',
    });
    expect(await terminal.json('booking show C1-1 --reveal')).toMatchObject({
      status: 'cancelled',
      cancel_reason: 'Storm',
    });
    const types = await terminal
      .db('webhook_events')
      .where({ tenant_id: acme.id })
      .orderBy('id')
      .pluck('type');
    expect(types).toEqual(['departure.cancelled', 'booking.cancelled', 'booking.cancelled']);
  });

  it('tourctl departure cancel --cancel-bookings cancels the bookings of a departure that is cancelled already', async () => {
    await book('C2-1');
    await terminal.json(`departure cancel ${tour.slug} ${FROM} --yes`);
    expect(await terminal.json('booking show C2-1')).toMatchObject({ status: 'pending_payment' });
    expect(await cancel()).toMatchObject({ bookings_cancelled: 1 });
    expect(await terminal.json('booking show C2-1')).toMatchObject({ status: 'cancelled' });
  });

  it('tourctl departure cancel --cancel-bookings also cancels sandbox bookings, and lists each booking that it cancels', async () => {
    const sandbox = await givenTenant(terminal.db, { sandbox: true });
    await book('C3-1');
    await book('C3-TEST-1', { sandbox: true, tenant_id: sandbox.id });
    expect(await cancel()).toMatchObject({
      booking_refs: ['C3-1', 'C3-TEST-1'],
      bookings: [{ booking_ref: 'C3-1' }, { booking_ref: 'C3-TEST-1', status: 'cancelled' }],
      bookings_cancelled: 2,
    });
    expect((await lastAudit()).after).toMatchObject({ bookings_cancelled: ['C3-1', 'C3-TEST-1'] });
  });

  it('tourctl departure cancel without --cancel-bookings does not list sandbox bookings', async () => {
    const sandbox = await givenTenant(terminal.db, { sandbox: true });
    await book('C4-1');
    await book('C4-TEST-1', { sandbox: true, tenant_id: sandbox.id });
    expect(await terminal.json(`departure cancel ${tour.slug} ${FROM} --yes`)).toMatchObject({
      booking_refs: ['C4-1'],
      bookings_cancelled: 0,
    });
  });

  it('tourctl departure cancel --cancel-bookings asks first, and refuses --reason without it', async () => {
    expect(await terminal.tourctl(`departure cancel ${tour.slug} ${FROM} --cancel-bookings`)).toMatchObject({
      code: 2,
    });
    expect(await terminal.tourctl(`departure cancel ${tour.slug} ${FROM} --reason x --yes`)).toMatchObject({
      code: 2,
    });
  });
});
