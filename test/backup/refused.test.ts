import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type BackupHeader,
  END_OF_TABLE,
  readBackupFile,
  verifyBackupFile,
  writeBackupFile,
} from '../../services/api/backup/backup-file';
import { TOURCTL, type TestTerminal, withEnv } from '../cli/terminal';
import { givenDeparture, givenTenant, givenTour } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { schemaOf, tablesOf, useInstallations } from './installation';

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
async function withHeader(
  name: string,
  change: (header: BackupHeader) => Partial<BackupHeader>,
): Promise<string> {
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

const refusalOf = (bytes: Buffer) => {
  const file = fileOf('changed.backup');
  writeFileSync(file, bytes);
  return verifyBackupFile(file).then(
    () => 'accepted',
    (error: { code: string }) => error.code,
  );
};

describe('a backup file', () => {
  it('is refused when any bit of it is flipped: in its first bytes, in the middle, in its checksum', async () => {
    const inTheMiddle = Array.from({ length: 60 }, (_, n) => Math.floor((bytes.length * n) / 60));
    const atTheEnds = Array.from({ length: 70 }, (_, n) => [n, bytes.length - 1 - n]).flat();
    for (const place of [...atTheEnds, ...inTheMiddle]) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 1 << (place % 8);
      expect([place, await refusalOf(changed)]).toEqual([place, 'backup_damaged']);
    }
    expect(await refusalOf(bytes)).toBe('accepted');
  });

  it('is refused when it is truncated or has more bytes', async () => {
    for (const length of [0, 1, 65, 66, 200, bytes.length - 66, bytes.length - 65, bytes.length - 1])
      expect([length, await refusalOf(bytes.subarray(0, length))]).toEqual([length, 'backup_damaged']);
    expect(await refusalOf(Buffer.concat([bytes, Buffer.from('\n')]))).toBe('backup_damaged');
  });

  it('contains no secret and no person in its header', async () => {
    const header = JSON.stringify(await verifyBackupFile(whole));
    const { SECRETS_KEY, KEY_PEPPER, CURSOR_KEY, DATABASE_URL } = source.env;
    for (const secret of [SECRETS_KEY, KEY_PEPPER, CURSOR_KEY, DATABASE_URL, 'svc_live_', 'whsec_', 'acme'])
      expect(header).not.toContain(secret);
    expect(JSON.parse(header)).toMatchObject({
      format: 1,
      secret_checks: { SECRETS_KEY: expect.any(String) },
    });
  });

  it('belongs to one of two backups that write it at the same time, and the other one is refused', async () => {
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

  it('does not exist under its name after a backup that was killed, and not at all after Ctrl-C', async () => {
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

describe('tourctl restore refuses, before it writes a row,', () => {
  let target: TestTerminal;
  beforeAll(async () => {
    target = await installations.bare();
  });
  afterEach(async () => {
    expect(await tablesOf(target.db)).toEqual([]);
  });

  it('a file that does not exist, and one that is damaged', async () => {
    expect(await target.refusal('restore')).toBe('2 usage_error');
    expect(await target.refusal(`restore ${fileOf('missing')}`)).toBe('1 file_not_read');
    const file = fileOf('flipped.backup');
    const changed = Buffer.from(bytes);
    changed[changed.length >> 1]! ^= 4;
    writeFileSync(file, changed);
    expect(await target.refusal(`restore ${file}`)).toBe('1 backup_damaged');
  });

  it('a folder and a pipe, which it does not open', async () => {
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

  it('a newer format, and a migration that this version lacks', async () => {
    const newer = await withHeader('newer.backup', () => ({ format: 2 }));
    expect(await target.refusal(`restore ${newer}`)).toBe('1 backup_newer');
    const later = await withHeader('later.backup', ({ migrations }) => ({
      ...{ version: '9.0.0', migrations: [...migrations, '0999_later'] },
    }));
    const { stderr } = await target.tourctl(`restore ${later}`);
    expect(stderr).toBe(
      `error: ${later} was made by a later version (9.0.0, with migration 0999_later): upgrade this installation, then restore\n`,
    );
  });

  it('a table that the product does not copy, also one of another schema', async () => {
    for (const name of ['knex_migrations', 'other.accounts']) {
      const forged = await withHeader('forged.backup', ({ tables: [first, ...rest] }) => ({
        tables: [{ ...first!, name }, ...rest],
      }));
      expect(await target.refusal(`restore ${forged}`)).toBe('1 backup_damaged');
      rmSync(forged);
    }
  });

  it('a header that lacks a part, or has a part of another form', async () => {
    const without = (name: keyof BackupHeader) => ({ [name]: undefined });
    const changes: Partial<Record<keyof BackupHeader, unknown>>[] = [
      ...(['format', 'migrations', 'secret_checks', 'months', 'sequences', 'seats', 'tables'] as const).map(
        without,
      ),
      { tables: [null] },
      { tables: [{ name: 'tenants', columns: null, rows: 0, checksum: '0' }] },
      { migrations: 'all' },
    ];
    for (const [i, change] of changes.entries()) {
      const forged = await withHeader(`form-${i}.backup`, () => change as Partial<BackupHeader>);
      expect([change, await target.refusal(`restore ${forged}`)]).toEqual([change, '1 backup_damaged']);
    }
  });

  it('other secrets than those of the backup', async () => {
    for (const variable of ['SECRETS_KEY', 'KEY_PEPPER']) {
      const { stderr } = await withEnv(target, { [variable]: 'x'.repeat(32) }, () =>
        target.tourctl(`restore ${whole}`),
      );
      expect(stderr).toMatch(new RegExp(`^error: ${variable} is not the one that the backup was made with`));
    }
    delete target.env.KEY_PEPPER;
    expect(await target.refusal(`restore ${whole}`)).toBe('1 wrong_secrets');
    target.env.KEY_PEPPER = source.env.KEY_PEPPER!;
  });

  it('rows that are not those of the header, and leaves the database without our tables', async () => {
    const wrong = (change: object) => (header: BackupHeader) => ({
      tables: header.tables.map((table) => (table.name === 'departures' ? { ...table, ...change } : table)),
    });
    for (const change of [{ rows: 3 }, { checksum: '1' }]) {
      const file = await withHeader(`wrong-${Object.keys(change)[0]}.backup`, wrong(change));
      expect(await target.refusal(`restore ${file}`)).toBe('1 restore_differs');
    }
    const seats = await withHeader('seats.backup', (header) => ({
      seats: { ...header.seats, departures: 7 },
    }));
    expect(await target.refusal(`restore ${seats}`)).toBe('1 restore_differs');
  });
});

describe('tourctl restore into a migrated database', () => {
  it('is refused where it has a tenant or a tour', async () => {
    for (const given of [givenTenant, givenTour]) {
      const target = await installations.migrated();
      await given(target.db);
      expect(await target.refusal(`restore ${whole}`)).toBe('1 database_not_empty');
    }
  });

  it('is refused while an instance of a service runs', async () => {
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

  it('leaves it migrated and empty when it fails', async () => {
    const target = await installations.migrated();
    const before = await schemaOf(target.db);
    const file = await withHeader('failing.backup', (header) => ({
      seats: { ...header.seats, departures: 7 },
    }));
    expect(await target.refusal(`restore ${file}`)).toBe('1 restore_differs');
    expect(await schemaOf(target.db)).toEqual(before);
    expect(await target.db('tenants')).toEqual([]);
  });

  it('keeps the tables of others in the database', async () => {
    const target = await installations.migrated();
    await target.db.raw(
      'create table of_others (id int); create function of_others() returns int language sql return 1',
    );
    expect((await target.tourctl(`restore ${whole}`)).code).toBe(0);
    expect(await tablesOf(target.db)).toContain('of_others');
  });
});
