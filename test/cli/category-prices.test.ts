import { importTours, departureEntry, tourEntry } from '../catalog/catalog-files';
import { departureOf } from '../catalog/catalog-rows';
import { describeOnTerminal, KEY } from '../support/pseudo-terminal';
import { useTestTerminal } from './terminal';

const DATE = '2031-06-01';
const SLUG = 'museum';
const CATEGORIES = [
  { code: 'adult', kind: 'adult' },
  { code: 'senior', kind: 'senior', age_from: 65 },
  { code: 'family_ticket', kind: 'family', seats: 4 },
];

const terminal = useTestTerminal();
beforeAll(async () => {
  const departures = [departureEntry({ prices: { adult: 20 } })];
  const boat = { code: 'boat', kind: 'group', seats: 8 };
  await importTours(
    terminal.db,
    tourEntry({ slug: SLUG, categories: CATEGORIES, departures }),
    tourEntry({ slug: 'cruise', categories: [boat] }),
    tourEntry({ slug: 'alps' }),
  );
  await terminal.tourctl('tenant create --slug acme --name Acme --currency EUR');
});
beforeEach(async () => terminal.db('price_rules').delete());

const pricesOf = async (date: string, slug = SLUG) =>
  (await departureOf(terminal.db, slug, date))?.pricesMinor;

describe('the prices of a departure by category', () => {
  it('tourctl departure add takes --price for each category, repeated or as a list, beside the flags with names', async () => {
    const added = await terminal.tourctl(
      `departure add ${SLUG} 2031-07-01 --seats 9 --adult 20 --price senior=15.5,family_ticket=55`,
    );
    expect(added.stdout).toBe(`${SLUG} on 2031-07-01 is added: 9 seats, adult 20.00 EUR\n`);
    const { json } = await terminal.tourctl(
      `departure add ${SLUG} 2031-07-02 --seats 9 --price family_ticket=55 --price adult=20 --json`,
    );
    expect(json.departures[0].prices).toEqual({ adult: 20, family_ticket: 55 });
    expect(await pricesOf('2031-07-01')).toEqual({ adult: 2000, senior: 1550, family_ticket: 5500 });
  });

  it('a tour without the category adult takes the price of its first category', async () => {
    const { code, stdout } = await terminal.tourctl(
      'departure add cruise 2031-07-01 --seats 16 --price boat=400',
    );
    expect([code, stdout]).toEqual([0, 'cruise on 2031-07-01 is added: 16 seats, boat 400.00 EUR\n']);
    expect(await pricesOf('2031-07-01', 'cruise')).toEqual({ boat: 40_000 });
    expect((await terminal.tourctl('departure list cruise')).stdout).toContain('boat 400.00 EUR');
  });

  it('tourctl departure schedule prices each departure by category, and the question names the first price', async () => {
    const given = '--seats 16 --price boat=350';
    expect((await terminal.tourctl(`departure add cruise 2031-08-08 2031-08-09 ${given}`)).stderr).toContain(
      'each with 16 seats, boat 350.00 EUR?',
    );
    const line = `departure schedule cruise --every daily --from 2031-08-01 --to 2031-08-02 ${given} --yes`;
    expect((await terminal.tourctl(line)).code).toBe(0);
    expect(await pricesOf('2031-08-02', 'cruise')).toEqual({ boat: 35_000 });
  });

  it('tourctl departure set-price sets the prices that are given, and keeps the others', async () => {
    const line = `departure set-price ${SLUG} ${DATE} --price family_ticket=50 --price senior=12`;
    expect((await terminal.tourctl(line)).stdout).toBe(
      `${SLUG} on ${DATE} costs adult 20.00 EUR, senior 12.00 EUR, family ticket 50.00 EUR\n`,
    );
    expect(await pricesOf(DATE)).toEqual({ adult: 2000, senior: 1200, family_ticket: 5000 });
  });

  const ADD = `departure add ${SLUG} 2031-09-01 --seats 9`;
  it.each([
    ['without a price', ADD, "--adult is missing: an adult's price"],
    [
      'without a price of the first category',
      `${ADD} --price senior=10`,
      '--price adult=<money> is missing: adult is the first category of the tour',
    ],
    [
      'with both spellings of a category',
      `${ADD} --adult 20 --price adult=20`,
      '--adult and --price adult=… mean the same and cannot be given together',
    ],
    [
      'with a price twice',
      `${ADD} --adult 20 --price senior=1 --price senior=2`,
      '--price gives senior two values',
    ],
    [
      'with a price without a category',
      `${ADD} --price 20`,
      '--price must be the code of a price category and its value, such as senior=430',
    ],
    [
      'with a code in capital letters',
      `${ADD} --price Senior=20`,
      '--price must be the code of a price category and its value, such as senior=430',
    ],
    [
      'with a price that is no number',
      `${ADD} --price senior=ten`,
      '--price senior must be a number from 0 to',
    ],
    [
      'set-price with both spellings',
      `departure set-price ${SLUG} ${DATE} --child 5 --price child=5`,
      '--child and --price child=… mean the same and cannot be given together',
    ],
    [
      'set-price without a price',
      `departure set-price ${SLUG} ${DATE}`,
      'one of --adult, --child, --single-supplement and --price must be given',
    ],
    [
      'schedule with both spellings',
      `departure schedule ${SLUG} --every daily --from ${DATE} --to ${DATE} --seats 1 --adult 1 --price adult=1`,
      '--adult and --price adult=… mean the same and cannot be given together',
    ],
  ])('%s is a usage error', async (_, line, message) => {
    const { code, stderr } = await terminal.tourctl(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await pricesOf('2031-09-01')).toBeUndefined();
  });

  it.each([`${ADD} --adult 20 --child 10`, `departure set-price ${SLUG} ${DATE} --price student=10`])(
    'a category that the tour does not have is refused: %s',
    async (line) => {
      expect(await terminal.refusal(line)).toBe('1 category_not_found');
      expect((await terminal.tourctl(line)).stderr).toContain('known are adult, senior, family_ticket');
    },
  );
});

