import { givenDeparture, givenTour } from '../support/given';
import { openTestTerminal, type TestTerminal } from './terminal';

let terminal: TestTerminal;
beforeAll(async () => {
  terminal = await openTestTerminal();
  await terminal.tourctl('tenant create --slug acme --name Acme --currency EUR --deposit-percent 20');
  const alps = await givenTour(terminal.db, { slug: 'alps', continent: 'europe', basePriceMinor: 100_000 });
  await givenDeparture(terminal.db, alps, { date: '2031-06-01', prices: { adult: 110_000, child: 55_000 } });
  await givenTour(terminal.db, { slug: 'fuji', continent: 'asia', currency: 'JPY', basePriceMinor: 90_000 });
});
afterAll(async () => terminal.drop());
beforeEach(async () => terminal.db('price_rules').delete());

const pricing = (line: string) => terminal.tourctl(`pricing ${line} --json`);

describe('tourctl pricing add', () => {
  it('answers with the rule, and shows it', async () => {
    const { code, json } = await pricing('add acme --percent 12.5 --continent europe --round-to 5');
    expect(code).toBe(0);
    expect(json).toEqual({
      id: expect.any(Number),
      tenant: 'acme',
      applies_to: 'continent',
      tour: null,
      continent: 'europe',
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
    expect((await terminal.tourctl('pricing show acme')).stdout).toMatch(/alps +-20.5 EUR +2031-05-01\.\./);
  });

  it("shows money in the rule's own currency, also after the tenant changed to another", async () => {
    await terminal.tourctl('tenant create --slug yen --name Yen --currency JPY');
    const added = (await pricing('add yen --price 500')).json;
    expect(added).toMatchObject({ price: 500, currency: 'JPY' });
    await terminal.tourctl('tenant set yen --currency EUR');
    expect((await pricing('show yen')).json.items).toEqual([added]);
    expect((await terminal.tourctl('pricing show yen')).stdout).toMatch(/all tours +500 JPY/);
    expect((await pricing(`remove yen ${added.id} --yes`)).json).toEqual(added);
    const [entry] = (await terminal.tourctl('audit list --json --limit 1')).json.items;
    expect(entry.before).toMatchObject({ price: 500, currency: 'JPY' });
  });

  it('refuses money for a tour in another currency, and more decimals than the currency has', async () => {
    const foreign = await pricing('add acme --price 990 --tour fuji');
    expect([foreign.code, foreign.error.code]).toEqual([1, 'currency_mismatch']);
    const odd = await pricing('add acme --price 9.999');
    expect([odd.code, odd.error.code]).toEqual([1, 'invalid_amount']);
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
  ])('takes "%s" for a wrong command line', async (line) => {
    const { code, error } = await pricing(line);
    expect([code, error.code]).toEqual([2, 'usage_error']);
    expect(await terminal.db('price_rules')).toEqual([]);
  });
});

describe('tourctl pricing remove', () => {
  it("removes a tenant's own rule, with an audit row", async () => {
    await terminal.tourctl('tenant create --slug other --name Other');
    const { id } = (await pricing('add acme --percent 5')).json;
    const foreign = await pricing(`remove other ${id} --yes`);
    expect([foreign.code, foreign.error.code]).toEqual([1, 'price_rule_not_found']);
    const { code, json } = await pricing(`remove acme ${id} --yes`);
    expect([code, json.id]).toEqual([0, id]);
    expect((await pricing('show acme')).json).toEqual({ items: [] });
    const [entry] = (await terminal.tourctl('audit list --json --limit 1')).json.items;
    expect(entry).toMatchObject({
      action: 'pricing.remove',
      tenant: 'acme',
      before: { percent: 5 },
      after: null,
    });
  });
});

describe('tourctl pricing simulate', () => {
  it("is the platform's price without a rule", async () => {
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

  it('tells the rule that decides and those it beats', async () => {
    const general = (await pricing('add acme --percent 50')).json;
    const continent = (await pricing('add acme --percent 20 --continent europe')).json;
    const tour = (
      await pricing('add acme --amount 10 --tour alps --travel-from 2031-06-01 --travel-to 2031-06-30')
    ).json;
    await pricing('add acme --percent 1 --continent asia');
    const dated = (await pricing('simulate acme alps --date 2031-06-01 --adults 3')).json;
    expect(dated).toMatchObject({
      prices: { adult: 1100, child: 550 },
      tenant_prices: { adult: 1110, child: 550, deposit: 222 },
      unit_price: 1110,
      total_price: 3330,
      rule: tour,
      beaten: [continent, general],
    });
    const dateless = (await pricing('simulate acme alps')).json;
    expect(dateless).toMatchObject({ unit_price: 1200, rule: continent, beaten: [general] });
    const { stdout } = await terminal.tourctl('pricing simulate acme alps');
    expect(stdout).toContain(`decided by rule ${continent.id} (europe: +20 %, any time)`);
    expect(stdout).toContain(`it beats rule ${general.id} (all tours: +50 %, any time)`);
  });

  it('refuses a date on which the tour does not depart, an unknown tour and an unknown tenant', async () => {
    const codes = async (line: string) => {
      const { code, error } = await pricing(line);
      return [code, error.code];
    };
    expect(await codes('simulate acme alps --date 2031-06-02')).toEqual([1, 'departure_not_found']);
    expect(await codes('simulate acme nowhere')).toEqual([1, 'tour_not_found']);
    expect(await codes('simulate nobody alps')).toEqual([1, 'tenant_not_found']);
  });

  it('warns where the tenant does not see the tour', async () => {
    await terminal.tourctl('visibility deny acme --tour alps');
    expect((await pricing('simulate acme alps')).stderr).toContain('acme does not see alps');
    await terminal.tourctl('visibility clear acme --tour alps');
  });
});
