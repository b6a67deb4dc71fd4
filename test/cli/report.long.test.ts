import { parse } from 'csv-parse/sync';
import { useTestApi } from '../support/api';
import { givenDeparture, givenPriceRule, givenTour, type GivenTour } from '../support/given';
import { endPaymentWindow, givenWebsite, type Website } from '../support/website';
import { useTerminalOf } from './terminal';

const FAMILY = { adult: 50_000, child: 30_000, single_supplement: 10_050 };
const DATE = '2031-06-01';
const api = useTestApi();
const terminal = useTerminalOf(api);
let acme: Website;
/** Has a discount of a tenth. */
let bold: Website;
let alps: GivenTour;
let tokyo: GivenTour;

beforeAll(async () => {
  const { db } = api;
  acme = await givenWebsite(api, { slug: 'acme' });
  bold = await givenWebsite(api, { slug: 'bold' });
  await givenPriceRule(db, bold, { percent: -10 });
  alps = await givenTour(db, { slug: 'alps' });
  tokyo = await givenTour(db, { slug: 'tokyo', currency: 'JPY', basePriceMinor: 60_000 });
  await givenDeparture(db, alps, { date: DATE, seats: 100, prices: FAMILY });
  await givenDeparture(db, tokyo, { date: DATE, seats: 100, prices: { adult: 60_000 } });
});

/** Creates a booking, and sets the time of its creation to `createdAt`. @returns the booking reference */
async function sold(website: Website, createdAt: string, more: object = {}): Promise<string> {
  const { body, status } = await website.book({ tour_id: alps.id, departure_date: DATE, ...more });
  expect([status, body.detail]).toEqual([201, undefined]);
  await api.db('booking_leads').where({ booking_ref: body.booking_ref }).update({ created_at: createdAt });
  return body.booking_ref;
}

const rowsOf = async (line: string) => (await terminal.json(`report sales ${line}`)).rows;
const lead = (ref: string) => api.db('booking_leads').where({ booking_ref: ref });

