import { randomUUID } from 'node:crypto';
import { createInstanceId } from '../../services/platform/read-cache/instance.repository';
import { inTransaction } from '../../services/platform/database/database';
import { START_API, START_WEBHOOK_QUEUE } from '../../services/platform/start-advice';
import { pingEndpoint } from '../../services/webhook-queue/endpoints/requested-deliveries';
import { departureOf, insertHold, insertLead } from '../catalog/catalog-rows';
import { daysFromToday, givenDeparture, givenTenant, givenTour } from '../support/given';
import { runOnce } from './run-once';
import { useTestTerminal, withEnv } from './terminal';

const terminal = useTestTerminal();

const MINUTE_MS = 60_000;
const ago = (interval: string) => terminal.db.raw(`now() - interval '${interval}'`);
const status = () => terminal.json('status');

async function givenService(startedMinutesAgo: number): Promise<void> {
  const id = createInstanceId(Date.now() - startedMinutesAgo * MINUTE_MS);
  await terminal.db('api_instances').insert({ id, seen_version: 1, poll: 1 });
  const worker = { slots: 64, in_flight: 3, started_at: ago(`${startedMinutesAgo} minutes`) };
  await terminal.db('webhook_workers').insert({ id: `host/${id}`, ...worker });
}

describe('tourctl status', () => {
  it('tourctl status shows only a running database in a new installation', async () => {
    const { code, json, stderr } = await terminal.tourctl('status --json');
    expect([code, stderr]).toEqual([0, '']);
    expect(json).toEqual({
      at: expect.any(String),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      database: {
        version: expect.stringMatching(/^\d+/),
        started_at: expect.any(String),
        embedded_in: null,
        schema: expect.stringMatching(/^\d{4}_/),
        pending_migrations: [],
        write_obstacle: null,
      },
      store: { kind: 'memory', answers: true, round_trip_ms: null, error: null },
      api_reports: true,
      login: null,
      api: [],
      webhook_queue: [],
      waiting: {
        deliveries_due: 0,
        oldest_due_seconds: null,
        deliveries_held_back: 0,
        deliveries_retrying: 0,
        deliveries_without_endpoint: 0,
        holds_active: 0,
        bookings_unpaid: 0,
        next_booking_expires_at: null,
        departures_closing_today: 0,
        people_locking: [],
      },
      failed_today: {
        since: expect.stringMatching(/T00:00:00/),
        deliveries_dead: 0,
        refusals: [],
        endpoints: [],
      },
    });
    const { stdout } = await terminal.tourctl('status');
    const lines = stdout.split('\n').map((line) => line.trim().replace(/ +/g, ' '));
    expect(lines).toContain(`API none runs: ${START_API}`);
    expect(lines).toContain(`Webhook queue none runs: no webhook is sent; ${START_WEBHOOK_QUEUE}`);
  });

  it('tourctl status shows the start of each service instance, and the lost instances', async () => {
    await givenService(90);
    await givenService(5);
    await terminal.db('api_instances').insert({
      id: randomUUID(),
      seen_version: 1,
      poll: 1,
      polled_at: ago('1 hour'),
    });
    const { api, webhook_queue: queue } = await status();
    expect(api.map(({ alive }: { alive: boolean }) => alive).sort()).toEqual([false, true, true]);
    expect(queue).toHaveLength(2);
    const starts = api.flatMap((one: { started_at: string | null }) => one.started_at ?? []);
    const minutes = starts.map((at: string) => Math.round((Date.now() - Date.parse(at)) / MINUTE_MS));
    expect(minutes).toEqual([90, 5]);
    expect(api.filter((one: { started_at: string | null }) => one.started_at === null)).toHaveLength(1);
    const { stdout } = await terminal.tourctl('status');
    expect(stdout).toMatch(
      /API +2 instances, the oldest for 1 h 30 min \(since .*\), the newest for 5 min \(since .*\)/,
    );
    expect(stdout).toMatch(/1 instance has not reported since .* \(killed, or cut off from the database\)/);
    expect(stdout).toMatch(/Webhook queue +2 instances, .*; 6 of 128 slots busy/);
  });

  it('tourctl status counts waiting deliveries, holds and bookings without the sandbox', async () => {
    const { db } = terminal;
    const tenant = await givenTenant(db, { slug: 'acme' });
    const sandbox = await givenTenant(db, { slug: 'acme-test', sandbox: true });
    const tour = await givenTour(db, { slug: 'alps' });
    const date = await givenDeparture(db, tour, { date: daysFromToday(30) });
    const departure = await departureOf(db, 'alps', date);
    await insertHold(db, tenant.id, departure.id, 2);
    await insertHold(db, sandbox.id, departure.id, 2, { sandbox: true });
    await insertLead(db, tenant.id, departure, 'ACME-1001', {
      payment_due_at: db.raw("now() + interval '1 hour'"),
    });
    await givenDeparture(db, await givenTour(db, { slug: 'today', timeZone: 'UTC' }), {
      date: daysFromToday(0),
    });
    const { id } = await terminal.json('webhook add acme https://acme.example/hooks');
    await inTransaction(db, (trx) => pingEndpoint(trx, id));
    await db('webhook_queue').update({ next_at: ago('2 minutes') });
    const { waiting } = await status();
    expect(waiting).toMatchObject({
      deliveries_due: 1,
      holds_active: 1,
      bookings_unpaid: 1,
      departures_closing_today: 1,
    });
    expect(waiting.oldest_due_seconds).toBeGreaterThanOrEqual(120);
    expect(Date.parse(waiting.next_booking_expires_at)).toBeGreaterThan(Date.now());
    const { stdout } = await terminal.tourctl('status');
    expect(stdout).toMatch(/Deliveries +1 due, the oldest for 2 min\n +\$ tourctl monitor$/m);
    expect(stdout).toMatch(/Bookings +1 unpaid, the next expires at \d{4}-/);
    expect(stdout).toMatch(/Departures +1 closes today$/m);
  });

  it("tourctl status shows today's dead deliveries, refusals by code and failing endpoints", async () => {
    const { db } = terminal;
    const [endpoint] = await db('webhook_endpoints').select('id', 'tenant_id');
    const [delivery] = await db('webhook_deliveries').select('id');
    const die = (at: unknown) =>
      db('webhook_deliveries').where({ id: delivery.id }).update({ status: 'dead', finished_at: at });
    await die(ago('2 days'));
    expect((await status()).failed_today.deliveries_dead).toBe(0);
    await die(new Date());
    const counted = {
      tenant_id: endpoint.tenantId,
      operation: 'hold.place',
      day: db.raw("(now() at time zone 'UTC')::date"),
    };
    await db('sale_refusal_counts').insert([
      { ...counted, code: 'insufficient_seats', count: 12 },
      { ...counted, code: 'tour_not_found', count: 2 },
      { ...counted, code: 'departure_busy', count: 40, day: ago('1 day') },
    ]);
    await db('webhook_health').insert({
      endpoint_id: endpoint.id,
      failures: 3,
      failing_since: ago('10 minutes'),
    });
    const { failed_today: failed } = await status();
    expect(failed).toMatchObject({
      deliveries_dead: 1,
      refusals: [
        { code: 'insufficient_seats', count: 12 },
        { code: 'tour_not_found', count: 2 },
      ],
      endpoints: [{ id: endpoint.id, tenant: 'acme', status: 'active', failures_in_a_row: 3 }],
    });
    const { stdout } = await terminal.tourctl('status');
    expect(stdout).toMatch(/Deliveries +1 dead: .*\n +\$ tourctl delivery list --status dead$/m);
    expect(stdout).toMatch(
      /Refusals +12 insufficient_seats, 2 tour_not_found\n +\$ tourctl booking refusals --since/,
    );
    expect(stdout).toMatch(/Endpoints +acme\.example of acme fails every attempt \(3 in a row since \d{4}-/);
    expect(stdout).toContain(`$ tourctl webhook show ${endpoint.id}`);
  });

  it.each([60, 80, 100, 160])('tourctl status fits a screen of %i columns', async (columns) => {
    const { stdout } = await runOnce('status', { env: terminal.env, screen: { columns, colors: false } });
    const commands = /^ +\$ /;
    for (const line of stdout.split('\n').filter((line) => !commands.test(line)))
      expect(line.length).toBeLessThanOrEqual(columns);
  });

  it('tourctl status shows only the database on an older schema, and exits with 1 if none answers', async () => {
    await terminal.db('knex_migrations').where({ name: '0110_audit' }).update({ name: 'later' });
    const { code, json } = await terminal.tourctl('status --json');
    expect([code, json.database.pending_migrations, json.waiting, json.api]).toEqual([
      0,
      ['0110_audit'],
      null,
      null,
    ]);
    expect((await terminal.tourctl('status')).stdout).toMatch(
      /Schema +1 migration missing.*\n +\$ tourctl migrate/,
    );
    await terminal.db('knex_migrations').where({ name: 'later' }).update({ name: '0110_audit' });
    await withEnv(terminal, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }, async () => {
      expect(await terminal.refusal('status')).toBe('1 database_unreachable');
    });
  });

  it('tourctl status says that a shared store does not answer, and exits with 0', async () => {
    await withEnv(terminal, { REDIS_URL: 'redis://127.0.0.1:1' }, async () => {
      const { code, json } = await terminal.tourctl('status --json');
      expect([code, json.store]).toEqual([
        0,
        { kind: 'redis', answers: false, round_trip_ms: null, error: expect.any(String) },
      ]);
      expect((await terminal.tourctl('status')).stdout).toMatch(/Store +REDIS_URL: /);
    });
  });
});
