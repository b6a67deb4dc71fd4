import { givenDeparture, givenTour } from '../support/given';
import { describeOnTerminal, KEY } from '../support/pseudo-terminal';
import { useTestTerminal } from './terminal';

/** Flags of a rule for one departure, which costs 1200. */
const WINDOW = '--percent -60 --tour alps --travel-from 2031-08-01 --travel-to 2031-08-01';

const terminal = useTestTerminal();
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme --currency EUR');
  const alps = await givenTour(terminal.db, { slug: 'alps', continent: 'europe', basePriceMinor: 100_000 });
  const prices = { adult: 110_000, child: 55_000, single_supplement: 400 };
  await givenDeparture(terminal.db, alps, { date: '2031-06-01', prices });
  await givenDeparture(terminal.db, alps, { date: '2031-06-02', prices });
  await givenDeparture(terminal.db, alps, { date: '2031-08-01', prices: { adult: 120_000 } });
  await givenDeparture(terminal.db, alps, { date: '2020-06-01', prices });
  await givenDeparture(terminal.db, alps, { date: '2031-09-01', prices, status: 'cancelled' });
  await givenTour(terminal.db, { slug: 'draft', continent: 'europe', status: 'draft' });
  await givenTour(terminal.db, { slug: 'fuji', continent: 'asia', currency: 'JPY', basePriceMinor: 90_000 });
});
beforeEach(async () => terminal.db('price_rules').delete());

const pricing = (line: string) => terminal.tourctl(`pricing ${line} --json`);
const rules = () => terminal.db('price_rules').select('id');

describe("tourctl pricing add, where prices would be 0 or less than half of the platform's", () => {
  it('tourctl pricing add without a terminal requires --yes for a rule that makes low prices', async () => {
    const { code, stdout, error } = await pricing('add acme --percent -100 --tour alps');
    expect([code, stdout, error.code]).toEqual([2, '', 'usage_error']);
    expect(error.message).toBe(
      'No terminal to ask on: add --yes if you agree: This rule makes 8 prices in 1 tour less than half of the ' +
        "platform's, 8 of them 0, such as alps on 2031-08-01, adult: 0.00 EUR instead of 1,200.00 EUR. Add it?",
    );
    expect(await rules()).toEqual([]);
  });

  it('tourctl pricing add adds a rule that makes low prices with --yes, and answers with one document', async () => {
    const { code, json, stderr } = await pricing('add acme --percent -100 --yes');
    expect([code, json.percent, stderr]).toEqual([0, -100, '']);
    expect(await rules()).toHaveLength(1);
  });

  it.each([
    ['exactly half is not less than half', '--percent -50', 0],
    ['51 % off is less than half', '--percent -51', 9],
    ['an amount lowers the prices of adults', '--amount -560 --tour alps', 3],
    ['a fixed price is compared with each platform price', '--price 575', 1],
    ['rounding makes a small supplement 0', '--percent 10 --round-to 10', 2],
    ['a travel window spares the other departures and the base price', WINDOW, 1],
    ['a general rule lowers all tours, in every currency', '--percent -90', 9],
    ['a continent rule lowers the tours of the continent', '--percent -90 --continent asia', 1],
  ])('tourctl pricing add checks each price that can be booked: %s', async (_, flags, prices) => {
    const { code, stderr } = await pricing(`add acme ${flags}`);
    const found = Number(/makes (\d+) price/.exec(stderr)?.[1] ?? 0);
    expect([code, found]).toEqual([prices === 0 ? 0 : 2, prices]);
  });

  it('tourctl pricing add checks the price of each category by the rule that decides this category', async () => {
    const museum = await givenTour(terminal.db, {
      slug: 'museum',
      basePriceMinor: 2_000,
      categories: [
        { code: 'senior', kind: 'senior', seats: 1, people: 1 },
        { code: 'adult', kind: 'adult', seats: 1, people: 1 },
      ],
    });
    await givenDeparture(terminal.db, museum, {
      date: '2031-06-01',
      prices: { senior: 2_000, adult: 3_000 },
    });
    const lowPrices = async (flags: string) =>
      /makes (\d+) price.*, (\w+): /
        .exec((await pricing(`add acme --tour museum ${flags}`)).stderr)
        ?.slice(1);
    expect(await lowPrices('--price 9')).toEqual(['2', 'senior']);
    expect(await lowPrices('--price 9 --category adult')).toEqual(['1', 'adult']);
    expect(await lowPrices('--percent -70')).toEqual(['3', 'adult']);
    await pricing('add acme --tour museum --price 30 --category adult');
    expect(await lowPrices('--percent -70')).toEqual(['3', 'adult']);
    await terminal.db('departures').where({ tour_id: museum.id }).delete();
    await terminal.db('tours').where({ id: museum.id }).delete();
  });

  it('tourctl pricing add does not ask if more specific rules set every price that the new rule would lower', async () => {
    expect((await pricing('add acme --percent 5 --tour alps')).code).toBe(0);
    expect((await pricing('add acme --percent 5 --tour fuji')).code).toBe(0);
    expect((await pricing('add acme --percent -90')).code).toBe(0);
  });

  it('tourctl tenant onboard requires a confirmation of a rule that makes low prices', async () => {
    const onboard = 'tenant onboard --name Low --percent -80 --no-key --no-widget --json';
    const { code, error } = await terminal.tourctl(onboard);
    expect([code, error.message]).toEqual([2, expect.stringContaining('less than half')]);
    expect(await terminal.db('tenants').where({ slug: 'low' })).toEqual([]);
    const agreed = await terminal.tourctl(`${onboard} --yes`);
    expect([agreed.code, agreed.stderr]).toEqual([0, expect.stringContaining('less than half')]);
    await terminal.tourctl('tenant close low --yes');
  });
});

