import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '../../services/platform/database';
import { accountFor } from '../../services/platform/embedded-postgres/account';
import { migrate } from '../../services/platform/migrate';
import { SERVER_URL } from '../support/database';
import { describeWith } from '../support/describe-with';
import { isListening } from '../support/free-ports';
import { startTcpProxy } from '../support/tcp-proxy';
import { type Child, killChildren, startChild, untilReady } from './child';
import { DOCKER } from './docker-files';
import { lowPorts } from './low-ports';

const PASSWORD = `qu"ote, ap'ostrophe and $dollar`;

describeWith('pgbouncer', 'what the PgBouncer image runs', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'test-pgbouncer-'));
  const server = openDatabase(process.env[SERVER_URL]!, { applicationName: 'test', poolMax: 1 });
  let port: number;
  let child: Child;
  beforeAll(async () => {
    chmodSync(dir, 0o777);
    // Creates the role as docker/postgres/create-role.sh does.
    await server.raw(`create role tours login password '${PASSWORD.replaceAll("'", "''")}'`);
    await server.raw('create database tours owner tours');
    [port] = (await lowPorts(1)) as [number];
    const { hostname, port: serverPort } = new URL(process.env[SERVER_URL]!);
    child = startChild({
      ...{ name: 'PgBouncer', program: path.join(DOCKER, 'pgbouncer/start'), args: [], cwd: '/' },
      ...accountFor(),
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin',
        TMPDIR: dir,
        DATABASE_HOST: hostname,
        DATABASE_PORT: serverPort,
        DATABASE_PASSWORD: PASSWORD,
        LISTEN_ADDRESS: '127.0.0.1',
        LISTEN_PORT: `${port}`,
        POOL_INI: path.join(DOCKER, 'pgbouncer/pool.ini'),
      },
      logFile: path.join(dir, 'log'),
    });
    await untilReady(child, 'PgBouncer', () => isListening(port));
  });
  afterAll(async () => {
    await killChildren();
    await server.raw('drop database tours with (force)');
    await server.raw('drop role tours');
    await server.destroy();
    rmSync(dir, { recursive: true, force: true });
  });

  it("accepts the services' role, which is no superuser and can migrate its own database", async () => {
    const url = `postgres://tours:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/tours?require_auth=scram-sha-256`;
    const db = openDatabase(url, { applicationName: 'test', poolMax: 2 });
    const { rows } = await db.raw('select rolsuper from pg_roles where rolname = current_user');
    expect(rows).toEqual([{ rolsuper: false }]);
    expect((await migrate(db)).length).toBeGreaterThan(5);
    await db.destroy();
  });

  it('refuses another password, and writes no password into its log', async () => {
    const db = openDatabase(`postgres://tours:wrong@127.0.0.1:${port}/tours`, { applicationName: 'test' });
    await expect(db.raw('select 1')).rejects.toThrow();
    await db.destroy();
    expect(child.log()).not.toContain('ostrophe');
  });

  it('changes to another server without closing client connections', async () => {
    const proxy = await startTcpProxy(Number(new URL(process.env[SERVER_URL]!).port));
    const url = `postgres://tours:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/tours`;
    const db = openDatabase(url, { applicationName: 'test', poolMax: 1 });
    const serverPort = async () => (await db.raw('select inet_client_port() as port')).rows[0].port;
    const before = await serverPort();
    execFileSync(path.join(DOCKER, 'pgbouncer/point-to'), ['127.0.0.1', `${proxy.port}`], {
      env: { PATH: process.env.PATH, TMPDIR: dir },
      ...accountFor(),
    });
    // PgBouncer reads it later.
    for (let tries = 0; tries < 100 && (await serverPort()) === before; tries++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    proxy.hang();
    const unheard = await Promise.race([
      serverPort(),
      new Promise((resolve) => setTimeout(resolve, 300, 'nothing')),
    ]);
    expect(unheard).toBe('nothing');
    await proxy.stop();
    await db.destroy().catch(() => {});
  });

  it('ends with code 0 on SIGINT, the stop signal of its image', async () => {
    expect(await child.stop('SIGINT')).toBe(0);
  });
});
