import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readSchemaFacts } from '../support/schema-facts';
import {
  END_OF_TABLE,
  readBackupFile,
  verifyBackupFile,
  writeBackupFile,
} from '../../services/api/backup/backup-file';
import type { BackupHeader } from '../../services/api/backup/backup-header';
import { TOURCTL, type TestTerminal, withEnv } from '../cli/terminal';
import { givenDeparture, givenTenant, givenTour } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { tablesOf, useInstallations } from './installation';

const installations = useInstallations();
const folder = useTemporaryFolder();
const fileOf = (name: string) => path.join(folder, name);
const whole = fileOf('whole.backup');
let source: TestTerminal;
let bytes: Buffer;

beforeAll(async () => {
  source = await installations.migrated();
  await source.json('tenant create --slug acme --name Acme');
  await source.json('webhook add acme https://hooks.example.com/a');
  await source.json('key issue acme --scope catalog:read');
  const tour = await givenTour(source.db);
  for (const date of ['2031-01-01', '2031-02-01']) await givenDeparture(source.db, tour, { date });
  await source.json(`backup --out ${whole}`);
  bytes = readFileSync(whole);
});

/** Writes a copy of the backup with a changed header and a correct checksum. */
async function withHeader(name: string, change: (header: BackupHeader) => object): Promise<string> {
  const file = fileOf(name);
  await readBackupFile(whole, (header, nextRows) =>
    writeBackupFile(file, async function* () {
      yield Buffer.from(`${JSON.stringify({ ...header, ...change(header) })}\n`);
      for (let table = 0; table < header.tables.length; table++) {
        yield* nextRows();
        yield END_OF_TABLE;
      }
    }),
  );
  return file;
}

const withWrongSeats = (name: string) =>
  withHeader(name, ({ seats }) => ({ seats: { ...seats, departures: 7 } }));

const refusalOf = (bytes: Buffer) => {
  const file = fileOf('changed.backup');
  writeFileSync(file, bytes);
  return verifyBackupFile(file).then(
    () => 'accepted',
    (error: { code: string }) => error.code,
  );
};

describe('a backup file', () => {
  it('the verification refuses a file with one flipped bit, wherever the bit is', async () => {
    const inTheMiddle = Array.from({ length: 60 }, (_, n) => Math.floor((bytes.length * n) / 60));
    const atTheEnds = Array.from({ length: 70 }, (_, n) => [n, bytes.length - 1 - n]).flat();
    for (const place of [...atTheEnds, ...inTheMiddle]) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 1 << (place % 8);
      expect([place, await refusalOf(changed)]).toEqual([place, 'backup_damaged']);
    }
    expect(await refusalOf(bytes)).toBe('accepted');
  });

  it('the verification refuses a truncated file and a file with extra bytes', async () => {
    for (const length of [0, 1, 65, 66, 200, bytes.length - 66, bytes.length - 65, bytes.length - 1])
      expect([length, await refusalOf(bytes.subarray(0, length))]).toEqual([length, 'backup_damaged']);
    expect(await refusalOf(Buffer.concat([bytes, Buffer.from('\n')]))).toBe('backup_damaged');
  });

  it('the header of a backup file contains no secret and no tenant', async () => {
    const header = JSON.stringify(await verifyBackupFile(whole));
    const { SECRETS_KEY, KEY_PEPPER, CURSOR_KEY, DATABASE_URL } = source.env;
    for (const secret of [SECRETS_KEY, KEY_PEPPER, CURSOR_KEY, DATABASE_URL, 'svc_live_', 'whsec_', 'acme'])
      expect(header).not.toContain(secret);
    expect(JSON.parse(header)).toMatchObject({
      format: 1,
      secret_checks: { SECRETS_KEY: expect.any(String) },
    });
  });

  it('only one of two backups can write the same file at the same time', async () => {
    const file = fileOf('twice.backup');
    const content = (text: string) =>
      async function* () {
        await Promise.resolve();
        yield Buffer.from(text);
      };
    const written = await Promise.allSettled(['a', 'b'].map((text) => writeBackupFile(file, content(text))));
    expect(written.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = written.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: 'file_not_written' });
    expect(readdirSync(folder).filter((name) => name.startsWith('twice'))).toEqual(['twice.backup']);
  });

  it('a killed backup leaves only a .part file, and Ctrl-C leaves no file', async () => {
    await source.db.raw(
      `insert into audit_log (actor, host, action, after)
       select 'olga', 'host', 'test', to_jsonb(repeat(md5(n::text), 20)) from generate_series(1, 30000) n`,
    );
    const file = fileOf('killed.backup');
    const drafts = () => readdirSync(folder).filter((name) => name.startsWith('killed.backup'));
    const endBy = async (signal: NodeJS.Signals) => {
      const env = { ...process.env, ...source.env };
      const child = spawn(process.execPath, [TOURCTL, 'backup', '--out', file], { env });
      while (drafts().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      child.kill(signal);
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    };
    expect(await endBy('SIGINT')).toBe(130);
    expect(drafts()).toEqual([]);
    await endBy('SIGKILL');
    expect(drafts()).toEqual([expect.stringMatching(/^killed[.]backup[.].+[.]part$/)]);
    await expect(verifyBackupFile(fileOf(drafts()[0]!))).rejects.toMatchObject({ code: 'backup_damaged' });
    await source.db('audit_log').where({ action: 'test' }).delete();
  });
});

