import { HoldExpiredError } from '../../services/api/holds/hold.errors';
import { startTestApi, type TestApi } from '../support/api';
import { endHoldIn, givenSeats, givenWebsite, type Seats, type Website } from '../support/website';
import { openTestTerminal, type TestTerminal } from './terminal';

let api: TestApi;
let terminal: TestTerminal;
let site: Website;
let seats: Seats;
beforeAll(async () => {
  api = await startTestApi();
  terminal = await openTestTerminal({ DATABASE_URL: api.database.url });
  site = await givenWebsite(api);
  seats = await givenSeats(api.context.db, { seats: 2 });
});
afterAll(async () => {
  await terminal.drop();
  await api.stop();
});

const list = async (flags: string) => {
  await api.context.refusals.write(api.context.db);
  return (await terminal.tourctl(`booking refusals --tenant ${site.tenant.slug} ${flags} --json`)).json.items;
};
const order = () => ({ tour_id: seats.tour.slug, departure_date: seats.date });

describe('tourctl booking refusals', () => {
  it("says why a booking was refused, found by the website's reference or by the reason", async () => {
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
        quantity: 3,
        seats_available: 2,
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

  it('knows keys that were used for another request', async () => {
    const key = { 'Idempotency-Key': 'k-1' };
    await site.hold(seats.tour, { departure_date: seats.date, quantity: 1 }, key);
    await site.hold(seats.tour, { departure_date: seats.date, quantity: 2 }, key);
    expect(await list('--code idempotency_key_reused')).toMatchObject([{ operation: 'hold.place' }]);
  });

  it('is shown with the expired hold, and with the booking that could not be confirmed', async () => {
    const held = await site.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    await endHoldIn(api.context.db, held.body.hold_id, -1);
    await site.book({ ...order(), hold_id: held.body.hold_id });
    await api.context.refusals.write(api.context.db);
    const hold = (await terminal.tourctl(`hold show ${held.body.hold_id} --json`)).json;
    expect(hold.refusals).toMatchObject([{ operation: 'booking.create', code: 'hold_expired' }]);

    const { body } = await site.book(order());
    for (const verb of ['cancel', 'confirm'])
      await site.post(`/api/tenant/bookings/${body.booking_ref}/${verb}`);
    await api.context.refusals.write(api.context.db);
    const booking = (await terminal.tourctl(`booking show ${body.booking_ref} --json`)).json;
    expect(booking.refusals).toMatchObject([
      { operation: 'booking.confirm', code: 'booking_state_conflict' },
    ]);
  });

  it('leaves out what was wrong with the request itself', async () => {
    const before = (await list('')).length;
    await site.hold(seats.tour, { departure_date: seats.date, quantity: 0 });
    await site.book({ ...order(), hold_id: undefined, email: 'nothing' });
    expect(await list('')).toHaveLength(before);
  });

  it('says when there is more, and goes on behind a refusal', async () => {
    for (let n = 0; n < 3; n++) await site.book({ ...order(), adults: 3 });
    const items = await list('');
    const refusals = `booking refusals --tenant ${site.tenant.slug}`;
    const few = await terminal.tourctl(`${refusals} --limit 2`);
    expect(few.stderr).toContain(`2 shown, and there are more: --after ${items[1].id} goes on`);
    expect(await list(`--after ${items[1].id}`)).toEqual(items.slice(2));
    const machine = await terminal.tourctl(`${refusals} --limit 2 --json`);
    expect([machine.json, machine.stderr]).toEqual([{ items: items.slice(0, 2) }, '']);
    expect((await terminal.tourctl(`${refusals} --limit ${items.length}`)).stderr).toBe('');
  });

  it('counts all of a flood, and lists the first five hundred in full', async () => {
    const before = await api.context.db('sale_refusal_counts').sum('count as n').first();
    const told = (await list('--limit 1000')).length;
    const asked = { tenantId: site.tenant.id, operation: 'hold.extend' as const, requestId: 'flood' };
    for (let n = 0; n < 700; n++) api.context.refusals.record(asked, new HoldExpiredError());
    expect(await list('--limit 1000')).toHaveLength(told + 500);
    const after = await api.context.db('sale_refusal_counts').sum('count as n').first();
    expect(after!.n - before!.n).toBe(700);
  });

  it('loses nothing to a database that was away', async () => {
    const asked = {
      tenantId: site.tenant.id,
      operation: 'hold.extend' as const,
      requestId: 'kept-for-later',
    };
    api.context.refusals.record(asked, new HoldExpiredError());
    const away = { transaction: () => Promise.reject(new Error('away')) };
    await expect(api.context.refusals.write(away as never)).rejects.toThrow('away');
    expect((await list('--limit 1'))[0]).toMatchObject({ request_id: 'kept-for-later' });
  });
});
