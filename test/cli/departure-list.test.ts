import { departureOf, insertHold, insertLead } from '../catalog/catalog-rows';
import { givenDeparture, givenTenant, givenTour } from '../support/given';
import { expectPages, useTestTerminal } from './terminal';

const terminal = useTestTerminal();
beforeAll(async () => {
  const { db } = terminal;
  const tenantId = (await givenTenant(db, { slug: 'acme' })).id;
  const sandboxId = (await givenTenant(db, { slug: 'trial', sandbox: true })).id;
  const tram = await givenTour(db, { slug: 'tram' });
  await db('tours').where({ id: tram.id }).update({ start_time: '11:00' });
  const hike = await givenTour(db, { slug: 'hike' });
  const walk = await givenTour(db, { slug: 'walk' });
  await givenDeparture(db, tram, { date: '2031-06-01', seats: 10 });
  await givenDeparture(db, hike, { date: '2031-06-01', seats: 4 });
  await givenDeparture(db, hike, { date: '2031-05-31', seats: 3 });
  await givenDeparture(db, walk, { date: '2031-06-01', startTime: '09:30', seats: 5 });
  await givenDeparture(db, walk, { date: '2020-01-01', seats: 5 });
  const departure = await departureOf(db, 'tram', '2031-06-01');
  await insertHold(db, tenantId, departure.id, 2);
  await insertHold(db, tenantId, departure.id, 1, {
    expires_at: db.raw("now() - interval '1 second'"),
  });
  await insertLead(db, tenantId, departure, 'ACME-1', { adults: 3 });
  await insertLead(db, tenantId, departure, 'ACME-2', {
    adults: 1,
    payment_due_at: db.raw("now() - interval '1 second'"),
  });
  await insertLead(db, tenantId, departure, 'ACME-3', { adults: 1, status: 'confirmed' });
  await insertLead(db, tenantId, departure, 'ACME-4', { adults: 1, status: 'cancelled' });
  await insertLead(db, sandboxId, departure, 'TRIAL-TEST-1', { adults: 4, sandbox: true });
  const full = await departureOf(db, 'hike', '2031-05-31');
  await insertLead(db, tenantId, full, 'ACME-5', { adults: 3, status: 'confirmed' });
});

/** Returns the departures that the line lists, each as tour, date and time. */
async function listed(line: string): Promise<string[]> {
  const { items } = await terminal.json(`departure list ${line}`);
  return items.map((item: Record<string, string | null>) =>
    [item.tour, item.departure_date, item.start_time ?? '-'].join(' '),
  );
}

describe('tourctl departure list', () => {
  it('tourctl departure list sorts the departures of all tours by date and time, even by an inherited time', async () => {
    expect(await listed('')).toEqual([
      'hike 2031-05-31 -',
      'hike 2031-06-01 -',
      'walk 2031-06-01 09:30',
      'tram 2031-06-01 11:00',
    ]);
    expect(await listed('--from 2020-01-01 --to 2031-05-31')).toEqual([
      'walk 2020-01-01 -',
      'hike 2031-05-31 -',
    ]);
    expect(await listed('hike')).toEqual(['hike 2031-05-31 -', 'hike 2031-06-01 -']);
  });

  it('tourctl departure list counts held, unpaid and confirmed seats, without expired and sandbox seats', async () => {
    const { items } = await terminal.json('departure list tram');
    expect(items).toEqual([
      {
        id: expect.any(String),
        tour: 'tram',
        departure_date: '2031-06-01',
        start_time: '11:00',
        return_date: null,
        status: 'available',
        seats_total: 10,
        seats_held: 2,
        seats_unpaid: 3,
        seats_confirmed: 1,
        seats_taken: 6,
        seats_available: 4,
        currency: 'EUR',
        prices: { adult: 500 },
        closes_at: '2031-06-01T11:00:00.000Z',
        closes_before: null,
        uses: [],
        blocked_by: [],
      },
    ]);
  });

  it('tourctl departure list filters by status', async () => {
    await terminal.tourctl('departure cancel walk 2031-06-01 --yes');
    expect(await listed('--status cancelled')).toEqual(['walk 2031-06-01 09:30']);
    await terminal.tourctl('departure reopen walk 2031-06-01');
    expect(await listed('--status sold_out')).toEqual(['hike 2031-05-31 -']);
    expect(await listed('--status available --to 2031-06-01')).toHaveLength(3);
    expect(await listed('--status gone')).toEqual(['walk 2020-01-01 -']);
    expect(await listed('walk --status closed')).toEqual([]);
  });

  it('tourctl departure list --after continues the list of all tours', async () => {
    await expectPages(terminal, 'departure list');
    await expectPages(terminal, 'departure list --from 2020-01-01');
  });

  it('tourctl departure list --after keeps its place when departures are added, and refuses an unknown departure', async () => {
    const [first] = (await terminal.json('departure list --limit 1')).items;
    const early = await givenTour(terminal.db, { slug: 'early' });
    await givenDeparture(terminal.db, early, { date: '2031-01-01' });
    const { items } = await terminal.json(`departure list --after ${first.id} --limit 1`);
    expect(items).toMatchObject([{ tour: 'hike', departure_date: '2031-06-01' }]);
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect(await terminal.refusal(`departure list --after ${unknown}`)).toBe('2 usage_error');
    expect(await terminal.refusal('departure list --from 2031-02-01 --to 2031-01-01')).toBe('2 usage_error');
  });
});
