import { givenDeparture, givenTour, type GivenTour } from '../support/given';
import { expectPages, useTestTerminal } from './terminal';

const terminal = useTestTerminal();
let alps: GivenTour;
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme --currency EUR --deposit-percent 20');
  alps = await givenTour(terminal.db, { slug: 'alps', continent: 'europe', basePriceMinor: 100_000 });
  await givenDeparture(terminal.db, alps, { date: '2031-06-01', prices: { adult: 110_000, child: 55_000 } });
  await givenTour(terminal.db, { slug: 'fuji', continent: 'asia', currency: 'JPY', basePriceMinor: 90_000 });
});
beforeEach(async () => terminal.db('price_rules').delete());

const pricing = (line: string) => terminal.tourctl(`pricing ${line} --json`);

describe('tourctl pricing add', () => {
  it('tourctl pricing add refuses a continent that no tour is in, and suggests the nearest', async () => {
    const { code, stderr } = await terminal.tourctl('pricing add acme --percent 5 --continent europa');
    expect([code, stderr]).toEqual([
      1,
      'error: No tour is in the continent "europa": tourctl catalog list shows the continents (Did you mean europe?)\n',
    ]);
    expect(await terminal.db('price_rules')).toEqual([]);
  });

  it('tourctl pricing add answers with the new rule, and pricing show lists it', async () => {
    const { code, json } = await pricing('add acme --percent 12.5 --continent europe --round-to 5');
    expect(code).toBe(0);
    expect(json).toEqual({
      id: expect.any(Number),
      tenant: 'acme',
      applies_to: 'continent',
      tour: null,
      continent: 'europe',
      category: null,
      percent: 12.5,
      amount: null,
      price: null,
      currency: null,
      travel_from: null,
      travel_to: null,
      round_to: 5,
    });
    const second = await pricing('add acme --amount -20.50 --tour alps --travel-from 2031-05-01');
    expect(second.json).toMatchObject({
      applies_to: 'tour',
      tour: 'alps',
      amount: -20.5,
      currency: 'EUR',
      travel_from: '2031-05-01',
    });
    expect((await pricing('show acme')).json.items).toEqual([second.json, json]);
    expect((await terminal.tourctl('pricing show acme')).stdout).toMatch(/alps +-20.50 EUR +2031-05-01\.\./);
  });

  it('tourctl pricing show says when it does not show all rules, and --after <id> lists the next ones', async () => {
    for (const percent of [1, 2, 3]) await pricing(`add acme --percent ${percent}`);
    await expectPages(terminal, 'pricing show acme');
  });

  it("tourctl pricing add shows money in the rule's currency after the currency of the tenant has changed", async () => {
    await terminal.tourctl('tenant create --slug yen --name Yen --currency JPY');
    const added = (await pricing('add yen --price 500 --yes')).json;
    expect(added).toMatchObject({ price: 500, currency: 'JPY' });
    await terminal.tourctl('tenant set yen --currency EUR');
    expect((await pricing('show yen')).json.items).toEqual([added]);
    expect((await terminal.tourctl('pricing show yen')).stdout).toMatch(/all tours +500 JPY/);
    expect((await pricing(`remove yen ${added.id} --yes`)).json).toEqual(added);
    const [entry] = (await terminal.json('audit list --limit 1')).items;
    expect(entry.before).toMatchObject({ price: 500, currency: 'JPY' });
  });

  it('tourctl pricing add refuses money for a tour in another currency, and more decimals than the currency has', async () => {
    expect(await terminal.refusal('pricing add acme --price 990 --tour fuji')).toBe('1 currency_mismatch');
    expect(await terminal.refusal('pricing add acme --price 9.999')).toBe('1 invalid_amount');
    expect((await pricing('add acme --percent 10 --tour fuji')).code).toBe(0);
  });

  it.each([
    'add acme',
    'add acme --percent 5 --amount 5',
    'add acme --percent -101',
    'add acme --percent 1e3',
    'add acme --price -1',
    'add acme --percent 5 --tour alps --continent europe',
    'add acme --percent 5 --travel-from 2031-02-30',
    'add acme --percent 5 --travel-from 2031-06-02 --travel-to 2031-06-01',
    'add acme --percent 5 --round-to 0',
    'simulate acme alps --adults 51',
    'remove acme one --yes',
    'remove acme 1',
  ])('tourctl pricing add reports a usage error for "%s"', async (line) => {
    expect(await terminal.refusal(`pricing ${line}`)).toBe('2 usage_error');
    expect(await terminal.db('price_rules')).toEqual([]);
  });
});

