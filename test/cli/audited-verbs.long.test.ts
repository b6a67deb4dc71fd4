import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Verb } from '../../cli/engine/command';
import { NOUNS, VERBS } from '../../cli/tree';
import { inTransaction } from '../../services/platform/database/database';
import { enqueueDelivery } from '../../services/webhook-queue/enqueue-delivery';
import { givenDeparture, unique } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { endPaymentWindow } from '../support/website';
import { useSales } from './sales';

/** A migration that can run twice. */
const REPEATABLE = '0139_customers_of_holds_indexes';

const sales = useSales();
const folder = useTemporaryFolder();
const RATES = path.join(folder, 'rates.csv');
/** A key, which each line gets on its standard input. */
let key: string;
let day = 0;

/** Each command that uses the database, by its name. */
const COMMANDS = new Map<string, Verb>([
  ...VERBS.map(({ usage, verb }) => [usage.split(' ')[0]!, verb] as const),
  ...NOUNS.flatMap(({ name, verbs }) =>
    verbs.map((verb) => [`${name} ${verb.usage.split(' ')[0]!}`, verb] as const),
  ),
]);

/** Creates what a word of a line names, and returns its name. */
const GIVEN: Record<string, () => Promise<string> | string> = {
  SLUG: () => sales.tenant.slug,
  NEW: () => unique('new'),
  TOUR: () => sales.tour.slug,
  DATE: () => givenDeparture(sales.db, sales.tour, { date: nextDate() }),
  FREE: nextDate,
  POINT: async () => {
    const code = unique('point');
    await sales.db('pickup_points').insert({ code, name: 'Station' });
    return code;
  },
  HOLD: async () => (await sales.hold(1)).id,
  BOOKING: async () => (await sales.book(1)).bookingRef,
  BOOKED: async () => {
    await sales.book(1);
    return sales.date;
  },
  LAPSED: async () => {
    await endPaymentWindow(sales.db, (await sales.book(1)).bookingRef);
    return '';
  },
  QUEUE: async () => {
    const worker = { id: 'worker', slots: 1, in_flight: 0, beat_at: new Date() };
    await sales.db('webhook_workers').insert(worker).onConflict('id').merge();
    return '';
  },
  KEY: () => idOf('key issue SLUG --scope catalog:read'),
  TOKEN: () => idOf('widget issue SLUG'),
  RULE: () => idOf('pricing add SLUG --percent 5'),
  ENDPOINT: () => idOf('webhook add SLUG https://acme.example/hook'),
  PAUSED: async () => {
    const id = await idOf('webhook add SLUG https://acme.example/hook');
    await sales.json(`webhook pause ${id}`);
    return id;
  },
  DISABLED: async () => {
    const id = await idOf('webhook add SLUG https://acme.example/hook');
    await sales.json(`webhook disable ${id}`);
    return id;
  },
  FILE: async () => {
    const file = path.join(folder, `${unique('bookings')}.csv`);
    const row = [
      unique('old'),
      sales.tour.slug,
      await givenDeparture(sales.db, sales.tour, { date: nextDate() }),
      1,
      'Ana',
    ];
    writeFileSync(file, `external_ref,tour,departure_date,adults,name\n${row.join()}\n`);
    return file;
  },
  BOAT: async () => (await sales.json(`resource add ${unique('boat')} --name Boat`)).code,
  DOCKED: async () => {
    const { code } = await sales.json(`resource add ${unique('boat')} --name Boat`);
    await sales.json(`resource close ${code} --from 2040-01-01 --to 2040-01-02 --reason Dock`);
    return code;
  },
  DELIVERY: givenDeadDelivery,
  CHANGE: async () => String((await sales.json('audit list --limit 1')).items[0].id),
  FOLDER: () => folder,
  RATES: () => RATES,
  REPEATABLE: async () => {
    await sales.db('knex_migrations').where({ name: REPEATABLE }).delete();
    return '';
  },
};