describeOnTerminal('tourctl pricing add on a terminal', () => {
  it('tourctl pricing add asks before prices fall below half, and adds the rule only after the answer yes', async () => {
    const refusing = terminal.sit('pricing add acme --percent -80 --tour fuji');
    await refusing.answer('less than half of the platform', 'n', KEY.enter);
    expect([await refusing.ended, await rules()]).toEqual([1, []]);
    const agreeing = terminal.sit('pricing add acme --percent -80 --tour fuji');
    await agreeing.answer('less than half of the platform', 'y', KEY.enter);
    expect(await agreeing.ended).toBe(0);
    expect(await rules()).toHaveLength(1);
  });

  it('tourctl tenant onboard warns of low prices before it writes', async () => {
    const person = terminal.sit('tenant onboard --name Cheap --percent -80 --no-key --no-widget');
    for (const question of [
      'Slug',
      'Kind',
      'Status',
      'Country',
      'Currency',
      'Prefix',
      'Tours',
      'Round',
      'Deposit',
      'Percent of a departure',
      'Sites',
      'Endpoint',
    ])
      await person.answer(question, KEY.enter);
    await person.see('warning: the price rule makes 9 prices in 2 tours less than half of the platform');
    await person.answer('Write all of it?', KEY.ctrlC);
    expect([await person.ended, await rules()]).toEqual([130, []]);
  });
});

describe('tourctl doctor on low prices', () => {
  const check = async () => {
    const json = await terminal.json('doctor');
    return json.checks.find(({ name }: { name: string }) => name === 'low-prices');
  };

  it("tourctl doctor reports nothing if no price is below half of the platform's", async () => {
    await pricing('add acme --percent -50');
    await pricing('add acme --percent 12.5 --round-to 0.5 --tour fuji');
    expect(await check()).toMatchObject({ status: 'ok' });
  });

  it('tourctl doctor names each rule that makes low prices, its lowest price and the command that shows it', async () => {
    const { id } = (await pricing(`add acme ${WINDOW} --yes`)).json;
    const { status, detail, commands } = await check();
    expect(status).toBe('notice');
    expect(detail).toContain(
      `${id} of acme makes 1 price in 1 tour less than half of the platform's, such as alps on 2031-08-01`,
    );
    expect(commands).toEqual(['tourctl pricing simulate acme alps --date 2031-08-01']);
  });

  it('tourctl doctor names the start time of the departure, because its date may have several', async () => {
    const walk = await givenTour(terminal.db, { slug: 'walk', basePriceMinor: 1_000 });
    for (const [startTime, adult] of Object.entries({ '14:30': 3_000, '09:30': 3_000, '18:00': 2_000 }))
      await givenDeparture(terminal.db, walk, { date: '2031-08-01', startTime, prices: { adult } });
    await pricing('add acme --percent -60 --tour walk --yes');
    const { detail, commands } = await check();
    expect(detail).toContain('such as walk on 2031-08-01 09:30');
    expect(commands).toEqual(['tourctl pricing simulate acme walk --date 2031-08-01T09:30']);
    expect((await terminal.tourctl(commands[0].replace('tourctl ', ''))).code).toBe(0);
    await terminal.db('departures').where({ tour_id: walk.id }).delete();
    await terminal.db('price_rules').delete();
    await terminal.db('tours').where({ id: walk.id }).delete();
  });

  it('tourctl doctor leaves out suspended tenants, and rules that another rule overrides', async () => {
    await pricing('add acme --percent -90 --tour alps --yes');
    await pricing('add acme --percent 5 --tour alps');
    expect(await check()).toMatchObject({ status: 'ok' });
    await pricing('add acme --percent -90 --tour alps --yes');
    expect(await check()).toMatchObject({ status: 'notice' });
    await terminal.tourctl('tenant suspend acme --yes');
    expect(await check()).toMatchObject({ status: 'ok' });
    await terminal.tourctl('tenant activate acme');
  });

  it('tourctl doctor names prices that an import lowered through an existing rule', async () => {
    const fuji = { slug: 'fuji' };
    await pricing('add acme --amount -20 --continent europe');
    expect(await check()).toMatchObject({ status: 'ok' });
    await terminal
      .db('tours')
      .where(fuji)
      .update({ currency: 'EUR', currency_digits: 2, continent: 'europe' });
    await terminal.db('tours').where(fuji).update({ base_price_minor: 1500 });
    expect((await check()).detail).toContain(
      'such as fuji without a date, adult: 0.00 EUR instead of 15.00 EUR',
    );
  });
});
