import { readdirSync } from 'node:fs';
import path from 'node:path';
import { inspectInstallation } from '../../services/api/health/inspect-installation';
import { type Db, openDatabase } from '../../services/platform/database';
import { migrate, pendingMigrations } from '../../services/platform/migrate';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { eventually } from '../webhook-queue/queue-fixture';
import {
  changeCatalogAsLastRelease,
  deliverAsLastRelease,
  givenCatalogOfLastRelease,
  LAST_RELEASE,
  readCatalogAsLastRelease,
  sellAsLastRelease,
} from './last-release';

/** The instances of the last release: three sell, one each changes the catalog, lists it and delivers. */
const INSTANCES = [
  sellAsLastRelease,
  sellAsLastRelease,
  sellAsLastRelease,
  changeCatalogAsLastRelease,
  readCatalogAsLastRelease,
  deliverAsLastRelease,
];
/** Addresses that no answer has, stored by other means than the terminal. */
const TENANT_WITH_BAD_ADDRESSES = {
  slug: 'bad',
  name: 'Bad Addresses',
  booking_prefix: 'BAD',
  country: 'DE',
  currency: 'EUR',
  currency_digits: 2,
  brand_logo: 'http://cdn.example/logo.png',
  link_template: 'ftp://bad.example/{slug}',
};
const GOOD_PICTURE = { url: 'https://cdn.example/a.jpg', alt: null };
const BAD_PICTURES = {
  image_url: '//cdn.example/a.jpg',
  images: JSON.stringify([{ url: 'http://cdn.example/b.jpg', alt: null }, GOOD_PICTURE]),
};
const SALES_BEFORE = 40;
/** The rounds of each instance before the migrations and after each. */
const ROUNDS = 3;

const later = readdirSync(path.join(__dirname, '../../migrations'))
  .map((file) => path.basename(file, '.sql'))
  .filter((name) => name > LAST_RELEASE)
  .sort();

describe('an upgrade from the last release', () => {
  let database: TestDatabase;
  let instances: Instances;
  let before: string[];
  beforeAll(async () => {
    database = await createTestDatabase('template0');
    await migrate(database.db, LAST_RELEASE);
    await givenCatalogOfLastRelease(database.db);
    await database.db('tenants').insert(TENANT_WITH_BAD_ADDRESSES);
    await database.db('tours').where({ slug: 'tour-2' }).update(BAD_PICTURES);
    for (let n = 0; n < SALES_BEFORE; n++) await sellAsLastRelease(database.db);
    before = await namesOf(database.db);
    instances = startInstances(database.url);
  });
  afterAll(async () => {
    await instances.stop();
    await database.drop();
  });

  it('runs each later migration while instances of the last release sell, deliver, list and change the catalog', async () => {
    await instances.serve('before the first');
    for (const name of later) {
      expect(await migrate(database.db, name)).toEqual([name]);
      await instances.serve(`after ${name}`);
    }
  });

  it('removes the addresses that no page may load, and keeps the others', async () => {
    const { db } = database;
    expect(await db('tenants').where({ slug: 'bad' }).first('brand_logo', 'link_template')).toEqual({
      brandLogo: null,
      linkTemplate: null,
    });
    expect(await db('tours').where({ slug: 'tour-2' }).first('image_url', 'images')).toEqual({
      imageUrl: null,
      images: [GOOD_PICTURE],
    });
  });

  it('keeps each column with its type, and each function, because an instance of the last release may name it', async () => {
    const after = new Set(await namesOf(database.db));
    expect(before.length).toBeGreaterThan(300);
    expect(before.filter((name) => !after.has(name))).toEqual([]);
  });

  it('keeps every sale with its seats, key, event and delivery, and every check of doctor is passed', async () => {
    await instances.stop();
    const { db } = database;
    expect(await pendingMigrations(db)).toEqual([]);
    const sales = SALES_BEFORE + instances.sales();
    for (const table of [
      'seat_holds',
      'booking_leads',
      'octo_bookings',
      'idempotency_keys',
      'webhook_events',
      'webhook_deliveries',
    ])
      expect([table, await countOf(db, table)]).toEqual([table, sales]);
    const arrived = await countOf(db, 'webhook_attempts');
    expect(arrived + (await countOf(db, 'webhook_queue'))).toBe(sales);
    expect((await inspectInstallation(db)).filter(({ status }) => status === 'broken')).toEqual([]);
  });
});

/** Lists the columns with their types, and the functions with those of their parameters. */
async function namesOf(db: Db): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select format('%s.%s %s', table_name, column_name, data_type) as name
     from information_schema.columns where table_schema = 'public'
     union all
     select p.oid::regprocedure::text from pg_proc p where p.pronamespace = 'public'::regnamespace`,
  );
  return rows.map(({ name }) => name);
}

async function countOf(db: Db, table: string): Promise<number> {
  const row = await db(table).count({ n: '*' }).first<{ n: number }>();
  return row.n;
}

interface Instances {
  /** Waits until each instance has done ROUNDS more. @throws when one has met an error */
  serve(when: string): Promise<void>;
  /** Returns the number of sales so far. */
  sales(): number;
  /** Lets each end its round. */
  stop(): Promise<void>;
}

/** Repeats the work of each instance over a pool of its own, whose connections keep prepared statements. */
function startInstances(url: string): Instances {
  const rounds = INSTANCES.map(() => 0);
  const failures: unknown[] = [];
  let stopped = false;
  const run = async (work: (db: Db) => Promise<void>, index: number) => {
    const db = openDatabase(url, { applicationName: 'last-release', poolMax: 1, canPrepare: true });
    try {
      for (; !stopped; rounds[index]!++) await work(db);
    } catch (error) {
      failures.push(error);
    } finally {
      await db.destroy();
    }
  };
  const running = INSTANCES.map(run);
  return {
    serve: async (when) => {
      const goal = rounds.map((done) => done + ROUNDS);
      const served = () => failures.length > 0 || rounds.every((done, index) => done >= goal[index]!);
      await eventually('work of each instance', () => served() || undefined);
      expect({ when, failures }).toEqual({ when, failures: [] });
    },
    sales: () =>
      rounds
        .filter((_, index) => INSTANCES[index] === sellAsLastRelease)
        .reduce((sum, done) => sum + done, 0),
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}
