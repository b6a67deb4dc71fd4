import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { openDatabase } from '../../services/platform/database/database';
import { pruneCatalogChanges } from '../../services/api/catalog/catalog-changes.repository';
import { refreshNextDepartures } from '../../services/api/catalog/next-departures.repository';
import { DepartureBusyError } from '../../services/api/departures/departure.errors';
import { sweepExpiredKeys } from '../../services/api/idempotency/idempotency.repository';
import { createRefusalLog } from '../../services/api/refusals/refusal-log';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { useTestDatabase } from '../support/database';
import { urlAs } from '../support/database-roles';
import { freePorts } from '../support/free-ports';
import { givenDeparture, givenKey, givenTenant, givenTour, insertHold } from '../support/given';
import { SERVICE_ENTRY } from '../support/service-entry';
import { sweep } from '../support/sweep';
import { CUSTOMER } from '../support/website';
import { add, book, claimNow, createTenant, eventually, SECRETS_KEY } from '../webhook-queue/queue-fixture';
import { startReceiver, status } from '../webhook-queue/receiver';

const database = useTestDatabase();
// Grants the rights of the services again, because a copy of a database does not inherit the rights on its template.
beforeAll(() => database.db.raw('select grant_database_roles()'));

describe('an API that logs in with the rights of the API', () => {
  let api: ApiProcess;
  beforeAll(async () => {
    api = await startApiProcess(urlAs('tour_platform_api', database.url), { LOG_LEVEL: 'warn' });
  });
  afterAll(() => api.stop());

  it('the rights of the API suffice to sell, change, confirm and cancel over REST and OCTO', async () => {
    const { db } = database;
    const tenant = await givenTenant(db);
    const authorization = `Bearer ${await givenKey(db, tenant)}`;
    const tour = await givenTour(db);
    const date = await givenDeparture(db, tour, { seats: 20 });
    const send = async (method: string, path: string, body?: object): Promise<Answer> => {
      const answer = await fetch(api.baseUrl + path, {
        method,
        headers: { authorization, 'content-type': 'application/json', 'octo-capabilities': '' },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      return { status: answer.status, body: JSON.parse(text || '{}') as Record<string, string> };
    };

    expect((await send('GET', '/api/tenant/catalog')).body.items).toHaveLength(1);
    const place = { departure_date: date, quantity: 2 };
    const hold = await send('POST', `/api/gateway/tours/${tour.slug}/hold`, place);
    expect(hold).toMatchObject({ status: 201 });
    const ofHold = `/api/gateway/holds/${hold.body.hold_id}`;
    expect(await send('PATCH', ofHold, { quantity: 3 })).toMatchObject({ status: 200 });
    expect(await send('POST', `${ofHold}/extend`, { hold_minutes: 30 })).toMatchObject({ status: 200 });
    const people = { ...CUSTOMER, adults: 3 };
    const lead = await send('POST', '/api/tenant/bookings', {
      tour_id: tour.id,
      hold_id: hold.body.hold_id,
      ...people,
    });
    expect(lead).toMatchObject({ status: 201 });
    const ofLead = `/api/tenant/bookings/${lead.body.booking_ref}`;
    expect(await send('PATCH', ofLead, { adults: 4 })).toMatchObject({ status: 200 });
    expect(await send('POST', `${ofLead}/confirm`, {})).toMatchObject({ status: 200 });
    expect(await send('POST', `${ofLead}/cancel`, { reason: 'ill' })).toMatchObject({ status: 200 });
    const released = await send('POST', `/api/gateway/tours/${tour.slug}/hold`, place);
    expect(await send('DELETE', `/api/gateway/holds/${released.body.hold_id}`)).toMatchObject({
      status: 204,
    });

    const availabilityId = (await db('departures').where({ tour_id: tour.id }).first('id')).id as string;
    const unitItems = [{ unitId: 'adult' }];
    const reserved = await send('POST', '/octo/bookings', {
      productId: tour.id,
      optionId: 'DEFAULT',
      availabilityId,
      unitItems,
    });
    const ofOcto = `/octo/bookings/${reserved.body.uuid}`;
    expect(reserved.body).toMatchObject({ status: 'ON_HOLD' });
    const changed = await send('PATCH', ofOcto, { notes: 'by the window' });
    expect(changed.body).toMatchObject({ notes: 'by the window' });
    const confirmed = await send('POST', `${ofOcto}/confirm`, { contact: { fullName: 'Ana Lima' } });
    expect(confirmed.body).toMatchObject({ status: 'CONFIRMED' });
    expect((await send('POST', `${ofOcto}/cancel`, {})).body).toMatchObject({ status: 'CANCELLED' });
    expect(await send('GET', '/readyz')).toMatchObject({ status: 200 });
    expect(api.log()).not.toContain('permission denied');
    // Only the terminal stores check values.
    expect(await db('secret_checks')).toEqual([]);
    expect(await db('webhook_events').pluck('type')).toContain('booking.created');
  });

  it('the rights of the API suffice for its periodic tasks', async () => {
    const { db } = database;
    const tenant = await givenTenant(db);
    const tour = await givenTour(db);
    const date = await givenDeparture(db, tour);
    await insertHold(db, { tenant }, tour, date, { quantity: 1, secondsLeft: -1 });
    const session = openDatabase(urlAs('tour_platform_api', database.url), { applicationName: 'tests' });
    try {
      await sweep(session);
      await sweepExpiredKeys(session);
      await refreshNextDepartures(session);
      await pruneCatalogChanges(session);
      const refusals = createRefusalLog();
      refusals.record(
        { tenantId: tenant.id, operation: 'booking.create', requestId: 'r-1' },
        new DepartureBusyError(),
      );
      await refusals.write(session);
    } finally {
      await session.destroy();
    }
    expect(await db('sale_refusals').where({ tenant_id: tenant.id }).pluck('code')).toEqual([
      'departure_busy',
    ]);
    expect(await db('seat_holds').where({ tenant_id: tenant.id }).pluck('status')).toEqual(['expired']);
  });
});

interface Answer {
  status: number;
  body: Record<string, string>;
}

describe('a webhook queue that logs in with the rights of the queue', () => {
  it('the rights of the queue suffice for deliveries, lost workers, months and metrics', async () => {
    const { db } = database;
    const [ahead, old] = await Promise.all([monthAt(2), monthAt(-6)]);
    for (const table of ['webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_pulse'])
      await db.raw('drop table ??', [tableOf(table, ahead)]);
    await db.raw('select webhook_make_month(?::date)', [old]);
    const receiver = await startReceiver();
    receiver.react(status(204));
    const tenantId = await createTenant(db);
    await add(db, tenantId, receiver.url);
    await book(db, tenantId);
    await claimNow(db, { worker: 'lost', leaseSeconds: 0.1 });

    const queue = await startQueue(urlAs('tour_platform_queue', database.url));
    try {
      await eventually('the delivery and its lost attempt', async () => {
        const outcomes = await db('webhook_attempts').orderBy('number').pluck<string[]>('outcome');
        return outcomes.join() === 'worker_lost,delivered' || undefined;
      });
      await eventually('the months', async () => {
        const { rows } = await db.raw(
          'select to_regclass(?) is not null as made, to_regclass(?) is null as dropped',
          [tableOf('webhook_events', ahead), tableOf('webhook_events', old)],
        );
        return (rows[0].made && rows[0].dropped) || undefined;
      });
      await db.transaction(
        async (trx) => {
          await trx.raw('select from tenants');
          await eventually('the age of the snapshot', async () => {
            const [, age] = /^webhook_snapshot_age_seconds ([0-9.]+)$/m.exec(await queue.metrics()) ?? [];
            return Number(age) > 0 || undefined;
          });
        },
        { isolationLevel: 'repeatable read' },
      );
    } finally {
      await queue.stop();
      await receiver.close();
    }
    expect(queue.log()).not.toContain('permission denied');
  });
});

function tableOf(parent: string, month: string): string {
  return `${parent}_${month.slice(0, 7).replace('-', '_')}`;
}

async function monthAt(distance: number): Promise<string> {
  const { rows } = await database.db.raw<{ rows: [{ month: string }] }>(
    `select (date_trunc('month', now() at time zone 'UTC') + make_interval(months => ?))::date as month`,
    [distance],
  );
  return rows[0].month;
}

interface QueueProcess {
  /** Reads /metrics. */
  metrics(): Promise<string>;
  log(): string;
  stop(): Promise<void>;
}

async function startQueue(url: string): Promise<QueueProcess> {
  const [, port, metrics] = await freePorts();
  const child: ChildProcess = fork(SERVICE_ENTRY['webhook-queue'], [], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: url,
      LOG_LEVEL: 'warn',
      SECRETS_KEY,
      CURSOR_KEY: SECRETS_KEY,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
      WEBHOOK_QUEUE_PORT: `${port}`,
      METRICS_PORT: `${metrics}`,
    },
  });
  let text = '';
  child.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'message');
  return {
    metrics: () => fetch(`http://127.0.0.1:${metrics + 1}/metrics`).then((answer) => answer.text()),
    log: () => text,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
