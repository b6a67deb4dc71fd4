import { useTestDatabase } from '../support/database';
import { givenTenant } from '../support/given';
import { departureEntry, importFiles, importTours, tourEntry } from './catalog-files';
import { departureOf, insertHold, insertLead, tourOf } from './catalog-rows';

const database = useTestDatabase();
const findDeparture = (slug: string, date = '2031-06-01') => departureOf(database.db, slug, date);

describe('an import of departures with holds and bookings', () => {
  let tenantId: string;
  beforeAll(async () => {
    tenantId = (await givenTenant(database.db, { slug: 'booker' })).id;
  });

  const entry = (slug: string, ...departures: unknown[]) => tourEntry({ slug, departures });

  it('an import refuses fewer seats than are taken, and names the departure', async () => {
    const sold = departureEntry({ departure_date: '2031-09-01' });
    await importTours(database.db, entry('sold', departureEntry(), sold));
    const departure = await findDeparture('sold', '2031-09-01');
    await insertHold(database.db, tenantId, departure.id, 3);
    await insertLead(database.db, tenantId, departure, 'BOOKER-1', { adults: 4 });
    const fewer = {
      'tours.json': [entry('sold', { ...departureEntry(), seats_total: 1 }, { ...sold, seats_total: 6 })],
    };
    const report = await importFiles(database.db, fewer);
    expect(report.errors).toEqual([
      {
        file: 'tours.json',
        index: 0,
        field: 'departures[1].seats_total',
        message: 'must be at least 7: this many seats of sold on 2031-09-01 are held or booked',
      },
    ]);
    const enough = await importTours(database.db, entry('sold', { ...sold, seats_total: 7 }));
    expect(enough.departures.updated).toBe(1);
  });

  it('an import ignores holds and bookings of sandbox tenants', async () => {
    const { db } = database;
    const { id } = await givenTenant(db, { slug: 'tester', sandbox: true });
    const files = (changes: Record<string, unknown>, currency = 'EUR') => ({
      'tours.json': [{ ...entry('tried', departureEntry(changes)), currency }],
    });
    await importFiles(db, files({}));
    const departure = await findDeparture('tried');
    await insertHold(db, id, departure.id, 3, { sandbox: true });
    await insertLead(db, id, departure, 'TESTER-TEST-1', { adults: 4, sandbox: true });

    expect((await importFiles(db, files({ seats_total: 2 }))).errors).toEqual([]);
    expect((await importFiles(db, files({ seats_total: 2 }, 'USD'))).errors).toEqual([]);
    const cancelled = await importFiles(db, files({ seats_total: 2, status: 'cancelled' }, 'USD'));
    expect(JSON.stringify(cancelled)).not.toContain('TESTER-TEST-1');
    expect(await findDeparture('tried')).toMatchObject({
      seatsTotal: 2,
      status: 'cancelled',
    });
  });

  it('an import reports conflicts with holds and bookings beside other issues', async () => {
    const both = [departureEntry(), departureEntry({ departure_date: '2031-09-01' })];
    await importTours(database.db, entry('faulty-and-sold', ...both));
    const departure = await findDeparture('faulty-and-sold');
    await insertHold(database.db, tenantId, departure.id, 3);
    const { errors } = await importTours(database.db, {
      ...entry('faulty-and-sold', departureEntry({ seats_total: 2, closes_at: 'noon' })),
      name: 7,
      currency: 'USD',
    });
    expect(errors.map(({ field }) => field)).toEqual([
      'name',
      'departures[0].closes_at',
      'currency',
      'departures[0].seats_total',
    ]);
  });

  it('an import marks the overdue holds and bookings of a departure as expired when it lowers the seats', async () => {
    const others = departureEntry({ departure_date: '2031-09-01' });
    await importTours(database.db, entry('lapsed', departureEntry(), others));
    const departure = await findDeparture('lapsed');
    const other = await findDeparture('lapsed', '2031-09-01');
    const over = { expires_at: database.db.raw("now() - interval '1 minute'") };
    const endedId = await insertHold(database.db, tenantId, departure.id, 8, over);
    const liveId = await insertHold(database.db, tenantId, departure.id, 1);
    const untouchedId = await insertHold(database.db, tenantId, other.id, 8, over);
    const leadId = await insertLead(database.db, tenantId, departure, 'BOOKER-L', {
      payment_due_at: database.db.raw("now() - interval '1 minute'"),
    });
    await importTours(database.db, entry('lapsed', departureEntry({ seats_total: 2 }), others));
    const holds = await database
      .db('seat_holds')
      .select('id', 'status')
      .whereIn('departure_id', [departure.id, other.id]);
    expect(Object.fromEntries(holds.map(({ id, status }) => [id, status]))).toEqual({
      [endedId]: 'expired',
      [liveId]: 'active',
      [untouchedId]: 'active',
    });
    expect(await database.db('booking_leads').where({ id: leadId }).first('status')).toEqual({
      status: 'expired',
    });
  });

  it('an import reports the bookings of a departure that it cancels', async () => {
    await importTours(database.db, entry('stormy', departureEntry()));
    await insertLead(database.db, tenantId, await findDeparture('stormy'), 'BOOKER-2');
    const report = await importTours(database.db, entry('stormy', departureEntry({ status: 'cancelled' })));
    expect(report.bookings_to_tell).toEqual([
      { tour: 'stormy', departure_date: '2031-06-01', start_time: null, booking_refs: ['BOOKER-2'] },
    ]);
  });

  it('an import refuses another currency while a hold is live or a departure has no new price', async () => {
    await importTours(
      database.db,
      entry('dear', departureEntry(), departureEntry({ departure_date: '2031-07-01' })),
    );
    const inYen = (...departures: unknown[]) => ({
      'tours.json': [tourEntry({ slug: 'dear', currency: 'JPY', base_price: 150000, departures })],
    });
    const unpriced = await importFiles(database.db, inYen(departureEntry()));
    expect(unpriced.errors).toMatchObject([
      { field: 'currency', message: expect.stringContaining('2031-07-01') },
    ]);
    const all = inYen(
      departureEntry(),
      departureEntry({ departure_date: '2031-07-01', prices: { adult: 990 } }),
    );
    const departure = await findDeparture('dear');
    const holdId = await insertHold(database.db, tenantId, departure.id, 1);
    const held = await importFiles(database.db, all);
    expect(held.errors).toMatchObject([
      { field: 'currency', message: expect.stringContaining('must stay EUR') },
    ]);
    await database.db('seat_holds').where({ id: holdId }).update({ status: 'released' });
    expect((await importFiles(database.db, all)).errors).toEqual([]);
    expect(await tourOf(database.db, 'dear')).toMatchObject({
      currency: 'JPY',
      currencyDigits: 0,
      basePriceMinor: 150000,
    });
    expect((await findDeparture('dear')).pricesMinor).toEqual({ adult: 1290 });
  });
});
