import { HoldExpiredError } from '../../services/api/holds/hold.errors';
import { useTestApi } from '../support/api';
import { givenDeparture } from '../support/given';
import { givenResource, givenTrip } from '../support/given-resources';
import { endHoldIn, givenSeats, type Seats, useWebsite } from '../support/website';
import { expectPages, useTerminalOf } from './terminal';
import { openDatabase } from '../../services/platform/database/database';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);
let seats: Seats;
beforeAll(async () => {
  seats = await givenSeats(api.db, { seats: 2 });
});

const list = async (flags: string) => {
  await api.context.refusals.write(api.context.db);
  return (await terminal.json(`booking refusals --tenant ${site.tenant.slug} ${flags}`)).items;
};
const order = () => ({ tour_id: seats.tour.slug, departure_date: seats.date });

describe('tourctl booking refusals', () => {
  it("tourctl booking refusals finds a refused booking by the website's reference or by the reason", async () => {
    const { body } = await site.book({ ...order(), adults: 3, external_ref: 'cart-81' });
    expect(await list('--external-ref cart-81')).toEqual([
      {
        id: expect.any(Number),
        at: expect.stringMatching(/Z$/),
        tenant: site.tenant.slug,
        operation: 'booking.create',
        code: 'insufficient_seats',
        tour: seats.tour.slug,
        departure_date: seats.date,
        departure_time: null,
        quantity: 3,
        seats_available: 2,
        reason: null,
        resource: null,
        external_ref: 'cart-81',
        hold_id: null,
        booking_ref: null,
        request_id: body.request_id,
      },
    ]);
    expect(await list('--code insufficient_seats')).toHaveLength(1);
    expect(await list('--code price_changed')).toEqual([]);
    expect(await list('--external-ref cart-82')).toEqual([]);
  });

  it('tourctl booking refusals names the resource that leaves too few seats, and the tenant sees the free seats only', async () => {
    const boat = await givenResource(api.db, { places: 4 });
    const uses = [{ resource: await givenResource(api.db) }, { resource: boat }];
    const trip = await givenTrip(api.db, uses, { seats: 12 });
    const { body } = await site.book({ tour_id: trip.tour.slug, departure_date: trip.date, adults: 5 });
    expect(body).toMatchObject({ code: 'insufficient_seats', seats_available: 4 });
    expect(JSON.stringify(body)).not.toContain(boat);
    expect((await list('--limit 1'))[0]).toMatchObject({
      code: 'insufficient_seats',
      reason: 'resource',
      resource: boat,
      request_id: body.request_id,
    });
    const { stdout } = await terminal.tourctl(`booking refusals --tenant ${site.tenant.slug}`);
    expect(stdout).toContain(`resource ${boat}`);
  });

  it('tourctl booking refusals names no resource when the departure itself has too few seats', async () => {
    const trip = await givenTrip(api.db, [{ resource: await givenResource(api.db, { places: 12 }) }], {
      seats: 2,
    });
    await site.book({ tour_id: trip.tour.slug, departure_date: trip.date, adults: 3 });
    expect((await list('--limit 1'))[0]).toMatchObject({ seats_available: 2, reason: null, resource: null });
  });

  it('tourctl booking refusals names the guide when a booking moves to another departure of its boat', async () => {
    const [boat, guide] = [await givenResource(api.db), await givenResource(api.db)];
    const timed = (resource: string) => ({ resource, minutes: 120 });
    const from = await givenTrip(api.db, [timed(boat)], { startTime: '10:00' });
    const to = { time: '11:00', uses: JSON.stringify([timed(boat), timed(guide)]) };
    await givenDeparture(api.db, from.tour, { date: from.date, startTime: to.time });
    await api
      .db('departures')
      .where({ tour_id: from.tour.id, start_time: to.time })
      .update({ uses: to.uses });
    const other = await givenTrip(api.db, [timed(guide)], { startTime: '10:00' });
    const placesOf = ({ tour, date }: typeof from) => ({ tour_id: tour.slug, departure_date: date });
    await site.book({ ...placesOf(other), adults: 1 });
    const { body } = await site.book({ ...placesOf(from), departure_time: '10:00', adults: 1 });
    const refused = await site.patch(`/api/tenant/bookings/${body.booking_ref}`, { departure_time: to.time });
    expect(refused.body).toMatchObject({ code: 'insufficient_seats' });
    expect((await list('--limit 1'))[0]).toMatchObject({ reason: 'resource', resource: guide });
  });

  it('tourctl booking refusals shows the reuse of an idempotency key for another request', async () => {
    const key = { 'Idempotency-Key': 'k-1' };
    await site.hold(seats.tour, { departure_date: seats.date, quantity: 1 }, key);
    await site.hold(seats.tour, { departure_date: seats.date, quantity: 2 }, key);
    expect(await list('--code idempotency_key_reused')).toMatchObject([{ operation: 'hold.place' }]);
  });

  it('tourctl hold show and booking show list the refusals of the hold or booking', async () => {
    const held = await site.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    await endHoldIn(api.db, held.body.hold_id, -1);
    await site.book({ ...order(), hold_id: held.body.hold_id });
    await api.context.refusals.write(api.context.db);
    const hold = await terminal.json(`hold show ${held.body.hold_id}`);
    expect(hold.refusals).toMatchObject([{ operation: 'booking.create', code: 'hold_expired' }]);

    const { body } = await site.book(order());
    for (const verb of ['cancel', 'confirm'])
      await site.post(`/api/tenant/bookings/${body.booking_ref}/${verb}`);
    await api.context.refusals.write(api.context.db);
    const booking = await terminal.json(`booking show ${body.booking_ref}`);
    expect(booking.refusals).toMatchObject([
      { operation: 'booking.confirm', code: 'booking_state_conflict' },
    ]);
  });

  it('tourctl booking refusals omits invalid requests', async () => {
    const before = (await list('')).length;
    await site.hold(seats.tour, { departure_date: seats.date, quantity: 0 });
    await site.book({ ...order(), hold_id: undefined, email: 'nothing' });
    expect(await list('')).toHaveLength(before);
  });

  it('tourctl booking refusals says when it does not show all refusals, and --after <id> lists the next ones', async () => {
    for (let n = 0; n < 3; n++) await site.book({ ...order(), adults: 3 });
    await list('');
    await expectPages(terminal, `booking refusals --tenant ${site.tenant.slug}`);
  });

  it('tourctl booking refusals counts all of 700 refusals that the API has not stored yet, and lists only the first 500', async () => {
    const before = await api.db('sale_refusal_counts').sum('count as n').first();
    const listed = (await list('--limit 1000')).length;
    const asked = { tenantId: site.tenant.id, operation: 'hold.extend' as const, requestId: 'flood' };
    for (let n = 0; n < 700; n++) api.context.refusals.record(asked, new HoldExpiredError());
    expect(await list('--limit 1000')).toHaveLength(listed + 500);
    const after = await api.db('sale_refusal_counts').sum('count as n').first();
    expect(after!.n - before!.n).toBe(700);
  });

  it('tourctl booking refusals loses no refusal while the database is unreachable', async () => {
    const asked = {
      tenantId: site.tenant.id,
      operation: 'hold.extend' as const,
      requestId: 'kept-for-later',
    };
    api.context.refusals.record(asked, new HoldExpiredError());
    const away = openDatabase('postgres://nobody@127.0.0.1:1/none', { applicationName: 'away', poolMax: 1 });
    await expect(api.context.refusals.write(away)).rejects.toThrow('ECONNREFUSED');
    await away.destroy();
    expect((await list('--limit 1'))[0]).toMatchObject({ request_id: 'kept-for-later' });
  });
});