/** Adds the checksum of the bytes. */
function sealed(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.from(`${createHash('sha256').update(content).digest('hex')}\n`)]);
}

/** Returns what an error says about a file that is not a valid backup. */
function reasonIn({ code, stderr }: { code: number; stderr: string }): string {
  const found = /^error: \S+ is not a valid backup: (.+)\. Nothing was changed: use another file\n$/.exec(
    stderr,
  );
  return code === 1 && found ? found[1]! : stderr;
}

describe('tourctl restore, before it writes a row', () => {
  let target: TestTerminal;
  const messageOf = async (change: (header: BackupHeader) => object) => {
    const file = fileOf('forged.backup');
    rmSync(file, { force: true });
    await withHeader('forged.backup', change);
    return reasonIn(await target.tourctl(`restore ${file}`));
  };
  beforeAll(async () => {
    target = await installations.bare();
  });
  afterEach(async () => {
    expect(await tablesOf(target.db)).toEqual([]);
  });

  it('tourctl restore refuses a missing argument, a missing file and a damaged file', async () => {
    expect(await target.refusal('restore')).toBe('2 usage_error');
    expect(await target.refusal(`restore ${fileOf('missing')}`)).toBe('1 file_not_read');
    const file = fileOf('flipped.backup');
    const changed = Buffer.from(bytes);
    changed[changed.length >> 1]! ^= 4;
    writeFileSync(file, changed);
    expect(await target.refusal(`restore ${file}`)).toBe('1 backup_damaged');
  });

  it('tourctl restore refuses a folder and a pipe without opening them', async () => {
    const pipe = fileOf('pipe');
    execFileSync('mkfifo', [pipe]);
    for (const file of [folder, pipe]) {
      const { code, stderr } = await target.tourctl(`restore ${file}`);
      expect([code, stderr]).toEqual([
        1,
        `error: ${file} cannot be read (it is no regular file): name the file of a backup\n`,
      ]);
    }
  });

  it('tourctl restore refuses a newer format, and a migration that this version lacks', async () => {
    const newer = await withHeader('newer.backup', () => ({ format: 2 }));
    expect(await target.refusal(`restore ${newer}`)).toBe('1 backup_newer');
    const later = await withHeader('later.backup', ({ migrations }) => ({
      version: '9.0.0',
      migrations: [...migrations, '0999_later'],
    }));
    const { stderr } = await target.tourctl(`restore ${later}`);
    expect(stderr).toBe(
      `error: ${later} was made by a later version (9.0.0, with migration 0999_later): upgrade this installation, then restore\n`,
    );
  });

  it('tourctl restore refuses a file with a table that no backup copies', async () => {
    for (const name of ['knex_migrations', 'other.accounts']) {
      const message = await messageOf(({ tables: [first, ...rest] }) => ({
        tables: [{ ...first!, name }, ...rest],
      }));
      expect(message).toBe(`it has a table ${name}, which no backup copies`);
    }
  });

  it.each<[change: object, field: string, reason: string]>([
    [{ format: undefined }, 'format', 'Invalid input: expected number, received undefined'],
    [{ format: -1 }, 'format', 'Too small: expected number to be >=1'],
    [{ format: 1.5 }, 'format', 'Invalid input: expected int, received number'],
    [{ product: 'another' }, 'product', 'Invalid input: expected "tour-platform backup"'],
    [{ made_at: 'today' }, 'made_at', 'Invalid ISO datetime'],
    [{ migrations: 'all' }, 'migrations', 'Invalid input: expected array, received string'],
    [{ migrations: ['0001_a', '0001_a'] }, 'migrations', 'must have each entry once'],
    [{ secret_checks: undefined }, 'secret_checks', 'Invalid input: expected record, received undefined'],
    [{ secret_checks: null }, 'secret_checks', 'Invalid input: expected record, received null'],
    [
      { secret_checks: { SECRETS_KEY: 'no' } },
      'secret_checks.SECRETS_KEY',
      'Invalid string: must match pattern /^[0-9a-f]{64}$/',
    ],
    [
      { months: ['2026-13-01'] },
      'months.0',
      'Invalid string: must match pattern /^[12]\\d{3}-(0[1-9]|1[0-2])-01$/',
    ],
    [
      { sequences: { audit_log_id_seq: 0 } },
      'sequences.audit_log_id_seq',
      'Too small: expected number to be >=1',
    ],
    [
      { sequences: { booking_leads_id_seq: 9e15 } },
      'sequences.booking_leads_id_seq',
      'Too big: expected number to be <=4503599627370496',
    ],
    [{ seats: [] }, 'seats', 'Invalid input: expected object, received array'],
    [{ tables: [null] }, 'tables.0', 'Invalid input: expected object, received null'],
    [
      { tables: [{ name: 'tenants', columns: null, rows: 0, checksum: '0' }] },
      'tables.0.columns',
      'Invalid input: expected array, received null',
    ],
  ])('tourctl restore refuses a header with %j', async (change, field, reason) => {
    expect(await messageOf(() => change)).toBe(`${field} of its header is wrong (${reason})`);
  });

  it.each<[title: string, content: string, what: string]>([
    ['a header of blanks', ' '.repeat(100_000_000), 'its header has more than 1 MiB'],
    ['a first line that is no JSON', 'hello\n', 'its first line is not the header of a backup'],
    ['nothing in it', '', 'it ends before its last table'],
  ])('tourctl restore refuses a file with %s', async (_, content, what) => {
    const file = fileOf('content.backup');
    writeFileSync(file, sealed(gzipSync(content)));
    const begun = performance.now();
    expect(reasonIn(await target.tourctl(`restore ${file}`))).toBe(what);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it('tourctl restore refuses bytes after the last table, and a file that ends before the last table', async () => {
    const compressed = bytes.subarray(0, -65);
    const more = [
      sealed(Buffer.concat([compressed, Buffer.from('more')])),
      sealed(Buffer.concat([compressed, Buffer.alloc(100)])),
      sealed(Buffer.concat([compressed, gzipSync('more')])),
      sealed(gzipSync(Buffer.concat([gunzipSync(compressed), Buffer.from('x')]))),
      sealed(gzipSync(gunzipSync(compressed).subarray(0, -1))),
      sealed(Buffer.from('no gzip')),
    ];
    const after = 'it has more bytes after its last table';
    const noGzip = 'it is not valid gzip';
    const reasons = [noGzip, after, after, after, 'it ends before its last table', noGzip];
    for (const [i, content] of more.entries()) {
      const file = fileOf('ends.backup');
      writeFileSync(file, content);
      expect(reasonIn(await target.tourctl(`restore ${file}`))).toBe(reasons[i]);
    }
  });

  it('tourctl restore refuses rows and migrations that PostgreSQL refuses, and names the SQLSTATE', async () => {
    const lines = gunzipSync(bytes.subarray(0, -65)).toString('latin1').split('\n');
    const forged = async (change: (lines: string[]) => string[]) => {
      const file = fileOf('rows.backup');
      writeFileSync(file, sealed(gzipSync(Buffer.from(change([...lines]).join('\n'), 'latin1'))));
      return reasonIn(await target.tourctl(`restore ${file}`));
    };
    // The second line is the only tenant.
    const tenants = (change: (line: string) => string) =>
      forged(([header, tenant, ...rest]) => [header!, change(tenant!), ...rest]);
    expect(await tenants((line) => `x${line}`)).toBe(
      'PostgreSQL refuses its rows of tenants (SQLSTATE 22P02)',
    );
    expect(await tenants((line) => `${line}\t1`)).toBe(
      'PostgreSQL refuses its rows of tenants (SQLSTATE 22P04)',
    );
    const without = await messageOf(({ migrations }) => ({ migrations: migrations.slice(1) }));
    expect(without).toContain('Migration 0102_credentials failed: relation "tenants" does not exist');
    expect(without).not.toContain('not a valid backup');
  });

  it('tourctl restore refuses columns, sequences and secret checks that do not match the migrations and rows', async () => {
    const columns = await messageOf(({ tables: [first, ...rest] }) => ({
      tables: [{ ...first!, columns: first!.columns.slice(1) }, ...rest],
    }));
    expect(columns).toBe('its columns of tenants are not those of its migrations');
    // Only a database before 0036_departure_status_changes has no such column.
    const later = await messageOf(({ tables }) => ({
      tables: tables.map((table) => ({
        ...table,
        columns: table.columns.filter((column) => column !== 'status_changed_at'),
      })),
    }));
    expect(later).toBe('its columns of departures are not those of its migrations');
    const sequences = await messageOf((header) => ({
      sequences: { ...header.sequences, knex_migrations_id_seq: 7 },
    }));
    expect(sequences).toBe('it has an unknown sequence knex_migrations_id_seq');
    for (const secret_checks of [{}, { SECRETS_KEY: null, KEY_PEPPER: null }])
      expect(await messageOf(() => ({ secret_checks }))).toBe('secret_checks of its header are not its rows');
  });

  it('tourctl restore refuses a backup whose secrets differ from the configured secrets', async () => {
    for (const variable of ['SECRETS_KEY', 'KEY_PEPPER']) {
      const { stderr } = await withEnv(target, { [variable]: 'x'.repeat(32) }, () =>
        target.tourctl(`restore ${whole}`),
      );
      expect(stderr).toMatch(new RegExp(`^error: ${variable} is not the one that the backup was made with`));
    }
    delete target.env.KEY_PEPPER;
    const { error } = await target.tourctl(`restore ${whole} --json`);
    expect(error).toMatchObject({
      code: 'wrong_secrets',
      message: expect.stringMatching(/^KEY_PEPPER is missing: /),
    });
    target.env.KEY_PEPPER = source.env.KEY_PEPPER!;
  });

  it('tourctl restore refuses rows that differ from the counts and checksums in the header', async () => {
    const wrong = (change: object) => (header: BackupHeader) => ({
      tables: header.tables.map((table) => (table.name === 'departures' ? { ...table, ...change } : table)),
    });
    expect(await messageOf(wrong({ rows: 3 }))).toBe('it has 2 rows of departures instead of 3');
    const file = await withHeader('wrong-checksum.backup', wrong({ checksum: '1' }));
    expect(await target.refusal(`restore ${file}`)).toBe('1 restore_differs');
    const seats = await withWrongSeats('seats.backup');
    expect(await target.refusal(`restore ${seats}`)).toBe('1 restore_differs');
  });
});

describe('tourctl restore into a migrated database', () => {
  it('tourctl restore refuses a database that has a tenant or a tour', async () => {
    for (const given of [givenTenant, givenTour]) {
      const target = await installations.migrated();
      await given(target.db);
      expect(await target.refusal(`restore ${whole}`)).toBe('1 database_not_empty');
    }
  });

  it('tourctl restore refuses a database that a running service uses', async () => {
    const target = await installations.migrated();
    await target.db.raw('insert into api_instances values (gen_random_uuid(), 1, 1, clock_timestamp())');
    await target.db('webhook_workers').insert({ id: 'worker-1', slots: 1, in_flight: 0 });
    const { stderr, code } = await target.tourctl(`restore ${whole}`);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: 2 services use this database: stop all services/),
    ]);
    await target.db.raw("update api_instances set polled_at = polled_at - interval '6 seconds'");
    await target.db.raw("update webhook_workers set beat_at = beat_at - interval '16 seconds'");
    expect((await target.tourctl(`restore ${whole}`)).code).toBe(0);
  });

  it('tourctl restore leaves the database migrated and empty when it fails', async () => {
    const target = await installations.migrated();
    const before = await readSchemaFacts(target.db);
    const file = await withWrongSeats('failing.backup');
    expect(await target.refusal(`restore ${file}`)).toBe('1 restore_differs');
    expect(await readSchemaFacts(target.db)).toEqual(before);
    expect(await target.db('tenants')).toEqual([]);
  });

  it('tourctl restore keeps tables that do not belong to the product', async () => {
    const target = await installations.migrated();
    await target.db.raw(
      'create table of_others (id int); create function of_others() returns int language sql return 1',
    );
    expect((await target.tourctl(`restore ${whole}`)).code).toBe(0);
    expect(await tablesOf(target.db)).toContain('of_others');
  });
});
