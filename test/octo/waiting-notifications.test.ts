import { notifyOfSeats } from '../../services/api/octo/changed-seats';
import { datesOfBothKinds } from '../../services/api/seats/after-commit';
import { notifyOfCatalog } from '../../services/api/octo/notify-of-catalog';
import { findTenantForChange, updateTenant } from '../../services/api/tenants/manage-tenants';
import { inTransaction, type Trx } from '../../services/platform/database/database';
import { loadConfig } from '../../services/platform/config/config';
import { enqueueNotifications } from '../../services/webhook-queue/enqueue-delivery';
import { useTestApi } from '../support/api';
import { daysFromToday } from '../support/given';
import { useWebsite, type Website } from '../support/website';
import { reservationOf, useConformance } from './conformance-api';

const { webhooks } = loadConfig({});
const api = useTestApi({ webhooks: { ...webhooks, allowPrivateTargets: true } });
const { reseller, tours } = useConformance(api);
const other = useWebsite(api);

const SUBSCRIPTIONS = '/octo/notifications/subscriptions';

/** Subscribes an address that nobody calls, because no worker runs. @returns the id */
async function subscribe(website: Website, name = 'dead', types = ['AVAILABILITY_UPDATE']): Promise<string> {
  const wish = { url: `https://reseller.example/${name}`, notificationTypes: types };
  const { status, body } = await website.post(SUBSCRIPTIONS, wish);
  expect(status).toBe(200);
  return body.id;
}

afterEach(async () => {
  await api.db('webhook_queue').delete();
  await api.db('webhook_health').delete();
  for (const website of [reseller, other]) {
    const { body } = await website.get(SUBSCRIPTIONS);
    for (const { id } of body as { id: string }[]) await website.delete(`${SUBSCRIPTIONS}/${id}`);
  }
});

/** Notifies of changed seats of a tour on these dates, in a transaction of its own. */
async function notify(first: string, last = first): Promise<void> {
  await inTransaction(api.db, (trx) => enqueue(trx, first, last));
}

async function enqueue(trx: Trx, first: string, last = first): Promise<void> {
  const product = { tenantId: reseller.tenant.id, productId: tours.startTime.id };
  const dates = { optionId: 'DEFAULT', first, last };
  await enqueueNotifications(trx, [{ ...product, type: 'octo.availability_update', dates }]);
}

interface Queued {
  id: string;
  body: string;
  tries: number;
  nextAt: Date;
  nextAttemptAt: Date;
}

/** Returns the notifications that wait for a subscription, the oldest first. */
async function waitingFor(endpointId: string): Promise<Queued[]> {
  return api
    .db('webhook_queue as q')
    .join('webhook_deliveries as d', 'd.id', 'q.delivery_id')
    .where('q.endpoint_id', endpointId)
    .orderBy('d.id')
    .select<Queued[]>('d.id', 'd.body', 'q.tries', 'q.next_at', 'd.next_attempt_at');
}

/** Returns the dates of the notifications that wait, as `first..last`. */
async function waitingDates(endpointId: string): Promise<string[]> {
  const rows = await waitingFor(endpointId);
  return rows.map(({ body }) => {
    const { data } = JSON.parse(body) as { data: { localDateStart: string; localDateEnd: string } };
    return `${data.localDateStart}..${data.localDateEnd}`;
  });
}

/** Lets `perSubscription` notifications about other products wait for each subscription. */
async function fillBacklog(perSubscription: number): Promise<void> {
  await api.db.raw(
    `insert into webhook_queue (delivery_id, endpoint_id, next_at, notification, first_date, last_date)
     select webhook_new_id(), e.id, now() + interval '1 hour', 'octo.availability_update ' || gen_random_uuid(), '2031-01-01', '2031-06-01'
     from webhook_endpoints e, generate_series(1, ?) where e.status <> 'removed'`,
    [perSubscription],
  );
}