/** A line for each command that declares `audits`. It changes data or reveals personal data. */
const AUDITED = [
  'tenant create --slug NEW --name New',
  'tenant set SLUG --max-holds 7',
  'tenant suspend SLUG --yes',
  'tenant activate SLUG',
  'tenant onboard --slug NEW --name Many --yes',
  'key issue SLUG --scope catalog:read',
  'key rotate KEY',
  'key revoke KEY --yes',
  'widget issue SLUG',
  'widget rotate TOKEN',
  'widget revoke TOKEN --yes',
  'origins add SLUG https://a.example',
  'origins set SLUG https://b.example',
  'origins remove SLUG https://b.example --yes',
  'visibility deny SLUG --tour TOUR',
  'visibility allow SLUG --tour TOUR',
  'visibility clear SLUG --tour TOUR',
  'pricing add SLUG --percent 5',
  'pricing remove SLUG RULE --yes',
  'rates set USD 1.1',
  'rates import RATES',
  'catalog import docs/examples/tours.json',
  'catalog archive TOUR',
  'catalog publish TOUR',
  'departure add TOUR FREE --seats 9 --adult 480',
  'departure schedule TOUR --every daily --from FREE --to FREE --seats 9 --adult 480 --yes',
  'departure set-seats TOUR DATE 16',
  'departure set-price TOUR DATE --adult 900',
  'departure set-time TOUR DATE 09:30',
  'departure set-uses TOUR DATE BOAT',
  'departure move TOUR BOOKED DATE',
  'departure cancel TOUR DATE --yes',
  'departure manifest TOUR DATE --reveal',
  'resource add NEW --name Boat',
  'resource set BOAT --places 12',
  'resource close BOAT --from 2040-01-01 --to 2040-01-02 --reason Dock',
  'resource reopen DOCKED --from 2040-01-01 --to 2040-01-02',
  'resource remove BOAT --yes',
  'departure set-pickup TOUR DATE POINT 08:15',
  'pickup add NEW --name Station',
  'pickup set POINT --name Harbour',
  'pickup remove POINT --yes',
  'hold show HOLD --reveal',
  'hold release HOLD --yes',
  'hold anonymize HOLD --force --yes',
  'booking list --reveal',
  'booking show BOOKING --reveal',
  'booking export --reveal',
  'hold add TOUR DATE --tenant SLUG --party adult=1 --yes',
  'booking change BOOKING --notes Vegan',
  'booking confirm BOOKING',
  'booking cancel BOOKING --yes',
  'booking expire LAPSED',
  'booking anonymize BOOKING --force --yes',
  'customer erase --search BOOKING --force --yes',
  'booking add TOUR DATE --tenant SLUG --party adult=1 --name Ana --phone 030901820 --yes',
  'booking import FILE --tenant SLUG --yes',
  'webhook add SLUG https://acme.example/other',
  'webhook set ENDPOINT --format standard',
  'webhook rotate-secret ENDPOINT --grace 1h',
  'webhook pause ENDPOINT',
  'webhook resume PAUSED',
  'webhook disable ENDPOINT',
  'webhook enable DISABLED',
  'webhook remove ENDPOINT --yes',
  'delivery show DELIVERY --reveal',
  'delivery retry DELIVERY',
  'delivery replay --tenant SLUG',
  'monitor QUEUE',
  'open monitor QUEUE',
  'backup --out FOLDER/one.backup',
  'restore --in-place',
  'migrate REPEATABLE',
  'seed',
  'tenant close SLUG --yes',
];

/** A line for each command that uses the database and does not declare `audits`. */
const READING = [
  'tenant list',
  'tenant show SLUG',
  'use SLUG',
  'key list SLUG',
  'key inspect',
  'widget list SLUG',
  'origins list SLUG',
  'visibility show SLUG',
  'visibility explain SLUG TOUR',
  'pricing show SLUG',
  'pricing simulate SLUG TOUR',
  'rates list',
  'catalog check docs/examples/tours.json',
  'catalog export',
  'catalog list',
  'catalog show TOUR',
  'departure list TOUR',
  'resource list',
  'resource show BOAT',
  'pickup list',
  'hold list',
  'booking stats',
  'booking refusals',
  'report sales --from 2026-01-01 --to 2026-12-31',
  'report adjustments --from 2026-01-01 --to 2026-12-31',
  'webhook list SLUG',
  'webhook show ENDPOINT',
  'delivery list',
  'status',
  'doctor',
  'audit list',
  'audit show CHANGE',
];

/** The commands that no line can run here, with the suite that does. */
const ELSEWHERE = {
  'departure reopen': 'test/cli/departure.test.ts',
  'webhook ping': 'test/cli/webhook-ping.test.ts',
  'webhook trigger': 'test/cli/webhook-ping.test.ts',
  'webhook listen': 'test/cli/webhook-listen-tenant.test.ts',
  'widget doctor': 'test/cli/widget-doctor.long.test.ts',
  'people add': 'test/people/people.long.test.ts',
  'people list': 'test/people/people.long.test.ts',
  'people set': 'test/people/people.long.test.ts',
  'people rotate': 'test/people/people.long.test.ts',
  'people remove': 'test/people/people.long.test.ts',
  up: 'test/cli/up-welcome.long.test.ts',
};

