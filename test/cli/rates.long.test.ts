import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour } from '../support/given';
import { givenWebsite } from '../support/website';
import { useTemporaryFolder } from '../support/temporary-folder';
import { checkOf, notice } from './doctor-check';
import { expectPages, useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const folder = useTemporaryFolder();
const TODAY = daysFromToday(0);
const DATE = daysFromToday(30);

beforeEach(async () => {
  await api.db('exchange_rates').delete();
});

const listed = async () => (await terminal.json('rates list')).items;

function fileOf(text: string, name = 'rates.csv'): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('tourctl rates', () => {
  it('tourctl rates set stores rates of today, or of the given day, and replaces the known ones', async () => {
    expect(await terminal.json('rates set USD 1.0812 gbp 0.8437')).toEqual({
      items: [
        { currency: 'USD', rate: 1.0812, date: TODAY },
        { currency: 'GBP', rate: 0.8437, date: TODAY },
      ],
      warnings: [],
    });
    await terminal.tourctl('rates set USD 1.09 --date 2026-01-02');
    expect(await listed()).toEqual([
      { currency: 'GBP', rate: 0.8437, date: TODAY },
      { currency: 'USD', rate: 1.09, date: '2026-01-02' },
    ]);
    expect((await terminal.tourctl('rates list')).stdout).toContain('1.09');
  });

  it.each([
    ['rates set', '<rate> is missing'],
    ['rates set USD', 'USD must be followed by its units for one euro'],
    ['rates set USD 0', 'USD must be followed'],
    ['rates set USD 1,08', 'USD must be followed'],
    ['rates set USD 1e3', 'USD must be followed'],
    ['rates set USD 1.08 USD 1.09', 'USD may be given only once'],
    ['rates set EUR 1', 'EUR is the base'],
    ['rates set XAU 1', 'ISO 4217'],
    ['rates set 1.08 USD', 'ISO 4217'],
    ['rates set USD 1.08 --date 2026-02-30', 'a calendar date'],
    ['rates import nowhere.csv', 'must be a file that exists'],
  ])('tourctl %s is a usage error that names the problem', async (line, message) => {
    const { code, stderr } = await terminal.tourctl(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await listed()).toEqual([]);
  });

  it('tourctl rates set warns of a rate of an earlier day than the known one', async () => {
    await terminal.json('rates set USD 1.08 --date 2026-01-02');
    const { warnings } = await terminal.json('rates set USD 1.09 GBP 0.8 --date 2026-01-01');
    const now = 'USD had a rate of 2026-01-02, and prices follow that of 2026-01-01 now.';
    expect(warnings).toEqual([`${now} If this is wrong: tourctl rates set USD 1.08 --date 2026-01-02`]);
  });

  it('tourctl rates set refuses a day that is in the future everywhere', async () => {
    expect(await terminal.refusal(`rates set USD 1.08 --date ${daysFromToday(3)}`)).toBe(
      '1 rate_date_in_future',
    );
  });

  it('tourctl rates list shows pages by currency', async () => {
    await terminal.tourctl('rates set USD 1.08 GBP 0.84 JPY 168 CHF 0.93');
    await expectPages(terminal, 'rates list', { cursor: 'currency' });
  });

  it('tourctl rates import reads CSV and XML, from a file and from standard input', async () => {
    const csv = 'Date, USD, JPY, HRK, \n24 November 2025, 1.0812, 168.42, 7.5, \n';
    const { json, stderr } = await terminal.tourctl(['rates', 'import', fileOf(csv), '--json']);
    expect(json).toEqual({
      date: '2025-11-24',
      changed: 2,
      unchanged: 0,
      kept: [],
      skipped: ['HRK'],
      warnings: [expect.stringContaining('HRK')],
    });
    expect(stderr).toContain('HRK');
    const again = await terminal.tourctl('rates import - --json', csv);
    expect(again.json).toMatchObject({ changed: 0, unchanged: 2 });
    const xml = `<E><Cube><Cube time='2025-11-25'><Cube currency='USD' rate='1.09'/></Cube></Cube></E>`;
    await terminal.tourctl(['rates', 'import', fileOf(xml, 'rates.xml')]);
    expect(await listed()).toEqual([
      { currency: 'JPY', rate: 168.42, date: '2025-11-24' },
      { currency: 'USD', rate: 1.09, date: '2025-11-25' },
    ]);
  });

  it('tourctl rates import leaves a known rate of a later day, and says so', async () => {
    await terminal.tourctl('rates set USD 1.2');
    const { json, stderr } = await terminal.tourctl(
      'rates import - --json',
      'Date,USD,GBP\n2025-11-24,1.08,0.84\n',
    );
    expect(json).toMatchObject({ changed: 1, kept: ['USD'] });
    expect(stderr).toContain('of a later day: USD. tourctl rates set replaces them');
    expect((await listed())[1]).toEqual({ currency: 'USD', rate: 1.2, date: TODAY });
  });

  it.each([
    ['rates set USD 1.6201', '1.6201'],
    ['rates set USD 108', '108'],
    ['rates set USD 0.7199', '0.7199'],
    ['rates import -', '1.6201'],
  ])('tourctl %s warns of a change by more than 1.5, and says how to set it back', async (line, rate) => {
    await terminal.tourctl('rates set USD 1.08 GBP 0.84 --date 2025-01-02');
    const { code, json, stderr } = await terminal.tourctl(
      `${line} --json`,
      'Date,USD,GBP\n2025-11-24,1.6201,0.85\n',
    );
    const warning = `USD changes from 1.08 to ${rate} for 1 EUR. If this is wrong: tourctl rates set USD 1.08 --date 2025-01-02`;
    expect([code, json.warnings]).toEqual([0, [warning]]);
    expect(stderr).toContain(warning);
    expect(await listed()).toContainEqual(expect.objectContaining({ currency: 'USD', rate: Number(rate) }));
  });

  it.each(['1.62', '0.72', '1.08'])(
    'tourctl rates set does not warn of a change from 1.08 to %s, which is by 1.5 at most',
    async (rate) => {
      await terminal.tourctl('rates set USD 1.08');
      const { json, stderr } = await terminal.tourctl(`rates set USD ${rate} GBP 0.84 --json`);
      expect([json.warnings, stderr]).toEqual([[], '']);
    },
  );

  it('tourctl rates import stores nothing of an invalid file', async () => {
    const { code, error } = await terminal.tourctl(
      'rates import - --json',
      'Date,USD,GBP\n2025-11-24,1.08,x\n',
    );
    expect([code, error.code]).toEqual([1, 'rates_file_invalid']);
    expect(error.message).toContain('GBP of 2025-11-24');
    expect(await listed()).toEqual([]);
  });

  it('tourctl rates import refuses a file of more than 16 MiB', async () => {
    const file = fileOf('Date,USD\n2025-11-24,1.08\n'.padEnd(16 * 1024 * 1024 + 1, '\n'));
    const { code, error } = await terminal.tourctl(['rates', 'import', file, '--json']);
    expect([code, error.code]).toEqual([1, 'rates_file_invalid']);
    expect(error.message).toContain('16 MiB');
  });

  it('each change of rates is one audit row with the rates before and after, and no change is none', async () => {
    await terminal.tourctl('rates set USD 1.08');
    await terminal.tourctl('rates set USD 1.09');
    await terminal.tourctl('rates set USD 1.09');
    const { items } = await terminal.json('audit list --action rates.set');
    expect(
      items.slice(0, 2).map(({ before, after }: { before: object; after: object }) => [before, after]),
    ).toEqual([
      [{ USD: `1.08 of ${TODAY}` }, { USD: `1.09 of ${TODAY}` }],
      [{}, { USD: `1.08 of ${TODAY}` }],
    ]);
  });
});

describe('a tenant with --sell-in', () => {
  it('tenant create and set change the selling currency, and warn of tours whose rate is missing', async () => {
    await givenTour(api.db, { currency: 'USD' });
    const { json, stderr } = await terminal.tourctl(
      'tenant create --slug abroad --name Abroad --sell-in CHF --json',
    );
    expect(json.sell_in).toBe('CHF');
    expect(stderr).toContain('abroad does not see');
    expect(stderr).toContain('tourctl rates set CHF RATE USD RATE');
    expect((await terminal.json('tenant set abroad --sell-in JPY')).sell_in).toBe('JPY');
    expect((await terminal.json('tenant set abroad --sell-in None')).sell_in).toBe('none');
    expect((await terminal.tourctl('tenant set abroad --sell-in XXX')).code).toBe(2);
  });

  it('pricing add takes money in the selling currency, also for a tour in another currency', async () => {
    await terminal.tourctl('rates set USD 1.25');
    const website = await givenWebsite(api, { sellIn: { code: 'JPY', digits: 0 }, slug: 'rules' });
    const tour = await givenTour(api.db, { currency: 'USD' });
    const added = await terminal.json(`pricing add rules --price 90000 --tour ${tour.slug}`);
    expect(added).toMatchObject({ price: 90_000, currency: 'JPY' });
    expect(await terminal.refusal(`pricing add rules --price 99.5 --tour ${tour.slug}`)).toBe(
      '1 invalid_amount',
    );
    expect(website.tenant.currency).toBe('EUR');
  });

  it("tenant set --sell-in warns of rules that make prices 0, or less than half of the platform's, in that currency", async () => {
    await terminal.tourctl('rates set JPY 160');
    await terminal.tourctl('tenant create --slug rounded --name Rounded --currency JPY');
    const tour = await givenTour(api.db, { currency: 'JPY', slug: 'kyoto', basePriceMinor: 160_000 });
    await terminal.tourctl(`pricing add rounded --percent 10 --round-to 5000 --tour ${tour.slug}`);
    const { code, stderr } = await terminal.tourctl('tenant set rounded --sell-in EUR');
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /price rule \d+ makes 1 price in 1 tour less than half of the platform's, 1 of them 0, such as kyoto without a date, adult: 0\.00 EUR instead of 1,000\.00 EUR: tourctl pricing show rounded/,
    );
    const back = await terminal.tourctl('tenant set rounded --sell-in none');
    expect(back.stderr).not.toContain('price rule');
  });

  it('pricing simulate explains the conversion before the rule', async () => {
    await terminal.tourctl('rates set USD 1.25');
    await givenWebsite(api, { sellIn: { code: 'EUR', digits: 2 }, slug: 'shown' });
    const tour = await givenTour(api.db, { currency: 'USD' });
    await givenDeparture(api.db, tour, { date: DATE, prices: { adult: 100_000 } });
    await terminal.tourctl('pricing add shown --percent 10');
    expect(
      await terminal.json(`pricing simulate shown ${tour.slug} --date ${DATE} --adults 2`),
    ).toMatchObject({
      currency: 'EUR',
      platform_currency: 'USD',
      converted_from: 'USD',
      rate: 0.8,
      rate_date: TODAY,
      prices: { adult: 1000 },
      converted_prices: { adult: 800 },
      unit_price: 880,
      total_price: 1760,
    });
    const { stdout } = await terminal.tourctl(`pricing simulate shown ${tour.slug} --date ${DATE}`);
    expect(stdout).toContain(`converted: 1,000.00 USD at 0.8 EUR of ${TODAY} = 800.00 EUR`);
    expect(stdout).toContain('800.00 EUR +10 % = 880.00 EUR');
    const unsold = await givenTour(api.db, { currency: 'BRL' });
    const { code, error } = await terminal.tourctl(`pricing simulate shown ${unsold.slug} --json`);
    expect([code, error.code]).toEqual([1, 'rate_missing']);
    expect(error.message).toMatch(/because a rate is missing: tourctl rates set BRL RATE$/);
    expect(await terminal.json(`visibility explain shown ${unsold.slug}`)).toMatchObject({
      visible: false,
      decided_by: { kind: 'rate', of: 'BRL' },
      commands: ['tourctl rates set BRL RATE'],
    });
  });

  it('report sales sums the platform price at the locked rate, in the currency of the sale', async () => {
    await terminal.tourctl('rates set USD 1.25');
    const website = await givenWebsite(api, { sellIn: { code: 'EUR', digits: 2 }, slug: 'sold' });
    await terminal.tourctl('pricing add sold --percent 10');
    const tour = await givenTour(api.db, { currency: 'USD' });
    await givenDeparture(api.db, tour, { date: DATE, prices: { adult: 100_000 } });
    const { body } = await website.book({ tour_id: tour.id, departure_date: DATE, adults: 2 });
    await terminal.tourctl('rates set USD 1');
    const { rows } = await terminal.json(
      `report sales --from ${TODAY} --to ${TODAY} --tenant sold --by tenant`,
    );
    expect(rows).toEqual([
      expect.objectContaining({
        currency: 'EUR',
        platform_total: 1600,
        tenant_total: 1760,
        deposit_total: 352,
      }),
    ]);
    const shown = await terminal.tourctl(`booking show ${body.booking_ref}`);
    expect(shown.stdout).toContain('converted from USD at 0.8');
  });

  it('doctor notices tours whose rate is missing, and rates that are older than seven days', async () => {
    await givenWebsite(api, { sellIn: { code: 'EUR', digits: 2 }, slug: 'checked' });
    await givenTour(api.db, { currency: 'SEK' });
    const missing = await checkOf(terminal, 'missing-rates');
    expect(missing).toMatchObject(notice('in SEK for checked (EUR)'));
    expect(missing.commands).toContain('tourctl rates set SEK RATE');
    const others = ['USD', 'BRL'].map((currency) => `${currency} 1`).join(' ');
    await terminal.tourctl(`rates set SEK 11.2 ${others} JPY 168 CHF 0.9`);
    expect((await checkOf(terminal, 'missing-rates')).status).toBe('ok');
    expect((await checkOf(terminal, 'old-rates')).status).toBe('ok');
    await terminal.tourctl(`rates set SEK 11.2 --date ${daysFromToday(-7)}`);
    expect((await checkOf(terminal, 'old-rates')).status).toBe('ok');
    await terminal.tourctl(`rates set SEK 11.2 --date ${daysFromToday(-8)}`);
    expect(await checkOf(terminal, 'old-rates')).toMatchObject(notice('SEK of'));
    // A rate that converts nothing is not noticed.
    await terminal.tourctl(`rates set NOK 11.2 --date 2020-01-01`);
    expect((await checkOf(terminal, 'old-rates')).detail).not.toContain('NOK');
  });
});