describe('the backlog of a subscription whose address does not answer', () => {
  it('has one notification for each product and type, which is about all changed dates', async () => {
    const id = await subscribe(reseller);
    for (const date of ['2031-05-07', '2031-05-03', '2031-05-05', '2031-05-09']) await notify(date);
    expect(await waitingDates(id)).toEqual(['2031-05-03..2031-05-09']);
    await notify('2031-05-04', '2031-05-09');
    expect(await waitingDates(id)).toEqual(['2031-05-03..2031-05-09']);
  });

  it('does not grow while the first coming date moves from day to day', async () => {
    const id = await subscribe(reseller);
    for (let day = 1; day < 9; day += 1) await notify(`2031-05-0${day}`, '2031-12-31');
    expect(await waitingDates(id)).toEqual(['2031-05-01..2031-12-31']);
    const made = await api.db('webhook_deliveries').where({ endpoint_id: id });
    expect(made).toHaveLength(1);
  });

  /** Lets a notification wait for its next try after five failures. */
  async function givenFailed(endpointId: string): Promise<{ id: string; nextAt: Date }> {
    await notify('2031-05-03');
    const nextAt = new Date(Date.now() + 3_600_000);
    await api.db('webhook_queue').where({ endpoint_id: endpointId }).update({ tries: 5, next_at: nextAt });
    await api.db('webhook_health').insert({ endpoint_id: endpointId, failures: 5 });
    const [{ id }] = (await waitingFor(endpointId)) as [Queued];
    return { id, nextAt };
  }

  it('keeps the tries and the next try of a notification that a later one replaces, and cancels it', async () => {
    const endpointId = await subscribe(reseller);
    const { id, nextAt } = await givenFailed(endpointId);
    await notify('2031-05-04');
    expect(await waitingFor(endpointId)).toEqual([
      expect.objectContaining({ tries: 5, nextAt, nextAttemptAt: nextAt }),
    ]);
    expect(await api.db('webhook_deliveries').where({ id }).first()).toMatchObject({
      status: 'cancelled',
      nextAttemptAt: null,
      lastError: 'A later notification about the same product replaces it.',
    });
  });

  it('is sent with the next change as soon as the address has answered again', async () => {
    const endpointId = await subscribe(reseller);
    const { id, nextAt } = await givenFailed(endpointId);
    await notify('2031-05-03');
    expect(await waitingFor(endpointId)).toEqual([expect.objectContaining({ id, nextAt })]);
    await api.db('webhook_health').delete();
    await notify('2031-05-03');
    const [waiting, ...more] = await waitingFor(endpointId);
    expect([more, waiting!.tries, waiting!.nextAt < new Date()]).toEqual([[], 0, true]);
  });

  it('does not make the notification of another subscription wider or later', async () => {
    const [id, second] = [await subscribe(reseller), await subscribe(reseller, 'second')];
    await notify('2031-05-03', '2031-05-09');
    await api.db('webhook_queue').where({ endpoint_id: second }).delete();
    await notify('2031-05-04');
    expect([await waitingDates(id), await waitingDates(second)]).toEqual([
      ['2031-05-03..2031-05-09'],
      ['2031-05-04..2031-05-04'],
    ]);
  });

  it('keeps changes of the product and of its availability apart', async () => {
    const id = await subscribe(reseller, 'both', ['PRODUCT_UPDATE', 'AVAILABILITY_UPDATE']);
    const product = { tenantId: reseller.tenant.id, productId: tours.startTime.id };
    await notify('2031-05-03');
    for (let n = 0; n < 2; n += 1)
      await inTransaction(api.db, (trx) =>
        enqueueNotifications(trx, [{ ...product, type: 'octo.product_update', dates: null }]),
      );
    const types = (await waitingFor(id)).map(({ body }) => JSON.parse(body).type);
    expect(types).toEqual(['AVAILABILITY_UPDATE', 'PRODUCT_UPDATE']);
  });
});

