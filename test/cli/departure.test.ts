import { writeFiles } from '../catalog/catalog-files';
import { departureOf, insertHold, insertLead, tourOf } from '../catalog/catalog-rows';
import { givenDeparture, givenTour, givenTenant } from '../support/given';
import { expectPages, useTestTerminal } from './terminal';

const DATE = '2031-06-01';
const terminal = useTestTerminal();
beforeAll(async () => {
  const alps = await givenTour(terminal.db, { slug: 'alps' });
  await givenDeparture(terminal.db, alps, { date: DATE, seats: 10 });
  await givenDeparture(terminal.db, alps, { date: '2020-01-01' });
  const tenantId = (await givenTenant(terminal.db, { slug: 'acme' })).id;
  const departure = await departureOf(terminal.db, 'alps', DATE);
  await insertHold(terminal.db, tenantId, departure.id, 2);
  await insertHold(terminal.db, tenantId, departure.id, 5, {
    expires_at: terminal.db.raw("now() - interval '1 second'"),
  });
  await insertLead(terminal.db, tenantId, departure, 'ACME-1', { adults: 3 });
  await insertLead(terminal.db, tenantId, departure, 'ACME-2', { status: 'cancelled' });
});

const departure = (line: string) => terminal.tourctl(`departure ${line} --json`);
const lastAudit = async () => (await terminal.json('audit list --limit 1')).items[0];

