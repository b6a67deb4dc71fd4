import { inTransaction } from '../../services/platform/database';
import { findDeliveriesWithin } from '../../services/webhook-queue/deliveries/find-deliveries';
import type { DeliverySearch } from '../../services/webhook-queue/deliveries/delivery-search.repository';
import type { Params } from '../../services/webhook-queue/monitor/queries/read-query';
import { pauseEndpoint } from '../../services/webhook-queue/endpoints/change-endpoint-state';
import { add, book, createTenant, deliveriesOf } from './queue-fixture';
import {
  become,
  booked,
  db,
  deliveries,
  EVIL,
  logAttempt,
  replay,
  slugOf,
  textOf,
  useEmptyQueue,
} from './monitor-pages-fixture';

useEmptyQueue();

/** Returns the ids of the deliveries that the page links to. */
const idsIn = (page: string) =>
  new Set([...page.matchAll(/href="\/deliveries\/([0-9a-f-]{36})"/g)].map(([, id]) => id!));

describe('the page of deliveries', () => {
  it('the page of a new installation explains where deliveries come from', async () => {
    expect(textOf(await deliveries())).toContain('No delivery yet. Each booking creates one.');
    expect(textOf(await deliveries({ status: 'dead' }))).toContain('No delivery matches.');
  });

  it('the page of deliveries names two endpoints of one host by the ends of their paths', async () => {
    await booked('https://hooks.example/tours/prod?key=s3cret');
    await booked('https://hooks.example/tours/staging?key=s3cret');
    await booked('https://alone.example/tours/in');
    const page = await deliveries();
    const table = textOf(page.slice(page.indexOf('<table')));
    for (const name of ['hooks.example/…/prod', 'hooks.example/…/staging', 'alone.example '])
      expect(table).toContain(name);
    expect(page.slice(page.indexOf('<table'))).not.toContain('s3cret');
  });

  it('the page of deliveries finds deliveries by each filter', async () => {
    const dead = await booked('https://dead.example/');
    await logAttempt(dead.id, { outcome: 'timeout', status_code: null });
    await become(dead.id, 'dead', { last_error: 'No answer within 15 s.' });
    const retrying = await booked('https://retrying.example/');
    await logAttempt(retrying.id);
    await become(retrying.id, 'retrying', { last_status_code: 503 });
    const fine = await booked('https://fine.example/', ['booking.created', 'booking.confirmed']);
    await become(fine.id, 'delivered', { last_status_code: 200 });
    await book(db, fine.tenantId, 'booking.confirmed');
    const lonely = await createTenant(db);
    await book(db, lonely);
    const count = async (params: Params) => idsIn(await deliveries(params)).size;
    const only = async (params: Params) => {
      const page = await deliveries(params);
      return [dead, retrying, fine].filter(({ id }) => page.includes(`/deliveries/${id}`));
    };
    expect(await count({})).toBe(5);
    expect(await only({ booking_ref: retrying.bookingRef })).toEqual([retrying]);
    expect(await count({ booking_ref: retrying.bookingRef.slice(0, -1) })).toBe(0);
    expect(await only({ tenant: dead.slug })).toEqual([dead]);
    expect(await count({ tenant: 'nobody' })).toBe(0);
    expect(await only({ endpoint: fine.endpoint.id })).toEqual([fine]);
    expect(await count({ endpoint: 'none' })).toBe(1);
    expect(await only({ status: 'retrying' })).toEqual([retrying]);
    expect(await only({ status: 'delivered' })).toEqual([fine]);
    expect(await count({ type: 'booking.confirmed' })).toBe(1);
    expect(await only({ outcome: 'timeout' })).toEqual([dead]);
    expect(await count({ outcome: 'dns' })).toBe(0);
    expect(await only({ code: '5xx' })).toEqual([retrying]);
    expect(await only({ code: '200' })).toEqual([fine]);
    expect(await count({ since: '2100-01-01' })).toBe(0);
    expect(await count({ until: '2100-01-01', since: '2020-01-01' })).toBe(5);
    expect(await count({ until: '2020-01-01' })).toBe(0);
    expect(await only({ status: 'dead', tenant: dead.slug, outcome: 'timeout' })).toEqual([dead]);
  });

  it('the page of deliveries finds deliveries in flight only with the status delivering', async () => {
    const { id } = await booked();
    await db('webhook_queue')
      .where({ delivery_id: id })
      .update({ worker: 'w', claimed_at: db.fn.now(), lease_until: db.raw("now() + interval '45 seconds'") });
    expect(await deliveries({ status: 'delivering' })).toContain(`/deliveries/${id}`);
    expect(await deliveries({ status: 'pending' })).not.toContain(`/deliveries/${id}`);
    expect(textOf(await deliveries())).toContain('delivering being sent');
  });

  it('a page lists fifty deliveries, and the next page keeps the filter', async () => {
    const tenantId = await createTenant(db);
    await add(db, tenantId, 'https://hooks.example/');
    for (let n = 0; n < 60; n++) await book(db, tenantId);
    const tenant = await slugOf(tenantId);
    const first = await deliveries({ tenant });
    const [, link] = /href="\/deliveries\?([^"]*before=[^"]*)"/.exec(first)!;
    const params = Object.fromEntries(new URLSearchParams(link!.replaceAll('&amp;', '&')));
    expect(params.tenant).toBe(tenant);
    const second = await deliveries(params);
    expect([idsIn(first).size, idsIn(second).size]).toEqual([50, 10]);
    expect(new Set([...idsIn(first), ...idsIn(second)]).size).toBe(60);
  });

  it('the page of deliveries searches a bounded number of deliveries, and says where the search ended', async () => {
    const tenantId = await createTenant(db);
    for (let n = 0; n < 5; n++) await book(db, tenantId, 'booking.created');
    const newest = (await deliveriesOf(db, tenantId)).map(({ id }) => id);
    const look = (search: DeliverySearch, window: number) =>
      findDeliveriesWithin(db, { tenantId, ...search }, { limit: 3, window });
    expect((await look({}, 4)).items.map(({ id }) => id)).toEqual(newest.slice(0, 3));
    expect(await look({ type: 'ping' }, 2)).toEqual({
      items: [],
      stoppedAt: { id: newest[1], createdAt: expect.any(Date) },
    });
    expect(await look({ type: 'ping', before: newest[3] }, 2)).toEqual({ items: [], stoppedAt: null });
  });

  it('the page of deliveries shows each filter in use, and offers tenants and endpoints to choose from', async () => {
    const { slug, endpoint } = await booked();
    const other = await booked('https://other.example/');
    const page = await deliveries({ tenant: slug, endpoint: endpoint.id, status: 'dead' });
    const chips = page.slice(page.indexOf('class="chips"'), page.indexOf('<details'));
    expect(textOf(chips)).toMatch(
      /Status: dead × .*Tenant: \S+ × .*Endpoint: \S+: hooks[.]example\/in × .*Show all/,
    );
    expect(chips).toContain(`href="/deliveries?tenant=${slug}&amp;endpoint=${endpoint.id}"`);
    expect(page).toMatch(new RegExp(`<option value="${endpoint.id}" selected`));
    expect(page).toContain(`<option value="${other.slug}"`);
    expect(page).not.toContain(`<option value="${other.endpoint.id}"`);
    expect(await deliveries()).toContain(`<option value="${other.endpoint.id}"`);
  });

  it('the page of deliveries suggests endpoints while a select would be too long', async () => {
    const { tenantId, endpoint } = await booked();
    await db.raw(
      `insert into webhook_endpoints (tenant_id, url) select ?, 'https://e' || n || '.example/' from generate_series(1, 200) n`,
      [tenantId],
    );
    const page = await deliveries({ endpoint: endpoint.id });
    expect(page).toMatch(
      new RegExp(`id="f-endpoint"[^>]*value="${endpoint.id}"[^>]*list="endpoint-choices"`),
    );
  });

  it('the page of deliveries shows an invalid filter beside its field', async () => {
    const { id } = await booked();
    const page = await deliveries({ code: 'teapot', since: EVIL });
    expect(page).toContain(`/deliveries/${id}`);
    expect(textOf(page)).toContain('“teapot” is ignored. Use a status code from 100 to 599');
    expect(page).toContain('aria-invalid="true" aria-describedby="c-code"');
    expect(page).not.toContain(EVIL);
  });
});

