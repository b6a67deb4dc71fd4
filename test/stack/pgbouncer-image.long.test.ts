import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '../../services/platform/database/database';
import { accountFor } from '../../services/platform/embedded-postgres/account';
import { migrate } from '../../services/platform/migrate/migrate';
import { SERVER_URL } from '../support/database';
import { describeWith, isInstalled } from '../support/describe-with';
import { isListening } from '../support/free-ports';
import { eventually } from '../webhook-queue/queue-fixture';
import { type Child, killChildren, startChild, untilReady } from './child';
import { DOCKER, read } from './docker-files';
import { lowPorts } from './low-ports';

const PASSWORD = `qu"ote, ap'ostrophe and $dollar`;

describeWith('pgbouncer', 'what the PgBouncer image runs', () => {
  describeWith('postgresql', 'with the logins of the PostgreSQL image', suite, isInstalled('psql'));
});

/** The passwords by the variable of docker/.env. */
const PASSWORDS = {
  DATABASE_PASSWORD: PASSWORD,
  API_DATABASE_PASSWORD: `${PASSWORD} of the API`,
  QUEUE_DATABASE_PASSWORD: `${PASSWORD} of the queue`,
};

/** Runs the script that the PostgreSQL image runs on an empty volume. */
function createRoles(): void {
  const { hostname, port, username, password } = new URL(process.env[SERVER_URL]!);
  execFileSync(path.join(DOCKER, 'postgres/create-role.sh'), {
    env: {
      PATH: process.env.PATH,
      PGHOST: hostname,
      PGPORT: port,
      POSTGRES_USER: decodeURIComponent(username),
      PGPASSWORD: decodeURIComponent(password),
      ...PASSWORDS,
    },
    stdio: 'pipe',
  });
}

function suite(): void {
  const dir = mkdtempSync(path.join(tmpdir(), 'test-pgbouncer-'));
  const server = openDatabase(process.env[SERVER_URL]!, { applicationName: 'test', poolMax: 1 });
  let port: number;
  let child: Child;
  /** Starts the script of the image on the port. @param more further variables of its container */
  function start(name: string, at: number, more: Record<string, string> = {}): Child {
    const { hostname, port: serverPort } = new URL(process.env[SERVER_URL]!);
    return startChild({
      name,
      program: path.join(DOCKER, 'pgbouncer/start'),
      args: [],
      cwd: '/',
      ...accountFor(),
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin',
        TMPDIR: path.join(dir, name),
        DATABASE_HOST: hostname,
        DATABASE_PORT: serverPort,
        ...PASSWORDS,
        LISTEN_ADDRESS: '127.0.0.1',
        LISTEN_PORT: `${at}`,
        POOL_INI: path.join(DOCKER, 'pgbouncer/pool.ini'),
        ...more,
      },
      logFile: path.join(dir, `${name}.log`),
    });
  }
  beforeAll(async () => {
    chmodSync(dir, 0o777);
    createRoles();
    [port] = (await lowPorts(1)) as [number];
    child = start('PgBouncer', port);
    await untilReady(child, 'PgBouncer', () => isListening(port));
  });
  afterAll(async () => {
    await killChildren();
    await server.raw('drop database tours with (force)');
    await server.raw('drop role tours, tours_api, tours_queue');
    await server.destroy();
    rmSync(dir, { recursive: true, force: true });
  });

  it('the owner logs in, is no superuser, and can migrate its own database', async () => {
    const url = `postgres://tours:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/tours?require_auth=scram-sha-256`;
    const db = openDatabase(url, { applicationName: 'test', poolMax: 2 });
    const { rows } = await db.raw('select rolsuper from pg_roles where rolname = current_user');
    expect(rows).toEqual([{ rolsuper: false }]);
    expect((await migrate(db)).length).toBeGreaterThan(5);
    await db.destroy();
  });

  const login = (name: string, password: string, poolMax = 1) =>
    openDatabase(`postgres://${name}:${encodeURIComponent(password)}@127.0.0.1:${port}/tours`, {
      applicationName: 'test',
      poolMax,
    });

  it('each service logs in with its own password and rights, even after the roles are created again', async () => {
    createRoles();
    const [api, queue] = [
      login('tours_api', PASSWORDS.API_DATABASE_PASSWORD),
      login('tours_queue', PASSWORDS.QUEUE_DATABASE_PASSWORD),
    ];
    expect(await api('booking_leads')).toEqual([]);
    await expect(api('tenants').delete()).rejects.toMatchObject({ code: '42501' });
    expect(await queue('webhook_queue')).toEqual([]);
    await expect(queue('booking_leads')).rejects.toMatchObject({ code: '42501' });
    await Promise.all([api.destroy(), queue.destroy()]);
    const stranger = login('tours_api', PASSWORD);
    await expect(stranger.raw('select 1')).rejects.toThrow();
    await stranger.destroy();
  });

  it('the queue still gets a connection while the API uses all of its own connections', async () => {
    const api = login('tours_api', PASSWORDS.API_DATABASE_PASSWORD, 70);
    const queue = login('tours_queue', PASSWORDS.QUEUE_DATABASE_PASSWORD);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let open = 0;
    const holding = Array.from({ length: 70 }, () =>
      api.transaction(async (trx) => {
        await trx.raw('select 1');
        open++;
        await released;
      }),
    );
    const most = Number(/^default_pool_size = (\d+)$/m.exec(read('pgbouncer/pool.ini'))![1]);
    await eventually('all connections of the API', () => open === most || undefined);
    expect(await queue('webhook_queue')).toEqual([]);
    release();
    await Promise.all([...holding, queue.destroy()]);
    await api.destroy();
  });

  it('the PgBouncer image refuses a wrong password, and writes no password into its log', async () => {
    const db = openDatabase(`postgres://tours:wrong@127.0.0.1:${port}/tours`, { applicationName: 'test' });
    await expect(db.raw('select 1')).rejects.toThrow();
    await db.destroy();
    expect(child.log()).not.toContain('ostrophe');
  });

  it('with a certificate, the PgBouncer image refuses clients without TLS, and proves its name to the others', async () => {
    const tls = path.join(dir, 'tls');
    mkdirSync(tls);
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const files = ['-keyout', path.join(tls, 'tls.key'), '-out', path.join(tls, 'tls.crt')];
    execFileSync('openssl', ['req', '-x509', ...key, ...names, ...files], { stdio: 'pipe' });
    chmodSync(path.join(tls, 'tls.key'), 0o644);
    const [at] = (await lowPorts(1)) as [number];
    await untilReady(start('PgBouncer with TLS', at, { CLIENT_TLS_DIR: tls }), 'PgBouncer', () =>
      isListening(at),
    );
    const ask = async (host: string, parameters: string) => {
      const url = `postgres://tours:${encodeURIComponent(PASSWORD)}@${host}:${at}/tours${parameters}`;
      const db = openDatabase(url, { applicationName: 'test', poolMax: 1 });
      return db
        .raw('select 1')
        .then(() => 'answered', String)
        .finally(() => db.destroy());
    };
    const verified = `?sslmode=verify-full&sslrootcert=${path.join(tls, 'tls.crt')}`;
    expect(await ask('localhost', verified)).toBe('answered');
    expect(await ask('127.0.0.1', verified)).not.toBe('answered');
    expect(await ask('localhost', '?sslmode=disable')).toMatch(/TLS|SSL/);
  });

  it('the PgBouncer image ends with code 0 on SIGINT, which is its stop signal', async () => {
    expect(await child.stop('SIGINT')).toBe(0);
  });
}
