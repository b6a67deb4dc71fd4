import { inTransaction } from '../../services/platform/database/database';
import { migrateWithin } from '../../services/platform/migrate/migrate';
import { EARLIER_MIGRATIONS } from '../support/earlier-sales';
import { codeBlocks } from '../docs/code-blocks';
import { openTestTerminal, type TestTerminal } from './terminal';

const MANY = 1_050;

/** A catalog of the release before, and tenants whose rules in money stand beside percentages. */
const CATALOG = `
  insert into tenants (slug, name, booking_prefix, country, currency, currency_digits, status) values
    ('acme', 'Acme', 'ACME', 'DE', 'EUR', 2, 'active'), ('globe', 'Globe', 'GLOBE', 'DE', 'EUR', 2, 'trial'),
    ('money', 'Money', 'MONEY', 'DE', 'EUR', 2, 'active'), ('percent', 'Percent', 'PERC', 'DE', 'EUR', 2, 'active'),
    ('gone', 'Gone', 'GONE', 'DE', 'EUR', 2, 'suspended'), ('swiss', 'Swiss', 'SWISS', 'DE', 'EUR', 2, 'active'),
    ('many', 'Many', 'MANY', 'DE', 'EUR', 2, 'active');
  update tenants set sell_in = 'CHF', sell_in_digits = 2 where slug = 'swiss';
  update tenants set default_visible = false where slug = 'many';
  insert into exchange_rates (currency, units_per_eur, rate_date) values ('CHF', 0.5, '2026-01-01');
  insert into tours (slug, name, name_folded, continent, country, duration_days, currency, currency_digits, base_price_minor, status) values
    ('alps', 'Alps', 'alps', 'europe', 'IT', 3, 'EUR', 2, 50000, 'published'),
    ('bay', 'Bay', 'bay', 'asia', 'VN', 3, 'USD', 2, 50000, 'published'),
    ('coast', 'Coast', 'coast', 'europe', 'PT', 3, 'EUR', 2, 50000, 'published'),
    ('dunes', 'Dunes', 'dunes', 'africa', 'MA', 3, 'EUR', 2, 50000, 'draft'),
    ('elbe', 'Elbe', 'elbe', 'europe', 'DE', 3, 'EUR', 2, 50000, 'published');
  insert into departures (tour_id, departure_date, seats_total, prices_minor)
  select id, date '2041-01-01' + day, 9, '{"adult": 50000, "child": 25000, "single_supplement": 10000}'
  from tours, generate_series(0, 3) as day where slug <> 'elbe';
  insert into departures (tour_id, departure_date, seats_total, prices_minor)
  select id, '2041-01-01', 9, '{"adult": 50000}' from tours where slug = 'elbe';
  insert into departures (tour_id, departure_date, seats_total, prices_minor, status, closes_at)
  select id, date, 9, '{"adult": 50000, "child": 25000}', d.status, d.closes_at from tours,
    (values (date '2020-01-01', 'scheduled', null::timestamptz), ('2041-02-01', 'cancelled', null), ('2041-02-02', 'scheduled', now()))
      as d (date, status, closes_at)
  where slug = 'alps';
  insert into visibility_tour_rules (tenant_id, tour_id, visible, continent, name_folded)
  select n.id, t.id, false, t.continent, t.name_folded from tenants n, tours t where n.slug = 'globe' and t.slug = 'coast';
  insert into price_rules (tenant_id, tour_id, continent, kind, percent, amount_minor, currency, travel_from, travel_to, round_to)
  select n.id, t.id, r.continent, r.kind, r.percent, r.amount, r.currency, r.first, r.last, r.round_to
  from (values
    ('acme', null, null, 'percent', 12.0, null, null, null, null, null),
    ('acme', 'alps', null, 'price', null, 45000, 'EUR', null, null, null),
    ('acme', 'bay', null, 'price', null, 45000, 'EUR', null, null, null),
    ('globe', null, null, 'percent', 10.0, null, null, null, null, 10),
    ('globe', null, 'europe', 'amount', null, -1000, 'EUR', '2041-01-02', '2041-01-03', null),
    ('money', null, null, 'amount', null, -1000, 'EUR', null, null, null),
    ('percent', null, null, 'percent', 12.0, null, null, null, null, null),
    ('gone', null, null, 'percent', 12.0, null, null, null, null, null),
    ('gone', null, null, 'amount', null, -1000, 'EUR', null, null, null),
    ('swiss', null, null, 'percent', 20.0, null, null, null, null, null),
    ('swiss', 'coast', null, 'amount', null, 500, 'CHF', null, null, null))
    as r (tenant, tour, continent, kind, percent, amount, currency, first, last, round_to)
  join tenants n on n.slug = r.tenant left join tours t on t.slug = r.tour`
  .replaceAll('r.first', 'r.first::date')
  .replaceAll('r.last', 'r.last::date');