describe('a notification', () => {
  it('does not rely on a delivery in flight, and changes nothing about it', async () => {
    const id = await subscribe(reseller);
    await notify('2031-05-03');
    const lease = {
      worker: 'w',
      claimed_at: new Date(),
      lease_until: new Date(Date.now() + 45_000),
      fence: 1,
    };
    await api.db('webhook_queue').update(lease);
    await notify('2031-05-03');
    expect(await waitingDates(id)).toEqual(['2031-05-03..2031-05-03', '2031-05-03..2031-05-03']);
  });

  it('does not wait for a transaction that stores one about the same product, and the next one replaces both', async () => {
    const id = await subscribe(reseller);
    await notify('2031-05-03');
    await inTransaction(api.db, async (trx) => {
      await enqueue(trx, '2031-05-04');
      await notify('2031-05-05');
    });
    expect((await waitingDates(id)).sort()).toEqual(['2031-05-03..2031-05-04', '2031-05-05..2031-05-05']);
    await notify('2031-05-04');
    expect(await waitingDates(id)).toEqual(['2031-05-03..2031-05-05']);
  });

  it('reads no notification of another product, with 20,000 of them waiting', async () => {
    for (let n = 0; n < 10; n += 1) await subscribe(reseller, `dead-${n}`);
    await fillBacklog(2000);
    const read = await inTransaction(api.db, async (trx) => {
      await notifyOfSeats(trx, datesOfBothKinds(tours.startTime.id, tours.startTime.open[0]!.date));
      const { rows } = await trx.raw<{ rows: [{ read: number }] }>(
        `select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables where relname = 'webhook_queue'`,
      );
      return rows[0].read;
    });
    expect(read).toBeLessThan(100);
  });
});

describe('a round of notifications', () => {
  /** Lets each notification of a tenant fail until the returned function is called. */
  async function failFor({ tenant }: Website): Promise<() => Promise<void>> {
    await api.db.raw(`
      create function fail_for_tenant() returns trigger language plpgsql as $$ begin raise exception 'it fails'; end $$;
      create trigger fails before insert on webhook_events for each row when (new.tenant_id = '${tenant.id}')
        execute function fail_for_tenant()`);
    return async () => {
      await api.db.raw('drop trigger fails on webhook_events; drop function fail_for_tenant()');
    };
  }

  it('that fails for one tenant notifies the others, and notifies this one in the next round', async () => {
    const [failing, served] = [await subscribe(reseller), await subscribe(other)];
    const mend = await failFor(reseller);
    const [first, last] = tours.startTime.open.map(({ date }) => date);
    await reseller.post('/octo/bookings', reservationOf(tours.startTime));
    await api.seats.notify(api.context.db);
    expect([await waitingDates(failing), await waitingDates(served)]).toEqual([[], [`${first}..${first}`]]);
    const second = { availabilityId: tours.startTime.open[1]!.id };
    await reseller.post('/octo/bookings', reservationOf(tours.startTime, second));
    await mend();
    await api.db('webhook_queue').delete();
    await api.seats.notify(api.context.db);
    expect([await waitingDates(failing), await waitingDates(served)]).toEqual([
      [`${first}..${last}`],
      [`${last}..${last}`],
    ]);
    await api.db('webhook_queue').delete();
    await api.seats.notify(api.context.db);
    expect(await waitingDates(failing)).toEqual([]);
  });

  it('does not tell a tenant of seats of a tour that it cannot sell, because its rate is missing', async () => {
    const id = await subscribe(other);
    const sellIn = (code: string | null) =>
      inTransaction(api.db, async (trx) => {
        const currency = code === null ? null : { code, digits: 2 };
        await updateTenant(trx, await findTenantForChange(trx, other.tenant.slug), { sellIn: currency });
      });
    const round = async () => {
      await reseller.post('/octo/bookings', reservationOf(tours.startTime));
      await api.seats.notify(api.context.db);
      return (await waitingFor(id)).length;
    };
    await sellIn('CHF');
    expect(await round()).toBe(0);
    await api
      .db('exchange_rates')
      .insert({ currency: 'CHF', units_per_eur: '0.95', rate_date: daysFromToday(0) });
    expect(await round()).toBe(1);
    await sellIn(null);
  });

  it('about the catalog stores the coming dates of a tour once, although seats of it changed too', async () => {
    await notifyOfCatalog(api.context.db, fail);
    const id = await subscribe(reseller);
    await reseller.post('/octo/bookings', reservationOf(tours.startTime));
    await api.seats.notify(api.context.db);
    await api.db('tours').where({ id: tours.startTime.id }).update({ summary: 'A new summary.' });
    await notifyOfCatalog(api.context.db, fail);
    const about = (await waitingFor(id)).filter(({ body }) => body.includes(tours.startTime.id));
    expect(about).toHaveLength(1);
  });
});

function fail(error: unknown): never {
  throw error;
}
