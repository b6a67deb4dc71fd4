import type { Trx } from '../../services/platform/database';
import { pruneCatalogChanges } from '../../services/api/catalog/catalog-changes.repository';
import { foldName } from '../../services/api/catalog/fold-name';
import { useTestApi } from '../support/api';
import {
  BEGINNING,
  type CatalogEntry,
  changesSince as readChanges,
  clearCatalog,
} from '../support/catalog-changes';
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
beforeEach(() => clearCatalog(api.db));

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const changesSince = (since: string, who = reader, query?: string) => readChanges(who, since, query);

/** Returns the time to ask from, at which nothing has changed yet. */
async function now(who = reader): Promise<string> {
  // Two changes within the same millisecond as this time would count as later.
  await new Promise((resolve) => setTimeout(resolve, 3));
  return (await changesSince(BEGINNING, who)).asOf;
}

const slugsOf = (items: CatalogEntry[]) => items.map(({ slug, removed }) => (removed ? `-${slug}` : slug));
const since = async (time: string, who = reader) => slugsOf((await changesSince(time, who)).items);
const given = (slug: string, more: object = {}) => givenTour(api.db, { slug, name: slug, ...more });
const renamed = (name: string) => ({ name, name_folded: foldName(name) });

describe('updated_since', () => {
  it('lists all tours from the beginning, and none after the last change', async () => {
    for (const slug of ['aa', 'bb']) await given(slug);
    const first = await changesSince(BEGINNING);
    expect(slugsOf(first.items)).toEqual(['aa', 'bb']);
    expect(await since(await now())).toEqual([]);
  });

  it('is inclusive, and an item says when it changed', async () => {
    const tour = await given('aa');
    const time = await now();
    await api.db('tours').where({ id: tour.id }).update(renamed('aa2'));
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
  ])('lists the tour after %s, and no other', async (_what, change) => {
    const tour = await given('aa');
    await given('bb');
    await givenDeparture(api.db, tour, { date: daysFromToday(4) });
    const time = await now();
    await change(tour);
    expect(await since(time)).toEqual(['aa']);
  });

  it('lists all tours of the scope of a changed rule, for its tenant alone', async () => {
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

  it('does not list a tour because time passes or seats are sold', async () => {
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

  it('applies together with the filters and both orders, and its cursor keeps as_of', async () => {
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
    'is refused when it is %s',
    async (updated_since) => {
      const response = await reader.get('/api/tenant/catalog').query({ updated_since });
      expectProblem(response, 400, 'validation_failed');
      expect(response.body.errors).toEqual([
        { in: 'query', field: 'updated_since', message: expect.any(String) },
      ]);
    },
  );

  it('is the only reason for as_of in an answer', async () => {
    expect((await reader.get('/api/tenant/catalog')).body).not.toHaveProperty('as_of');
  });
});

describe('a tour that became invisible', () => {
  const archive = { status: 'archived' };

  it.each<[string, (tour: GivenTour, who: Website) => Promise<unknown>]>([
    ['archived', (tour) => api.db('tours').where({ id: tour.id }).update(archive)],
    ['hidden by a rule of the tour', (tour, who) => givenVisibilityRule(api.db, who, tour, false)],
    ['hidden by a rule of its continent', (_tour, who) => givenVisibilityRule(api.db, who, 'asia', false)],
    [
      'hidden by the default',
      (_tour, who) => api.db('tenants').where({ id: who.tenant.id }).update({ default_visible: false }),
    ],
  ])('because it was %s, is removed with its id and slug', async (_how, hide) => {
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

  it('by a rule that is deleted, or because it moved to a hidden continent, is removed', async () => {
    const { db } = api;
    const who = await givenWebsite(api, { defaultVisible: false }, ['catalog:read']);
    const [ruled, moved] = [await given('ruled'), await given('moved', { continent: 'europe' })];
    await givenVisibilityRule(db, who, ruled, true);
    await givenVisibilityRule(db, who, 'europe', true);
    const time = await now(who);
    await db('visibility_tour_rules').delete();
    await db('tours').where({ id: moved.id }).update({ continent: 'asia' });
    expect((await since(time, who)).sort()).toEqual(['-moved', '-ruled']);
  });

  it('is removed whatever the filters, because a copy may have what it was before', async () => {
    const tour = await given('aa', { tags: ['kayak'] });
    const time = await now();
    await api
      .db('tours')
      .where({ id: tour.id })
      .update({ ...archive, country: 'TH', tags: [] });
    const filters = `tag=kayak&country=VN&q=aa&duration_max=5&departs_from=${daysFromToday(1)}`;
    expect(slugsOf((await changesSince(time, reader, filters)).items)).toEqual(['-aa']);
  });

  it('comes after all items, by id, page by page, with a cursor that does not have its present name', async () => {
    const time = await now();
    const tours: GivenTour[] = [];
    for (let n = 0; n < 7; n++) tours.push(await given(`tour-${n}`));
    const later = await now();
    const gone = tours.slice(0, 4);
    for (const { id } of gone)
      await api
        .db('tours')
        .where({ id })
        .update({ ...archive, ...renamed('secret') });
    for (const { id } of tours.slice(4)) await api.db('tours').where({ id }).update({ summary: 'New.' });
    const ids = gone.map(({ id }) => id).sort();
    for (const from of [time, later])
      for (const sort of ['name', 'next_departure_date'])
        for (const limit of [1, 2, 3, 4, 7, 100]) {
          const { items } = await changesSince(from, reader, `limit=${limit}&sort=${sort}`);
          expect(items.slice(0, 3).map(({ slug }) => slug)).toEqual(['tour-4', 'tour-5', 'tour-6']);
          expect(items.slice(3).map(({ id, removed }) => removed && id)).toEqual(ids);
        }
    for (let cursor = '', page = 0; page < 6; page++) {
      const { body } = await reader.get(`/api/tenant/catalog?limit=1&updated_since=${time}${cursor}`);
      expect(Buffer.from(body.next_cursor as string, 'base64url').toString()).not.toContain('secret');
      cursor = `&cursor=${body.next_cursor}`;
    }
  });

  it('is not named to a tenant that could see it only while it was suspended', async () => {
    const { db } = api;
    const who = await givenWebsite(api, {}, ['catalog:read']);
    const time = await now(who);
    const setStatus = async (status: string) => {
      await db('tenants').where({ id: who.tenant.id }).update({ status });
      // Until no process has the old status.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
    };
    const before = await given('before');
    await setStatus('suspended');
    const during = await given('during');
    for (const { id } of [before, during]) await db('tours').where({ id }).update(archive);
    await setStatus('active');
    expect(await since(time, who)).toEqual(['-before']);
  });

  it('and is visible again, is an item', async () => {
    const tour = await given('aa');
    const time = await now();
    await api.db('tours').where({ id: tour.id }).update(archive);
    await api.db('tours').where({ id: tour.id }).update({ status: 'published' });
    expect(await since(time)).toEqual(['aa']);
  });

  const publish = (tour: GivenTour, more: object = {}) =>
    api
      .db('tours')
      .where({ id: tour.id })
      .update({ status: 'published', ...more });
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
      async () =>
        given('xx', { status: 'draft' }).then((tour) =>
          api.db('tours').where({ id: tour.id }).update({ summary: 'New.' }),
        ),
    ],
    [
      'a draft that is archived',
      async () => {
        const tour = await given('xx', { status: 'draft' });
        await api.db('tours').where({ id: tour.id }).update(archive);
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
        await api.db('tours').where({ id: tour.id }).update(archive);
      },
    ],
    [
      'hidden by default and never allowed, published and archived',
      async (who) => {
        await setDefault(who, false);
        const tour = await given('xx');
        await givenDeparture(api.db, tour);
        await api.db('tours').where({ id: tour.id }).update(archive);
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
        await api.db('tours').where({ id: tour.id }).update(archive);
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
        await api.db('tours').where({ id: tour.id }).update({ continent: 'europe' });
      },
    ],
    [
      'moved away before its continent was shown',
      async (who) => {
        await setDefault(who, false);
        const tour = await given('xx');
        await api.db('tours').where({ id: tour.id }).update({ continent: 'europe' });
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
        await api.db('tours').where({ id: tour.id }).update(archive);
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
          await trx('tours').where({ id: other.id }).update(archive);
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
        await api.db('tours').where({ id: tour.id }).update(archive);
      },
    ],
  ])('is never named to a tenant that could not see it: %s', async (_how, happen) => {
    const who = await givenWebsite(api, {}, ['catalog:read']);
    const time = await now(who);
    await happen(who);
    for (const sort of ['name', 'next_departure_date'])
      for (const from of [time, hoursAgo(24), hoursAgo(800)])
        expect((await changesSince(from, who, `limit=100&sort=${sort}`)).items).toEqual([]);
  });

  it('is never named to a tenant that is younger than the end of its publication', async () => {
    const time = await now();
    const tour = await given('xx');
    await api.db('tours').where({ id: tour.id }).update(archive);
    const who = await givenWebsite(api, {}, ['catalog:read']);
    await setDefault(who, false);
    await setDefault(who, true);
    expect(await since(time, who)).toEqual([]);
    expect(await since(time)).toEqual(['-xx']);
  });

  it('is named once to a tenant that saw it for an instant, and not any more after that', async () => {
    const who = await givenWebsite(api, { defaultVisible: false }, ['catalog:read']);
    const tour = await given('xx');
    const time = await now(who);
    await show(who, tour, true);
    await forget(who);
    expect(await since(time, who)).toEqual(['-xx']);
    const later = await now(who);
    await api.db('tours').where({ id: tour.id }).update({ summary: 'New.' });
    await api.db('tours').where({ id: tour.id }).update(archive);
    await publish(tour);
    expect(await since(later, who)).toEqual([]);
  });

  it('is removed when one transaction shows it and another one, which began before, archives it', async () => {
    const { db } = api;
    const who = await givenWebsite(api, { defaultVisible: false }, ['catalog:read']);
    const tour = await given('xx');
    const time = await now(who);
    const archives = await db.transaction();
    await archives('tours').where({ id: tour.id }).update(archive);
    await show(who, tour, true);
    expect(slugsOf((await changesSince(time, who)).items)).toEqual(['xx']);
    await archives.commit();
    expect(await since(time, who)).toEqual(['-xx']);
  });

  it('is in no answer to a time that is more than 30 days ago: it is the complete catalog', async () => {
    const [gone] = [await given('gone'), await given('here')];
    await api.db('tours').where({ id: gone.id }).update(archive);
    expect(await since(hoursAgo(24 * 30 + 1))).toEqual(['here']);
    expect(await since(hoursAgo(24 * 30 - 1))).toEqual(['here', '-gone']);
  });
});

describe('updated_since with a time that the database has not reached, as after a restore', () => {
  const archived = { status: 'archived' };
  const after = (time: string) => new Date(Date.parse(time) + 1).toISOString();

  it('lists the complete catalog on pages of any size, and as_of is before the time', async () => {
    for (const slug of ['aa', 'bb', 'cc']) await given(slug);
    const gone = await given('gone');
    await api.db('tours').where({ id: gone.id }).update(archived);
    const reached = await now();
    expect(await since(reached)).toEqual([]);
    for (const time of [after(reached), '9999-12-31T23:59:59Z'])
      for (const limit of [1, 2, 100]) {
        const { items, asOf } = await changesSince(time, reader, `limit=${limit}`);
        expect(slugsOf(items)).toEqual(['aa', 'bb', 'cc']);
        expect(asOf).toBe(reached);
      }
    await api.db('tours').where({ slug: 'aa' }).update(renamed('aa2'));
    expect(await since(reached)).toEqual(['aa']);
  });

  it('lists the complete catalog although the catalog has changed since the restore, and then the changes', async () => {
    for (const slug of ['aa', 'bb']) await given(slug);
    const lostAfter = await now();
    const copyIsOf = new Date(Date.parse(lostAfter) + 1000).toISOString();
    const lostUntil = new Date(Date.parse(lostAfter) + 2000).toISOString();
    await api.db('catalog_restores').insert({ lost_after: lostAfter, lost_until: lostUntil });
    await api.db('tours').where({ slug: 'bb' }).update(renamed('bb2'));
    const complete = await changesSince(copyIsOf, reader, 'limit=1');
    expect([slugsOf(complete.items), complete.asOf]).toEqual([['aa', 'bb'], lostAfter]);
    const next = await changesSince(complete.asOf);
    expect(slugsOf(next.items)).toEqual(['bb']);
    expect(next.asOf > lostAfter).toBe(true);
    await api.db('catalog_restores').delete();
  });
});

describe('as_of', () => {
  /** Begins a transaction and returns functions that run a statement in it and end it. */
  async function begin(): Promise<Trx> {
    return api.db.transaction();
  }

  it('is older than the commit of a transaction that has changed the catalog before, so the next answer has its change', async () => {
    const tours = [await given('aa'), await given('bb'), await given('cc')];
    const trx = await begin();
    await trx('tours').where({ id: tours[0]!.id }).update({ summary: 'Late.' });
    await givenVisibilityRule(trx, reader, tours[1]!, false);
    await givenDeparture(trx, tours[2]!);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const { items, asOf } = await changesSince(BEGINNING);
    expect(slugsOf(items)).toEqual(['aa', 'bb', 'cc']);
    await trx.commit();
    expect(await since(asOf)).toEqual(['aa', 'cc', '-bb']);
  });

  it('is not held back by a transaction that is still open, and stays the same while nothing changes', async () => {
    const tour = await given('aa');
    const trx = await begin();
    await trx('tours').select('id');
    await given('bb');
    const open = await begin();
    await open('tours').where({ id: tour.id }).update({ summary: 'Late.' });
    await given('cc');
    const { asOf } = await changesSince(BEGINNING);
    expect(await since(asOf)).toEqual([]);
    expect((await changesSince(asOf)).asOf).toBe(asOf);
    await Promise.all([trx.rollback(), open.commit()]);
    expect(await since(asOf)).toEqual(['aa']);
  });

  it('grows although the clock of the database is set back', async () => {
    const { db } = api;
    const tour = await given('aa');
    const hour = "interval '1 hour'";
    await db.raw(`update change_version set changed_at = changed_at + ${hour}`);
    const { asOf } = await changesSince(BEGINNING);
    await db('tours').where({ id: tour.id }).update(renamed('aa2'));
    expect(await since(asOf)).toEqual(['aa']);
    const later = (await changesSince(asOf)).asOf;
    expect(later > asOf).toBe(true);
    expect(await since(later)).toEqual([]);
    // The times of the other tests are those of the clock.
    await db.raw(
      `update catalog_commits set at = at - ${hour} where at > clock_timestamp() + interval '1 minute'`,
    );
    await db.raw(`update change_version set changed_at = changed_at - ${hour}`);
  });

  it('is followed by a change of the tenant that the cached tenant lacks', async () => {
    const { db } = api;
    const who = await givenWebsite(api, {}, ['catalog:read']);
    await given('aa');
    let visible = true;
    let copy = await changesSince(BEGINNING, who);
    for (let round = 0; round < 10; round++) {
      visible = !visible;
      await db('tenants')
        .where({ id: who.tenant.id })
        .update({ default_visible: visible, currency: visible ? 'EUR' : 'USD' });
      copy = await changesSince(copy.asOf, who);
      expect(copy.items).toEqual([
        expect.objectContaining(visible ? { slug: 'aa', currency: 'EUR' } : { removed: true }),
      ]);
    }
  });

  it('lets two transactions change departures of one tour without waiting for each other', async () => {
    const tour = await given('aa');
    const [one, other] = [await begin(), await begin()];
    await givenDeparture(one, tour, { date: daysFromToday(1) });
    await givenDeparture(other, tour, { date: daysFromToday(2) });
    await other.commit();
    const { asOf } = await changesSince(BEGINNING);
    await one.commit();
    expect(await since(asOf)).toEqual(['aa']);
  });

  it('does not make transactions that change many tours and rules at the same time wait in two orders', async () => {
    const { db } = api;
    const who = await givenWebsite(api, {}, ['catalog:read']);
    const tours: GivenTour[] = [];
    for (let n = 0; n < 20; n++) tours.push(await given(`tour-${n}`));
    let round = 0;
    const imports = (of: GivenTour[]) => async (trx: Trx) => {
      for (const { id } of of)
        await trx('tours')
          .where({ id })
          .update({ summary: `Text ${round}`, status: round % 2 ? 'published' : 'archived' });
    };
    const changes = [
      imports(tours.slice(0, 10)),
      imports(tours.slice(10)),
      (trx: Trx) =>
        trx('tenants')
          .where({ id: who.tenant.id })
          .update({ default_visible: round % 2 === 0 }),
      async (trx: Trx) => {
        await trx('visibility_continent_rules').where({ tenant_id: who.tenant.id }).delete();
        await givenVisibilityRule(trx, who, 'asia', round % 2 === 0);
      },
      (trx: Trx) =>
        trx('api_keys')
          .where({ tenant_id: who.tenant.id })
          .update({ name: `key ${round}` }),
    ];
    const outcomes: unknown[] = [];
    for (; round < 30; round++)
      outcomes.push(
        ...(await Promise.allSettled(
          changes.map((change) => db.transaction(async (trx) => void (await change(trx)))),
        )),
      );
    expect(outcomes.filter((outcome) => (outcome as { status: string }).status !== 'fulfilled')).toEqual([]);
    const times = await db('catalog_commits').orderBy('at').pluck('at');
    expect(new Set(times.map(Number)).size).toBe(times.length);
  });

  it('needs no change that ended more than 31 days before the last one, so these are deleted', async () => {
    const { db } = api;
    const who = await givenWebsite(api, {}, ['catalog:read']);
    const [old, young] = [await given('old'), await given('young')];
    for (const { id } of [old, young]) await db('tours').where({ id }).update({ status: 'archived' });
    const ended = () => db('tour_publications').whereIn('tour_id', [old.id, young.id]).pluck('tour_id');
    await db.raw(
      `update catalog_commits set at = at - interval '32 days' where change_id = (select until_change from tour_publications where tour_id = ?)`,
      [old.id],
    );
    await pruneCatalogChanges(db);
    expect(await ended()).toEqual([young.id]);
    expect(await since(hoursAgo(24 * 29), who)).toEqual(['-young']);
    const unused = await db('catalog_commits as k')
      .whereRaw("at < now() - interval '31 days'")
      .whereNotIn('change_id', db('tour_changes').select('change_id'));
    expect(unused).toEqual([]);
  });
});
