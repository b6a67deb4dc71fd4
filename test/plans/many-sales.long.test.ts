import { useTerminalOf } from '../cli/terminal';
import { useTestApi } from '../support/api';
import { daysFromToday as inDays } from '../support/given';
import { fillManySales } from './many-sales';
import { logPlans, openPlanLog, type RunStatement } from './server-plans';

/** `npm run lab -- plans` has 100,000 tours with 20 departures each, and a million bookings. */
const SIZE = {
  tours: Number(process.env.TOURS ?? 10_000),
  departures: 20,
  bookings: Number(process.env.BOOKINGS ?? 100_000),
};
const FILL_MS = 1_800_000;
/**
 * The most rows of a table that a list of 100 items may read. The departures of three dates, which lie at random, are fewer, and so are
 * the bookings of a rare name.
 */
const ROWS_MAX = (4 * SIZE.tours * SIZE.departures) / 340;
const LARGE = /^(tours|departures|booking_leads|seat_holds)$/;

const api = useTestApi();
const terminal = useTerminalOf(api);
let statements: () => RunStatement[];
let name: string;

beforeAll(async () => {
  const { db } = api;
  await fillManySales(db, SIZE);
  const lead = await db('booking_leads').where({ booking_ref: 'MANY-777' }).first('customer_name');
  name = lead.customerName;
  await logPlans(db);
  // The settings apply to new connections.
  await db.destroy();
  db.initialize();
  statements = await openPlanLog(db);
}, FILL_MS);

/** Returns the number of items, and the scans that read a large table completely, or more than ROWS_MAX of it. */
async function run(words: string[]): Promise<{ items: number; bad: string[] }> {
  statements();
  const { json } = await terminal.tourctl([...words, '--json']);
  const ran = statements();
  expect(ran.length).toBeGreaterThan(0);
  const bad = ran.flatMap(({ text, scans }) =>
    scans
      .filter(({ table }) => LARGE.test(table))
      .filter(({ node, rows }) => rows > ROWS_MAX || (node === 'Seq Scan' && rows > 0))
      .map(({ table, node, rows }) => `${node} of ${table}, ${rows} rows: ${text.replace(/\s+/g, ' ')}`),
  );
  return { items: json.items.length, bad };
}

describe(`with ${SIZE.tours * SIZE.departures} departures and ${SIZE.bookings} bookings`, () => {
  it.each<[what: string, search: () => string]>([
    ['a reference', () => 'MANY-777'],
    ["a website's reference", () => 'order-777'],
    ['a phone number', () => phoneOf(777)],
    ['a phone number without its country code', () => phoneOf(777).replace('+49', '0')],
    ['a name', () => name],
    ['an e-mail address', () => `${name.replace(' ', '.').toLowerCase()}@example.com`],
    ['a frequent first name', () => 'ana'],
    ['the beginning of frequent names', () => 'an'],
    ['the prefix of all references', () => 'many'],
  ])('a search for %s finds bookings, and reads few of them', async (_what, search) => {
    const { items, bad } = await run(['booking', 'list', '--search', search()]);
    expect(bad).toEqual([]);
    expect(items).toBeGreaterThan(0);
  });

  it('a search that finds nothing reads few bookings', async () => {
    expect(await run(['booking', 'list', '--search', 'nobody-has-this-name'])).toEqual({ items: 0, bad: [] });
  });

  it.each([
    'booking list --tour many-77',
    `booking list --tour many-77 --departure-from ${inDays(10)}`,
    `booking list --departure-from ${inDays(10)}`,
    `booking list --departure-from ${inDays(10)} --departure-to ${inDays(10)} --status confirmed`,
    'booking list --tenant many-7 --search ana',
    'departure list',
    `departure list --from ${inDays(100)}`,
    `departure list --from ${inDays(100)} --to ${inDays(101)}`,
    'departure list many-77',
    'departure list --status cancelled',
    'departure list --status available',
    'departure list --status sold_out',
    'departure list --status closed',
    'departure list --status gone',
  ])('tourctl %s reads few rows of each large table, by an index', async (line) => {
    expect((await run(line.split(' '))).bad).toEqual([]);
  });

  it('the second page of the departures of all tours reads as few rows as the first', async () => {
    const { items } = await terminal.json('departure list --limit 1000');
    const { id } = items.at(-1);
    expect((await run(['departure', 'list', '--after', id])).bad).toEqual([]);
  });
});

const phoneOf = (k: number) => `+4930${String((k * 7919) % 10_000_000).padStart(7, '0')}`;
