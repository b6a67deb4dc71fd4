import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { accountFor, giveTo, runAs } from '../../services/platform/embedded-postgres/account';
import { bundledRelease, usableBinaries } from '../../services/platform/embedded-postgres/binaries';
import { DOCKER, documentsOf, read } from './docker-files';

const START = path.join(DOCKER, 'patroni/start');
const PASSWORDS = {
  PATRONI_SUPERUSER_PASSWORD: 'superuser',
  PATRONI_REPLICATION_PASSWORD: 'replication',
  PATRONI_REWIND_PASSWORD: 'rewind',
};

interface Settings {
  bootstrap: { dcs: object; initdb: (string | Record<string, string>)[] };
  postgresql: { parameters: object };
}

describe('the Patroni image', () => {
  const account = accountFor();
  let dir: string;
  let programs: string;
  beforeAll(async () => {
    ({ programs } = await usableBinaries(bundledRelease(), account));
    dir = mkdtempSync(path.join(tmpdir(), 'test-patroni-'));
    giveTo(account, dir);
    chmodSync(dir, 0o755);
    mkdirSync(path.join(dir, 'bin'));
    // Stands for Patroni: ends at once, and leaves the settings.
    writeFileSync(path.join(dir, 'bin/patroni'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const start = (env: Record<string, string>) =>
    runAs(account, START, [], {
      env: {
        PATH: `${dir}/bin:/usr/local/bin:/usr/bin:/bin`,
        TMPDIR: dir,
        PATRONI_NAME: 'patroni-1',
        PATRONI_POSTGRESQL_BIN_DIR: programs,
        ...env,
      },
    });
  const settings = () =>
    parseYaml(readFileSync(path.join(dir, 'patroni/2-settings.yml'), 'utf8')) as Settings;

  it('the cluster has the lease of the variables, and stops sales without a standby only if FAILOVER_STRICT is true', async () => {
    expect(await start(PASSWORDS)).toEqual({ ok: true, output: '' });
    expect(settings().bootstrap.dcs).toEqual({
      ttl: 20,
      loop_wait: 5,
      retry_timeout: 5,
      synchronous_mode_strict: false,
    });
    expect((await start({ ...PASSWORDS, FAILOVER_STRICT: 'true', FAILOVER_TTL: '30' })).ok).toBe(true);
    expect(settings().bootstrap.dcs).toMatchObject({ ttl: 30, synchronous_mode_strict: true });
  });

  it('a member archives its WAL only with PGBACKREST_STANZA', async () => {
    await start(PASSWORDS);
    expect(settings().postgresql.parameters).not.toHaveProperty('archive_mode');
    await start({ ...PASSWORDS, PGBACKREST_STANZA: 'tours' });
    expect(settings().postgresql.parameters).toMatchObject({
      archive_mode: 'on',
      archive_command: 'pgbackrest archive-push %p',
    });
  });

  it('a member without one of its passwords does not start, and names it', async () => {
    for (const missing of Object.keys(PASSWORDS)) {
      const { ok, output } = await start({ ...PASSWORDS, [missing]: '' });
      expect([ok, output]).toEqual([false, expect.stringContaining(`${missing}: the password of`)]);
    }
  });

  it('initdb of PostgreSQL 18 accepts the options, and the database sorts as the embedded one', async () => {
    await start(PASSWORDS);
    const flags = settings().bootstrap.initdb.map((option) =>
      typeof option === 'string' ? `--${option}` : `--${Object.entries(option)[0]!.join('=')}`,
    );
    const data = path.join(dir, 'data');
    const created = await runAs(account, path.join(programs, 'initdb'), ['-D', data, '--no-sync', ...flags]);
    expect([created.ok, created.output]).toEqual([true, expect.stringContaining('builtin')]);
  });

  it('Patroni promotes only the synchronous standby, and copies a new member without waiting for a checkpoint', () => {
    const [{ bootstrap, postgresql }] = documentsOf('patroni/patroni.yml');
    expect(bootstrap.dcs).toMatchObject({ synchronous_mode: true, failsafe_mode: true });
    expect(bootstrap.dcs.postgresql).toMatchObject({ use_pg_rewind: true });
    expect(postgresql.basebackup).toEqual([{ checkpoint: 'fast' }]);
    expect(read('haproxy/haproxy.cfg')).toMatch(/OPTIONS \/primary[^]*on-marked-down shutdown-sessions/);
    expect(read('patroni/Dockerfile')).toMatch(/^USER postgres$/m);
    for (const script of ['start', 'post-bootstrap'])
      expect(statSync(path.join(DOCKER, 'patroni', script)).mode & 0o111).toBe(0o111);
  });
});
