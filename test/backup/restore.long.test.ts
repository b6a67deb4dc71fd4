import { existsSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { readSchemaFacts } from '../support/schema-facts';
import { COPIED_TABLES } from '../../services/api/backup/tables';
import {
  checksumTable,
  countTakenSeats,
  findColumns,
  setCopyForms,
} from '../../services/api/backup/snapshot.repository';
import type { Db } from '../../services/platform/database/database';
import { pendingMigrations } from '../../services/platform/migrate/migrate';
import type { TestTerminal } from '../cli/terminal';
import { startApiProcess } from '../support/api-process';
import {
  daysFromToday,
  givenDeparture,
  givenKey,
  givenTenant,
  givenTour,
  insertHold,
} from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { CUSTOMER } from '../support/website';
import { useInstallations } from './installation';

const installations = useInstallations();
const folder = useTemporaryFolder();
const fileOf = (name: string) => path.join(folder, name);

type Rows = Record<string, number>;
interface BackupAnswer {
  file: string;
  tables: Rows;
  seconds: number;
}

async function rowsOf(db: Db): Promise<Record<string, { rows: number; checksum: string }>> {
  const columns = await findColumns(db, COPIED_TABLES);
  return db.transaction(async (trx) => {
    await setCopyForms(trx);
    const found: Record<string, { rows: number; checksum: string }> = {};
    for (const name of COPIED_TABLES)
      found[name] = await checksumTable(trx, { name, columns: columns.get(name)! });
    return found;
  });
}

interface Shop {
  terminal: TestTerminal;
  key: string;
  tours: string[];
  dates: string[];
  baseUrl: string;
  stop(): Promise<unknown>;
}

/** Opens an installation with an API, a tenant, four tours, an endpoint, rules, and sandbox rows on a departure whose seats were lowered. */
async function openShop(): Promise<Shop> {
  const terminal = await installations.migrated();
  const { db } = terminal;
  await terminal.json(
    'tenant create --slug acme --name Acme --booking-prefix ACME --status active --max-unpaid 10000',
  );
  const tenant = await db('tenants').where({ slug: 'acme' }).first();
  const key = await givenKey(db, tenant);
  const tours = [];
  const dates = [];
  for (let n = 0; n < 4; n++) {
    const tour = await givenTour(db, { name: `Tour ${n} with a \\ and a\ttab`, tags: ['a', 'b,"c'] });
    tours.push(tour.slug);
    dates.push(await givenDeparture(db, tour, { seats: 60 }));
  }
  await terminal.json(`pricing add acme --percent 10 --tour ${tours[0]}`);
  await givenTour(db, { slug: 'hidden', continent: 'europe' });
  await terminal.json(`visibility deny acme --continent europe`);
  await terminal.json('webhook add acme https://hooks.example.com/a');
  await terminal.json('webhook add acme https://hooks.example.com/b --event booking.confirmed');
  const sandbox = { tenant: await givenTenant(db, { sandbox: true }) };
  const small = await givenTour(db, { slug: 'small' });
  const date = await givenDeparture(db, small, { seats: 10 });
  await insertHold(db, sandbox, small, date, { quantity: 8 });
  await terminal.json(`departure set-seats small ${date} 3 --yes`);
  const api = await startApiProcess(terminal.url);
  return { terminal, key, tours, dates, baseUrl: api.baseUrl, stop: () => api.stop() };
}

interface Sale {
  /** The time of the acknowledgement, by performance.now(). */
  at: number;
  ref: string;
}

/** Books and holds without pause until `stop`. Returns the acknowledged bookings. */
function sell({ baseUrl, key, tours, dates }: Shop): { stop(): Promise<Sale[]>; sales: Sale[] } {
  const sales: Sale[] = [];
  let going = true;
  const post = async (where: string, body: object, idempotency: string) =>
    fetch(`${baseUrl}${where}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': idempotency,
      },
      body: JSON.stringify(body),
    });
  const client = async (n: number) => {
    for (let i = 0; going; i++) {
      const [tour, date] = [tours[(n + i) % tours.length], dates[(n + i) % tours.length]];
      const held = await post(
        `/api/gateway/tours/${tour}/hold`,
        { departure_date: date, quantity: 1 },
        `h-${n}-${i}`,
      );
      const { hold_id } = (await held.json()) as { hold_id?: string };
      const booking = {
        tour_id: tour,
        departure_date: date,
        adults: 1,
        ...CUSTOMER,
        ...(hold_id && { hold_id }),
      };
      const answer = await post('/api/tenant/bookings', booking, `b-${n}-${i}`);
      const { booking_ref } = (await answer.json()) as { booking_ref?: string };
      if (answer.status === 201) sales.push({ at: performance.now(), ref: booking_ref! });
    }
  };
  const clients = [0, 1, 2].map(client);
  return {
    sales,
    stop: async () => {
      going = false;
      await Promise.all(clients);
      return sales;
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('tourctl restore of a backup that was made while sales went on', () => {
  let shop: Shop;
  let restored: TestTerminal;
  let sales: Sale[];
  let begun: number;
  let backup: BackupAnswer;
  const file = fileOf('shop.backup');

  beforeAll(async () => {
    shop = await openShop();
    const selling = sell(shop);
    try {
      await until(() => selling.sales.length >= 20);
      begun = performance.now();
      const answer = await shop.terminal.tourctl(`backup --out ${file} --json`);
      expect(answer.stderr).toBe('');
      backup = answer.json;
      const soldSince = selling.sales.length;
      await until(() => selling.sales.length > soldSince);
    } finally {
      sales = await selling.stop();
    }
    restored = await installations.bare();
  });
  afterAll(() => shop?.stop());

  it('tourctl restore loads every row of the backup into an empty database', async () => {
    const { code, json, stderr } = await restored.tourctl(`restore ${file} --json`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(json).toEqual({ file, tables: backup.tables, seconds: expect.any(Number) });
    expect(Object.keys(json.tables)).toEqual([...COPIED_TABLES]);
    expect(json.tables).toMatchObject({ tours: 6, webhook_endpoints: 2, price_rules: 1, change_version: 1 });
    expect(await pendingMigrations(restored.db)).toEqual([]);
  });

  it('tourctl restore restores each booking acknowledged before the backup began, and no unacknowledged booking', async () => {
    const refs = await restored.db('booking_leads').pluck<string[]>('booking_ref');
    const before = sales.filter(({ at }) => at < begun).map(({ ref }) => ref);
    expect(refs).toEqual(expect.arrayContaining(before));
    expect(sales.map(({ ref }) => ref)).toEqual(expect.arrayContaining(refs));
    expect(sales.length).toBeGreaterThan(refs.length);
  });

  it('tourctl restore restores each booking with its hold, event and idempotency row, and oversells no departure', async () => {
    const { rows } = await restored.db.raw(
      `select
         (select count(*) from booking_leads) as leads,
         (select count(*) from booking_leads l join seat_holds h on h.id = l.hold_id and h.status = 'converted') as held,
         (select count(*) from seat_holds where status = 'converted') as converted,
         (select count(*) from booking_leads l join webhook_events e on e.booking_ref = l.booking_ref) as events,
         (select count(*) from idempotency_keys k where k.key like 'b-%' and k.status = 201) as answers,
         (select count(*) from departures d where seats_taken(d.id, clock_timestamp()) > d.seats_total) as oversold`,
    );
    const { leads } = rows[0];
    expect(rows[0]).toEqual({
      leads,
      held: leads,
      converted: leads,
      events: leads,
      answers: leads,
      oversold: 0,
    });
  });

  it('tourctl restore creates the same schema as the migrations', async () => {
    expect(await readSchemaFacts(restored.db)).toEqual(await readSchemaFacts(shop.terminal.db));
  });

  it('tourctl restore pauses the webhook endpoints with a reason, and leaves an audit row for each command', async () => {
    const endpoints = await restored.db('webhook_endpoints').orderBy('id');
    expect(endpoints.map(({ status }) => status as string)).toEqual(['paused', 'paused']);
    expect(endpoints[0].statusReason).toBe(
      `A restore paused it, so that a copy sends nothing: tourctl webhook resume ${endpoints[0].id}`,
    );
    const audits = await restored.db('audit_log').whereIn('action', ['backup', 'restore']).orderBy('id');
    expect(audits.map(({ action, subject, actor }) => [action, subject, actor])).toEqual([
      ['backup', file, 'olga'],
      ['restore', file, 'olga'],
    ]);
    expect(audits[1]).toMatchObject({ after: { file, paused_endpoints: 2 } });
  });

  it('tourctl restore leaves active endpoints active with --resume-webhooks', async () => {
    const other = await installations.migrated();
    await other.json(`restore ${file} --resume-webhooks`);
    const statuses = await other.db('webhook_endpoints').pluck<string[]>('status');
    expect(statuses).toEqual(['active', 'active']);
  });

  it('the restored installation starts, accepts old keys, sells, and reuses no booking number', async () => {
    const last = Math.max(...sales.map(({ ref }) => Number(ref.split('-')[1])));
    const api = await startApiProcess(restored.url);
    try {
      const headers = { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' };
      const list = await fetch(`${api.baseUrl}/api/tenant/catalog`, { headers });
      expect(((await list.json()) as { items: object[] }).items).toHaveLength(5);
      const booking = { tour_id: 'small', departure_date: daysFromToday(30), adults: 1, ...CUSTOMER };
      const answer = await fetch(`${api.baseUrl}/api/tenant/bookings`, {
        method: 'POST',
        headers,
        body: JSON.stringify(booking),
      });
      const { booking_ref } = (await answer.json()) as { booking_ref: string };
      expect(answer.status).toBe(201);
      expect(Number(booking_ref.split('-')[1])).toBeGreaterThan(last + 50_000);
      const doctor = await restored.tourctl('doctor --json');
      expect([doctor.code, doctor.stderr]).toEqual([0, '']);
    } finally {
      await api.stop();
    }
  });

  it('a catalog copy newer than the backup gets the complete catalog and misses no later change', async () => {
    const api = await startApiProcess(restored.url);
    const changes = async (since: string) => {
      const answer = await fetch(
        `${api.baseUrl}/api/tenant/catalog?updated_since=${encodeURIComponent(since)}`,
        {
          headers: { authorization: `Bearer ${shop.key}` },
        },
      );
      return (await answer.json()) as { as_of: string; items: { slug: string }[] };
    };
    try {
      const { lostAfter, lostUntil } = await restored.db('catalog_restores').first();
      const ofBackup = (lostAfter as Date).toISOString();
      const afterBackup = new Date((lostAfter as Date).getTime() + 1).toISOString();
      const slugsOf = ({ items }: { items: { slug: string }[] }) => items.map(({ slug }) => slug).sort();
      const catalog = slugsOf(await changes('1970-01-01T00:00:00Z'));
      const complete = await changes(afterBackup);
      expect([slugsOf(complete), complete.as_of]).toEqual([catalog, ofBackup]);
      const normal = await changes(ofBackup);
      expect(normal.items).toEqual([]);
      expect(Date.parse(normal.as_of)).toBeGreaterThan((lostUntil as Date).getTime());
      await restored.json(`catalog archive ${shop.tours[1]} --yes`);
      for (const time of [ofBackup, normal.as_of])
        expect(slugsOf(await changes(time))).toEqual([shop.tours[1]]);
      const remaining = catalog.filter((slug) => slug !== shop.tours[1]);
      expect(slugsOf(await changes(afterBackup))).toEqual(remaining);
    } finally {
      await api.stop();
    }
  });

  it('a backup of the restored database contains the same rows', async () => {
    const [first, second] = [await installations.bare(), await installations.bare()];
    await first.json(`restore ${file} --resume-webhooks`);
    await first.json(`backup --out ${fileOf('second.backup')}`);
    await second.json(`restore ${fileOf('second.backup')} --resume-webhooks`);
    const [before, after] = [await rowsOf(first.db), await rowsOf(second.db)];
    // The restore itself writes to these tables.
    for (const table of ['audit_log', 'change_version', 'catalog_restores']) {
      delete before[table];
      delete after[table];
    }
    expect(after).toEqual(before);
    const at = new Date().toISOString();
    expect(await countTakenSeats(second.db, at)).toEqual(await countTakenSeats(first.db, at));
  });
});

describe('tourctl backup', () => {
  it('tourctl backup writes a file that only its owner can read, and names what it does not contain', async () => {
    const terminal = await installations.migrated();
    const file = fileOf('mode.backup');
    const { code, stdout, stderr } = await terminal.tourctl(`backup --out ${file}`);
    expect(code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(stdout).toMatch(/mode\.backup: \d+ rows of 51 tables in [\d.]+ s, as of 20/);
    expect(stderr).toContain('It has no secret of DATA_DIR: keep secrets.json');
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('tourctl backup refuses to overwrite an existing file', async () => {
    const terminal = await installations.migrated();
    expect(await terminal.refusal(`backup --out ${__filename}`)).toBe('1 file_not_written');
    expect(existsSync(__filename)).toBe(true);
  });

  it('tourctl backup refuses a file name that is too long', async () => {
    const terminal = await installations.migrated();
    expect(await terminal.refusal(`backup --out ${fileOf('n'.repeat(250))}`)).toBe('1 file_not_written');
  });

  it('tourctl backup refuses a symbolic link and a missing folder, and leaves no audit row', async () => {
    const terminal = await installations.migrated();
    symlinkSync(fileOf('nowhere'), fileOf('link'));
    for (const [name, reason] of [
      ['link', 'it exists'],
      ['no/such/folder', 'its folder does not exist'],
    ] as const) {
      const { code, stderr } = await terminal.tourctl(['backup', '--out', fileOf(name)]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`cannot be written (${reason}): name another`),
      ]);
    }
    expect(await terminal.db('audit_log').where({ action: 'backup' })).toEqual([]);
  });
});
