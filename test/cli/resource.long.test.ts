import { insertHold } from '../catalog/catalog-rows';
import { daysFromToday, givenTenant, unique } from '../support/given';
import { givenTrip, type GivenUse } from '../support/given-resources';
import { sellSeats } from './resource-sales';
import { runOnce } from './run-once';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();
const DATE = daysFromToday(40);
const lastAudit = async () => (await terminal.json('audit list --limit 1')).items[0];

/** Adds a resource by the terminal. @returns its code */
async function addBoat(flags = ''): Promise<string> {
  const code = unique('boat');
  await terminal.json(`resource add ${code} --name Boat ${flags}`);
  return code;
}

/** A departure in 40 days at a time, which uses the boat for two hours. */
const trip = (boat: string, startTime: string, use: Partial<GivenUse> = {}) =>
  givenTrip(terminal.db, [{ resource: boat, minutes: 120, ...use }], { startTime, date: DATE });

const errorOf = async (line: string) => (await terminal.tourctl(`${line} --json`)).error;

describe('tourctl resource', () => {
  it('tourctl resource add adds a resource with its values, and refuses its code a second time', async () => {
    const code = unique('maria');
    const added = await terminal.json(
      `resource add ${code} --name Maria --kind guide --units 2 --turnaround 30m --time-zone Europe/Lisbon --email maria@sea.example`,
    );
    expect(added).toEqual({
      code,
      name: 'Maria',
      kind: 'guide',
      places: null,
      units: 2,
      turnaround: '30m',
      time_zone: 'Europe/Lisbon',
      phone: null,
      email: 'maria@sea.example',
      created_at: expect.any(String),
    });
    expect(await lastAudit()).toMatchObject({ action: 'resource.add', subject: code, after: { units: 2 } });
    expect(await terminal.refusal(`resource add ${code} --name Maria`)).toBe('1 resource_exists');
    expect((await terminal.json(`resource list --kind guide`)).items).toEqual([added]);
  });

  it('tourctl resource refuses an unknown zone, an unknown code and a change of nothing', async () => {
    expect(await terminal.refusal('resource add x1 --name X --time-zone Mars/Base')).toBe('2 usage_error');
    expect(await terminal.refusal('resource add x1')).toBe('2 usage_error');
    const boat = await addBoat();
    expect(await terminal.refusal(`resource set ${boat}`)).toBe('2 usage_error');
    const { code, message } = await errorOf(`resource set ${boat}x --places 3`);
    expect([code, message]).toEqual(['resource_not_found', expect.stringContaining(boat)]);
  });

  it('tourctl resource set refuses fewer places than a trip has sold, and names the trip', async () => {
    const boat = await addBoat('--places 12');
    const reef = await trip(boat, '10:00');
    const ref = await sellSeats(terminal.db, reef, 7);
    expect(await errorOf(`resource set ${boat} --places 6`)).toMatchObject({
      code: 'resource_busy',
      trips: [
        {
          tour: reef.tour.slug,
          departure_date: DATE,
          departure_time: '10:00',
          from: `${DATE}T10:00:00.000Z`,
          to: `${DATE}T12:00:00.000Z`,
          seats: 7,
          booking_refs: [ref],
          bookings_total: 1,
        },
      ],
    });
    expect(await terminal.json(`resource set ${boat} --places 7`)).toMatchObject({ places: 7 });
    expect(await lastAudit()).toMatchObject({ before: { places: 12 }, after: { places: 7 } });
  });

  it('tourctl resource set refuses fewer units and a longer turnaround than the sold trips leave', async () => {
    const buses = await addBoat('--units 2');
    await sellSeats(terminal.db, await trip(buses, '10:00'), 1);
    await sellSeats(terminal.db, await trip(buses, '11:00'), 1);
    expect(await terminal.refusal(`resource set ${buses} --units 1`)).toBe('1 resource_busy');
    const boat = await addBoat();
    await sellSeats(terminal.db, await trip(boat, '10:00'), 1);
    await sellSeats(terminal.db, await trip(boat, '12:30'), 1);
    expect(await terminal.refusal(`resource set ${boat} --turnaround 31m`)).toBe('1 resource_busy');
    expect(await terminal.json(`resource set ${boat} --turnaround 30m`)).toMatchObject({ turnaround: '30m' });
    const weekly = await addBoat('--turnaround 2880');
    expect(await terminal.json(`resource show ${weekly}`)).toMatchObject({ turnaround: '2d' });
  });

  it('a refused change of a resource says how to free it: bookings move, holds are released or expire', async () => {
    const boat = await addBoat();
    const held = await trip(boat, '10:00');
    await insertHold(terminal.db, (await givenTenant(terminal.db)).id, held.id, 2);
    await sellSeats(terminal.db, await trip(boat, '12:00'), 1);
    const messageOf = async (turnaround: string) =>
      (await errorOf(`resource set ${boat} --turnaround ${turnaround}`)).message;
    expect(await messageOf('1m')).toMatch(
      /and 1 more\. Move or cancel these bookings, and release the holds, first\.$/,
    );
    await terminal.db('booking_leads').where({ status: 'confirmed' }).update({ status: 'cancelled' });
    await insertHold(terminal.db, (await givenTenant(terminal.db)).id, (await trip(boat, '12:30')).id, 2);
    expect(await messageOf('31m')).toMatch(
      /and 1 more\. These are holds: release them first, or wait until they expire\.$/,
    );
  });

  it('tourctl resource close closes local days, lists what is sold there, and leaves no seat for more', async () => {
    const boat = await addBoat('--places 12 --time-zone Asia/Ho_Chi_Minh');
    const reef = await trip(boat, '10:00');
    const ref = await sellSeats(terminal.db, reef, 2);
    const { tour } = reef;
    const seats = async () => (await terminal.json(`departure list ${tour.slug}`)).items[0].seats_available;
    expect(await seats()).toBe(10);
    const { revision } = await terminal.db('tours').where({ id: tour.id }).first('revision');
    const closed = await terminal.json(
      ['resource', 'close', boat, '--from', DATE, '--to', DATE, '--reason', 'Engine'].join(' '),
    );
    expect(closed).toMatchObject({
      code: boat,
      from: `${daysFromToday(39)}T17:00:00.000Z`,
      to: `${DATE}T17:00:00.000Z`,
      units: null,
      trips: [{ tour: tour.slug, seats: 2, booking_refs: [ref] }],
    });
    expect(await seats()).toBe(0);
    // The revision drops the cached availability of all instances.
    expect((await terminal.db('tours').where({ id: tour.id }).first('revision')).revision).toBe(revision + 1);
    await terminal.json(`resource reopen ${boat} --from ${DATE} --to ${DATE}`);
    expect(await seats()).toBe(10);
    expect(await lastAudit()).toMatchObject({ action: 'resource.reopen', subject: boat });
  });

  it('tourctl resource reopen keeps what a closing closes before and after the time', async () => {
    const boat = await addBoat();
    await terminal.json(`resource close ${boat} --from 2031-05-01 --to 2031-05-10 --reason Dock`);
    expect(
      (await terminal.json(`resource reopen ${boat} --from 2031-05-03 --to 2031-05-04`)).closings,
    ).toMatchObject([
      { from: '2031-05-01T00:00:00.000Z', to: '2031-05-03T00:00:00.000Z', reason: 'Dock' },
      { from: '2031-05-05T00:00:00.000Z', to: '2031-05-11T00:00:00.000Z', reason: 'Dock' },
    ]);
    expect(
      await terminal.refusal(`resource close ${boat} --from 2031-05-02 --to 2031-05-01 --reason Dock`),
    ).toBe('2 time_ends_before_start');
  });

  it('tourctl resource remove is refused while a tour uses the resource, and asks first', async () => {
    const boat = await addBoat();
    const { tour } = await trip(boat, '10:00');
    expect(await terminal.refusal(`resource remove ${boat}`)).toBe('2 usage_error');
    expect(await errorOf(`resource remove ${boat} --yes`)).toMatchObject({
      code: 'resource_used',
      message: expect.stringContaining(tour.slug),
    });
    await terminal.db('tours').where({ id: tour.id }).update({ uses: null });
    await terminal.json(`resource remove ${boat} --yes`);
    expect(await terminal.refusal(`resource show ${boat}`)).toBe('1 resource_not_found');
  });

  it('tourctl resource show draws the day of each unit with its trips, their seats, and the closings', async () => {
    const bus = await addBoat('--places 12 --units 2 --turnaround 1h');
    const reef = await trip(bus, '08:00', { shared: true });
    const island = await trip(bus, '08:00', { shared: true });
    await sellSeats(terminal.db, reef, 3);
    await sellSeats(terminal.db, island, 4);
    await sellSeats(terminal.db, await trip(bus, '09:00'), 1);
    await terminal.json(
      `resource close ${bus} --from ${DATE}T20:00Z --to ${DATE}T22:00Z --units 1 --reason Service`,
    );
    const { code, days } = await terminal.json(`resource show ${bus} --from ${DATE} --to ${DATE}`);
    expect([code, days]).toMatchObject([
      bus,
      [
        {
          date: DATE,
          units: [
            {
              trips: [
                {
                  from: `${DATE}T08:00:00.000Z`,
                  to: `${DATE}T10:00:00.000Z`,
                  free_at: `${DATE}T11:00:00.000Z`,
                  seats: 7,
                  seats_left: 5,
                },
              ],
              closings: [{ reason: 'Service' }],
            },
            { trips: [{ from: `${DATE}T09:00:00.000Z`, seats: 1, seats_left: 11 }], closings: [] },
          ],
        },
      ],
    ]);
    const { stdout } = await terminal.tourctl(`resource show ${bus} --from ${DATE} --to ${DATE}`);
    const lines = stdout.split('\n');
    expect(lines).toContain(
      `    ${Array.from({ length: 24 }, (_, n) => `${String(n).padStart(2, '0')}  `).join('')}`.trimEnd(),
    );
    expect(lines).toContain(`1   ${'.'.repeat(32)}7+5=====----${'.'.repeat(36)}########${'.'.repeat(8)}`);
    expect(lines).toContain(`2   ${'.'.repeat(36)}1+11====----${'.'.repeat(48)}`);
    expect(stdout).toContain('= trip (7+5: 7 seats sold, 5 left)  - turnaround  # closed  times in UTC');
    expect(stdout).toMatch(new RegExp(`1 +08:00 +10:00 +${reef.tour.slug} +3 +5`));
  });
});

