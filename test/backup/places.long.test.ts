import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inTransaction } from '../../services/platform/database/database';
import { migrateWithin, pendingMigrations } from '../../services/platform/migrate/migrate';
import { listMigrations } from '../../services/platform/migrate/migration-files';
import { readSchemaFacts } from '../support/schema-facts';
import { readBackupFile, writeBackupFile } from '../../services/api/backup/backup-file';
import { remindOfPayments } from '../../services/api/bookings/remind-payment';
import { departureOf } from '../catalog/catalog-rows';
import { removeDirectories, temporaryDirectory } from '../platform/embedded-postgres-support';
import { runOnce } from '../cli/run-once';
import { daysFromToday, givenDeparture, givenTenant, givenTour } from '../support/given';
import { writeEarlierBackup } from '../support/earlier-backup';
import { EARLIER_MIGRATIONS, givenEarlierSales } from '../support/earlier-sales';
import { useTemporaryFolder } from '../support/temporary-folder';
import { add } from '../webhook-queue/queue-fixture';
import { useInstallations } from './installation';

const installations = useInstallations();
const folder = useTemporaryFolder();
const fileOf = (name: string) => path.join(folder, name);
afterAll(removeDirectories);

describe('tourctl backup and restore', () => {
  it('a backup loads into another embedded database only with a copy of the first secrets.json', async () => {
    const [first, second] = [temporaryDirectory(), temporaryDirectory()];
    const on = (directory: string) => (line: string) => runOnce(line, { env: { DATA_DIR: directory } });
    await on(first)('migrate');
    await on(first)('tenant create --slug acme --name Acme');
    await on(first)('key issue acme --scope catalog:read');
    const file = fileOf('embedded.backup');
    expect((await on(first)(`backup --out ${file}`)).code).toBe(0);

    expect((await on(second)(`restore ${file} --json`)).error.code).toBe('wrong_secrets');
    expect((await on(second)(`restore ${first}/secrets.json --json`)).error.code).toBe('backup_damaged');
    // The two refused restores have created no database.
    expect(readdirSync(second)).toEqual([]);
    copyFileSync(path.join(first, 'secrets.json'), path.join(second, 'secrets.json'));
    const { code, json } = await on(second)(`restore ${file} --json`);
    expect([code, json.tables.tenants]).toEqual([0, 1]);
    expect((await on(second)('tenant list --json')).json.items).toHaveLength(1);
    const bytes = readFileSync(file);
    const secrets = JSON.parse(readFileSync(path.join(first, 'secrets.json'), 'utf8')) as Record<
      string,
      string
    >;
    for (const secret of Object.values(secrets)) expect(bytes.includes(secret)).toBe(false);
  }, 180_000);

  it('a role that owns its database and is no superuser can restore and back up', async () => {
    const source = await installations.migrated();
    await givenTenant(source.db);
    const file = fileOf('owner.backup');
    await source.json(`backup --out ${file}`);
    const target = await installations.bare();
    const url = new URL(target.url);
    const database = url.pathname.slice(1);
    [url.username, url.password] = [`owner_of_${database}`, 'secret'];
    await target.db.raw("create role ?? login nosuperuser password 'secret'", [url.username]);
    await target.db.raw('alter database ?? owner to ??', [database, url.username]);
    target.env.DATABASE_URL = url.href;
    try {
      expect((await target.tourctl(`restore ${file}`)).stderr).not.toContain('error');
      expect((await target.tourctl(`backup --out ${fileOf('owned.backup')}`)).code).toBe(0);
      const migrated = await installations.migrated();
      expect(await readSchemaFacts(target.db)).toEqual(await readSchemaFacts(migrated.db));
      // Restores into an existing schema too.
      await target.db.raw('delete from tenants');
      expect((await target.tourctl(`restore ${file}`)).code).toBe(0);
    } finally {
      await target.db.raw('reassign owned by ?? to current_user; drop owned by ??; drop role ??', [
        url.username,
        url.username,
        url.username,
      ]);
    }
  });

  it('a restore migrates the backup of an earlier version to the current version', async () => {
    // The migrations of the last version without start times of departures.
    const earlier = listMigrations().filter((name) => name < '0115');
    const old = await installations.bareDatabase();
    await inTransaction(old.db, (trx) => migrateWithin(trx, earlier));
    expect(await pendingMigrations(old.db)).not.toEqual([]);
    const tour = await givenTour(old.db);
    await old.db('departures').insert({
      tour_id: tour.id,
      departure_date: daysFromToday(30),
      seats_total: 10,
      prices_minor: { adult: 50_000 },
    });
    const file = fileOf('earlier.backup');
    await writeEarlierBackup(old.db, file, earlier);
    const target = await installations.migrated();
    expect((await target.json(`restore ${file}`)).tables).toMatchObject({
      tours: 1,
      departures: 1,
      change_version: 1,
    });
    expect(await pendingMigrations(target.db)).toEqual([]);
    expect(await target.db('tours').pluck('id')).toEqual([tour.id]);
    expect(await target.db('departures').pluck('start_time')).toEqual([null]);
    const { rows } = await target.db.raw("select to_regclass('webhook_events_2024_02')::text as month");
    expect(rows).toEqual([{ month: 'webhook_events_2024_02' }]);
    await givenTour(target.db);
    expect(await target.db('catalog_commits').max('change_id as last').first()).toEqual({ last: 100_078 });
  });
});

