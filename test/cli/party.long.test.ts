import { parse } from 'csv-parse/sync';
import type { Category } from '../../services/api/parties/category';
import { useTestApi } from '../support/api';
import { givenDeparture, givenTour, type GivenTour } from '../support/given';
import { givenWebsite, type Website } from '../support/website';
import { useTerminalOf } from './terminal';

const DATE = '2031-06-01';
const CATEGORIES: Category[] = [
  { code: 'adult', kind: 'adult', age_from: 18, seats: 1, people: 1 },
  { code: 'senior', kind: 'senior', age_from: 65, seats: 1, people: 1 },
  { code: 'infant', kind: 'infant', age_to: 3, seats: 0, people: 1, with: ['adult', 'senior'], max: 2 },
  { code: 'family_ticket', kind: 'family', seats: 4, people: 4 },
  { code: 'cabin', kind: 'supplement', seats: 0, people: 0, at_most: 'adult' },
];
const PRICES = { adult: 5_000, senior: 4_000, infant: 0, family_ticket: 15_000, cabin: 2_500 };
const api = useTestApi();
const terminal = useTerminalOf(api);
let acme: Website;
let museum: GivenTour;

beforeAll(async () => {
  acme = await givenWebsite(api, { slug: 'acme' });
  museum = await givenTour(api.db, { slug: 'museum', categories: CATEGORIES, basePriceMinor: 5_000 });
  await givenDeparture(api.db, museum, { date: DATE, seats: 40, prices: PRICES });
});

/** Books a party, and returns the reference. */
async function booked(party: Record<string, number>, more: object = {}): Promise<string> {
  const order = { tour_id: museum.id, departure_date: DATE, party, ...more };
  const { body, status } = await acme.book(order);
  expect([status, body.detail]).toEqual([201, undefined]);
  return body.booking_ref;
}

describe('the party of a booking at the terminal', () => {
  let ref: string;
  beforeAll(async () => {
    ref = await booked({ adult: 2, infant: 1, cabin: 1 });
  });
  const change = (flags: string) => terminal.tourctl(`booking change ${ref} ${flags} --json`);

  it('tourctl booking change --party changes the named categories, removes those with 0, and keeps the others', async () => {
    expect((await change('--party adult=1,senior=2 --party cabin=0')).json).toMatchObject({
      party: { adult: 1, senior: 2, infant: 1 },
      adults: 1,
      children: 0,
      single_supplements: 0,
      people: 4,
      seats: 3,
      total_price: 130,
    });
    expect((await change('--party family_ticket=1 --adults 2')).json).toMatchObject({
      party: { adult: 2, senior: 2, infant: 1, family_ticket: 1 },
      people: 9,
      seats: 8,
      total_price: 330,
    });
  });

  it('tourctl booking show describes the party and each locked price by its category', async () => {
    const { stdout } = await terminal.tourctl(`booking show ${ref}`);
    expect(stdout).toMatch(/^party +2 adults, 2 senior, 1 infant, 1 family_ticket$/m);
    expect(stdout).not.toMatch(/^(adults|children) /m);
    expect(stdout).toContain(
      "Price of one adult\n50.00 EUR, the platform's own price; senior 40.00 EUR; infant 0.00 EUR; family_ticket 150.00 EUR; cabin 25.00 EUR\n",
    );
    const { prices } = await terminal.json(`booking show ${ref}`);
    expect(Object.entries(prices)).toEqual([
      ['adult', 50],
      ['senior', 40],
      ['infant', 0],
      ['family_ticket', 150],
      ['cabin', 25],
    ]);
    expect((await terminal.json('booking list --tour museum')).items).toEqual([
      expect.objectContaining({ booking_ref: ref, people: 9, seats: 8 }),
    ]);
  });

  it('tourctl booking export writes the party and the prices as JSON', async () => {
    const { stdout } = await terminal.tourctl('booking export --tour museum');
    const [row]: Record<string, string>[] = parse(stdout, { columns: true, record_delimiter: '\r\n' });
    expect(JSON.parse(row!.party!)).toEqual({ adult: 2, senior: 2, infant: 1, family_ticket: 1 });
    expect(JSON.parse(row!.prices!)).toMatchObject({ family_ticket: 150 });
  });

  it.each([
    ['--party infant=3', 'party.infant must be at most 2: '],
    ['--party adult=0,senior=0', 'party.infant must be 0 without adult or senior: '],
    ['--party cabin=3', 'party.cabin must be at most the number of adult: '],
    ['--party student=1', 'party.student must be left out: student is none of the categories'],
  ])('tourctl booking change %s is refused with the message "%s"', async (flags, message) => {
    const { code, error } = await change(flags);
    expect([code, error]).toEqual([
      1,
      { code: 'validation_failed', message: expect.stringContaining(message) },
    ]);
  });

  it.each([
    ['--party adult=1 --adults 2', '--adults and --party adult=… mean the same and cannot be given together'],
    [
      '--party child=1 --children 0',
      '--children and --party child=… mean the same and cannot be given together',
    ],
    ['--party senior=1,senior=2', '--party gives senior two values'],
    ['--party senior', '--party must be the code of a price category and its value, such as adult=2'],
    ['--party Senior=1', '--party must be the code of a price category and its value, such as adult=2'],
    ['--party senior=1.5', '--party senior must be a whole number from 0 to 99'],
    ['--party senior=100', '--party senior must be a whole number from 0 to 99'],
    ['--party senior=', '--party senior must be a whole number from 0 to 99'],
    ['--travellers Ana', '--travellers must be none: it clears the list'],
    ['--party adult=1,', '--party has an empty value between commas'],
  ])('tourctl booking change exits with 2 for %s', async (flags, message) => {
    const { code, error } = await change(flags);
    expect([code, error]).toEqual([2, { code: 'usage_error', message }]);
  });
});

