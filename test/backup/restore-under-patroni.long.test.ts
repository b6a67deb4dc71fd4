import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../services/platform/database/database';
import { migrate } from '../../services/platform/migrate/migrate';
import { type Cluster, PORTS, startCluster } from '../chaos/failover/cluster';
import { onServer } from '../chaos/failover/postgres-server';
import { serverPrograms } from '../chaos/failover/server-programs';
import { runOnce } from '../cli/run-once';
import { killChildren } from '../stack/child';
import { lowPorts } from '../stack/low-ports';
import { bookingRequest, createBooking } from '../support/sell';
import { describeWith, isInstalled } from '../support/describe-with';
import { givenTenant, PEPPER } from '../support/given';
import { givenSeats, type PlacedSeats } from '../support/website';
import { eventually } from '../webhook-queue/queue-fixture';
import { archiveVariables, createArchive } from './archived-server';

describeWith('patroni', 'with Patroni', () => {
  describeWith(
    'etcd-client',
    'etcd',
    () => {
      describeWith('haproxy', 'HAProxy', () => {
        describeWith(
          'pgbackrest',
          'and an archive',
          suite,
          isInstalled('pgbackrest') && serverPrograms() !== undefined,
        );
      });
    },
    isInstalled('etcd') && isInstalled('etcdctl'),
  );
});

/** Shorter than newer releases of Patroni accept. */
const LEASE = { ttl: 8, loopWait: 1, retryTimeout: 3 };
/** The prefix of all that Patroni keeps in etcd, as docs/restore-to-a-time.md deletes it. */
const IN_ETCD = '/service/tours/';

function suite(): void {
  const dir = mkdtempSync(path.join(tmpdir(), 'test-restore-'));
  let cluster: Cluster;
  let seats: PlacedSeats;
  let tenant: Awaited<ReturnType<typeof givenTenant>>;

  beforeAll(async () => {
    chmodSync(dir, 0o755);
    const archive = path.join(dir, 'archive');
    createArchive(archive);
    cluster = await startCluster(path.join(dir, 'database'), await lowPorts(PORTS), LEASE, (place) =>
      archiveVariables(archive, place),
    );
    const db = openDatabase(cluster.directUrl, { applicationName: 'test', poolMax: 2 });
    await migrate(db);
    tenant = await givenTenant(db, { status: 'active' });
    seats = await givenSeats(db, { seats: 100 });
    await db.destroy();
  }, 180_000);
  afterAll(async () => {
    await cluster?.stop();
    await killChildren();
    rmSync(dir, { recursive: true, force: true });
  }, 30_000);

  const direct = () => ({ url: cluster.directUrl });
  const storedRefs = () =>
    onServer(direct(), (db) => db('booking_leads').orderBy('id').pluck<string[]>('booking_ref'));
  const numberOf = (ref: string) => Number(ref.split('-').at(-1));

  async function sell(): Promise<string> {
    return onServer(direct(), (db) =>
      db.transaction(async (trx) => {
        const request = { ...bookingRequest({ departureDate: seats.date }), tour: seats.tour.id };
        return (await createBooking(trx, tenant, request)).bookingRef;
      }),
    );
  }

  it('the database under Patroni is restored to a time by the commands of the page, and its standby follows', async () => {
    const [primary] = await cluster.roles();
    const [one, two] = cluster.members as [typeof primary, typeof primary];
    await primary.run('pgbackrest', 'stanza-create');
    const kept = [await sell()];
    await primary.run('pgbackrest', 'backup', '--type=full');
    // pgBackRest compares whole seconds, so the time must be in a later second than the end of the backup.
    await sleep(1100);
    kept.push(await sell());
    const time = await onServer(direct(), async (db) => {
      const { rows } = await db.raw<{ rows: [{ time: string }] }>('select clock_timestamp()::text as time');
      return rows[0].time;
    });
    const lost = await sell();
    await onServer(direct(), (db) => db.raw('delete from booking_leads'));

    await two.stop();
    await one.stop();
    await one.run('pgbackrest', 'restore', '--type=time', `--target=${time}`, '--target-action=promote');
    const postgres = path.join(serverPrograms()!, 'postgres');
    await one.run('sh', '-c', `${postgres} --single -D ${one.data} postgres </dev/null`);
    await two.run('rm', '-rf', two.data);
    const endpoint = `--endpoints=127.0.0.1:${cluster.etcd[0]!.clientPort}`;
    await one.run('etcdctl', endpoint, 'del', '--prefix', IN_ETCD);
    one.start();
    await cluster.untilPrimary(one);
    two.start();
    await cluster.untilSynchronous();

    expect(await storedRefs()).toEqual(kept);
    const env = {
      DATABASE_URL: cluster.directUrl,
      SECRETS_KEY: 's'.repeat(32),
      CURSOR_KEY: 'c'.repeat(32),
      KEY_PEPPER: PEPPER,
    };
    expect((await runOnce('restore --in-place --json', { env })).code).toBe(0);
    const doctor = await runOnce('doctor --json', { env });
    expect([doctor.code, doctor.stderr]).toEqual([0, '']);
    const added = await sell();
    expect(numberOf(added)).toBeGreaterThan(numberOf(lost));
    await one.run('pgbackrest', 'check');
    await cluster.switchOver();
    await cluster.untilPrimary(two);
    // HAProxy notices the new primary within a second, and ends the connections to the earlier one.
    const followed = await eventually('an answer of the new primary', async () =>
      storedRefs().catch(() => undefined),
    );
    expect(followed).toEqual([...kept, added]);
  }, 240_000);
}
