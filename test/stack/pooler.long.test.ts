import { mkdtempSync, readdirSync, readFileSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDatabase } from '../../services/platform/database/database';
import { migrate, pendingMigrations } from '../../services/platform/migrate/migrate';
import { openTestTerminal, type TestTerminal } from '../cli/terminal';
import { createTestDatabase, SERVER_URL } from '../support/database';
import { describeWith } from '../support/describe-with';
import { CUSTOMER, givenSeats } from '../support/website';
import { startReceiver } from '../webhook-queue/receiver';
import { killChildren } from './child';
import { lowPorts } from './low-ports';
import { type PgBouncer, startPgBouncer } from './pgbouncer';
import { type Instance, startInstance } from './service';

const ROOT = path.resolve(__dirname, '../..');
const SERVERS = 5;
/** Gives each transaction another server connection than the previous transaction. Code that relies on a session then fails. */
const IN_TURN = [
  `default_pool_size = ${SERVERS}`,
  `max_db_connections = ${SERVERS}`,
  'server_round_robin = 1',
];
const PURCHASES = 12;

describeWith(
  'pgbouncer',
  'a platform that reaches PostgreSQL through PgBouncer in transaction mode only',
  () => {
    let dir: string;
    let pooler: PgBouncer;
    let terminal: TestTerminal;
    let pooled: Db;
    beforeAll(async () => {
      dir = mkdtempSync(path.join(tmpdir(), 'test-pooler-'));
      chmodSync(dir, 0o755);
      const [port] = (await lowPorts(1)) as [number];
      pooler = await startPgBouncer(path.join(dir, 'pgbouncer'), port, process.env[SERVER_URL]!, IN_TURN);
      terminal = await openTestTerminal({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on' });
      terminal.env.DATABASE_URL = pooler.url(terminal.url);
      pooled = openDatabase(terminal.env.DATABASE_URL, { applicationName: 'test', poolMax: 8 });
      // Runs all queries at once, so that the pooler opens one server connection for each.
      await Promise.all(Array.from({ length: SERVERS }, () => pooled.raw('select pg_sleep(0.1)')));
    });
    afterAll(async () => {
      await pooled.destroy();
      await killChildren();
      await terminal.drop();
      rmSync(dir, { recursive: true, force: true });
    });

    const done = async (line: string | string[]) => {
      const answer = await terminal.tourctl(line);
      expect({ line, code: answer.code, stderr: answer.stderr }).toMatchObject({ code: 0 });
      return answer;
    };

    it('consecutive statements get different sessions, so that code that needs one session fails here', async () => {
      const one = openDatabase(terminal.env.DATABASE_URL!, { applicationName: 'test', poolMax: 1 });
      const pids = new Set<number>();
      for (let n = 0; n < 4 * SERVERS; n++)
        pids.add((await one.raw('select pg_backend_pid() as pid')).rows[0].pid);
      await one.destroy();
      expect(pids.size).toBeGreaterThan(2);
    });

    it('only one of several starters runs the migrations, and none keeps a lock', async () => {
      const empty = await createTestDatabase();
      await empty.db.raw('drop schema public cascade; create schema public');
      const starters = [1, 2, 3].map(() =>
        openDatabase(pooler.url(empty.url), { applicationName: 'test', poolMax: 2 }),
      );
      const ran = await Promise.all(starters.map((db) => migrate(db)));
      expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
      expect(await pendingMigrations(empty.db)).toEqual([]);
      const { rows: locks } = await empty.db.raw(
        `select * from pg_locks where locktype = 'advisory' and database =
         (select oid from pg_database where datname = current_database())`,
      );
      expect(locks).toEqual([]);
      await Promise.all(starters.map((db) => db.destroy()));
      await empty.drop();
    });

    it('a waiting migrator does not block CREATE INDEX CONCURRENTLY', async () => {
      const first = await terminal.db.transaction();
      await first.raw('select pg_try_advisory_xact_lock(7406211953)');
      const waiting = migrate(pooled);
      try {
        await sleep(300);
        await terminal.db.raw('create index concurrently built_meanwhile on tours (updated_at)');
        await terminal.db.raw('drop index built_meanwhile');
      } finally {
        await first.commit();
      }
      expect(await waiting).toEqual([]);
    });

    it('tourctl migrates, imports, issues keys, changes rules and runs doctor through the pooler', async () => {
      await done('migrate --json');
      await done(['tenant', 'create', '--slug', 'acme', '--name', 'Acme Travel', '--booking-prefix', 'ACME']);
      const example = path.join(ROOT, 'docs/examples/tours.json');
      const imported = await done(['catalog', 'import', example, '--json']);
      expect(imported.json.tours.created).toBeGreaterThan(0);
      expect((await done('catalog export')).stdout).toContain('"slug"');
      const key = await done('key issue acme --scope catalog:read --json');
      await done(`key rotate ${key.json.id} --grace 1h --json`);
      await done('origins add acme https://acme.example');
      await done('visibility deny acme --continent europe');
      await done('pricing add acme --percent 5');
      expect((await done('audit list --json')).json.items.length).toBeGreaterThan(5);
      expect((await done('doctor --json')).json).toBeDefined();
    });

    describe('an API and a webhook queue', () => {
      let api: Instance;
      let queue: Instance;
      beforeAll(async () => {
        const [apiPort, queuePort, metrics] = (await lowPorts(4)) as [number, number, number];
        const env = {
          ...terminal.env,
          METRICS_PORT: `${metrics}`,
          LOG_LEVEL: 'warn',
        };
        [api, queue] = await Promise.all([
          startInstance('api', dir, apiPort, env),
          startInstance('webhook-queue', dir, queuePort, env),
        ]);
      });

      it('twelve concurrent sales succeed, from the catalog to the signed webhook', async () => {
        const receiver = await startReceiver();
        await done('tenant create --slug website --name Website');
        await done(`webhook add website ${receiver.url}`);
        const scopes = ['catalog:read', 'booking:create', 'booking:read', 'booking:manage'];
        const issued = await done([
          ...'key issue website --json'.split(' '),
          ...scopes.flatMap((s) => ['--scope', s]),
        ]);
        const { tour, date } = await givenSeats(terminal.db, { seats: 2 * PURCHASES });
        const ask = askerOf(api.baseUrl, issued.json.key);

        const purchase = async (n: number) => {
          await ask('GET', '/api/tenant/catalog');
          await ask('GET', `/api/tenant/tours/${tour.slug}/departures`);
          await ask('GET', `/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`);
          const hold = await ask(
            'POST',
            `/api/gateway/tours/${tour.slug}/hold`,
            { departure_date: date, quantity: 2 },
            `hold-${n}`,
          );
          const order = { ...CUSTOMER, tour_id: tour.id, hold_id: hold.hold_id, adults: 2 };
          const booking = await ask('POST', '/api/tenant/bookings', order, `booking-${n}`);
          expect(await ask('POST', '/api/tenant/bookings', order, `booking-${n}`)).toEqual(booking);
          await ask('POST', `/api/tenant/bookings/${booking.booking_ref}/confirm`);
          return booking.booking_ref as string;
        };
        const bought = await Promise.all(Array.from({ length: PURCHASES }, (_, n) => purchase(n)));

        for (const end = Date.now() + 10_000; receiver.received.length < PURCHASES && Date.now() < end;)
          await sleep(50);
        const told = receiver.received.map(({ body }) => JSON.parse(body).booking_ref);
        expect([...new Set(told)].sort()).toEqual(bought.sort());
        expect(receiver.received[0]!.headers['webhook-signature']).toMatch(/^v1,/);
        await receiver.close();
        await done('doctor');
      });

      it('both services log no error, and stop with code 0', async () => {
        expect(api.child().log() + queue.child().log()).toBe('');
        expect(await Promise.all([api.stop(), queue.stop()])).toEqual([0, 0]);
      });
    });
  },
);

/** Sends a request, and fails on an answer that is not 2xx. */
function askerOf(baseUrl: string, key: string) {
  return async (method: string, to: string, body?: object, idempotencyKey?: string) => {
    const response = await fetch(baseUrl + to, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    expect({ to, ok: response.ok, text }).toMatchObject({ ok: true });
    return JSON.parse(text);
  };
}

describe('the SQL of the services, the terminal and the migrations', () => {
  const NEEDS_A_SESSION =
    /pg_(try_)?advisory_(lock|unlock)|\b(un)?listen\s+[a-z_"]+\s*[;'"`]|\bdiscard\s+all|^\s*(set|reset)\s+(session|statement_timeout|lock_timeout|search_path|role|time zone)\b|\bdeclare\s+\w+\s+cursor|create\s+(temp|temporary)\s/im;
  /**
   * Files that may match. The first locks the embedded server, which has no pooler. The second creates temporary tables within a
   * transaction. The third only has comments.
   */
  const MAY = [
    'services/platform/embedded-postgres/embedded-postgres.ts',
    'services/api/catalog-import/stage.repository.ts',
    'services/platform/config/variables.ts',
  ];

  it('the SQL of the services, the terminal and the migrations needs no session: no LISTEN, no lock, setting or table of a session', () => {
    const files = ['services', 'cli', 'migrations', 'seeds'].flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.join(folder, file),
      ),
    );
    const offenders = files
      .filter((file) => /[.](ts|sql)$/.test(file) && !MAY.includes(file))
      .filter((file) => NEEDS_A_SESSION.test(withoutComments(readFileSync(path.join(ROOT, file), 'utf8'))));
    expect(offenders).toEqual([]);
  });
});

function withoutComments(source: string): string {
  return source.replace(/^\s*(\/\/|\*|\/\*\*|--).*$/gm, '');
}