describe('tourctl report sales', () => {
  it('tourctl report sales sums bookings by tenant, month and currency at platform and tenant prices', async () => {
    await sold(acme, '2030-01-01T00:00:00Z', { adults: 2, children: 1, single_supplements: 1 });
    await sold(acme, '2030-01-31T23:59:59.999Z');
    await sold(acme, '2030-02-01T00:00:00Z', { tour_id: tokyo.id, adults: 3 });
    await sold(bold, '2030-02-28T12:00:00Z', { adults: 2, children: 1, single_supplements: 1 });
    await sold(bold, '2029-12-31T23:59:59.999Z');
    await sold(bold, '2030-03-01T00:00:00Z');
    expect(await rowsOf('--from 2030-01-01 --to 2030-02-28')).toEqual([
      {
        tenant: 'acme',
        month: '2030-01',
        currency: 'EUR',
        bookings: 2,
        seats: 4,
        party: { adult: 3, child: 1, single_supplement: 1 },
        platform_total: 1900.5,
        tenant_total: 1900.5,
        deposit_total: 380.1,
      },
      {
        tenant: 'acme',
        month: '2030-02',
        currency: 'JPY',
        bookings: 1,
        seats: 3,
        party: { adult: 3 },
        platform_total: 180_000,
        tenant_total: 180_000,
        deposit_total: 36_000,
      },
      {
        tenant: 'bold',
        month: '2030-02',
        currency: 'EUR',
        bookings: 1,
        seats: 3,
        party: { adult: 2, child: 1, single_supplement: 1 },
        platform_total: 1400.5,
        tenant_total: 1260.45,
        deposit_total: 252.09,
      },
    ]);
  });

  it('tourctl report sales groups by tenant, by month or by tour alone, and always by currency', async () => {
    const by = (group: string) => rowsOf(`--from 2030-01-01 --to 2030-02-28 --by ${group}`);
    const party = { adult: 3, child: 1, single_supplement: 1 };
    const totals = { party, platform_total: 1900.5, tenant_total: 1900.5, deposit_total: 380.1 };
    expect(await by('tenant')).toEqual([
      { tenant: 'acme', currency: 'EUR', bookings: 2, seats: 4, ...totals },
      expect.objectContaining({ tenant: 'acme', currency: 'JPY', bookings: 1 }),
      expect.objectContaining({ tenant: 'bold', currency: 'EUR', bookings: 1 }),
    ]);
    expect((await by('month')).map((row: object) => Object.values(row).slice(0, 3))).toEqual([
      ['2030-01', 'EUR', 2],
      ['2030-02', 'EUR', 1],
      ['2030-02', 'JPY', 1],
    ]);
    expect((await by('tour')).map((row: object) => Object.entries(row).slice(0, 3))).toEqual([
      [
        ['tour', 'alps'],
        ['currency', 'EUR'],
        ['bookings', 3],
      ],
      [
        ['tour', 'tokyo'],
        ['currency', 'JPY'],
        ['bookings', 1],
      ],
    ]);
  });

  it('tourctl report sales reports one tenant with --tenant', async () => {
    const rows = await rowsOf('--from 2030-01-01 --to 2030-02-28 --tenant bold');
    expect(rows.map(({ tenant, bookings }: Record<string, unknown>) => [tenant, bookings])).toEqual([
      ['bold', 1],
    ]);
  });

  it('tourctl report sales leaves out cancelled bookings, expired bookings and the sandbox', async () => {
    const at = '2030-04-10T12:00:00Z';
    const [kept, paid, cancelled, expired] = [
      await sold(acme, at),
      await sold(acme, at),
      await sold(acme, at),
      await sold(acme, at),
    ];
    const sandbox = await givenWebsite(api, { slug: 'trial', sandbox: true });
    await sold(sandbox, at);
    await acme.post(`/api/tenant/bookings/${paid}/confirm`);
    await acme.post(`/api/tenant/bookings/${cancelled}/cancel`);
    await endPaymentWindow(api.db, expired);
    expect(await lead(expired).first('status')).toEqual({ status: 'pending_payment' });
    const range = '--from 2030-04-10 --to 2030-04-10';
    expect(await rowsOf(range)).toMatchObject([{ tenant: 'acme', bookings: 2, platform_total: 1000 }]);
    expect(await lead(kept).first('status')).toEqual({ status: 'pending_payment' });
    const ofSandbox = await terminal.tourctl(`report sales ${range} --tenant trial`);
    expect([ofSandbox.stdout, ofSandbox.stderr]).toEqual([
      'By date of creation (UTC)\nNo bookings\n',
      'trial is a sandbox tenant: its bookings are in no report\n',
    ]);
  });

  it('tourctl report sales keeps the platform price of a sale when the catalog and the rules change', async () => {
    const at = '2030-05-10T12:00:00Z';
    const held = await bold.hold(alps.slug, { departure_date: DATE, quantity: 3, adults: 2, children: 1 });
    await sold(bold, at, { adults: 2, children: 1, single_supplements: 2, hold_id: held.body.hold_id });
    const dear = { adult: 90_000, child: 90_000, single_supplement: 90_000 };
    const departure = api.db('departures').where({ tour_id: alps.id, departure_date: DATE });
    await departure.clone().update({ prices_minor: JSON.stringify(dear) });
    await api.db('price_rules').where({ tenant_id: bold.tenant.id }).update({ percent: 50 });
    const [row] = await rowsOf('--from 2030-05-10 --to 2030-05-10');
    expect(row).toMatchObject({ platform_total: 1501, tenant_total: 1350.9 });
    await departure.clone().update({ prices_minor: JSON.stringify(FAMILY) });
    await api.db('price_rules').where({ tenant_id: bold.tenant.id }).update({ percent: -10 });
  });

  it('tourctl report sales locks the platform price of a category when a booking first contains it', async () => {
    const ref = await sold(bold, '2030-06-10T12:00:00Z', { children: 1 });
    const dear = { adult: 60_000, child: 60_000, single_supplement: 60_000 };
    const departure = api.db('departures').where({ tour_id: alps.id, departure_date: DATE });
    await departure.clone().update({ prices_minor: JSON.stringify(dear) });
    const change = { adults: 2, children: 2, single_supplements: 1 };
    expect((await bold.patch(`/api/tenant/bookings/${ref}`, change)).status).toBe(200);
    const [row] = await rowsOf('--from 2030-06-10 --to 2030-06-10');
    // The guests have the prices of the sale: two adults and two children. The single supplement has the price at the time of the change.
    expect(row).toMatchObject({ platform_total: 2200, tenant_total: 1980 });
    await departure.clone().update({ prices_minor: JSON.stringify(FAMILY) });
  });

  it('tourctl report sales knows the platform price of an older single supplement unless a percentage changed it', async () => {
    const older = async (website: Website, day: string) => {
      const ref = await sold(website, `${day}T12:00:00Z`, { single_supplements: 1 });
      await lead(ref).update({
        platform_prices_minor: api.db.raw(`platform_prices_minor - 'single_supplement'`),
      });
    };
    await older(acme, '2030-07-01');
    await older(bold, '2030-07-02');
    await sold(bold, '2030-07-02T12:00:00Z');
    expect(await rowsOf('--from 2030-07-01 --to 2030-07-02 --by tenant')).toMatchObject([
      { tenant: 'acme', platform_total: 600.5 },
      { tenant: 'bold', bookings: 2, platform_total: null, tenant_total: 990.45 },
    ]);
    const { stderr } = await terminal.tourctl('report sales --from 2030-07-02 --to 2030-07-02');
    expect(stderr).toContain('A missing platform price');
  });

  it('tourctl report sales adds 0.1 and 0.2 to exactly 0.3', async () => {
    const refs = [await sold(acme, '2030-08-01T12:00:00Z'), await sold(acme, '2030-08-01T12:00:00Z')];
    for (const [n, minor] of [10, 20].entries())
      await lead(refs[n]!).update({
        platform_prices_minor: { adult: minor },
        prices_minor: { adult: minor },
        total_minor: minor,
      });
    expect(await rowsOf('--from 2030-08-01 --to 2030-08-01')).toMatchObject([
      { platform_total: 0.3, tenant_total: 0.3 },
    ]);
  });

  it('tourctl report sales draws a table with totals by currency', async () => {
    const { stdout } = await terminal.tourctl('report sales --from 2030-01-01 --to 2030-02-28');
    expect(stdout.split('\n')).toEqual([
      'By date of creation (UTC)',
      'TENANT  MONTH    BOOKINGS  SEATS  PLATFORM PRICE  TENANT PRICE     DEPOSIT  PARTY',
      'acme    2030-01         2      4    1,900.50 EUR  1,900.50 EUR  380.10 EUR  3 adults, 1 child, 1 single supplement',
      'acme    2030-02         1      3     180,000 JPY   180,000 JPY  36,000 JPY  3 adults',
      'bold    2030-02         1      3    1,400.50 EUR  1,260.45 EUR  252.09 EUR  2 adults, 1 child, 1 single supplement',
      '',
      'In total',
      'CURRENCY  BOOKINGS  SEATS  PLATFORM PRICE  TENANT PRICE     DEPOSIT  PARTY',
      'EUR              3      7    3,301.00 EUR  3,160.95 EUR  632.19 EUR  5 adults, 2 children, 2 single supplements',
      'JPY              1      3     180,000 JPY   180,000 JPY  36,000 JPY  3 adults',
      '',
    ]);
  });

  it('tourctl report sales writes CSV with --csv', async () => {
    const { stdout } = await terminal.tourctl(
      'report sales --from 2030-01-01 --to 2030-02-28 --tenant acme --csv',
    );
    expect(stdout.split('\r\n')[0]).toBe(
      'tenant,month,currency,bookings,seats,platform_total,tenant_total,deposit_total,date_basis,party',
    );
    expect(parse(stdout, { columns: true, record_delimiter: '\r\n' })).toMatchObject([
      {
        tenant: 'acme',
        currency: 'EUR',
        platform_total: '1900.5',
        party: expect.stringContaining('"adult":3'),
      },
      { tenant: 'acme', month: '2030-02', currency: 'JPY', platform_total: '180000' },
    ]);
    const none = await terminal.tourctl('report sales --from 2001-01-01 --to 2001-01-31 --by tour --csv');
    expect(none.stdout).toBe(
      'tour,currency,bookings,seats,platform_total,tenant_total,deposit_total,date_basis,party\r\n',
    );
  });

  it('tourctl report sales answers without rows for a period without bookings', async () => {
    expect(await terminal.json('report sales --from 2001-01-01 --to 2001-01-31')).toEqual({
      date_basis: 'created_at',
      rows: [],
    });
  });

  it('tourctl report sales --by departure counts by the date of departure, and leaves out bookings without one', async () => {
    const range = `--from ${DATE} --to ${DATE}`;
    const { date_basis: basis, rows } = await terminal.json(
      `report sales ${range} --tenant bold --by departure`,
    );
    expect([basis, rows]).toEqual([
      'departure_date',
      [expect.objectContaining({ tenant: 'bold', month: '2031-06' })],
    ]);
    const { id } = await terminal.db('tenants').where({ slug: 'bold' }).first('id');
    const dated = await terminal.db('booking_leads').where({ tenant_id: id, departure_date: DATE });
    expect(rows[0].bookings).toBe(dated.length);
    const before = await acme.book({ tour_id: alps.id });
    expect(before.status).toBe(201);
    const byTour = await rowsOf(`${range} --by tour,departure`);
    expect(byTour.map(({ tour }: { tour: string }) => tour)).toEqual(['alps', 'tokyo']);
    expect(await rowsOf(`--from 2031-05-01 --to 2031-05-31 --by departure`)).toEqual([]);
    const { stdout } = await terminal.tourctl(`report sales ${range} --by departure,tour`);
    expect(stdout).toMatch(/^By date of departure; bookings without a date are left out\nTOUR /);
  });

  describe('with --refunds', () => {
    /** Creates and cancels a paid booking, and sets the time of its cancellation. */
    async function refunded(
      website: Website,
      cancelledAt: string,
      { percent = 50, ...more }: { percent?: number; tour_id?: string } = {},
    ): Promise<void> {
      const ref = await sold(website, '2032-01-15T12:00:00Z', more);
      await website.post(`/api/tenant/bookings/${ref}/confirm`);
      await terminal.json(`booking cancel ${ref} --refund-percent ${percent} --yes`);
      await lead(ref).update({ cancelled_at: cancelledAt });
    }

    beforeAll(async () => {
      await refunded(acme, '2032-02-01T00:00:00Z');
      await refunded(acme, '2032-02-29T23:59:59.999Z', { percent: 33 });
      await refunded(acme, '2032-03-01T00:00:00Z');
      await refunded(acme, '2032-02-10T12:00:00Z', { percent: 0 });
      await refunded(acme, '2032-02-10T12:00:00Z', { tour_id: tokyo.id, percent: 1 });
      await refunded(bold, '2032-02-20T12:00:00Z');
      await refunded(await givenWebsite(api, { slug: 'test', sandbox: true }), '2032-02-10T12:00:00Z');
      await sold(acme, '2032-02-05T12:00:00Z');
    });

    const range = '--from 2032-02-01 --to 2032-02-29 --refunds';

    it('tourctl report sales --refunds counts refunds by the date of cancellation, and has rows of refunds alone', async () => {
      const none = { bookings: 0, seats: 0, party: {}, platform_total: 0, tenant_total: 0, deposit_total: 0 };
      const february = { month: '2032-02' };
      expect(await terminal.json(`report sales ${range}`)).toEqual({
        date_basis: 'created_at',
        refund_date_basis: 'cancelled_at',
        rows: [
          {
            tenant: 'acme',
            ...february,
            currency: 'EUR',
            bookings: 1,
            seats: 1,
            party: { adult: 1 },
            platform_total: 500,
            tenant_total: 500,
            deposit_total: 100,
            refunds: 2,
            refund_total: 415,
          },
          { tenant: 'acme', ...february, currency: 'JPY', ...none, refunds: 1, refund_total: 600 },
          { tenant: 'bold', ...february, currency: 'EUR', ...none, refunds: 1, refund_total: 225 },
        ],
      });
    });

    it('tourctl report sales --refunds follows --tenant and --by, and counts by cancellation also with --by departure', async () => {
      const refundsBy = async (flags: string) =>
        (await rowsOf(`${range} ${flags}`)).map((row: Record<string, string | number>) =>
          ['tenant', 'month', 'tour', 'currency', 'bookings', 'refund_total']
            .flatMap((field) => row[field] ?? [])
            .join(' '),
        );
      expect(await refundsBy('--by tour')).toEqual(['alps EUR 1 640', 'tokyo JPY 0 600']);
      expect(await refundsBy('--by month --tenant bold')).toEqual(['2032-02 EUR 0 225']);
      expect(await refundsBy('--by tenant,departure --tenant acme')).toEqual([
        'acme EUR 0 415',
        'acme JPY 0 600',
      ]);
      expect(await refundsBy('--tenant test')).toEqual([]);
    });

    it('tourctl report sales --refunds draws two more columns and their totals, and names the basis', async () => {
      const { stdout } = await terminal.tourctl(`report sales ${range} --tenant acme`);
      const [basis, head, eur] = stdout.split('\n');
      expect(basis).toBe('By date of creation (UTC); refunds by date of cancellation (UTC)');
      expect(head).toMatch(/PARTY +REFUNDS +REFUNDED$/);
      expect(eur).toMatch(/1 adult +2 +415\.00 EUR$/);
      expect(stdout).toMatch(/\nJPY .* 1 +600 JPY\n$/);
    });

    it('tourctl report sales --refunds --csv has two more columns and their basis', async () => {
      const { stdout } = await terminal.tourctl(`report sales ${range} --tenant bold --csv`);
      expect(stdout.split('\r\n')).toEqual([
        'tenant,month,currency,bookings,seats,platform_total,tenant_total,deposit_total,refunds,refund_total,date_basis,refund_date_basis,party',
        'bold,2032-02,EUR,0,0,0,0,0,1,225,created_at,cancelled_at,{}',
        '',
      ]);
    });
  });

  it('each row of booking export adds up: units times unit prices are the total', async () => {
    const { stdout } = await terminal.tourctl('booking export --out -');
    const rows: Record<string, string>[] = parse(stdout, { columns: true, record_delimiter: '\r\n' });
    expect(
      rows.some(({ children, single_supplements: singles }) => children !== '0' && singles !== '0'),
    ).toBe(true);
    for (const row of rows) {
      const part = (units: string, price: string) => Number(row[units]) * Number(row[price]);
      const total =
        part('adults', 'unit_price') +
        part('children', 'child_unit_price') +
        part('single_supplements', 'single_supplement_unit_price');
      expect(total).toBeCloseTo(Number(row.total_price), 6);
      const prices: Record<string, number> = JSON.parse(row.prices!);
      const party: [string, number][] = Object.entries(JSON.parse(row.party!));
      const ofParty = party.reduce((sum, [code, units]) => sum + units * prices[code]!, 0);
      expect(ofParty).toBeCloseTo(Number(row.total_price), 6);
    }
  });

  it.each([
    ['--from 2030-01-01', '2 usage_error'],
    ['--from 2030-02-30 --to 2030-03-01', '2 usage_error'],
    ['--from 2030-02-01 --to 2030-01-31', '2 usage_error'],
    ['--from 2030-01-01 --to 2030-01-31 --by day', '2 usage_error'],
    ['--from 2030-01-01 --to 2030-01-31 --tenant nobody', '1 tenant_not_found'],
  ])('tourctl report sales answers "%s" with "%s"', async (flags, refusal) => {
    expect(await terminal.refusal(`report sales ${flags}`)).toBe(refusal);
  });
});
