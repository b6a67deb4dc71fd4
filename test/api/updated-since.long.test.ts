import { useTestApi } from '../support/api';
import { BEGINNING, hoursAgo, renamed, slugsOf, useCatalogChanges } from '../support/catalog-changes';
import {
  daysFromToday,
  givenDeparture,
  givenPriceRule,
  givenTour,
  type GivenTour,
  givenVisibilityRule,
} from '../support/given';
import { expectProblem } from '../support/responses';
import { givenWebsite, useWebsite, type Website } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
const { changesSince, now, since, given, change, archive } = useCatalogChanges(api, reader);

describe('updated_since', () => {
  it('updated_since lists all tours for a time before the first change, and none for a time after the last', async () => {
    for (const slug of ['aa', 'bb']) await given(slug);
    const first = await changesSince(BEGINNING);
    expect(slugsOf(first.items)).toEqual(['aa', 'bb']);
    expect(await since(await now())).toEqual([]);
  });

  it('updated_since lists a tour when updated_since is equal to its updated_at', async () => {
    const tour = await given('aa');
    const time = await now();
    await change(tour, renamed('aa2'));
    const { items } = await changesSince(time);
    expect(items).toEqual([expect.objectContaining({ slug: 'aa', name: 'aa2' })]);
    const { updated_at } = items[0]!;
    expect(updated_at! >= time).toBe(true);
    expect(await since(updated_at!)).toEqual(['aa']);
    expect(await since(updated_at!.replace('Z', '+00:00'))).toEqual(['aa']);
    const later = new Date(Date.parse(updated_at!) + 1).toISOString();
    expect(await since(later)).toEqual([]);
  });

  it.each<[string, (tour: GivenTour) => Promise<unknown>]>([
    ['a new departure', (tour) => givenDeparture(api.db, tour, { date: daysFromToday(9) })],
    [
      'a changed price',
      (tour) =>
        api
          .db('departures')
          .where({ tour_id: tour.id })
          .update({ prices_minor: { adult: 7 } }),
    ],
    [
      'a cancelled departure',
      (tour) => api.db('departures').where({ tour_id: tour.id }).update({ status: 'cancelled' }),
    ],
    ['a deleted departure', (tour) => api.db('departures').where({ tour_id: tour.id }).delete()],
    ['a price rule of the tour', (tour) => givenPriceRule(api.db, reader, { percent: 5, tour_id: tour.id })],
    ['a visible rule of the tour', (tour) => givenVisibilityRule(api.db, reader, tour, true)],
  ])('updated_since lists only the changed tour after %s', async (_what, happen) => {
    const tour = await given('aa');
    await given('bb');
    await givenDeparture(api.db, tour, { date: daysFromToday(4) });
    const time = await now();
    await happen(tour);
    expect(await since(time)).toEqual(['aa']);
  });

  it('a changed price rule lists all tours of its scope as changed, for its own tenant only', async () => {
    const { db } = api;
    const other = await givenWebsite(api, {}, ['catalog:read']);
    await given('asia-1');
    await given('asia-2');
    await given('europe-1', { continent: 'europe' });
    const time = await now();
    await givenPriceRule(db, reader, { percent: 5, continent: 'asia' });
    expect(await since(time)).toEqual(['asia-1', 'asia-2']);
    const later = await now();
    await db('price_rules').delete();
    expect(await since(later)).toEqual(['asia-1', 'asia-2']);
    const last = await now();
    await givenPriceRule(db, reader, { percent: 5 });
    expect(await since(last)).toEqual(['asia-1', 'asia-2', 'europe-1']);
    expect(await since(time, other)).toEqual([]);
  });

  it('updated_since lists no tour just because time has passed or seats were sold', async () => {
    const { db } = api;
    const seller = await givenWebsite(api);
    const tour = await given('aa');
    const { at } = await db.select(db.raw("clock_timestamp() + interval '1 second' as at")).first();
    await givenDeparture(db, tour, { date: daysFromToday(3), closesAt: (at as Date).toISOString() });
    const date = await givenDeparture(db, tour, { date: daysFromToday(9) });
    const time = await now();
    expect((await seller.hold(tour, { departure_date: date, quantity: 2 })).status).toBe(201);
    await db.raw('select pg_sleep_until(?)', [at]);
    expect((await reader.get(`/api/tenant/tours/aa`)).body.next_departure_date).toBe(date);
    expect(await since(time)).toEqual([]);
    await db('seat_holds').delete();
  });

  it('updated_since combines with a filter and each sort order, and all pages have the same as_of', async () => {
    for (const slug of ['aa', 'bb', 'cc', 'dd']) await given(slug, { country: slug < 'cc' ? 'VN' : 'TH' });
    const time = await now();
    for (const slug of ['aa', 'bb', 'dd']) await api.db('tours').where({ slug }).update({ summary: 'New.' });
    await api.db('tours').where({ slug: 'bb' }).update({ status: 'archived' });
    for (const sort of ['name', 'next_departure_date']) {
      const all = await changesSince(time, reader, `limit=1&sort=${sort}`);
      expect(slugsOf(all.items).sort()).toEqual(['-bb', 'aa', 'dd']);
      const thai = await changesSince(time, reader, `limit=1&country=TH&sort=${sort}`);
      expect(slugsOf(thai.items).sort()).toEqual(['-bb', 'dd']);
    }
  });

  it.each(['yesterday', '2027-01-01', '2027-02-30T00:00:00Z', '2027-01-01T00:00:00', '2027-01-01T25:00:00Z'])(
    'the API refuses the updated_since %s',
    async (updated_since) => {
      const response = await reader.get('/api/tenant/catalog').query({ updated_since });
      expectProblem(response, 400, 'validation_failed');
      expect(response.body.errors).toEqual([
        { in: 'query', field: 'updated_since', message: expect.any(String) },
      ]);
    },
  );

  it('an answer without updated_since has no as_of', async () => {
    expect((await reader.get('/api/tenant/catalog')).body).not.toHaveProperty('as_of');
  });
});

