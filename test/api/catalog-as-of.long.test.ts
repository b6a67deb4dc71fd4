import type { Knex } from 'knex';
import type { Trx } from '../../services/platform/database/database';
import { pruneCatalogChanges } from '../../services/api/catalog/catalog-changes.repository';
import { useTestApi } from '../support/api';
import { BEGINNING, hoursAgo, renamed, slugsOf, useCatalogChanges } from '../support/catalog-changes';
import { daysFromToday, givenDeparture, type GivenTour, givenVisibilityRule } from '../support/given';
import { givenWebsite, useWebsite } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
const { changesSince, now, since, given, change, archive } = useCatalogChanges(api, reader);

describe('a copy of the catalog after a restore', () => {
  const after = (time: string) => new Date(Date.parse(time) + 1).toISOString();

  it('a request whose updated_since is later than as_of gets the complete catalog, on pages of any size', async () => {
    for (const slug of ['aa', 'bb', 'cc']) await given(slug);
    await archive(await given('gone'));
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

  it('a request whose updated_since is in the period that a restore lost gets the complete catalog once', async () => {
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
  const begin = (): Promise<Knex.Transaction> => api.db.transaction();

  it('a change whose transaction was still open at as_of is in the next answer', async () => {
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

  it('as_of depends on commits only: open transactions neither delay nor advance it', async () => {
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

  it('as_of grows although the clock of the database is set back', async () => {
    const { db } = api;
    const tour = await given('aa');
    const hour = "interval '1 hour'";
    await db.raw(`update change_version set changed_at = changed_at + ${hour}`);
    const { asOf } = await changesSince(BEGINNING);
    await change(tour, renamed('aa2'));
    expect(await since(asOf)).toEqual(['aa']);
    const later = (await changesSince(asOf)).asOf;
    expect(later > asOf).toBe(true);
    expect(await since(later)).toEqual([]);
    // Moves the stored times back by an hour, because the other tests compare stored times with the real clock.
    await db.raw(
      `update catalog_commits set at = at - ${hour} where at > clock_timestamp() + interval '1 minute'`,
    );
    await db.raw(`update change_version set changed_at = changed_at - ${hour}`);
  });

  it("updated_since shows each of ten changes of the tenant's visibility and currency", async () => {
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

  it('two transactions change departures of one tour without waiting for each other', async () => {
    const tour = await given('aa');
    const [one, other] = [await begin(), await begin()];
    const dates = [daysFromToday(1), daysFromToday(2)];
    for (const date of dates) await givenDeparture(api.db, tour, { date });
    const setSeats = (trx: Trx, date: string) =>
      trx('departures').where({ tour_id: tour.id, departure_date: date }).update({ seats_total: 7 });
    await setSeats(one, dates[0]!);
    await setSeats(other, dates[1]!);
    await other.commit();
    const { asOf } = await changesSince(BEGINNING);
    await one.commit();
    expect(await since(asOf)).toEqual(['aa']);
  });

  it('transactions that change many tours and rules at the same time never deadlock', async () => {
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

  it('pruning deletes the periods of visibility that ended more than 31 days before the last change', async () => {
    const { db } = api;
    const who = await givenWebsite(api, {}, ['catalog:read']);
    const [old, young] = [await given('old'), await given('young')];
    for (const tour of [old, young]) await archive(tour);
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
