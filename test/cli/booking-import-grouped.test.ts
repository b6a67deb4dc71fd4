import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { useTestApi } from '../support/api';
import { unique } from '../support/given';
import { givenSeats, type PlacedSeats, useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);
const folder = mkdtempSync(path.join(tmpdir(), 'booking-import-grouped-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = 'external_ref,tour,departure_date,name,party';
const file = (lines: string[], ending = 'csv') => {
  const name = path.join(folder, `${unique('rows')}.${ending}`);
  writeFileSync(name, `${lines.join('\n')}\n`);
  return name;
};
const map = file(['{"grouped": true}'], 'json');
const rowOf = ({ tour, date }: PlacedSeats, ref: string, party = 'adult') =>
  [ref, tour.slug, date, 'Ana Lima', party].join();

/** Imports the lines without the faulty ones. Returns the answer and the text of --rejects, without its byte order mark. */
async function importLines(lines: string[]) {
  const rejects = path.join(folder, unique('rejects'));
  const flags = `--tenant ${site.tenant.slug} --map ${map} --skip-faulty --rejects ${rejects} --yes --json`;
  const answer = await terminal.tourctl(`booking import ${file([HEAD, ...lines])} ${flags}`);
  const written = existsSync(rejects) ? readFileSync(rejects, 'utf8') : '';
  return { answer, rejected: written.slice(1).trimEnd().split('\r\n') };
}

const seatsOf = async (ref: string) =>
  (await api.db('booking_leads').where({ import_ref: ref }).first())?.seats;

describe('a booking of several rows, of which one is faulty', () => {
  it('is written to --rejects with all its rows, and a mended file imports its whole party', async () => {
    const seats = await givenSeats(api.db);
    const [good, bad] = [unique('good'), unique('bad')];
    const lines = [rowOf(seats, bad), rowOf(seats, good), rowOf(seats, bad, 'A/B'), rowOf(seats, bad)];
    const { answer, rejected } = await importLines(lines);
    expect(answer.json).toMatchObject({ created: 1, faulty: 3 });
    expect(answer.json.errors).toMatchObject([{ line: 4, field: 'party' }]);
    expect(rejected.slice(1)).toEqual([
      `belongs to the booking of line 4,${lines[0]}`,
      expect.stringContaining(lines[2]!),
      `belongs to the booking of line 4,${lines[3]}`,
    ]);
    const [, ...mended] = rejected.map((line) => line.replace(/^.*?,(?=bad)/, '').replace('A/B', 'adult'));
    await importLines(mended);
    expect([await seatsOf(good), await seatsOf(bad)]).toEqual([1, 3]);
  });

  it.each([
    ['seats', (seats: PlacedSeats) => seats],
    ['a tour', (seats: PlacedSeats) => ({ ...seats, tour: { ...seats.tour, slug: 'none' } })],
  ])('because it lacks %s is written to --rejects with all its rows', async (_, placed) => {
    const seats = placed(await givenSeats(api.db, { seats: 1 }));
    const ref = unique('lacks');
    const { answer, rejected } = await importLines([rowOf(seats, ref), rowOf(seats, ref)]);
    expect([answer.json.faulty, rejected.length]).toEqual([2, 3]);
    expect(await seatsOf(ref)).toBeUndefined();
  });

  it('is not left out if a line cannot be read, because the line may belong to any booking', async () => {
    const seats = await givenSeats(api.db);
    const ref = unique('short');
    const { answer } = await importLines([rowOf(seats, ref), `${ref},${seats.tour.slug}`, rowOf(seats, ref)]);
    expect(answer.error.code).toBe('import_refused');
    expect(await seatsOf(ref)).toBeUndefined();
  });
});