describe('a tour that became invisible', () => {
  it.each<[string, (tour: GivenTour, who: Website) => Promise<unknown>]>([
    ['archived', (tour) => archive(tour)],
    ['hidden by a rule of the tour', (tour, who) => givenVisibilityRule(api.db, who, tour, false)],
    ['hidden by a rule of its continent', (_tour, who) => givenVisibilityRule(api.db, who, 'asia', false)],
    [
      'hidden by the default',
      (_tour, who) => api.db('tenants').where({ id: who.tenant.id }).update({ default_visible: false }),
    ],
  ])('updated_since lists a tour as removed, with its id and slug, after it was %s', async (_how, hide) => {
    const who = await givenWebsite(api, {}, ['catalog:read']);
    const tour = await given('aa');
    const time = await now(who);
    await hide(tour, who);
    const { items, asOf } = await changesSince(time, who);
    expect(items).toEqual([{ id: tour.id, slug: 'aa', removed: true }]);
    await new Promise((resolve) => setTimeout(resolve, 3));
    expect((await changesSince(asOf, who)).items.length).toBeLessThanOrEqual(1);
    expect(await since(await now(who), who)).toEqual([]);
  });

  it('updated_since lists a tour as removed after its visibility rule is deleted', async () => {
    const who = await givenWebsite(api, { defaultVisible: false }, ['catalog:read']);
    await givenVisibilityRule(api.db, who, await given('ruled'), true);
    const time = await now(who);
    await api.db('visibility_tour_rules').delete();
    expect(await since(time, who)).toEqual(['-ruled']);
  });

  it('updated_since lists a tour as removed after it moves to a hidden continent', async () => {
    const who = await givenWebsite(api, { defaultVisible: false }, ['catalog:read']);
    const tour = await given('moved', { continent: 'europe' });
    await givenVisibilityRule(api.db, who, 'europe', true);
    const time = await now(who);
    await change(tour, { continent: 'asia' });
    expect(await since(time, who)).toEqual(['-moved']);
  });

  it('updated_since lists a removed tour even when its present fields do not match the filter', async () => {
    const tour = await given('aa', { tags: ['kayak'] });
    const time = await now();
    await change(tour, { status: 'archived', country: 'TH', tags: [] });
    const filters = `tag=kayak&country=VN&q=aa&duration_max=5&departs_from=${daysFromToday(1)}`;
    expect(slugsOf((await changesSince(time, reader, filters)).items)).toEqual(['-aa']);
  });

  /** Creates seven tours. Then renames and archives four of them, and changes the other three. */
  async function givenGone(): Promise<{ before: string; created: string; ids: string[] }> {
    const before = await now();
    const tours: GivenTour[] = [];
    for (let n = 0; n < 7; n++) tours.push(await given(`tour-${n}`));
    const created = await now();
    const gone = tours.slice(0, 4);
    for (const tour of gone) await change(tour, { status: 'archived', ...renamed('secret') });
    for (const tour of tours.slice(4)) await change(tour, { summary: 'New.' });
    return { before, created, ids: gone.map(({ id }) => id).sort() };
  }

  it('removed tours come after all items, by id, on pages of any size', async () => {
    const { before, created, ids } = await givenGone();
    for (const from of [before, created])
      for (const sort of ['name', 'next_departure_date'])
        for (const limit of [1, 2, 3, 4, 7, 100]) {
          const { items } = await changesSince(from, reader, `limit=${limit}&sort=${sort}`);
          expect(items.slice(0, 3).map(({ slug }) => slug)).toEqual(['tour-4', 'tour-5', 'tour-6']);
          expect(items.slice(3).map(({ id, removed }) => removed && id)).toEqual(ids);
        }
  });

  it('a cursor does not contain the new name of a tour that was renamed and removed', async () => {
    const { before } = await givenGone();
    for (let cursor = '', page = 0; page < 6; page++) {
      const { body } = await reader.get(`/api/tenant/catalog?limit=1&updated_since=${before}${cursor}`);
      expect(Buffer.from(body.next_cursor as string, 'base64url').toString()).not.toContain('secret');
      cursor = `&cursor=${body.next_cursor}`;
    }
  });

  it('updated_since names no tour that was visible only while the tenant was suspended', async () => {
    const { db } = api;
    const who = await givenWebsite(api, {}, ['catalog:read']);
    const time = await now(who);
    const setStatus = async (status: string) => {
      await db('tenants').where({ id: who.tenant.id }).update({ status });
      // Waits until no process has the old status in its read cache.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
    };
    const before = await given('before');
    await setStatus('suspended');
    const during = await given('during');
    for (const tour of [before, during]) await archive(tour);
    await setStatus('active');
    expect(await since(time, who)).toEqual(['-before']);
  });

  it('updated_since lists a tour that became visible again as an item, not as removed', async () => {
    const tour = await given('aa');
    const time = await now();
    await archive(tour);
    await change(tour, { status: 'published' });
    expect(await since(time)).toEqual(['aa']);
  });

  const publish = (tour: GivenTour) => change(tour, { status: 'published' });
  const setDefault = (who: Website, default_visible: boolean) =>
    api.db('tenants').where({ id: who.tenant.id }).update({ default_visible });
  const show = (who: Website, target: GivenTour | string, visible: boolean) =>
    givenVisibilityRule(api.db, who, target, visible);
  const forget = async (who: Website) => {
    for (const table of ['visibility_tour_rules', 'visibility_continent_rules'])
      await api.db(table).where({ tenant_id: who.tenant.id }).delete();
  };

  it.each<[string, (who: Website) => Promise<unknown>]>([
    [
      'a draft that changes',
      async () => {
        const tour = await given('xx', { status: 'draft' });
        await change(tour, { summary: 'New.' });
      },
    ],
    [
      'a draft that is archived',
      async () => {
        await archive(await given('xx', { status: 'draft' }));
      },
    ],
    [
      'a draft that gets a departure and a price rule',
      async (who) => {
        const tour = await given('xx', { status: 'draft' });
        await givenDeparture(api.db, tour);
        await givenPriceRule(api.db, who, { percent: 5, tour_id: tour.id });
      },
    ],
    [
      'denied by a rule from the beginning, published and archived',
      async (who) => {
        const tour = await given('xx', { status: 'draft' });
        await show(who, tour, false);
        await publish(tour);
        await archive(tour);
      },
    ],
    [
      'hidden by default and never allowed, published and archived',
      async (who) => {
        await setDefault(who, false);
        const tour = await given('xx');
        await givenDeparture(api.db, tour);
        await archive(tour);
      },
    ],
    [
      'allowed and denied again while it was a draft, and published then',
      async (who) => {
        await setDefault(who, false);
        const tour = await given('xx', { status: 'draft' });
        await show(who, tour, true);
        await forget(who);
        await publish(tour);
      },
    ],
    [
      'a draft in a continent that was allowed and denied before it was published',
      async (who) => {
        await setDefault(who, false);
        const tour = await given('xx', { status: 'draft' });
        await show(who, 'asia', true);
        await forget(who);
        await publish(tour);
        await archive(tour);
      },
    ],
    [
      'published after everything was hidden',
      async (who) => {
        const tour = await given('xx', { status: 'draft' });
        await setDefault(who, false);
        await publish(tour);
      },
    ],
    [
      'moved from a hidden continent to a hidden one',
      async (who) => {
        await show(who, 'asia', false);
        await show(who, 'europe', false);
        const tour = await given('xx');
        await change(tour, { continent: 'europe' });
      },
    ],
    [
      'moved away before its continent was shown',
      async (who) => {
        await setDefault(who, false);
        const tour = await given('xx');
        await change(tour, { continent: 'europe' });
        await show(who, 'asia', true);
        await forget(who);
      },
    ],
    [
      'hidden by its own rule while its continent was shown and hidden',
      async (who) => {
        await setDefault(who, false);
        const tour = await given('xx');
        await show(who, tour, false);
        await show(who, 'asia', true);
        await api
          .db('visibility_continent_rules')
          .where({ tenant_id: who.tenant.id })
          .update({ visible: false });
        await archive(tour);
      },
    ],
    [
      'shown and hidden, or published and archived, in one transaction',
      async (who) => {
        await setDefault(who, false);
        const tour = await given('xx');
        await api.db.transaction(async (trx) => {
          await givenVisibilityRule(trx, who, tour, true);
          await trx('visibility_tour_rules').where({ tenant_id: who.tenant.id }).delete();
        });
        await setDefault(who, true);
        await api.db.transaction(async (trx) => {
          const other = await givenTour(trx, { slug: 'yy', name: 'yy' });
          await trx('tours').where({ id: other.id }).update({ status: 'archived' });
        });
        await api.db('tours').where({ id: tour.id }).delete();
      },
    ],
    [
      'published in the transaction that hides its continent',
      async (who) => {
        const tour = await given('xx', { status: 'draft' });
        await api.db.transaction(async (trx) => {
          await trx('tours').where({ id: tour.id }).update({ status: 'published' });
          await givenVisibilityRule(trx, who, 'asia', false);
        });
        await archive(tour);
      },
    ],
  ])('updated_since never names a tour that the tenant could not see: %s', async (_how, happen) => {
    const who = await givenWebsite(api, {}, ['catalog:read']);
    const time = await now(who);
    await happen(who);
    for (const sort of ['name', 'next_departure_date'])
      for (const from of [time, hoursAgo(24), hoursAgo(800)])
        expect((await changesSince(from, who, `limit=100&sort=${sort}`)).items).toEqual([]);
  });

  it('updated_since never names a tour whose publication ended before the tenant existed', async () => {
    const time = await now();
    const tour = await given('xx');
    await archive(tour);
    const who = await givenWebsite(api, {}, ['catalog:read']);
    await setDefault(who, false);
    await setDefault(who, true);
    expect(await since(time, who)).toEqual([]);
    expect(await since(time)).toEqual(['-xx']);
  });

  it('updated_since lists a tour that was visible only for an instant once, as removed', async () => {
    const who = await givenWebsite(api, { defaultVisible: false }, ['catalog:read']);
    const tour = await given('xx');
    const time = await now(who);
    await show(who, tour, true);
    await forget(who);
    expect(await since(time, who)).toEqual(['-xx']);
    const later = await now(who);
    await change(tour, { summary: 'New.' });
    await archive(tour);
    await publish(tour);
    expect(await since(later, who)).toEqual([]);
  });

  it('updated_since lists a tour as removed if a transaction that began before its publication archives it later', async () => {
    const { db } = api;
    const who = await givenWebsite(api, { defaultVisible: false }, ['catalog:read']);
    const tour = await given('xx');
    const time = await now(who);
    const archives = await db.transaction();
    await archives('tours').where({ id: tour.id }).update({ status: 'archived' });
    await show(who, tour, true);
    expect(slugsOf((await changesSince(time, who)).items)).toEqual(['xx']);
    await archives.commit();
    expect(await since(time, who)).toEqual(['-xx']);
  });

  it('an updated_since of over 30 days ago gets the complete catalog, without removed tours', async () => {
    const [gone] = [await given('gone'), await given('here')];
    await archive(gone);
    expect(await since(hoursAgo(24 * 30 + 1))).toEqual(['here']);
    expect(await since(hoursAgo(24 * 30 - 1))).toEqual(['here', '-gone']);
  });
});
