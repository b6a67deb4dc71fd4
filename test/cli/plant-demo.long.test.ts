import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findDemoDeparture } from '../../cli/commands/seed';
import {
  type DemoCredentials,
  extendDemo,
  findUsableDemo,
  seedDemo,
} from '../../services/api/demo/seed-demo';
import { findTenant } from '../../services/api/tenants/manage-tenants';
import { inTransaction } from '../../services/platform/database/database';
import { addDays } from '../../services/platform/forms/days';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenTour } from '../support/given';
import { openTestTerminal, type TestTerminal } from './terminal';

const TODAY = new Date().toISOString().slice(0, 10);
const LATER = addDays(TODAY, 60);

let terminal: TestTerminal;
let demo: DemoCredentials;
let folder: string;
let planted: TestDatabase;
beforeAll(async () => {
  planted = await createTestDatabase();
  demo = await inTransaction(planted.db, (trx) => seedDemo(trx, TODAY, undefined));
  // Only a database without connections can be copied.
  await planted.db.destroy();
});
afterAll(() => planted.drop());
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'demo-'));
  terminal = await openTestTerminal({ DATA_DIR: folder }, new URL(planted.url).pathname.slice(1));
});
afterEach(async () => {
  await terminal.drop();
  rmSync(folder, { recursive: true });
});

const extend = (today: string) => inTransaction(terminal.db, (trx) => extendDemo(trx, today));
const usable = () => findUsableDemo(terminal.db, undefined, demo);
const run = async (line: string) => {
  const { code, stderr } = await terminal.tourctl(line);
  expect([line, code, stderr]).toEqual([line, 0, expect.any(String)]);
};
const tours = async (): Promise<Record<string, { departures: number; name: string }>> => {
  const rows = await terminal
    .db('tours as t')
    .leftJoin('departures as d', 'd.tour_id', 't.id')
    .groupBy('t.slug', 't.name')
    .select('t.slug', 't.name', terminal.db.raw('count(d.id)::int as departures'));
  return Object.fromEntries(rows.map(({ slug, ...rest }) => [slug, rest]));
};

describe('what the sale of the demo asks', () => {
  it('a dive asks a certificate and a weight of each diver, and a city tour fetches its guests at six points', async () => {
    const tourOf = (slug: string) => terminal.db('tours').where({ slug }).first();
    const { questions } = await tourOf('gozo-two-dives');
    const required = questions.filter((question: { required: boolean }) => question.required);
    expect(required).toMatchObject([
      { code: 'certificate', type: 'choice', per: 'traveller', until: 'confirm' },
      { code: 'weight', type: 'number', per: 'traveller', until: 'confirm' },
    ]);
    const { pickup } = await tourOf('mumbai-from-dawn');
    const codes: string[] = pickup.points.map(({ point }: { point: string }) => point);
    expect([codes.length, pickup.required]).toEqual([6, false]);
    expect((await terminal.db('pickup_points').pluck('code')).sort()).toEqual(codes.sort());
  });

  it('a later start adds departures to the city tour also after an operator has changed or removed a point', async () => {
    await terminal.db('pickup_points').where({ code: 'mumbai_csmt' }).update({ name: 'Ours' });
    await terminal.db('pickup_points').where({ code: 'mumbai_dadar' }).delete();
    expect(await extend(LATER)).toBeGreaterThan(40);
    const names = await terminal
      .db('pickup_points')
      .whereIn('code', ['mumbai_csmt', 'mumbai_dadar'])
      .pluck('name');
    expect(names.sort()).toEqual(['Dadar Station, west side', 'Ours']);
  });
});

describe('a later start of the demo', () => {
  it('a later start of the demo adds no departure on the same day, and new departures on a later day', async () => {
    const before = await tours();
    expect([await extend(TODAY), await tours()]).toEqual([0, before]);
    const added = await extend(LATER);
    expect(added).toBeGreaterThan(40);
    const [counted] = await terminal.db('departures').count('* as n');
    expect(counted!.n).toBe(
      added + Object.values(before).reduce((sum, { departures }) => sum + departures, 0),
    );
    expect(await extend(LATER)).toBe(0);
    expect(await extend(addDays(LATER, 60))).toBeGreaterThan(40);
  });

  it('a later start of the demo adds no departure to a tour that an operator has changed', async () => {
    const [flagship, edited, cancelled] = ['ha-long-bay-cruise', 'tokyo-after-dark', 'sao-miguel-azores'];
    await terminal
      .db('tours')
      .where({ slug: edited })
      .update({ name: 'Ours', updated_at: terminal.db.fn.now() });
    const date = await terminal
      .db('departures as d')
      .join('tours as t', 't.id', 'd.tour_id')
      .where({ slug: cancelled })
      .max('d.departure_date as date')
      .first();
    await run(`departure cancel ${cancelled} ${date!.date} --yes`);
    const before = await tours();
    await extend(LATER);
    const after = await tours();
    expect([after[edited], after[cancelled]]).toEqual([before[edited], before[cancelled]]);
    expect(after[flagship]!.departures).toBeGreaterThan(before[flagship]!.departures);
  });

  it('a later start of the demo does not restore tours that a pruning import has archived', async () => {
    await terminal.db('tours').update({ status: 'archived', updated_at: terminal.db.fn.now() });
    expect(await extend(LATER)).toBe(0);
    const { tenant } = await usable();
    expect(await findDemoDeparture(terminal.db, tenant!)).toBeUndefined();
  });
});