describe('the days of tourctl resource show', () => {
  it('--to without --from shows the days from today on, and refuses a day before today', async () => {
    const boat = await addBoat();
    const daysOf = async (flags: string) =>
      (await terminal.json(`resource show ${boat} ${flags}`)).days.map(({ date }: { date: string }) => date);
    const [today, , last] = (await daysOf('')) as string[];
    expect(await daysOf(`--to ${last}`)).toHaveLength(3);
    expect((await daysOf(`--to ${today}`))[0]).toBe(today);
    expect(await terminal.refusal(`resource show ${boat} --to 2026-01-01`)).toBe('2 usage_error');
  });
});

describe('departures with resources', () => {
  it('tourctl departure list names the uses of a departure and the sale that blocks it, and --guide lists a roster', async () => {
    const [boat, guide] = [await addBoat(), await addBoat('--kind guide')];
    const reef = await trip(boat, '10:00');
    const island = await givenTrip(
      terminal.db,
      [
        { resource: boat, minutes: 60 },
        { resource: guide, minutes: 60 },
      ],
      { startTime: '11:00', date: DATE },
    );
    const ref = await sellSeats(terminal.db, reef, 2);
    const [item] = (await terminal.json(`departure list ${island.tour.slug}`)).items;
    expect(item).toMatchObject({
      status: 'sold_out',
      uses: [{ resource: boat }, { resource: guide }],
      blocked_by: [
        {
          resource: boat,
          tour: reef.tour.slug,
          departure_date: DATE,
          departure_time: '10:00',
          booking_ref: ref,
        },
      ],
    });
    const screen = { columns: 100, colors: false };
    const { stdout } = await runOnce(`departure list ${island.tour.slug}`, { env: terminal.env, screen });
    expect(stdout).toContain('BLOCKED BY');
    expect(stdout).toContain(`${boat}: 10:00 `);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    const roster = (await terminal.json(`departure list --guide ${guide} --from ${DATE} --to ${DATE}`)).items;
    expect(roster.map(({ tour }: { tour: string }) => tour)).toEqual([island.tour.slug]);
    expect(await terminal.refusal('departure list --guide no-one')).toBe('1 resource_not_found');
  });

  it('tourctl departure manifest begins with the guide and the vehicle, and --resource prints the departures of a trip', async () => {
    const [boat, guide] = [await addBoat(), await addBoat('--kind guide --phone +4912345678')];
    const shared = { minutes: 60, shared: true };
    const uses = [
      { resource: boat, ...shared },
      { resource: guide, ...shared },
    ];
    const reef = await givenTrip(terminal.db, uses, { startTime: '10:00', date: DATE });
    const island = await trip(boat, '10:00', { shared: true });
    const late = await trip(boat, '15:00');
    await sellSeats(terminal.db, late, 1);
    await sellSeats(terminal.db, reef, 2);
    await sellSeats(terminal.db, island, 3);
    const { stdout } = await terminal.tourctl(`departure manifest ${reef.tour.slug} ${DATE}`);
    expect(stdout.split('\n').slice(1, 4)).toEqual([
      'Guide: Boat, +4912345678',
      'Vehicle: Boat',
      '2 people, 1 booking',
    ]);
    const together = await terminal.json(`departure manifest --resource ${boat} ${DATE}T10:00`);
    expect(together).toMatchObject({ resource: boat, departure_date: DATE, start_time: '10:00', people: 5 });
    expect(together.departures.map(({ tour }: { tour: string }) => tour).sort()).toEqual(
      [reef.tour.slug, island.tour.slug].sort(),
    );
    expect(await terminal.refusal(`departure manifest --resource ${boat} ${DATE}`)).toBe('2 usage_error');
    expect(await terminal.refusal(`departure manifest --resource ${boat} 2031-01-01`)).toBe(
      '1 trip_not_found',
    );
  });

  it('tourctl departure manifest --resource takes the only trip with a sale, and --tour names one of several at the same local time', async () => {
    const boat = await addBoat();
    const uses = [{ resource: boat, minutes: 60 }];
    const morning = { startTime: '09:00', date: DATE };
    const tokyo = await givenTrip(terminal.db, uses, { ...morning, timeZone: 'Asia/Tokyo' });
    const kuwait = await givenTrip(terminal.db, uses, { ...morning, timeZone: 'Asia/Kuwait' });
    const line = `departure manifest --resource ${boat} ${DATE}`;
    const toursOf = async (flags = '') =>
      (await terminal.json(`${line}${flags}`)).departures.map(({ tour }: { tour: string }) => tour);
    expect(await terminal.refusal(line)).toBe('2 usage_error');
    await sellSeats(terminal.db, tokyo, 2);
    expect(await toursOf()).toEqual([tokyo.tour.slug]);
    expect(await toursOf('T09:00')).toEqual([tokyo.tour.slug]);
    expect(await toursOf(` --tour ${kuwait.tour.slug}`)).toEqual([kuwait.tour.slug]);
    await sellSeats(terminal.db, kuwait, 3);
    const { message } = await errorOf(`${line}T09:00`);
    expect(message).toContain(`name one by its tour, such as --tour ${tokyo.tour.slug}. They are at 09:00`);
    expect(await toursOf(` --tour ${kuwait.tour.slug}`)).toEqual([kuwait.tour.slug]);
    expect(await terminal.refusal(`${line} --tour ${(await trip(await addBoat(), '09:00')).tour.slug}`)).toBe(
      '1 trip_not_found',
    );
    expect(await terminal.refusal(`departure manifest ${kuwait.tour.slug} ${DATE} --tour x`)).toBe(
      '2 usage_error',
    );
  });
});