/** More tours than are listed, which one tenant sees. */
const MANY_TOURS = `
  with added as (
    insert into tours (slug, name, name_folded, continent, country, duration_days, currency, currency_digits, base_price_minor, status)
    select 'tour-' || n, 'Tour', 'tour', 'oceania', 'AU', 3, 'EUR', 2, 50000, 'published' from generate_series(1, ?::integer) as n
    returning id),
  departing as (
    insert into departures (tour_id, departure_date, seats_total, prices_minor)
    select id, '2041-01-01', 9, '{"adult": 50000, "child": 25000}' from added returning 1),
  seen as (
    insert into visibility_continent_rules (tenant_id, continent, visible)
    select id, 'oceania', slug = 'many' from tenants returning 1)
  insert into price_rules (tenant_id, kind, percent, amount_minor, currency)
  select id, r.kind, r.percent, r.amount, r.currency from tenants,
    (values ('percent', 10.0, null, null), ('amount', null, -1000, 'EUR')) as r (kind, percent, amount, currency)
  where slug = 'many'`;

describe('tourctl migrate of a database of the release before price categories', () => {
  let terminal: TestTerminal;
  let answer: { applied: string[]; price_changes: object[]; price_changes_total: number };

  beforeAll(async () => {
    terminal = await openTestTerminal({}, 'template0');
    const { db } = terminal;
    await inTransaction(db, (trx) => migrateWithin(trx, EARLIER_MIGRATIONS));
    await db.raw(CATALOG);
    await db.raw(MANY_TOURS, [MANY]);
    answer = await terminal.json('migrate');
  });
  afterAll(() => terminal.drop());

  it('migrate lists each changed price of the tours that a tenant sees, with the number of open departures', () => {
    const euros = { currency: 'EUR' };
    expect(answer.price_changes.slice(0, 6)).toEqual([
      { tenant: 'acme', tour: 'alps', category: 'child', from: 250, to: 280, departures: 4, ...euros },
      {
        tenant: 'acme',
        tour: 'alps',
        category: 'single_supplement',
        from: 100,
        to: 112,
        departures: 4,
        ...euros,
      },
      { tenant: 'globe', tour: 'alps', category: 'child', from: 250, to: 280, departures: 2, ...euros },
      {
        tenant: 'globe',
        tour: 'alps',
        category: 'single_supplement',
        from: 100,
        to: 110,
        departures: 2,
        ...euros,
      },
      expect.objectContaining({ tenant: 'many' }),
      expect.objectContaining({ tenant: 'many' }),
    ]);
    expect(answer.applied).toContain('0144_price_categories');
  });

  it('migrate lists the first thousand changed prices, and says how many there are', () => {
    expect(answer.price_changes).toHaveLength(1000);
    expect(answer.price_changes_total).toBe(4 + MANY + 2);
  });

  it('migrate that applies no migration names no price', async () => {
    expect(await terminal.json('migrate')).toEqual({
      applied: [],
      price_changes: [],
      price_changes_total: 0,
    });
  });

  it('a price that is listed as the new one is the price that the tenant sells at', async () => {
    const sold = await terminal.json('pricing simulate acme alps --date 2041-01-01 --children 1');
    expect(sold.tenant_prices).toMatchObject({ adult: 450, child: 280, single_supplement: 112 });
  });

  it("the rule of the page upgrade.md keeps the platform's price of a category", async () => {
    const [block] = codeBlocks().filter(({ code }) => code.startsWith('tourctl pricing add'));
    expect(block!.page).toBe('upgrade.md');
    expect((await terminal.tourctl(block!.code.trim().replace('tourctl ', ''))).code).toBe(0);
    const kept = await terminal.json('pricing simulate acme alps --date 2041-01-01 --children 1');
    expect(kept.tenant_prices).toMatchObject({ adult: 450, child: 250, single_supplement: 112 });
  });
});

it('tourctl migrate tells a person which prices it changed, and how to keep them', async () => {
  const terminal = await openTestTerminal({}, 'template0');
  try {
    await inTransaction(terminal.db, (trx) => migrateWithin(trx, EARLIER_MIGRATIONS));
    await terminal.db.raw(CATALOG);
    const { stdout } = await terminal.tourctl('migrate');
    expect(stdout).toContain('tourctl pricing add acme --amount 0 --category child');
    expect(stdout).toMatch(/acme +alps +child +250\.00 EUR +280\.00 EUR +4\n/);
    expect(stdout).toMatch(/swiss +coast +child +125\.00 CHF +150\.00 CHF +4\n/);
  } finally {
    await terminal.drop();
  }
});