describe('a price rule of one category', () => {
  it('tourctl pricing add --category changes the price of this category only, and pricing show lists it', async () => {
    const added = await terminal.tourctl(
      `pricing add acme --price 9.50 --category senior --tour ${SLUG} --yes --json`,
    );
    expect(added.json).toMatchObject({ tour: SLUG, category: 'senior', price: 9.5 });
    expect((await terminal.json('pricing show acme')).items).toEqual([added.json]);
    expect((await terminal.tourctl('pricing show acme')).stdout).toMatch(
      /museum +9\.50 EUR +any time +- +senior/,
    );
  });

  it('tourctl pricing add --category takes a category that any tour has, if it names no tour', async () => {
    expect((await terminal.tourctl('pricing add acme --amount 5 --category boat')).code).toBe(0);
    expect(await terminal.refusal('pricing add acme --amount 5 --category student')).toBe(
      '1 category_not_found',
    );
    expect(await terminal.refusal('pricing add acme --amount 5 --category senior --tour alps')).toBe(
      '1 category_not_found',
    );
  });

  it.each([
    [
      '--percent 10 --category senior',
      '--category goes with --amount and --price: --percent changes every category',
    ],
    ['--amount 5 --category Senior', '--category must be the code of a price category'],
  ])('tourctl pricing add %s is a usage error', async (flags, message) => {
    const { code, stderr } = await terminal.tourctl(`pricing add acme ${flags}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await terminal.db('price_rules')).toEqual([]);
  });
});

describe('the price categories of a tour in the terminal', () => {
  it('tourctl catalog show lists them with their rules', async () => {
    const { stdout } = await terminal.tourctl(`catalog show ${SLUG}`);
    expect(stdout).toContain('senior, 65 to 99 years');
    expect(stdout).toContain('family_ticket, 4 seats');
    expect((await terminal.json(`catalog show ${SLUG}`)).categories).toHaveLength(3);
  });
});

describeOnTerminal('tourctl departure add and schedule on a terminal', () => {
  it.each([
    ['a tour without the category adult', 'add cruise 2031-10-01 --seats 16', 'Price of one boat in EUR:'],
    ['a tour of a museum', `add ${SLUG} 2031-10-01 --seats 9`, 'Price of one adult in EUR:'],
    ['other prices', `add ${SLUG} 2031-10-02 --seats 9 --price senior=5`, 'Price of one adult in EUR:'],
  ])('with %s, they ask for the price of its first category', async (_, line, question) => {
    const person = terminal.sit(`departure ${line}`);
    await person.answer(question, 'x', KEY.enter);
    await person.see('It must be a number from 0 to');
    await person.answer(question, KEY.clearLine, '350', KEY.enter);
    expect(await person.ended).toBe(0);
    expect(person.shown).toMatch(/is added: (16 seats, boat|9 seats, adult) 350\.00 EUR/);
  });

  it('the price that was typed is the price of each departure of a schedule', async () => {
    const dates = '--every daily --from 2031-11-01 --to 2031-11-02';
    const person = terminal.sit(`departure schedule cruise ${dates} --seats 16`);
    await person.answer('Price of one boat in EUR:', '410', KEY.enter);
    await person.answer('each with 16 seats, boat 410.00 EUR?', 'y', KEY.enter);
    expect(await person.ended).toBe(0);
    expect(await pricesOf('2031-11-02', 'cruise')).toEqual({ boat: 41_000 });
  });
});