describe('tourctl departure', () => {
  it('tourctl departure list shows departures from today on, or from a given date', async () => {
    expect((await departure('list alps')).json.items).toEqual([
      {
        id: expect.any(String),
        tour: 'alps',
        departure_date: DATE,
        start_time: null,
        return_date: null,
        status: 'available',
        seats_total: 10,
        seats_held: 2,
        seats_unpaid: 3,
        seats_confirmed: 0,
        seats_taken: 5,
        seats_available: 5,
        uses: [],
        blocked_by: [],
        currency: 'EUR',
        prices: { adult: 500 },
        closes_at: '2031-06-02T00:00:00.000Z',
        closes_before: null,
      },
    ]);
    const all = (await departure('list alps --from 2019-01-01')).json.items;
    expect(all.map((item: { status: string }) => item.status)).toEqual(['gone', 'available']);
    expect((await terminal.tourctl('departure list alps')).stdout).toMatch(
      /2031-06-01 +- +available +10 +2 +3 +0 +5/,
    );
  });

  it('tourctl departure list says when it does not show all departures, and --after lists the next ones', async () => {
    const tour = await givenTour(terminal.db, { slug: 'often' });
    for (const date of ['2031-01-01', '2031-02-01', '2031-03-01'])
      await givenDeparture(terminal.db, tour, { date });
    await expectPages(terminal, 'departure list often');
  });

  it('tourctl departure set-seats sets the seats, but never below the number of taken seats', async () => {
    const { revision } = await tourOf(terminal.db, 'alps');
    expect((await departure(`set-seats alps ${DATE} 5`)).json).toMatchObject({
      seats_total: 5,
      status: 'sold_out',
    });
    // The command also marks the expired hold of the departure, whose seats are free.
    expect((await tourOf(terminal.db, 'alps')).revision).toBe(revision + 2);
    expect(await lastAudit()).toMatchObject({
      action: 'departure.set-seats',
      subject: `alps ${DATE}`,
      before: { seats_total: 10 },
      after: { seats_total: 5 },
    });
    expect(await terminal.refusal(`departure set-seats alps ${DATE} 4`)).toBe('1 seats_taken');
    expect((await departureOf(terminal.db, 'alps', DATE)).seatsTotal).toBe(5);
  });

  it('tourctl departure set-price sets the prices that are given, and keeps the others', async () => {
    const { revision } = await tourOf(terminal.db, 'alps');
    const priced = await terminal.tourctl(`departure set-price alps ${DATE} --child 311.5`);
    expect(priced.stdout).toBe(`alps on ${DATE} costs adult 500.00 EUR, child 311.50 EUR\n`);
    expect(await lastAudit()).toMatchObject({
      action: 'departure.set-price',
      subject: `alps ${DATE}`,
      before: { prices: { adult: 500 } },
      after: { prices: { adult: 500, child: 311.5 } },
    });
    expect((await tourOf(terminal.db, 'alps')).revision).toBe(revision + 1);
    expect((await departure(`set-price alps ${DATE} --adult 520`)).json.prices).toEqual({
      adult: 520,
      child: 311.5,
    });
  });

  it('tourctl departure cancel lists the bookings to notify and keeps them, and reopen undoes the cancellation', async () => {
    const { revision } = await tourOf(terminal.db, 'alps');
    const cancelled = await departure(`cancel alps ${DATE} --yes`);
    expect(cancelled.code).toBe(0);
    expect(cancelled.json).toMatchObject({
      status: 'cancelled',
      seats_available: 0,
      booking_refs: ['ACME-1'],
      live_holds: 1,
      bookings: [
        {
          booking_ref: 'ACME-1',
          tenant: 'acme',
          status: 'pending_payment',
          adults: 3,
          customer: { name: 'A…', phone: '+49…78', email: 'a…@e….com' },
        },
      ],
    });
    const again = await departure(`cancel alps ${DATE} --yes`);
    expect(again.json.booking_refs).toEqual(['ACME-1']);
    expect((await tourOf(terminal.db, 'alps')).revision).toBe(revision + 1);
    const leads = await terminal.db('booking_leads').where({ booking_ref: 'ACME-1' });
    expect(leads).toMatchObject([{ status: 'pending_payment' }]);
    expect((await departure(`reopen alps ${DATE}`)).json.status).toBe('sold_out');
    expect((await tourOf(terminal.db, 'alps')).revision).toBe(revision + 2);
    expect(await lastAudit()).toMatchObject({
      action: 'departure.reopen',
      before: { cancelled: true },
      after: { cancelled: false },
    });
  });

  it('tourctl departure cancel names the customers to notify only with --reveal, which leaves an audit row', async () => {
    const plain = await terminal.tourctl(`departure cancel alps ${DATE} --yes`);
    expect(plain.stdout).toMatch(/ACME-1 +acme +pending_payment +3/);
    expect(plain.stdout).not.toMatch(/Ana|12345678|ana@/);
    const revealed = await terminal.tourctl(`departure cancel alps ${DATE} --reveal --yes`);
    expect(revealed.stdout).toContain('Ana, +4912345678, ana@example.com');
    expect(await lastAudit()).toMatchObject({ action: 'departure.reveal', after: { bookings: 1 } });
    await departure(`reopen alps ${DATE}`);
  });

  it('tourctl departure add accepts every option, leaves an audit row, and increments the tour revision', async () => {
    const { revision } = await tourOf(terminal.db, 'alps');
    const flags = '--seats 12 --adult 480 --child 336.5 --single-supplement 0 --return-date 2031-07-06';
    const { code, json, stderr } = await departure(
      `add alps 2031-07-01 ${flags} --closes-at 2031-06-30T12:00:00+02:00`,
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(json).toEqual({
      created: 1,
      existing: 0,
      departures: [
        {
          id: (await departureOf(terminal.db, 'alps', '2031-07-01')).id,
          tour: 'alps',
          departure_date: '2031-07-01',
          start_time: null,
          return_date: '2031-07-06',
          status: 'available',
          seats_total: 12,
          seats_taken: 0,
          seats_available: 12,
          currency: 'EUR',
          prices: { adult: 480, child: 336.5, single_supplement: 0 },
          closes_at: '2031-06-30T10:00:00.000Z',
          closes_before: null,
        },
      ],
    });
    expect((await tourOf(terminal.db, 'alps')).revision).toBe(revision + 1);
    expect(await lastAudit()).toMatchObject({
      action: 'departure.add',
      subject: 'alps 2031-07-01',
      before: null,
      after: { seats_total: 12, prices: { adult: 480, child: 336.5, single_supplement: 0 } },
    });
  });

  it('tourctl departure add says what it added, and warns of a date or closing time in the past', async () => {
    const plain = await terminal.tourctl('departure add alps 2031-07-08 --seats 1 --adult 480');
    expect([plain.stdout, plain.stderr]).toEqual([
      'alps on 2031-07-08 is added: 1 seat, adult 480.00 EUR\n',
      '',
    ]);
    const past = await terminal.tourctl('departure add alps 2020-07-01 --seats 1 --adult 480');
    expect(past.code).toBe(0);
    expect(past.stderr).toBe('warning: 2020-07-01 is in the past: the departure cannot be booked\n');
    const closed = await terminal.tourctl(
      'departure add alps 2031-07-09 --seats 1 --adult 480 --closes-at 2020-01-01',
    );
    expect(closed.stderr).toBe('warning: The departure is closed already: it cannot be booked\n');
  });

  it('tourctl departure add adds one departure if two commands add the same date at once', async () => {
    const line = 'add alps 2031-08-01 --seats 1 --adult 480';
    const both = await Promise.all([departure(line), departure(line)]);
    expect(both.map(({ json }) => [json.created, json.existing]).sort()).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });

  it('importing an export after tourctl departure add changes nothing', async () => {
    await departure('add alps 2031-09-01 --seats 4 --adult 480');
    const exported = await terminal.tourctl('catalog export');
    const [file] = writeFiles({ 'tours.json': JSON.parse(exported.stdout) });
    const { json } = await terminal.tourctl(['catalog', 'import', file!, '--json']);
    expect(json.departures).toMatchObject({ created: 0, updated: 0 });
  });

  it.each([
    ['add alps 2031-06-02 --adult 480', 2, 'usage_error'],
    ['add alps 2031-06-02 --seats 0 --adult 480', 2, 'usage_error'],
    ['add alps 2031-06-02 --seats 1', 2, 'usage_error'],
    ['add alps 2031-06-31 --seats 1 --adult 480', 2, 'usage_error'],
    ['add alps 2031-06-02 --seats 1 --adult 480 --return-date 2031-06-01', 2, 'usage_error'],
    ['add alps 2031-06-02 --seats 1 --adult 480 --closes-at 24h', 2, 'usage_error'],
    ['add alps 2031-06-02 --seats 1 --adult 480.005', 1, 'invalid_amount'],
    ['add nowhere 2031-06-02 --seats 1 --adult 480', 1, 'tour_not_found'],
    [`cancel alps ${DATE}`, 2, 'usage_error'],
    [`cancel alps 2031-06-31 --yes`, 2, 'usage_error'],
    [`set-seats alps ${DATE} 0`, 2, 'usage_error'],
    [`set-seats alps ${DATE} 100001`, 2, 'usage_error'],
    [`set-price alps ${DATE}`, 2, 'usage_error'],
    [`set-price alps ${DATE} --adult -1`, 2, 'usage_error'],
    [`set-price alps ${DATE} --adult 1.005`, 1, 'invalid_amount'],
    ['set-price alps 2031-06-02 --adult 1', 1, 'departure_not_found'],
    ['list alps --from 2031-01-02 --to 2031-01-01', 2, 'usage_error'],
    ['cancel alps 2031-06-02 --yes', 1, 'departure_not_found'],
    ['reopen nowhere 2031-06-02', 1, 'tour_not_found'],
  ])('tourctl departure answers "%s" with exit %d', async (line, exit, reason) => {
    expect(await terminal.refusal(`departure ${line}`)).toBe(`${exit} ${reason}`);
  });
});
