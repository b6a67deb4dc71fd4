import { readFileSync } from 'node:fs';
import { sellSeats } from '../cli/resource-sales';
import { useTestTerminal } from '../cli/terminal';
import { daysFromToday, unique } from '../support/given';
import { givenResource } from '../support/given-resources';
import { writeFiles } from './catalog-files';

const terminal = useTestTerminal();
const DATE = daysFromToday(40);

/** A tour of a file with a departure at 10:00 in 40 days. */
const tourOfFile = (more: object = {}, departure: object = {}) => ({
  slug: unique('reef'),
  name: 'Reef',
  continent: 'asia',
  country: 'VN',
  duration_days: 1,
  currency: 'EUR',
  base_price: 100,
  start_time: '10:00',
  departures: [{ departure_date: DATE, seats_total: 12, prices: { adult: 100 }, ...departure }],
  ...more,
});

async function importFiles(contents: Record<string, unknown>, flags = '') {
  const { code, json } = await terminal.tourctl(
    `catalog import ${writeFiles(contents).join(' ')} --yes --json ${flags}`,
  );
  return { code, ...json };
}

const importTours = (...tours: object[]) => importFiles({ 'tours.json': tours });

async function tripOf(tour: { slug: string }) {
  const row = await terminal
    .db('departures as d')
    .join('tours as t', 't.id', 'd.tour_id')
    .where('t.slug', tour.slug)
    .first('d.id', 't.id as tourId');
  return { id: row.id, tour: { id: row.tourId, slug: tour.slug } as never, date: DATE };
}