describe('the resources of the demo', () => {
  it('a seat sold on one tour of the boat is gone on the other, and the closed van sells no seat', async () => {
    const { tenant } = await usable();
    const list = async (tour: string) =>
      (await terminal.json(`departure list ${tour} --limit 3`)).items as Record<string, unknown>[];
    const [{ departure_date: date }] = (await list('western-laos-slow-boat')) as [{ departure_date: string }];
    const sale = `--tenant ${tenant!.slug} --name Ana --phone +4930901820 --email ana@example.com --yes`;
    await run(`booking add luang-prabang-mekong ${date} --party adult=15 ${sale}`);
    expect((await list('western-laos-slow-boat'))[0]).toMatchObject({ seats_total: 8, seats_available: 5 });
    // The first date may already be closed, because the tour closes two days before.
    const [, closed, next] = await list('uyuni-to-atacama');
    expect([closed!.status, next!.status]).toEqual(['sold_out', 'available']);
  });

  it('a later start adds departures to a demo of a release without resources', async () => {
    await terminal.db('tours').update({ uses: null });
    await terminal.db.raw('delete from resource_closings; delete from resources');
    expect(await extend(LATER)).toBeGreaterThan(40);
  });
});

describe('a first start of the demo', () => {
  it("a first start of the demo keeps an operator's tour that has the slug of a demo tour", async () => {
    const other = await openTestTerminal();
    try {
      await givenTour(other.db, { slug: 'ha-long-bay-cruise', name: 'Ours', currency: 'VND' });
      await inTransaction(other.db, (trx) => seedDemo(trx, TODAY, undefined));
      const [tour] = await other.db('tours').where({ slug: 'ha-long-bay-cruise' }).select('name', 'currency');
      expect(tour).toEqual({ name: 'Ours', currency: 'VND' });
      expect(await inTransaction(other.db, (trx) => extendDemo(trx, LATER))).toBeGreaterThan(40);
    } finally {
      await other.drop();
    }
  });
});

describe('a start without the file of the demo credentials', () => {
  const file = () => path.join(folder, 'demo.json');
  const plantTwice = async (between: () => Promise<void>) => {
    await terminal
      .db('tenants')
      .where({ slug: 'demo' })
      .update({ slug: 'earlier', booking_prefix: 'EARLIER' });
    await run('seed');
    const first = readFileSync(file(), 'utf8');
    rmSync(file());
    await between();
    await run('seed');
    return first;
  };

  it('a start without the file of the demo credentials issues new credentials that work', async () => {
    const first = await plantTwice(async () => {});
    const second = readFileSync(file(), 'utf8');
    expect(second).not.toBe(first);
    const kept = JSON.parse(second) as DemoCredentials;
    const found = await findUsableDemo(terminal.db, undefined, kept);
    expect(found).toMatchObject({ apiKey: kept.api_key, widgetToken: kept.widget_token });
  });

  it('a start without the file of the demo credentials issues no credentials for a suspended demo tenant', async () => {
    await plantTwice(() => run('tenant suspend demo --yes'));
    expect(existsSync(file())).toBe(false);
  });
});

describe('the demo data that the first start shows', () => {
  it('the first start shows the key, the widget token and a departure of the flagship tour', async () => {
    const found = await usable();
    expect(found).toMatchObject({ apiKey: demo.api_key, widgetToken: demo.widget_token });
    expect(await findDemoDeparture(terminal.db, found.tenant!)).toMatchObject({ tour: 'ha-long-bay-cruise' });
  });

  it('the first start shows only a tour that the demo tenant sees', async () => {
    await run('visibility deny demo --tour ha-long-bay-cruise --yes');
    const tenant = await findTenant(terminal.db, 'demo');
    expect((await findDemoDeparture(terminal.db, tenant))!.tour).not.toBe('ha-long-bay-cruise');
    await terminal.db('tenants').where({ slug: 'demo' }).update({ default_visible: false });
    expect(await findDemoDeparture(terminal.db, await findTenant(terminal.db, 'demo'))).toBeUndefined();
  });

  it('the first start shows no credentials of a suspended or closed tenant', async () => {
    for (const status of ['suspended', 'closed']) {
      await terminal.db('tenants').where({ slug: 'demo' }).update({ status });
      expect(await usable()).toEqual({ tenant: undefined, apiKey: undefined, widgetToken: undefined });
    }
  });

  it('the first start shows a widget token without origins, but no revoked key', async () => {
    await run(`key revoke ${demo.api_key.split('_')[2]} --yes`);
    await run('origins remove demo http://localhost:8080 --yes');
    expect(await usable()).toEqual({ tenant: undefined, apiKey: undefined, widgetToken: demo.widget_token });
  });
});