describe('the party of a hold at the terminal', () => {
  it('tourctl hold show and list answer the party, its seats and the price of each category', async () => {
    const { body } = await acme.hold(museum, {
      departure_date: DATE,
      party: { family_ticket: 1, senior: 1, infant: 1 },
    });
    const shown = await terminal.json(`hold show ${body.hold_id}`);
    expect(shown).toMatchObject({
      quantity: 5,
      adults: 0,
      children: 0,
      party: { senior: 1, infant: 1, family_ticket: 1 },
      unit_price: 50,
      prices: { adult: 50, senior: 40, infant: 0, family_ticket: 150, cabin: 25 },
      price_breakdown: { platform_unit_price: 50 },
    });
    const { stdout } = await terminal.tourctl(`hold show ${body.hold_id}`);
    expect(stdout).toMatch(/^party +1 senior, 1 infant, 1 family_ticket$/m);
    expect(await terminal.json('hold list')).toMatchObject({ items: [{ party: shown.party, quantity: 5 }] });
    await terminal.json(`hold release ${body.hold_id} --yes`);
  });
});

describe('tourctl pricing simulate --party', () => {
  const simulate = (flags: string) =>
    terminal.tourctl(`pricing simulate acme museum --date ${DATE} ${flags}`);

  it('tourctl pricing simulate names the rule that decides each category of the party', async () => {
    const general = await terminal.json('pricing add acme --percent 10');
    const ofSenior = await terminal.json('pricing add acme --price 30 --category senior --tour museum');
    const { json } = await simulate('--party adult=1,senior=2,infant=1 --json');
    expect(json).toMatchObject({
      party: { adult: 1, senior: 2, infant: 1 },
      adults: 1,
      seats: 3,
      total_price: 115,
      rule: { id: general.id },
      categories: [
        { category: 'adult', number: 1, unit_price: 55, rule: { id: general.id } },
        { category: 'senior', number: 2, unit_price: 30, total: 60, rule: { id: ofSenior.id } },
        { category: 'infant', number: 1, unit_price: 0, rule: { id: general.id } },
      ],
    });
    const { stdout } = await simulate('--party adult=1,senior=2');
    expect(stdout).toContain(`decided by rule ${general.id} (all tours: +10 %, any time)`);
    expect(stdout).toContain(`senior: decided by rule ${ofSenior.id} (museum: `);
    for (const { id } of [general, ofSenior]) await terminal.json(`pricing remove acme ${id} --yes`);
  });

  it('tourctl pricing simulate counts one unit of the first category without any number', async () => {
    expect((await simulate('--json')).json).toMatchObject({ party: { adult: 1 }, total_price: 50 });
    expect((await terminal.tourctl('pricing simulate acme museum --json')).json).toMatchObject({
      departure_date: null,
      prices: { adult: 50 },
      total_price: 50,
    });
  });

  it.each([
    ['--party infant=1', '1 validation_failed'],
    ['--party adult=1 --adults 1', '2 usage_error'],
    ['--party cabin=1 --single-supplements 1', '1 validation_failed'],
    ['--party single_supplement=1 --single-supplements 1', '2 usage_error'],
    ['--adults 0', '2 usage_error'],
  ])('tourctl pricing simulate answers %s with "%s"', async (flags, refusal) => {
    expect(await terminal.refusal(`pricing simulate acme museum --date ${DATE} ${flags}`)).toBe(refusal);
  });
});