describe('a replay', () => {
  it('the page of a replay counts, before the start, the deliveries to send again and those held back', async () => {
    const dead = await booked();
    await become(dead.id, 'dead');
    const held = await booked();
    await become(held.id, 'dead');
    await inTransaction(db, (trx) => pauseEndpoint(trx, held.endpoint.id));
    const wide = await replay({ status: 'dead' });
    expect(textOf(wide)).toContain('1 delivery would be sent again.');
    expect(textOf(wide)).toContain(
      '1 more of paused endpoints are not included: resume these endpoints first.',
    );
    expect(textOf(wide)).toContain('Name a tenant, an endpoint or a time above');
    expect(wide).not.toContain('action="/replay" method="post"');
    expect(textOf(wide)).toContain(`hooks.example/in ${dead.slug} 1 `);
    expect(textOf(wide)).not.toContain(`hooks.example/in ${held.slug} 1 `);
    const narrow = await replay({ status: 'dead', tenant: dead.slug, since: '2020-01-01' });
    expect(narrow).toMatch(/<form method="post" action="\/replay">/);
    expect(narrow).toContain(`name="tenant" value="${dead.slug}"`);
    expect(narrow).toContain('name="since" value="2020-01-01T00:00:00.000Z"');
    expect(textOf(await replay({ tenant: dead.slug, status: 'delivered' }))).toContain(
      'No delivered delivery',
    );
  });

  it('the page offers no replay for an invalid field', async () => {
    const { id, slug } = await booked();
    await become(id, 'dead');
    const page = await replay({ tenant: slug, since: 'tuesday' });
    expect(page).not.toMatch(/<form method="post" action="\/replay">/);
    expect(textOf(page)).toContain('“tuesday” is ignored.');
    expect(textOf(await replay({ tenant: 'nobody' }))).toContain('There is no tenant nobody');
  });
});
