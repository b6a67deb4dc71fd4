import type { Knex } from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Trx } from '../../services/platform/database/database';
import { readAsOf } from '../../services/api/catalog/as-of';
import { useTestApi } from '../support/api';
import { BEGINNING, type CatalogEntry, changesSince, clearCatalog } from '../support/catalog-changes';
import {
  daysFromToday,
  givenDeparture,
  givenPriceRule,
  givenTour,
  type GivenTour,
  givenVisibilityRule,
} from '../support/given';
import { givenWebsite } from '../support/website';

const api = useTestApi();
beforeEach(() => clearCatalog(api.db));
const given = (slug: string, more: object = {}) => givenTour(api.db, { slug, name: slug, ...more });
const begin = (): Promise<Knex.Transaction> => api.db.transaction();
const random = (most: number) => Math.floor(Math.random() * most);
const anyContinent = () => ['asia', 'europe'][random(2)]!;

describe('updated_since', () => {
  it('after overlapping transactions, updated_since names each tour that a tenant gained or lost', async () => {
    const { db } = api;
    const who = await givenWebsite(api, {}, ['catalog:read']);
    const tenant_id = who.tenant.id;
    const tours: GivenTour[] = [];
    for (let n = 0; n < 8; n++) tours.push(await given(`tour-${n}`, { status: 'draft' }));
    /** Reads the ids of the tours that the tenant sees. One statement reads them all, so that they belong to one commit. */
    const seen = async () =>
      new Set<string>(
        (
          await db.raw(
            `select t.id from tours t join tenants n on n.id = ?
               left join visibility_tour_rules r on r.tenant_id = n.id and r.tour_id = t.id
               left join visibility_continent_rules c on c.tenant_id = n.id and c.continent = t.continent
             where t.status = 'published' and coalesce(r.visible, c.visible, n.default_visible)`,
            [tenant_id],
          )
        ).rows.map(({ id }: { id: string }) => id),
      );
    const ofTours = (of: GivenTour[]) => async (trx: Trx) => {
      const { id } = of[random(of.length)]!;
      await trx('tours')
        .where({ id })
        .update({ status: ['published', 'archived', 'draft'][random(3)], continent: anyContinent() });
    };
    const ofRules = async (trx: Trx) => {
      const tour = tours[random(tours.length)]!;
      await trx('visibility_tour_rules').where({ tenant_id, tour_id: tour.id }).delete();
      if (random(2))
        await trx.raw(
          `insert into visibility_tour_rules (tenant_id, tour_id, visible, continent, name_folded) select ?, id, ?, continent, name_folded from tours where id = ?`,
          [tenant_id, random(2) === 0, tour.id],
        );
    };
    const ofContinents = async (trx: Trx) => {
      await trx('visibility_continent_rules').where({ tenant_id }).delete();
      if (random(2)) await givenVisibilityRule(trx, who, anyContinent(), random(2) === 0);
    };
    const ofDefault = (trx: Trx) =>
      trx('tenants')
        .where({ id: tenant_id })
        .update({ default_visible: random(2) === 0 });
    const instants: { asOf: string; seen: Set<string> }[] = [];
    const note = async () => instants.push({ asOf: await readAsOf(db), seen: await seen() });
    await note();
    for (let round = 0; round < 40; round++) {
      const open: Knex.Transaction[] = [];
      // A round changes either tours or visibility rules of tours, because a new continent of a tour also updates the tour's rules.
      const kinds = random(2)
        ? [ofTours(tours.slice(0, 4)), ofTours(tours.slice(4)), ofContinents, ofDefault]
        : [ofRules, ofContinents, ofDefault];
      for (const kind of kinds) {
        const trx = await begin();
        for (let n = 0; n <= random(3); n++) await kind(trx);
        open.push(trx);
      }
      for (const trx of open.sort(() => random(3) - 1)) {
        await (random(6) === 0 ? trx.rollback() : trx.commit());
        await note();
      }
    }
    const last = instants.at(-1)!.seen;
    for (let index = 0; index < instants.length; index += 5) {
      const past = instants.slice(index);
      const could = new Set(past.flatMap((instant) => [...instant.seen]));
      const { items } = await changesSince(who, past[0]!.asOf, 'limit=3');
      const removed = items.filter((item) => item.removed).map(({ id }) => id);
      expect(removed).toEqual([...could].filter((id) => !last.has(id)).sort());
      const listed = items.filter((item) => !item.removed).map(({ id }) => id);
      expect([...last].filter((id) => !past[0]!.seen.has(id) && !listed.includes(id))).toEqual([]);
    }
  }, 300_000);

  it('a copy stays equal to the catalog when overlapping transactions commit in another order than they began', async () => {
    const { db } = api;
    const who = await givenWebsite(api, {}, ['catalog:read']);
    const tours: GivenTour[] = [];
    for (let n = 0; n < 12; n++)
      tours.push(await given(`tour-${n}`, { continent: ['asia', 'europe'][n % 2] }));
    const pause = (most: number) => sleep(random(most));
    let writing = true;
    let departures = 0;

    async function change(trx: Trx, of: GivenTour[]): Promise<void> {
      const tour = of[random(of.length)]!;
      const set = (columns: object) => trx('tours').where({ id: tour.id }).update(columns);
      const choices = [
        () => set({ summary: `Text ${random(1e9)}` }),
        () => set({ status: ['published', 'archived'][random(2)] }),
        () => set({ continent: anyContinent() }),
        () =>
          givenDeparture(trx, tour, {
            date: daysFromToday((departures += 1)),
            prices: { adult: random(9) + 1 },
          }),
        () => trx('visibility_tour_rules').where({ tenant_id: who.tenant.id, tour_id: tour.id }).delete(),
        async () => {
          await trx('visibility_tour_rules').where({ tenant_id: who.tenant.id, tour_id: tour.id }).delete();
          await givenVisibilityRule(trx, who, tour, random(2) === 0);
        },
        () => givenPriceRule(trx, who, { percent: random(50), tour_id: tour.id }),
      ];
      await choices[random(choices.length)]!();
    }

    /** Changes these tours until `writing` is false. No two writers share a tour, so that they do not wait for each other. */
    async function write(of: GivenTour[]): Promise<void> {
      while (writing) {
        const trx = await begin();
        for (let n = 0; n <= random(3); n++) {
          await change(trx, of);
          await pause(60);
        }
        await pause(random(4) === 0 ? 1_500 : 100);
        await (random(5) === 0 ? trx.rollback() : trx.commit());
      }
    }

    const copy = new Map<string, CatalogEntry>();
    let asOf = BEGINNING;
    async function update(): Promise<void> {
      const changes = await changesSince(who, asOf, 'limit=3');
      for (const item of changes.items) {
        if (item.removed) copy.delete(item.id);
        else copy.set(item.id, item);
      }
      asOf = changes.asOf;
    }
    const writers = [0, 4, 8].map((first) => write(tours.slice(first, first + 4)));
    const toggle = (async () => {
      while (writing) {
        const trx = await begin();
        await trx('visibility_continent_rules').where({ tenant_id: who.tenant.id }).delete();
        if (random(2) === 0) await givenVisibilityRule(trx, who, 'asia', false);
        await pause(400);
        await trx.commit();
        await pause(300);
      }
    })();
    const end = Date.now() + 12_000;
    while (Date.now() < end) {
      await update();
      await pause(150);
    }
    writing = false;
    await Promise.all([...writers, toggle]);
    await update();
    const all = (await who.get('/api/tenant/catalog?limit=100')).body.items as CatalogEntry[];
    const byId = (items: Iterable<CatalogEntry>) => [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId(copy.values())).toEqual(byId(all));
    expect((await db('tour_changes')).length).toBeLessThan(150);
  }, 180_000);
});