describe('the manifest, the report and the statistics by category', () => {
  const day = '2031-07-01';
  beforeAll(async () => {
    await givenDeparture(api.db, museum, { date: day, seats: 40, prices: PRICES });
    const paid = await booked({ adult: 2, infant: 2, cabin: 1 }, { departure_date: day });
    await acme.post(`/api/tenant/bookings/${paid}/confirm`);
    await booked({ senior: 1, family_ticket: 2 }, { departure_date: day });
  });

  it('tourctl departure manifest counts people and seats, together and by category', async () => {
    const manifest = await terminal.json(`departure manifest museum ${day}`);
    expect(manifest).toMatchObject({
      people: 13,
      seats: 11,
      categories: [
        { category: 'adult', units: 2, people: 2, seats: 2 },
        { category: 'senior', units: 1, people: 1, seats: 1 },
        { category: 'infant', units: 2, people: 2, seats: 0 },
        { category: 'family_ticket', units: 2, people: 8, seats: 8 },
        { category: 'cabin', units: 1, people: 0, seats: 0 },
      ],
      bookings: [
        { party: { adult: 2, infant: 2, cabin: 1 }, adults: 2, people: 4, seats: 2 },
        { party: { senior: 1, family_ticket: 2 }, adults: 0, people: 9, seats: 9 },
      ],
    });
    const { stdout } = await terminal.tourctl(`departure manifest museum ${day}`);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      `museum on ${day}`,
      '13 people, 11 seats, 2 bookings, 1 unpaid',
      '2 adults, 1 senior, 2 infant, 2 family_ticket, 1 cabin',
    ]);
    const csv = (await terminal.tourctl(`departure manifest museum ${day} --csv`)).stdout;
    const rows: Record<string, string>[] = parse(csv, { columns: true, record_delimiter: '\r\n' });
    expect(rows.map(({ party, people, seats }) => [JSON.parse(party!), people, seats])).toEqual([
      [{ adult: 2, infant: 2, cabin: 1 }, '4', '2'],
      [{ senior: 1, family_ticket: 2 }, '9', '9'],
    ]);
  });

  it('tourctl report sales sums units, seats and the platform price of every category', async () => {
    const { rows } = await terminal.json(
      `report sales --from ${day} --to ${day} --by tour,departure --tenant acme`,
    );
    expect(rows).toEqual([
      {
        tour: 'museum',
        currency: 'EUR',
        bookings: 2,
        seats: 11,
        party: { adult: 2, senior: 1, infant: 2, family_ticket: 2, cabin: 1 },
        platform_total: 465,
        tenant_total: 465,
        deposit_total: 93,
      },
    ]);
  });

  it('tourctl booking stats sums units by category, and counts the travellers of all categories', async () => {
    const { together } = await terminal.json('booking stats acme --since 1h');
    expect(together).toMatchObject({
      bookings: 3,
      party: { adult: 4, senior: 3, infant: 3, family_ticket: 3, cabin: 1 },
      adults: 4,
      children: 0,
      people: 22,
    });
    expect((await terminal.tourctl('booking stats acme --since 1h')).stdout).toContain(
      '3 bookings of 22 travellers',
    );
  });

  it('tourctl departure cancel lists the seats of the parties', async () => {
    const { bookings } = await terminal.json(`departure cancel museum ${day} --yes`);
    expect(bookings).toMatchObject([
      { party: { adult: 2, infant: 2, cabin: 1 }, seats: 2 },
      { party: { senior: 1, family_ticket: 2 }, seats: 9 },
    ]);
  });
});

describe('the travellers of a booking at the terminal', () => {
  it('tourctl booking change --travellers none clears the travellers, so that their category can leave the party', async () => {
    const travellers = [{ category: 'family_ticket', first_name: 'Ana', last_name: 'Lima' }];
    const family = await booked({ family_ticket: 1, adult: 1 }, { travellers });
    const leave = `booking change ${family} --party family_ticket=0`;
    const refused = await terminal.tourctl(`${leave} --json`);
    expect([refused.code, refused.error.message]).toEqual([
      1,
      'travellers must not name more of the category family_ticket than booked.',
    ]);
    const { json } = await terminal.tourctl(`${leave} --travellers none --json`);
    expect(json.party).toEqual({ adult: 1 });
    expect((await terminal.json(`booking show ${family} --reveal`)).travellers).toBeNull();
    const row = await api.db('audit_log').where({ subject: family, action: 'booking.change' }).first();
    expect(JSON.stringify(row)).toContain('travellers');
    expect(JSON.stringify(row)).not.toContain('Lima');
    await terminal.json(`booking cancel ${family} --yes`);
  });
});