describe('uses of resources in catalog files', () => {
  it('an import stores the uses of tours, departures and schedules, and an export has them', async () => {
    const [boat, guide] = [await givenResource(terminal.db), await givenResource(terminal.db)];
    const uses = [{ resource: boat, shared: true, minutes: 180, before: '30m', after: '1h' }];
    const tour = tourOfFile({ uses }, { uses: [] });
    const schedule = {
      every: 'daily',
      from: daysFromToday(50),
      to: daysFromToday(50),
      seats_total: 4,
      prices: { adult: 90 },
      uses: [{ resource: guide }],
    };
    expect(await importTours({ ...tour, schedules: [schedule] })).toMatchObject({ code: 0, errors: [] });
    const exported = JSON.parse((await terminal.tourctl('catalog export')).stdout);
    const stored = [exported]
      .flat()
      .flatMap((one) => one.tours ?? one)
      .find(({ slug }) => slug === tour.slug);
    expect(stored.uses).toEqual(uses);
    expect(stored.departures.map((one: { uses: unknown }) => one.uses)).toEqual([[], [{ resource: guide }]]);
    expect(await importTours(tour)).toMatchObject({ tours: { unchanged: 1 }, departures: { unchanged: 1 } });
    expect(await importTours({ ...tour, uses: null })).toMatchObject({ tours: { updated: 1 } });
  });

  it('the CSV columns uses have the lists as JSON text', async () => {
    const boat = await givenResource(terminal.db);
    const tour = tourOfFile({ uses: [{ resource: boat, minutes: 60 }] }, { uses: [] });
    await importTours(tour);
    const [file, departures] = writeFiles({ 'a.csv': '', 'a-departures.csv': '' });
    await terminal.json(`catalog export --format csv --out ${file} --force`);
    const row = readFileSync(file!, 'utf8')
      .split('\n')
      .find((one) => one.startsWith(tour.slug));
    expect(row).toContain(
      `"[{""minutes"": 60, ""resource"": ""${boat}""}]"`.replaceAll(': ', ':').replaceAll(', ', ','),
    );
    expect(
      await importFiles({ 'a.csv': readFileSync(file!, 'utf8'), 'b.csv': readFileSync(departures!, 'utf8') }),
    ).toMatchObject({
      code: 0,
      tours: { created: 0, updated: 0 },
      departures: { created: 0, updated: 0 },
    });
  });

  it('faults of uses are listed with their fields', async () => {
    const boat = await givenResource(terminal.db);
    const tour = tourOfFile({
      uses: [{ resource: boat }, { resource: boat, minutes: 0 }, { resource: 'no-boat' }],
    });
    const { code, errors } = await importTours(tour);
    expect([code, errors]).toMatchObject([
      1,
      [
        { index: 0, field: 'uses[1].minutes' },
        { index: 0, field: 'uses[1].resource' },
      ],
    ]);
    const unknown = await importTours(
      tourOfFile({ uses: [{ resource: 'no-boat' }] }, { uses: [{ resource: 'no-bus' }] }),
    );
    expect(unknown.errors.map((one: { field: string }) => one.field)).toEqual([
      'departures[0].uses[0].resource',
      'uses[0].resource',
    ]);
  });

  it('a change of uses that sold trips contradict is a fault of the file', async () => {
    const boat = await givenResource(terminal.db);
    const [reef, island] = [
      tourOfFile({ uses: [{ resource: boat, minutes: 60 }] }),
      tourOfFile({ start_time: '11:00', uses: [{ resource: boat, minutes: 60 }] }),
    ];
    await importTours(reef, island);
    await sellSeats(terminal.db, await tripOf(reef), 2);
    await sellSeats(terminal.db, await tripOf(island), 2);
    const { code, errors } = await importTours({ ...reef, uses: [{ resource: boat, minutes: 90 }] });
    expect([code, errors]).toMatchObject([
      1,
      [{ index: 0, field: 'uses', message: expect.stringContaining('resource_busy') }],
    ]);
    const longer = { ...reef, uses: [{ resource: boat, minutes: 90 }] };
    const file = writeFiles({ 'longer.json': [longer] }).join(' ');
    for (const line of [`catalog check ${file}`, `catalog import ${file} --dry-run`]) {
      const { stdout, stderr } = await terminal.tourctl(`${line} --json`);
      expect([line, stdout + stderr]).toEqual([line, expect.stringContaining('resource_busy')]);
    }
    const shorter = { ...reef, uses: [{ resource: boat, minutes: 30 }] };
    const dry = await terminal.tourctl(
      `catalog check ${writeFiles({ 'shorter.json': [shorter] }).join(' ')} --json`,
    );
    expect(dry.code).toBe(0);
    expect((await terminal.db('tours').where({ slug: reef.slug }).first('uses')).uses).toEqual([
      { resource: boat, minutes: 60 },
    ]);
    expect(await importTours(shorter)).toMatchObject({ code: 0 });
  });

  it('an import warns of a tour with several start times whose uses have no minutes', async () => {
    const boat = await givenResource(terminal.db);
    const price = { departure_date: DATE, seats_total: 12, prices: { adult: 100 } };
    const departures = [price, { ...price, start_time: '14:00' }];
    const { warnings } = await importTours(tourOfFile({ uses: [{ resource: boat }], departures }));
    expect(warnings).toMatchObject([{ field: 'uses', message: expect.stringContaining('has no minutes') }]);
    const quiet = await importTours(tourOfFile({ uses: [{ resource: boat, minutes: 60 }], departures }));
    expect(quiet.warnings).toBeUndefined();
  });
});

