import { useTestDatabase } from '../support/database';
import { daysFromToday, givenTenant } from '../support/given';
import {
  givenClosing,
  givenResource,
  type GivenTrip,
  givenTrip as givenTripIn,
  type GivenUse,
  givenUses,
  leftByResources,
} from '../support/given-resources';
import { holdRequest, placeHold } from '../support/sell';
import { inTransaction } from '../../services/platform/database/database';

const database = useTestDatabase();
const DATE = daysFromToday(40);

const givenTrip = (uses: GivenUse[], more: Parameters<typeof givenTripIn>[2] = {}) =>
  givenTripIn(database.db, uses, more);
const leftOn = (trip: GivenTrip, sandbox?: boolean) => leftByResources(database.db, trip, sandbox);

async function sell({ tour, date }: GivenTrip, quantity: number, sandbox = false) {
  const tenant = await givenTenant(database.db, { maxHoldShare: 100, sandbox });
  await inTransaction(database.db, (trx) =>
    placeHold(trx, tenant, {
      tour: tour.slug,
      ...holdRequest(date, { party: { party: { adult: quantity } } }),
    }),
  );
}

describe('seats that resources leave', () => {
  it('limits nothing for a departure without resources', async () => {
    expect(await leftOn(await givenTrip([]))).toBeNull();
  });

  it('counts the seats of all departures that share a trip', async () => {
    const boat = await givenResource(database.db, { places: 12 });
    const uses = [{ resource: boat, shared: true, minutes: 120 }];
    const reef = await givenTrip(uses, { startTime: '10:00' });
    const island = await givenTrip(uses, { startTime: '10:00' });
    await sell(reef, 5);
    expect([await leftOn(reef), await leftOn(island)]).toEqual([7, 7]);
  });

  it('takes the boat for one trip, if the departures do not share it', async () => {
    const boat = await givenResource(database.db, { places: 12 });
    const uses = [{ resource: boat, minutes: 120 }];
    const reef = await givenTrip(uses, { startTime: '10:00' });
    const island = await givenTrip(uses, { startTime: '11:59' });
    await sell(reef, 5);
    expect([await leftOn(reef), await leftOn(island)]).toEqual([7, 0]);
  });

  it('lets a trip begin when another one and its turnaround end', async () => {
    const boat = await givenResource(database.db, { places: 12, turnaround: 30 });
    const uses = [{ resource: boat, minutes: 90 }];
    const first = await givenTrip(uses, { startTime: '10:00' });
    const touching = await givenTrip(uses, { startTime: '12:00' });
    const early = await givenTrip(uses, { startTime: '11:59' });
    const before = await givenTrip(uses, { startTime: '08:00' });
    await sell(first, 1);
    expect(await Promise.all([touching, early, before].map((trip) => leftOn(trip)))).toEqual([12, 0, 12]);
  });

  it('has as many trips at once as the resource has units', async () => {
    const bus = await givenResource(database.db, { places: 20, units: 2 });
    const trip = (startTime: string, minutes: number) =>
      givenTrip([{ resource: bus, minutes }], { startTime });
    const [morning, noon, long] = [
      await trip('08:00', 120),
      await trip('10:00', 120),
      await trip('08:00', 240),
    ];
    const other = await trip('09:00', 60);
    await sell(morning, 1);
    await sell(noon, 1);
    // The two trips follow each other, so one unit is free all the time.
    expect(await leftOn(long)).toBe(20);
    await sell(long, 2);
    expect(await leftOn(other)).toBe(0);
  });

  it('counts closed units as absent', async () => {
    const bus = await givenResource(database.db, { places: 20, units: 2 });
    const trip = await givenTrip([{ resource: bus, minutes: 60 }], { startTime: '10:00' });
    await givenClosing(database.db, bus, { from: `${DATE}T10:59Z`, to: `${DATE}T12:00Z`, units: 1 });
    expect(await leftOn(trip)).toBe(20);
    await givenClosing(database.db, bus, { from: `${DATE}T08:00Z`, to: `${DATE}T11:00Z`, units: 1 });
    expect(await leftOn(trip)).toBe(0);
  });

  it('compares instants, not local times', async () => {
    const guide = await givenResource(database.db, { kind: 'guide' });
    const uses = [{ resource: guide, minutes: 60 }];
    const lisbon = await givenTrip(uses, { startTime: '10:00', timeZone: 'Europe/Lisbon' });
    const madrid = await givenTrip(uses, { startTime: '10:00', timeZone: 'Europe/Madrid' });
    const same = await givenTrip(uses, { startTime: '11:00', timeZone: 'Europe/Madrid' });
    await sell(lisbon, 1);
    expect([await leftOn(madrid), await leftOn(same)]).toEqual([null, 0]);
  });

  it('ends a trip without a duration at the end of its last day', async () => {
    const boat = await givenResource(database.db, { places: 8 });
    const cruise = await givenTrip([{ resource: boat }], { durationDays: 3 });
    const last = await givenTrip([{ resource: boat }], { date: daysFromToday(42) });
    const after = await givenTrip([{ resource: boat }], { date: daysFromToday(43) });
    await sell(cruise, 1);
    expect([await leftOn(last), await leftOn(after)]).toEqual([0, 8]);
  });

  it('counts sales of the sandbox among themselves', async () => {
    const boat = await givenResource(database.db, { places: 8 });
    const trip = await givenTrip([{ resource: boat }]);
    await sell(trip, 3, true);
    expect([await leftOn(trip), await leftOn(trip, true)]).toEqual([8, 5]);
  });

  it('frees the unit at the instant at which the hold expires, without a write', async () => {
    const boat = await givenResource(database.db, { places: 8 });
    const [first, second] = [await givenTrip([{ resource: boat }]), await givenTrip([{ resource: boat }])];
    await sell(first, 3);
    expect(await leftOn(second)).toBe(0);
    await database.db('seat_holds').where({ departure_id: first.id }).update({ expires_at: new Date() });
    expect(await leftOn(second)).toBe(8);
  });

  it('refuses a row of a hold that sells the boat twice, from any code path', async () => {
    const boat = await givenResource(database.db, { places: 8 });
    const [first, second] = [await givenTrip([{ resource: boat }]), await givenTrip([])];
    await sell(first, 3);
    await sell(second, 1);
    const late = database.db('seat_holds').where({ departure_id: second.id });
    await expect(givenUses(database.db, second.tour, [{ resource: boat }])).rejects.toThrow(
      'would be oversold',
    );
    await expect(late.clone().update({ departure_id: first.id, seats: 6 })).rejects.toThrow(
      'would be oversold',
    );
  });
});
