import { findDeparturesWithHorizon } from '../../services/api/departures/departure-sales.repository';
import { useTestDatabase } from '../support/database';
import { givenDeparture, givenTour } from '../support/given';

const database = useTestDatabase();

describe('the validity of an availability count', () => {
  it.each([
    ['UTC', '2031-06-01', '2031-06-02T00:00:00.000Z'],
    // Clocks go back from 01:00 to midnight, so midnight comes twice. The date ends at the first midnight.
    ['Atlantic/Azores', '2031-10-25', '2031-10-26T00:00:00.000Z'],
    ['America/Havana', '2031-11-01', '2031-11-02T04:00:00.000Z'],
  ])(
    'an availability count in %s on %s is valid until the date ends in this time zone, at %s',
    async (timeZone, date, end) => {
      const { db } = database;
      const tour = await givenTour(db, { timeZone });
      // The closing time has passed; the end of the date has not.
      await givenDeparture(db, tour, { date, closesAt: '2020-01-01T00:00:00Z' });
      const { countedUntil, departures } = await findDeparturesWithHorizon(db, tour.id, date, false);
      expect(departures).toMatchObject([{ closed: true, past: false }]);
      expect(countedUntil!.toISOString()).toBe(end);
    },
  );
});
