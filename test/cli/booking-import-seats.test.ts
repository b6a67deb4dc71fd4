import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { useTestApi } from '../support/api';
import { givenTenant, unique } from '../support/given';
import { givenResource, givenUses } from '../support/given-resources';
import { preparedBeforeAll } from '../support/prepared';
import { givenSeats, type Seats, seatsTakenByKind } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const real = preparedBeforeAll(() => givenTenant(api.db));
const sandbox = preparedBeforeAll(() => givenTenant(api.db, { sandbox: true }));
const folder = mkdtempSync(path.join(tmpdir(), 'booking-import-seats-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file with a row for each number of adults on the departure. Returns the line that imports it. */
function importOf({ tour, date }: Seats, tenant: { slug: string }, adults: number[]): string {
  const name = path.join(folder, `${unique('rows')}.csv`);
  const rows = adults.map((count) => [unique('old'), tour.slug, date, 'Ana Lima', count].join());
  writeFileSync(name, ['external_ref,tour,departure_date,name,adults', ...rows, ''].join('\n'));
  return `booking import ${name} --tenant ${tenant.slug} --yes`;
}

const seatsTotal = async ({ tour }: Seats) =>
  (await api.db('departures').where({ tour_id: tour.id }).first('seats_total')).seatsTotal;

describe('booking import for a sandbox tenant', () => {
  it.each(['', '--dry-run'])(
    'with --add-seats %s is refused, and the real seats of the departure stay',
    async (more) => {
      const seats = await givenSeats(api.db, { seats: 1 });
      const line = importOf(seats, sandbox, [3]);
      expect(await terminal.refusal(`${line} --add-seats ${more}`)).toBe('1 sandbox_tenant');
      expect(await seatsTotal(seats)).toBe(1);
      expect(await seatsTakenByKind(api.db, seats)).toEqual({ real: 0, sandbox: 0 });
    },
  );

  it('counts the seats of the sandbox alone, in its check, in its report and when it writes', async () => {
    const seats = await givenSeats(api.db, { seats: 4 });
    await terminal.json(importOf(seats, real, [3]));
    await terminal.json(importOf(seats, sandbox, [1]));
    const line = importOf(seats, sandbox, [2]);
    const departures = [{ seats_before: 1, imported: 1, seats_after: 3, seats_total: 4 }];
    expect(await terminal.json(`${line} --dry-run`)).toMatchObject({ created: 1, departures });
    expect(await terminal.json(line)).toMatchObject({ created: 1, departures });
    expect(await seatsTakenByKind(api.db, seats)).toEqual({ real: 3, sandbox: 3 });
    const { error } = await terminal.tourctl(`${importOf(seats, sandbox, [2])} --json`);
    expect(error.code).toBe('import_refused');
  });
});

describe('a row of booking import that lacks seats', () => {
  const messageOf = async (line: string): Promise<string> => {
    const { code, json } = await terminal.tourctl(`${line} --json`);
    expect([code, json.errors.length]).toEqual([1, 1]);
    return json.errors[0].message;
  };

  it('because of a resource is refused with --add-seats too, and names the resource in place of the flag', async () => {
    const seats = await givenSeats(api.db, { seats: 3 });
    const boat = await givenResource(api.db, { places: 4 });
    await givenUses(api.db, seats.tour, [{ resource: boat }]);
    const line = importOf(seats, real, [5]);
    expect(await messageOf(`${line} --add-seats`)).toBe(
      `lacks 1 of 5 seats: 4 are free, because of the resource ${boat}`,
    );
    expect(await seatsTotal(seats)).toBe(3);
    await api.db('departures').where({ tour_id: seats.tour.id }).update({ seats_total: 9 });
    expect(await messageOf(line)).toBe(`lacks 1 of 5 seats: 4 are free, because of the resource ${boat}`);
  });

  it('of its departure is told that --add-seats adds them', async () => {
    const seats = await givenSeats(api.db, { seats: 3 });
    expect(await messageOf(importOf(seats, real, [5]))).toBe(
      'lacks 2 of 5 seats: 3 are free; --add-seats adds them',
    );
  });
});
