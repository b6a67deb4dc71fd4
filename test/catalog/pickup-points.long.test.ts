import { readFileSync } from 'node:fs';
import { useTestTerminal } from '../cli/terminal';
import { unique } from '../support/given';
import { tourEntry, writeFiles } from './catalog-files';

const terminal = useTestTerminal();

const WORDS = {
  name: 'Station',
  address: 'Europaplatz 1',
  lat: 52.52,
  lng: 13.37,
  directions: 'North gate',
  translations: { de: { name: 'Bahnhof' } },
};
const STATION = { ...WORDS, google_place_id: 'ChIJ-1' };
const point = (more: object = {}) => ({ code: unique('point'), ...STATION, ...more });

async function importFiles(contents: Record<string, unknown>, flags = '') {
  const files = writeFiles(contents);
  const { code, json } = await terminal.tourctl(`catalog import ${files.join(' ')} --yes --json ${flags}`);
  return { code, ...json };
}
const load = (pickup_points: unknown[], ...tours: object[]) =>
  importFiles({ 'tours.json': { pickup_points, tours } });
const fetching = (...codes: string[]) =>
  tourEntry({
    slug: unique('fetching'),
    pickup: { points: codes.map((code) => ({ point: code, minutes_before: 30 })) },
  });
const stored = async (code: string) => terminal.db('pickup_points').where({ code }).first();

describe('pickup points in catalog files', () => {
  it('come in a list before or after the tours that name them, and a second import changes nothing', async () => {
    const [first, second] = [point(), point()];
    const tour = fetching(first.code);
    const report = { created: 1, updated: 0, unchanged: 0 };
    expect(await load([first], tour)).toMatchObject({ code: 0, errors: [], pickup_points: report });
    expect(await stored(first.code)).toMatchObject(WORDS);
    const after = { tours: [fetching(second.code)], pickup_points: [second] };
    expect(await importFiles({ 'tours.json': after })).toMatchObject({ code: 0, pickup_points: report });
    expect(await load([first], tour)).toMatchObject({
      pickup_points: { unchanged: 1 },
      tours: { unchanged: 1 },
    });
    expect((await importFiles({ 'tours.json': [tour] })).pickup_points).toBeUndefined();
  });

  it('come as lines of JSON lines, and in a file of points alone', async () => {
    const [line, alone] = [point(), point()];
    const text = [{ pickup_point: line }, fetching(line.code)]
      .map((one) => `${JSON.stringify(one)}\n`)
      .join('');
    expect(await importFiles({ 'tours.jsonl': text })).toMatchObject({
      code: 0,
      pickup_points: { created: 1 },
    });
    const points = { pickup_points: [alone] };
    expect(await importFiles({ 'points.json': points })).toMatchObject({
      code: 0,
      pickup_points: { created: 1 },
    });
  });

  it('keep what an entry leaves out, clear what it sets to null, and merge the words by language', async () => {
    const { code } = point();
    await load([{ code, ...STATION }]);
    const changed = { code, name: 'Main station', directions: null, translations: { fr: { name: 'Gare' } } };
    expect(await load([changed])).toMatchObject({ pickup_points: { updated: 1 } });
    const words = { de: { name: 'Bahnhof' }, fr: { name: 'Gare' } };
    const now = {
      name: 'Main station',
      directions: null,
      address: 'Europaplatz 1',
      lat: 52.52,
      translations: words,
    };
    expect(await stored(code)).toMatchObject(now);
    await load([{ code, lat: null, lng: null, translations: { de: null } }]);
    expect(await stored(code)).toMatchObject({
      lat: null,
      lng: null,
      translations: { fr: { name: 'Gare' } },
    });
  });

  it('a change of a point raises the revision of the tours that fetch guests there, and a dry run changes nothing', async () => {
    const { code } = point();
    const tour = fetching(code);
    await load([{ code, ...STATION }], tour);
    const revision = async () => (await terminal.db('tours').where({ slug: tour.slug }).first()).revision;
    const before = await revision();
    const changed = { 'points.json': { pickup_points: [{ code, name: 'Main station' }] } };
    expect(await importFiles(changed, '--dry-run')).toMatchObject({ pickup_points: { updated: 1 } });
    expect([await revision(), (await stored(code)).name]).toEqual([before, 'Station']);
    await importFiles(changed);
    expect([await revision(), (await stored(code)).name]).toEqual([before + 1, 'Main station']);
  });

  it('an export has the points, so that an import changes nothing', async () => {
    const { code } = point();
    await load([{ code, ...STATION }], fetching(code));
    for (const format of ['json', 'jsonl']) {
      const name = writeFiles({ [`out.${format}`]: '' })[0]!;
      await terminal.json(`catalog export --format ${format} --out ${name} --force`);
      const text = readFileSync(name, 'utf8');
      expect(text).toContain(`"${code}"`);
      const again = await importFiles({ [`again.${format}`]: text });
      expect(again).toMatchObject({
        code: 0,
        pickup_points: { created: 0, updated: 0 },
        tours: { created: 0, updated: 0 },
      });
    }
  });

  it('faults are listed with their places and fields, and nothing is written', async () => {
    const good = point();
    const faulty = [
      good,
      { ...point(), name: undefined },
      { ...point(), lng: undefined },
      { ...point(), code: 'no code!' },
      { ...point(), lat: 91 },
      { ...point(), colour: 'red' },
      { ...point(), translations: { 'not a tag': { name: 'x' } } },
      { ...point(), code: good.code },
      7,
    ];
    const { code, errors } = await load(faulty, fetching('nowhere'));
    expect(code).toBe(1);
    const found = errors.map(({ index, field }: { index: number; field: string }) => [index, field]);
    expect(found).toEqual(
      expect.arrayContaining([
        [1, 'pickup_point.name'],
        [2, 'pickup_point.lng'],
        [3, 'pickup_point.code'],
        [4, 'pickup_point.lat'],
        [5, 'pickup_point.colour'],
        [6, expect.stringMatching(/^pickup_point\.translations/)],
        [7, 'pickup_point.code'],
        [8, 'pickup_point'],
        [0, 'pickup.points[0].point'],
      ]),
    );
    expect(await stored(good.code)).toBeUndefined();
    const lines = `${JSON.stringify({ pickup_point: { ...good, lat: 91 } })}\n`;
    const { errors: ofLines } = await importFiles({ 'points.jsonl': lines });
    expect(ofLines).toMatchObject([{ line: 1, field: 'pickup_point.lat' }]);
  });
});
