import { parse } from 'csv-parse/sync';
import { departureOf, type DepartureRow, insertLead } from '../catalog/catalog-rows';
import { givenDeparture, givenTenant, givenTour } from '../support/given';
import { useTestTerminal } from './terminal';

const DATE = '2031-06-01';
const TRAVELLERS = [
  { category: 'adult', first_name: 'Rui', last_name: 'Costa', birth_date: null, note: 'vegetarian' },
  { category: 'child', first_name: 'Eva', last_name: 'Costa', birth_date: '2024-02-03', note: null },
];
const terminal = useTestTerminal();
let departure: DepartureRow;
beforeAll(async () => {
  const { db } = terminal;
  const tenantId = (await givenTenant(db, { slug: 'acme' })).id;
  const sandboxId = (await givenTenant(db, { slug: 'trial', sandbox: true })).id;
  const tour = await givenTour(db, { slug: 'tram' });
  await givenDeparture(db, tour, { date: DATE, startTime: '09:30', seats: 20 });
  departure = await departureOf(db, 'tram', DATE);
  await insertLead(db, tenantId, departure, 'ACME-1', {
    status: 'confirmed',
    party: { adult: 1, child: 1 },
    seats: 2,
    prices_minor: { adult: 258_000, child: 0 },
    customer_name: 'Rui Costa',
    travellers: JSON.stringify(TRAVELLERS),
    notes: 'Rui comes late, "maybe",\nby train',
    external_ref: 'rui-costa-7',
  });
  await insertLead(db, tenantId, departure, 'ACME-2', {
    adults: 2,
    customer_name: '=HYPERLINK("http://evil.example")',
    external_ref: 'order-2',
  });
  await insertLead(db, tenantId, departure, 'ACME-3', { status: 'cancelled' });
  await insertLead(db, tenantId, departure, 'ACME-4', {
    payment_due_at: db.raw("now() - interval '1 second'"),
  });
  await insertLead(db, sandboxId, departure, 'TRIAL-TEST-1', { sandbox: true });
  await givenDeparture(db, tour, { date: '2031-06-02', startTime: '08:00' });
  await givenDeparture(db, tour, { date: '2031-06-02', startTime: '10:00' });
});

const manifest = (flags = '') => terminal.tourctl(`departure manifest tram ${DATE} ${flags}`);
const audits = () => terminal.db('audit_log').where({ action: 'departure.reveal' }).orderBy('id');

describe('tourctl departure manifest', () => {
  it('tourctl departure manifest lists the valid real bookings of the departure, masked, and leaves no audit row', async () => {
    const { json } = await manifest('--json');
    expect(json).toEqual({
      tour: 'tram',
      departure_date: DATE,
      start_time: '09:30',
      resources: [],
      people: 4,
      seats: 4,
      categories: [
        { category: 'adult', units: 3, people: 3, seats: 3 },
        { category: 'child', units: 1, people: 1, seats: 1 },
      ],
      bookings: [
        {
          booking_ref: 'ACME-1',
          tenant: 'acme',
          status: 'confirmed',
          adults: 1,
          children: 1,
          single_supplements: 0,
          party: { adult: 1, child: 1 },
          people: 2,
          seats: 2,
          name: 'R… C…',
          phone: '+49…78',
          travellers: [
            { category: 'adult', first_name: 'R…', last_name: 'C…', birth_date: null, note: '…' },
            { category: 'child', first_name: 'E…', last_name: 'C…', birth_date: '…', note: null },
          ],
          notes: '…',
          external_ref: '…',
          source: 'tenant_api',
          payment_method: 'bank',
          total_price: 2_580,
          currency: 'EUR',
          adjustment: null,
          answers: [],
          pickup: null,
        },
        expect.objectContaining({ booking_ref: 'ACME-2', travellers: null, external_ref: 'order-2' }),
      ],
    });
    for (const flags of ['', '--csv', '--json'])
      expect((await manifest(flags)).stdout).not.toMatch(/rui|costa|12345678|vegetarian|2024-02-03|late/i);
    expect(await audits()).toEqual([]);
  });

  it('tourctl departure manifest --reveal shows the customers, after an audit row that names none of them', async () => {
    const { json } = await manifest('--json --reveal');
    expect(json.bookings[0]).toMatchObject({
      name: 'Rui Costa',
      phone: '+4912345678',
      travellers: TRAVELLERS,
      external_ref: 'rui-costa-7',
    });
    expect(await audits()).toMatchObject([{ subject: `tram ${DATE} 09:30`, after: { bookings: 2 } }]);
  });

  it('tourctl departure manifest and booking show write the fields of a traveller in the order of the API', async () => {
    const fields = ['category', 'first_name', 'last_name', 'birth_date', 'note'];
    const [listed] = (await manifest('--json --reveal')).json.bookings;
    const shown = await terminal.json('booking show ACME-1 --reveal');
    for (const travellers of [listed.travellers, shown.travellers])
      expect(travellers.map(Object.keys)).toEqual([fields, fields]);
  });

  it('tourctl departure manifest prints a box to tick off each booking, in lines of at most 80 cells', async () => {
    const { stdout } = await manifest('--reveal');
    expect(stdout).toBe(`tram on ${DATE} 09:30
4 people, 2 bookings, 1 unpaid
3 adults, 1 child

[ ]  ACME-1, 1 adult, 1 child, confirmed, acme
     Rui Costa, +4912345678
     - Rui Costa (adult): vegetarian
     - Eva Costa (child, 2024-02-03)
     Notes: Rui comes late, "maybe", by train
     Reference: rui-costa-7

[ ]  ACME-2, 2 adults, UNPAID, acme
     =HYPERLINK("http://evil.example"), +4912345678
     Reference: order-2
`);
    await terminal
      .db('booking_leads')
      .where({ booking_ref: 'ACME-2' })
      .update({ notes: 'long '.repeat(60) });
    const lines = (await manifest('--reveal')).stdout.split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it('tourctl departure manifest writes one CSV row for each booking, and escapes spreadsheet formulas', async () => {
    const { stdout } = await manifest('--csv --reveal');
    const rows: Record<string, string>[] = parse(stdout, { columns: true, record_delimiter: '\r\n' });
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      tour: 'tram',
      departure_date: DATE,
      start_time: '09:30',
      booking_ref: 'ACME-1',
      children: '1',
      party: '{"adult":1,"child":1}',
      people: '2',
      seats: '2',
      phone: `'+4912345678`,
      travellers: 'Rui Costa (adult): vegetarian; Eva Costa (child, 2024-02-03)',
      notes: 'Rui comes late, "maybe",\nby train',
    });
    expect(rows[1]!.name).toBe(`'=HYPERLINK("http://evil.example")`);
  });

  it('tourctl departure manifest says that a departure has no bookings, and lists the times of a date with several', async () => {
    const { stdout } = await terminal.tourctl('departure manifest tram 2031-06-02T08:00');
    expect(stdout).toBe('tram on 2031-06-02 08:00\nNo bookings\n');
    const { code, stderr } = await terminal.tourctl('departure manifest tram 2031-06-02');
    expect([code, stderr]).toEqual([2, expect.stringContaining('2031-06-02T08:00, 2031-06-02T10:00')]);
  });

  it.each([`departure manifest tram ${DATE}`, 'report sales --from 2031-01-01 --to 2031-01-31'])(
    'tourctl %s refuses --csv together with --json in one sentence',
    async (line) => {
      const { code, error } = await terminal.tourctl(`${line} --csv --json`);
      expect([code, error]).toEqual([
        2,
        { code: 'usage_error', message: '--csv and --json cannot be given together' },
      ]);
    },
  );
});