describe('tourctl pricing remove', () => {
  it('tourctl pricing remove removes only a rule of the given tenant, and leaves an audit row', async () => {
    await terminal.tourctl('tenant create --slug other --name Other');
    const { id } = (await pricing('add acme --percent 5')).json;
    expect(await terminal.refusal(`pricing remove other ${id} --yes`)).toBe('1 price_rule_not_found');
    const { code, json } = await pricing(`remove acme ${id} --yes`);
    expect([code, json.id]).toEqual([0, id]);
    expect((await pricing('show acme')).json).toEqual({ items: [] });
    const [entry] = (await terminal.json('audit list --limit 1')).items;
    expect(entry).toMatchObject({
      action: 'pricing.remove',
      tenant: 'acme',
      before: { percent: 5 },
      after: null,
    });
  });
});

describe('tourctl pricing simulate', () => {
  it("tourctl pricing simulate shows the platform's price if no rule applies", async () => {
    const { json } = await pricing('simulate acme alps --adults 2');
    expect(json).toMatchObject({
      tenant: 'acme',
      tour: { slug: 'alps' },
      departure_date: null,
      currency: 'EUR',
      prices: { adult: 1000 },
      tenant_prices: { adult: 1000, deposit: 200 },
      total_price: 2000,
      deposit_total: 400,
      rule: null,
      beaten: [],
    });
  });

  it('tourctl pricing simulate shows the rule that applies and the rules that it overrides', async () => {
    const general = (await pricing('add acme --percent 50')).json;
    const continent = (await pricing('add acme --percent 20 --continent europe')).json;
    const tour = (
      await pricing('add acme --amount 10 --tour alps --travel-from 2031-06-01 --travel-to 2031-06-30')
    ).json;
    await pricing('add acme --percent 1 --continent asia');
    const dated = (await pricing('simulate acme alps --date 2031-06-01 --adults 3')).json;
    expect(dated).toMatchObject({
      prices: { adult: 1100, child: 550 },
      // The amount is of adults only, so that the next rule decides children.
      tenant_prices: { adult: 1110, child: 660, deposit: 222 },
      unit_price: 1110,
      total_price: 3330,
      rule: tour,
      categories: [{ category: 'adult', number: 3, rule: tour }],
      beaten: [continent, general],
    });
    const dateless = (await pricing('simulate acme alps')).json;
    expect(dateless).toMatchObject({ unit_price: 1200, rule: continent, beaten: [general] });
    const { stdout } = await terminal.tourctl('pricing simulate acme alps');
    expect(stdout).toContain(`decided by rule ${continent.id} (europe: +20 %, any time)`);
    expect(stdout).toContain(`it overrides rule ${general.id} (all tours: +50 %, any time)`);
  });

  it('tourctl pricing simulate refuses an unknown tour and an unknown tenant', async () => {
    const refusal = (line: string) => terminal.refusal(`pricing simulate ${line}`);
    expect(await refusal('acme alps --date 2031-06-1')).toMatch(/^2 /);
    expect(await refusal('acme nowhere')).toBe('1 tour_not_found');
    expect(await refusal('nobody alps')).toBe('1 tenant_not_found');
  });

  it('tourctl pricing simulate prices a date without a departure by the nearest one, and names the rule', async () => {
    await givenDeparture(terminal.db, alps, { date: '2031-09-01', prices: { adult: 120_000 } });
    await givenDeparture(terminal.db, alps, {
      date: '2031-08-01',
      prices: { adult: 1 },
      status: 'cancelled',
    });
    const rule = (await pricing('add acme --percent 10 --travel-from 2031-07-25 --travel-to 2031-08-31'))
      .json;
    const of = (departure_date: string) => ({ departure_date, departure_time: null });
    const answer = await pricing('simulate acme alps --date 2031-08-01T10:00 --adults 2');
    expect(answer.json).toMatchObject({
      departure_date: '2031-08-01',
      departure_time: '10:00',
      departure_status: 'gone',
      prices_of: of('2031-09-01'),
      prices: { adult: 1200 },
      unit_price: 1320,
      total_price: 2640,
      rule,
    });
    expect([answer.code, answer.stderr]).toEqual([
      0,
      expect.stringContaining('no departure on 2031-08-01 10:00'),
    ]);
    expect((await pricing('simulate acme alps --date 2031-06-20 --children 1')).json).toMatchObject({
      prices_of: of('2031-06-01'),
      tenant_prices: { adult: 1100, child: 550 },
      rule: null,
      inapplicable: [{ id: rule.id, lost_because: 'outside_window' }],
    });
    const { stdout } = await terminal.tourctl('pricing simulate acme alps --date 2031-08-10');
    expect(stdout).toContain(
      "no departure on 2031-08-10: the platform's prices are those of the nearest departure, on 2031-09-01",
    );
    expect(stdout).toContain(`decided by rule ${rule.id} (all tours: +10 %, 2031-07-25..2031-08-31)`);
    await terminal.db('departures').whereNot({ departure_date: '2031-06-01' }).delete();
  });

  it('tourctl pricing simulate prices a date of a tour without departures by its base price', async () => {
    const { code, json, stderr } = await pricing('simulate acme fuji --date 2031-08-01');
    expect([code, stderr]).toEqual([0, expect.stringContaining('fuji has no departure on 2031-08-01')]);
    expect(json).toMatchObject({ departure_status: 'gone', prices_of: null, unit_price: 90_000 });
    const { stdout } = await terminal.tourctl('pricing simulate acme fuji --date 2031-08-01');
    expect(stdout).toContain("no departure on 2031-08-01: the platform's prices are the base price");
  });

  it('tourctl pricing simulate names the departure whose prices count, and none for a price without a date', async () => {
    const { json } = await pricing('simulate acme alps --date 2031-06-01');
    expect(json.prices_of).toEqual({ departure_date: '2031-06-01', departure_time: null });
    expect((await pricing('simulate acme alps')).json.prices_of).toBeNull();
    expect((await terminal.tourctl('pricing simulate acme alps --date 2031-06-01')).stdout).not.toContain(
      'nearest',
    );
  });

  it('tourctl pricing simulate explains why each other rule lost or does not apply', async () => {
    const add = async (flags: string) => (await pricing(`add acme ${flags}`)).json.id as number;
    const wide = await add('--percent 1 --tour alps');
    const open = await add('--percent 2 --tour alps --travel-from 2031-01-01');
    const older = await add('--percent 3 --tour alps --travel-from 2031-06-01 --travel-to 2031-06-10');
    const newest = await add('--percent 4 --tour alps --travel-from 2031-06-01 --travel-to 2031-06-10');
    const later = await add('--percent 5 --tour alps --travel-from 2031-07-01 --travel-to 2031-07-10');
    const general = await add('--amount 5');
    await add('--percent 6 --continent asia');

    const { rule, beaten, inapplicable } = (await pricing('simulate acme alps --date 2031-06-01')).json;
    const because = (list: { id: number; lost_because: string }[]) =>
      list.map(({ id, lost_because }) => [id, lost_because]);
    expect(rule.id).toBe(newest);
    expect(because(beaten)).toEqual([
      [older, 'newer_rule'],
      [open, 'narrower_window'],
      [wide, 'narrower_window'],
      [general, 'closer_rule'],
    ]);
    expect(because(inapplicable)).toEqual([[later, 'outside_window']]);
    const { stdout } = await terminal.tourctl('pricing simulate acme alps --date 2031-06-01');
    expect(stdout).toContain(
      `it overrides rule ${general} (all tours: +5.00 EUR, any time): a tour's rule overrides a general rule`,
    );
    expect(stdout).toContain(`does not apply: 2031-06-01 is outside its travel dates`);
    expect(because((await pricing('simulate acme alps')).json.inapplicable)).toContainEqual([
      later,
      'needs_date',
    ]);
  });

  it('tourctl pricing simulate explains that a rule in money does not apply to a tour in another currency', async () => {
    const { id } = (await pricing('add acme --amount 5')).json;
    const { json } = await pricing('simulate acme fuji');
    expect(json).toMatchObject({ currency: 'JPY', tenant_currency: 'EUR', rule: null, unit_price: 90_000 });
    expect(json.inapplicable).toMatchObject([{ id, lost_because: 'other_currency' }]);
    const { stdout } = await terminal.tourctl('pricing simulate acme fuji');
    expect(stdout).toContain('it is in EUR, and the tour is sold in JPY');
  });

  it('tourctl pricing simulate shows how the price is computed, step by step', async () => {
    const steps = async (flags: string) => {
      await terminal.db('price_rules').delete();
      await pricing(`add acme ${flags} --yes`);
      return (await terminal.tourctl('pricing simulate acme alps --adults 2')).stdout;
    };
    expect(await steps('--percent 12.5 --round-to 10')).toContain(
      '1,000.00 EUR +12.5 % = 1,125.00 EUR, to the nearest 10: 1,130.00 EUR\n  deposit: 20 % of the total',
    );
    expect(await steps('--amount -2000')).toContain('1,000.00 EUR -2,000.00 EUR = 0.00 EUR (never below 0)');
    expect(await steps('--price 990')).toMatch(/\n {2}990\.00 EUR\n/);
  });

  it.each(['draft', 'archived'])(
    'tourctl pricing simulate computes the price of a tour that is %s, and says that no tenant sees it',
    async (status) => {
      const { slug } = await givenTour(terminal.db, { status });
      const { code, json, stderr } = await pricing(`simulate acme ${slug}`);
      expect([code, json.visible, json.tour.status]).toEqual([0, false, status]);
      expect(stderr).toContain('tourctl visibility explain');
    },
  );

  it('tourctl pricing simulate warns if the departure cannot be booked or the tenant is suspended', async () => {
    const tour = await givenTour(terminal.db, { slug: 'etna' });
    await givenDeparture(terminal.db, tour, { date: '2031-06-01', status: 'cancelled' });
    const { json, stderr } = await pricing('simulate acme etna --date 2031-06-01');
    expect(json.departure_status).toBe('cancelled');
    expect(stderr).toContain('etna cannot be booked on 2031-06-01: it is cancelled');
    await terminal.tourctl('tenant create --slug asleep --name Asleep');
    await terminal.tourctl('tenant suspend asleep --yes');
    const asleep = await pricing('simulate asleep alps');
    expect([asleep.code, asleep.json.tenant_status]).toEqual([0, 'suspended']);
    expect(asleep.stderr).toContain('tourctl tenant activate asleep');
  });

  it('tourctl pricing simulate warns if the tenant does not see the tour', async () => {
    await terminal.tourctl('visibility deny acme --tour alps');
    expect((await pricing('simulate acme alps')).stderr).toContain('acme does not see alps');
    await terminal.tourctl('visibility clear acme --tour alps');
  });
});