/** Records the table of each row that a statement writes, except the tables of the migrator. */
const SPY = `
  create table written (name text);
  create function note_written() returns trigger language plpgsql as $$
    begin insert into written values (tg_table_name); return null; end $$;
  do $$ declare one text; begin
    for one in select oid::regclass::text from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname not in ('written', 'knex_migrations', 'knex_migrations_lock')
    loop execute format('create trigger spy after insert or update or delete on %s for each row execute function note_written()', one);
    end loop; end $$`;

beforeAll(async () => {
  writeFileSync(RATES, 'Date,CHF\n2026-11-24,0.95\n');
  Object.assign(sales.env, { DATA_DIR: folder, KEY_PEPPER: 'p'.repeat(32) });
  ({ key } = await sales.json(`key issue ${sales.tenant.slug} --scope catalog:read`));
  await sales.db.raw(SPY.replaceAll('?', '\\?'));
});

function nextDate(): string {
  return new Date(Date.UTC(2040, 0, (day += 1))).toISOString().slice(0, 10);
}

async function idOf(line: string): Promise<string> {
  const { id, rules } = await sales.json(await complete(line));
  return String(id ?? rules.at(-1).id);
}

async function givenDeadDelivery(): Promise<string> {
  const { db, tenant } = sales;
  const endpoint = await idOf('webhook add SLUG https://acme.example/hook');
  const event = { tenantId: tenant.id, type: 'booking.created' as const, bookingRef: 'T-1', body: {} };
  await inTransaction(db, (trx) => enqueueDelivery(trx, event));
  await db('webhook_queue').delete();
  const ended = { status: 'dead', finished_at: new Date() };
  await db('webhook_deliveries').where({ endpoint_id: endpoint }).update(ended);
  const [id] = await db('webhook_deliveries').where({ endpoint_id: endpoint }).pluck<string[]>('id');
  return id!;
}

/** Replaces the words of GIVEN. */
async function complete(line: string): Promise<string> {
  const words: string[] = [];
  for (const word of line.split(' ')) {
    const name = /^[A-Z]+/.exec(word)?.[0] ?? '';
    const given = GIVEN[name];
    words.push(given ? word.replace(name, await given()) : word);
  }
  return words.filter(Boolean).join(' ');
}

const nameOf = (line: string) =>
  [...COMMANDS.keys()].find((name) => line === name || line.startsWith(`${name} `))!;

interface Watched {
  /** The exit code and what the command wrote on stderr. */
  result: string;
  /** The tables whose rows the command changed, without the audit log. */
  changed: string[];
  /** Number of audit rows that the command wrote. */
  audits: number;
}

async function watch(line: string): Promise<Watched> {
  const completed = await complete(line);
  await sales.db('written').delete();
  const { code, stderr } = await sales.tourctl(completed, key);
  const written = await sales.db('written').pluck<string[]>('name');
  return {
    result: `${code} ${stderr}`,
    changed: written.filter((name) => name !== 'audit_log'),
    audits: written.filter((name) => name === 'audit_log').length,
  };
}

describe('a command that declares audits', () => {
  it.each(AUDITED)('tourctl %s writes an audit row', async (line) => {
    expect(COMMANDS.get(nameOf(line))!.audits).toBe(true);
    const { result, audits } = await watch(line);
    expect(result).toMatch(/^0 /);
    expect(audits).toBeGreaterThan(0);
  });
});

describe('a command that does not declare audits', () => {
  it.each(READING)('tourctl %s changes no row', async (line) => {
    expect(COMMANDS.get(nameOf(line))!.audits).toBeUndefined();
    const { result, changed, audits } = await watch(line);
    expect(result).toMatch(/^0 /);
    expect([changed, audits]).toEqual([[], 0]);
  });
});

it('each command that uses the database has a line here or a suite of its own', () => {
  const needsDatabase = [...COMMANDS].filter(
    ([, { needs = 'database' }]) => needs === 'database' || needs === 'database-on-demand',
  );
  const tried = [...AUDITED, ...READING].map(nameOf);
  expect(needsDatabase.map(([name]) => name).sort()).toEqual([...tried, ...Object.keys(ELSEWHERE)].sort());
});
