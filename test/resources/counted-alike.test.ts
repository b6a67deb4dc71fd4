import { findDeparturesWithHorizon } from '../../services/api/departures/departure-sales.repository';
import { findResourcesOfDepartures } from '../../services/api/resources/lock-resources';
import { readFactsWithoutLocks } from '../../services/api/seats/read/read-facts';
import { countedKey } from '../../services/api/seats/read/facts';
import { placeHold as holdChange } from '../../services/api/seats/changes/place-hold';
import { sellerWithoutKey } from '../../services/api/seats/seat-change';
import { inTransaction } from '../../services/platform/database/database';
import { useTestDatabase } from '../support/database';
import { daysFromToday, givenTenant } from '../support/given';
import {
  givenClosing,
  givenResource,
  type GivenTrip,
  givenTrip,
  leftByResources,
} from '../support/given-resources';
import { holdRequest, placeHold } from '../support/sell';
import { numbersFrom } from '../support/random-numbers';

const database = useTestDatabase();

describe('the trips in memory and in SQL', () => {
  it.each([1, 2, 3, 4, 5])(
    'both count the same seats of resources, for any sales (seed %i)',
    async (seed) => {
      const { db } = database;
      const random = numbersFrom(seed);
      const tenant = await givenTenant(db, { maxHoldShare: 100 });
      const boats = [
        await givenResource(db, { places: 12, units: 1 + random(3), turnaround: 15 * random(4) }),
        await givenResource(db, { units: 1 + random(2) }),
      ];
      const zones = ['UTC', 'Europe/Lisbon', 'America/New_York'];
      const trips: GivenTrip[] = [];
      for (let index = 0; index < 12; index++) {
        const uses = boats.slice(random(2)).map((resource) => ({
          resource,
          shared: random(2) === 0,
          minutes: 30 + 30 * random(5),
          before: `${random(3) * 15}m`,
        }));
        const startTime = `${10 + random(4)}:${random(2) === 0 ? '00' : '30'}`;
        trips.push(await givenTrip(db, uses, { startTime, timeZone: zones[random(3)] }));
      }
      const date = daysFromToday(40);
      await givenClosing(db, boats[0]!, { from: `${date}T11:00Z`, to: `${date}T12:10Z`, units: 1 });
      for (let round = 0; round < 12; round++) {
        const trip = trips[random(trips.length)]!;
        const sale = {
          tour: trip.tour.slug,
          ...holdRequest(trip.date, { party: { party: { adult: 1 + random(4) } } }),
        };
        await inTransaction(db, (trx) => placeHold(trx, tenant, sale)).catch(() => undefined);
      }
      const changes = trips.map(({ tour, date: day, id }) =>
        holdChange(sellerWithoutKey(tenant), tour, { departureId: id, times: [] }, holdRequest(day)),
      );
      const facts = await inTransaction(db, (trx) => readFactsWithoutLocks(trx, changes));
      const counted = trips.map(({ id }) => facts.trips.leftFor(id, false).seatsOfResources);
      expect(counted).toEqual(await Promise.all(trips.map((trip) => leftByResources(db, trip))));
      expect(trips.map(({ id }) => facts.departures.get(countedKey(id, false))!.seatsOfResources)).toEqual(
        counted,
      );
      expect(new Set(counted).size).toBeGreaterThan(2);
    },
  );

  it('the resources of departures are named once, in order', async () => {
    const boats = [await givenResource(database.db), await givenResource(database.db)];
    const trips = [
      await givenTrip(database.db, [{ resource: boats[0]! }]),
      await givenTrip(
        database.db,
        boats.map((resource) => ({ resource })),
      ),
    ];
    const ids = await findResourcesOfDepartures(
      database.db,
      trips.map(({ id }) => id),
    );
    const found = await database.db('resources').whereIn('code', boats).orderBy('id').pluck('id');
    expect(ids).toEqual(found);
  });
});

describe('the time until which a count of seats is valid', () => {
  it('a count ends when a hold of another departure on the same boat expires', async () => {
    const { db } = database;
    const boat = await givenResource(db, { places: 12 });
    const [reef, island] = [
      await givenTrip(db, [{ resource: boat }]),
      await givenTrip(db, [{ resource: boat }]),
    ];
    const tenant = await givenTenant(db, { maxHoldShare: 100 });
    const hold = await inTransaction(db, (trx) =>
      placeHold(trx, tenant, { tour: reef.tour.slug, ...holdRequest(reef.date) }),
    );
    const seats = await findDeparturesWithHorizon(db, island.tour.id, island.date, false);
    expect(seats.countedUntil).toEqual(hold.expiresAt);
    expect(seats.departures[0]).toMatchObject({ seatsOfResources: 0 });
  });
});