describe('resources in catalog files', () => {
  it('a file with resources and tours adds both, and the same file again changes nothing', async () => {
    const code = unique('boat');
    const tour = tourOfFile({ uses: [{ resource: code }] });
    const file = {
      'all.json': { resources: [{ code, name: 'Boat', places: 12, turnaround: '30m' }], tours: [tour] },
    };
    expect(await importFiles(file)).toMatchObject({
      code: 0,
      resources: { created: 1 },
      tours: { created: 1 },
    });
    expect(await importFiles(file)).toMatchObject({
      code: 0,
      resources: { unchanged: 1 },
      tours: { unchanged: 1 },
    });
    expect((await terminal.json(`resource show ${code}`)).turnaround).toBe('30m');
    const exported = (await terminal.tourctl('catalog export')).stdout;
    expect(JSON.parse(exported).resources).toContainEqual(expect.objectContaining({ code, places: 12 }));
    expect(await importFiles({ 'again.json': exported })).toMatchObject({
      code: 0,
      resources: { created: 0, updated: 0 },
      tours: { created: 0, updated: 0 },
    });
  });

  it('a line of JSON lines is a resource, and an export has these lines', async () => {
    const code = unique('boat');
    const lines = [{ resource: { code, name: 'Boat' } }, tourOfFile({ uses: [{ resource: code }] })];
    const text = lines.map((one) => `${JSON.stringify(one)}\n`).join('');
    expect(await importFiles({ 'all.jsonl': text })).toMatchObject({ code: 0, resources: { created: 1 } });
    const exported = (await terminal.tourctl('catalog export --format jsonl')).stdout;
    expect(
      exported.split('\n').filter((line) => line.includes(`{"resource":{"code":"${code}"`)),
    ).toHaveLength(1);
    expect(await importFiles({ 'again.jsonl': exported })).toMatchObject({
      resources: { created: 0, updated: 0 },
    });
  });

  it('faults of resources are listed, and nothing is written', async () => {
    const code = unique('boat');
    const resources = [{ code, name: 'Boat', places: 0 }, { code: `${code}-b` }, { code, name: 'Again' }];
    const { errors } = await importFiles({ 'all.json': { resources, tours: [] } });
    expect(errors.map(({ index, field }: { index: number; field: string }) => [index, field])).toEqual([
      [0, 'resource.places'],
      [1, 'resource.name'],
      [2, 'resource.code'],
    ]);
    expect(await terminal.refusal(`resource show ${code}`)).toBe('1 resource_not_found');
  });

  it('a file with fewer places than a trip has sold is refused, and --prune removes no resource', async () => {
    const code = unique('boat');
    const tour = tourOfFile({ uses: [{ resource: code }] });
    await importFiles({ 'all.json': { resources: [{ code, name: 'Boat', places: 12 }], tours: [tour] } });
    await sellSeats(terminal.db, await tripOf(tour), 5);
    const fewer = await importFiles({ 'few.json': { resources: [{ code, places: 4 }], tours: [] } });
    expect([fewer.code, fewer.errors]).toMatchObject([
      1,
      [{ message: expect.stringContaining('resource_busy') }],
    ]);
    await importFiles({ 'none.json': { tours: [tour] } }, '--prune --prune-at-most 100%');
    expect(await terminal.json(`resource show ${code}`)).toMatchObject({ places: 12 });
  });
});

describe('tourctl departure set-uses', () => {
  it('departure set-uses gives a departure its own resources, none, or those of its tour', async () => {
    const [boat, other] = [await givenResource(terminal.db), await givenResource(terminal.db)];
    const tour = tourOfFile({ uses: [{ resource: boat, minutes: 60 }] });
    await importTours(tour);
    const set = (words: string) => terminal.json(`departure set-uses ${tour.slug} ${DATE} ${words}`);
    expect(await set(`${other}:shared,minutes=90,before=30m`)).toMatchObject({
      tour: tour.slug,
      uses: [{ resource: other, shared: true, minutes: 90, before: '30m' }],
    });
    expect(await set('none')).toMatchObject({ uses: [] });
    expect((await terminal.json('audit list --limit 1')).items[0]).toMatchObject({
      action: 'departure.set-uses',
      after: { uses: [] },
    });
    expect(await set('tour')).toMatchObject({ uses: null });
    expect(await terminal.refusal(`departure set-uses ${tour.slug} ${DATE} no-boat`)).toBe(
      '1 resource_not_found',
    );
    expect(await terminal.refusal(`departure set-uses ${tour.slug} ${DATE} ${boat}:hours=3`)).toBe(
      '2 usage_error',
    );
  });

  it('departure set-uses is refused while sold trips need the resource', async () => {
    const [boat, other] = [await givenResource(terminal.db), await givenResource(terminal.db)];
    const [reef, island] = [
      tourOfFile({ uses: [{ resource: boat }] }),
      tourOfFile({ uses: [{ resource: other }] }),
    ];
    await importTours(reef, island);
    await sellSeats(terminal.db, await tripOf(reef), 2);
    await sellSeats(terminal.db, await tripOf(island), 2);
    expect(await terminal.refusal(`departure set-uses ${island.slug} ${DATE} ${boat}`)).toBe(
      '1 resource_busy',
    );
  });
});
