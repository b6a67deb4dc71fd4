import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, openDatabase } from '../../services/platform/database/database';
import { migrate } from '../../services/platform/migrate/migrate';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { onServer } from '../chaos/failover/postgres-server';
import { serverPrograms } from '../chaos/failover/server-programs';
import { runOnce } from '../cli/run-once';
import { killChildren } from '../stack/child';
import { lowPorts } from '../stack/low-ports';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { describeWith, isInstalled } from '../support/describe-with';
import { givenKey, givenTenant, PEPPER } from '../support/given';
import { startQueueProcess } from '../support/queue-process';
import { CUSTOMER, givenSeats, type PlacedSeats } from '../support/website';
import { eventually } from '../webhook-queue/queue-fixture';
import { type Receiver, startReceiver } from '../webhook-queue/receiver';
import { type ArchivedServer, createArchivedServer } from './archived-server';

describeWith(
  'pgbackrest',
  'with an archive of pgBackRest',
  () => {
    describeWith(
      'postgresql',
      'a database that is restored to a time',
      suite,
      serverPrograms() !== undefined,
    );
  },
  isInstalled('pgbackrest'),
);

/** Bookings between two backups, or before and after the noted time. */
const SALES = 5;
const SECRETS_KEY = 's'.repeat(32);

function suite(): void {
  const dir = mkdtempSync(path.join(tmpdir(), 'test-restore-'));
  let server: ArchivedServer;
  let receiver: Receiver;
  let api: ApiProcess;
  let authorization: string;
  let seats: PlacedSeats;
  /** References of the bookings before the time, after it, and after the recovery. */
  let kept: string[];
  let lost: string[];
  let added: string[];
  /** A time after the lost bookings. */
  let beforeDisaster: string;
  const toKill: (() => unknown)[] = [];

  beforeAll(async () => {
    const [port] = (await lowPorts(1)) as [number];
    server = await createArchivedServer(dir, port);
    receiver = await startReceiver();
    const db = openDatabase(server.url, { applicationName: 'test', poolMax: 2 });
    await migrate(db);
    const tenant = await givenTenant(db, { status: 'active' });
    authorization = `Bearer ${await givenKey(db, tenant)}`;
    seats = await givenSeats(db, { seats: 100 });
    const endpoint = { tenantId: tenant.id, url: receiver.url, allowPrivateTargets: true };
    await inTransaction(db, (trx) => addEndpoint(trx, SECRETS_KEY, endpoint));
    await db.destroy();
  }, 60_000);
  afterAll(async () => {
    await Promise.all(toKill.map((kill) => kill()));
    await killChildren();
    await receiver?.close();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });

  const tourctl = (line: string) =>
    runOnce(line, {
      env: {
        DATABASE_URL: server.url,
        SECRETS_KEY,
        CURSOR_KEY: 'c'.repeat(32),
        KEY_PEPPER: PEPPER,
        SUDO_USER: 'olga',
      },
    });

  async function startApi(): Promise<void> {
    api = await startApiProcess(server.url);
    toKill.push(api.kill);
  }

  /** Books one seat several times. @returns the references */
  async function sell(count: number): Promise<string[]> {
    const refs: string[] = [];
    for (let n = 0; n < count; n++) {
      const answer = await fetch(`${api.baseUrl}/api/tenant/bookings`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ ...CUSTOMER, tour_id: seats.tour.id, departure_date: seats.date }),
      });
      expect(answer.status).toBe(201);
      refs.push(((await answer.json()) as { booking_ref: string }).booking_ref);
    }
    return refs;
  }

  const storedRefs = () =>
    onServer(server, (db) => db('booking_leads').orderBy('id').pluck<string[]>('booking_ref'));
  const numberOf = (ref: string) => Number(ref.split('-').at(-1));

  async function clock(): Promise<string> {
    return onServer(server, async (db) => {
      const { rows } = await db.raw<{ rows: [{ time: string }] }>('select clock_timestamp()::text as time');
      return rows[0].time;
    });
  }

  async function restoreTo(time: string, ...more: string[]): Promise<void> {
    await server.stop();
    await server.pgbackrest('restore', '--type=time', `--target=${time}`, '--target-action=promote', ...more);
    await server.start();
  }

  it('a recovery to a time keeps the sales before it, new bookings get numbers never given before, and endpoints wait', async () => {
    await startApi();
    kept = await sell(SALES);
    await server.pgbackrest('backup', '--type=full');
    // pgBackRest compares whole seconds, so the time must be in a later second than the end of the backup.
    await sleep(1100);
    kept.push(...(await sell(SALES)));
    const time = await clock();
    lost = await sell(SALES);
    beforeDisaster = await clock();
    await onServer(server, (db) => db.raw('delete from booking_leads'));
    expect(await storedRefs()).toEqual([]);

    await api.stop();
    await restoreTo(time);
    expect(await storedRefs()).toEqual(kept);
    const { json } = await tourctl('restore --in-place --json');
    expect(json.endpoints_paused).toBe(1);
    const doctor = await tourctl('doctor --json');
    expect([doctor.code, doctor.stderr]).toEqual([0, '']);

    await startApi();
    added = await sell(SALES);
    expect(Math.min(...added.map(numberOf))).toBeGreaterThan(Math.max(...lost.map(numberOf)));
  }, 120_000);

  it('webhook endpoints send nothing after the recovery until an operator resumes them', async () => {
    const queue = await startQueueProcess(server.url, { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on' });
    toKill.push(queue.kill);
    const { id, status } = await onServer(server, (db) => db('webhook_endpoints').first('id', 'status'));
    expect(status).toBe('paused');
    expect(receiver.received).toEqual([]);
    await tourctl(`webhook resume ${id}`);
    const all = [...kept, ...added].sort();
    const delivered = () =>
      new Set(receiver.received.map(({ body }) => JSON.parse(body).booking_ref as string));
    await eventually('the delivery of all events', () => delivered().size >= all.length || undefined);
    expect([...delivered()].sort()).toEqual(all);
    queue.kill();
  });

  it('a second recovery to a later time on the first timeline brings back the sales that the first one lost', async () => {
    await api.stop();
    await restoreTo(beforeDisaster, '--target-timeline=current');
    expect(await storedRefs()).toEqual([...kept, ...lost]);
  }, 60_000);
}