describe('a backup of a version without payment reminders', () => {
  it('an unpaid booking gets one payment reminder after a restore', async () => {
    const earlier = listMigrations().filter((name) => name < '0119');
    const old = await installations.bareDatabase();
    await inTransaction(old.db, (trx) => migrateWithin(trx, earlier));
    const [tenant] = await old
      .db('tenants')
      .insert({
        slug: 'acme',
        name: 'Acme',
        booking_prefix: 'ACME',
        currency: 'EUR',
        currency_digits: 2,
        country: 'DE',
      })
      .returning('id');
    const tour = await givenTour(old.db);
    const departure = await departureOf(old.db, tour.slug, await givenDeparture(old.db, tour));
    await old.db('booking_leads').insert({
      booking_ref: 'ACME-1',
      tenant_id: tenant.id,
      tour_id: tour.id,
      departure_id: departure.id,
      departure_date: departure.departureDate,
      adults: 2,
      unit_price_minor: 50_000,
      total_minor: 100_000,
      deposit_minor: 0,
      currency: 'EUR',
      currency_digits: 2,
      price_breakdown: {},
      payment_method: 'bank',
      customer_name: 'Ana',
      customer_phone: '+4912345678',
      customer_email: 'ana@example.com',
      created_at: old.db.raw(`now() - interval '50 hours'`),
      payment_due_at: old.db.raw(`now() + interval '22 hours'`),
    });
    const file = fileOf('without-reminders.backup');
    await writeEarlierBackup(old.db, file, earlier);
    const target = await installations.migrated();
    expect((await target.tourctl(`restore ${file}`)).code).toBe(0);
    expect(await target.json('tenant show acme')).toMatchObject({ payment_reminder: '24h' });
    await add(target.db, tenant.id, 'https://acme.example/', ['booking.payment_due']);
    await remindOfPayments(target.db);
    await remindOfPayments(target.db);
    const refs = await target
      .db('webhook_events')
      .where({ type: 'booking.payment_due' })
      .pluck('booking_ref');
    expect(refs).toEqual(['ACME-1']);
  });
});

describe('a backup of the release before price categories', () => {
  it('a restore carries over its holds and bookings, with the same taken seats', async () => {
    const old = await installations.bareDatabase();
    await givenEarlierSales(old.db, 60);
    const file = fileOf('before-categories.backup');
    await writeEarlierBackup(old.db, file, EARLIER_MIGRATIONS);
    const target = await installations.migrated();
    expect((await target.json(`restore ${file}`)).tables).toMatchObject({
      seat_holds: 60,
      booking_leads: 60,
    });
    expect(await pendingMigrations(target.db)).toEqual([]);
    const sale = await target.db('booking_leads').where({ booking_ref: 'ACME-7' }).first();
    expect(sale).toMatchObject({
      party: { adult: 3, child: 1, single_supplement: 1 },
      seats: 4,
      pricesMinor: { adult: 50_000, child: 30_000, single_supplement: 9_000 },
      totalMinor: 189_000,
      categories: null,
    });
  });
});

describe('the backup of a tour with two departures a day', () => {
  it('a restore loads both departures of a date with their start times', async () => {
    const source = await installations.migrated();
    const tour = await givenTour(source.db);
    for (const startTime of ['14:30', '09:30']) await givenDeparture(source.db, tour, { startTime });
    const file = fileOf('two-a-day.backup');
    await source.json(`backup --out ${file}`);
    const target = await installations.bare();
    await target.json(`restore ${file}`);
    const times = await target.db('departures').orderBy('start_time').pluck('start_time');
    expect(times).toEqual(['09:30', '14:30']);
    const double = givenDeparture(target.db, tour, { startTime: '14:30' });
    await expect(double).rejects.toThrow('departures_one_per_start');
  });
});

describe('the content of a backup file', () => {
  it('the reader returns each row exactly as the backup wrote it, wherever a chunk ends', async () => {
    const tables = [
      '',
      '\\\\.\n',
      'a\\\\.\n.\n\\\\.x\n',
      `${'x'.repeat(300_000)}\n\\N\t\\\\\n`,
      '',
      Array.from({ length: 90_000 }, (_, n) => `${n}\t\\\\.${n}\n`).join(''),
    ];
    const header = {
      product: 'tour-platform backup',
      format: 1,
      version: '0.1.0',
      migrations: [],
      months: [],
      made_at: '2026-11-24T12:00:00Z',
      as_of: '2026-11-24T12:00:00Z',
      secret_checks: {},
      sequences: {},
      seats: { departures: 0, seats: 0, checksum: '0' },
      tables: [],
    };
    for (const chunk of [1, 3, 5, 1 << 20]) {
      const file = fileOf(`content-${chunk}.backup`);
      const used = chunk < 6 ? tables.filter((text) => text.length < 100) : tables;
      await writeBackupFile(file, async function* () {
        const text = `${JSON.stringify(header)}\n${used.map((rows) => `${rows}\\.\n`).join('')}`;
        for (let at = 0; at < text.length; at += chunk) yield Buffer.from(text.slice(at, at + chunk));
        await Promise.resolve();
      });
      await readBackupFile(file, async (_, nextRows) => {
        for (const rows of used) {
          const parts: Buffer[] = [];
          for await (const part of nextRows()) parts.push(part);
          expect(Buffer.concat(parts).toString() === rows).toBe(true);
        }
      });
    }
  });
});
