import { addDepartures } from '../../services/api/departures/add-departures';
import { inTransaction } from '../../services/platform/database/database';
import { useTestDatabase } from '../support/database';
import { givenDeparture, givenTour } from '../support/given';

const database = useTestDatabase();

const DATES = [
  ['UTC', '2026-05-01'],
  ['Pacific/Kiritimati', '2026-05-01'],
  ['Pacific/Pago_Pago', '2026-05-01'],
  // Clocks go forward an hour. They skip the hour from 02:00 in the first zone, and the first hour of the date in the next zone.
  ['Europe/Berlin', '2026-03-29'],
  ['Africa/Cairo', '2026-04-24'],
  // Clocks show an hour twice: the hour from 02:00, the last hour of the date, and the first hour of the date.
  ['Europe/Berlin', '2026-10-25'],
  ['America/Asuncion', '2024-03-23'],
  ['Atlantic/Azores', '2026-10-25'],
  // Clocks go back by half an hour.
  ['Australia/Lord_Howe', '2026-04-05'],
  // The next date does not exist.
  ['Pacific/Apia', '2011-12-29'],
];
const TIMES = [null, '00:00', '00:15', '01:45', '02:30', '09:30', '23:45'];
const DEPARTURES = DATES.flatMap(([zone, date]) => TIMES.map((time) => [zone, date, time]));

describe('a departure', () => {
  it.each(DEPARTURES)(
    'a departure in %s on %s at %s is open before departure_closes_at, and never after',
    async (zone, date, time) => {
      const { rows } = await database.db.raw(
        `select departure_is_open('scheduled', :date, :time, null, null, :zone, closing) as at_closing,
         departure_is_open('scheduled', :date, :time, null, null, :zone, closing - interval '1 millisecond') as before,
         (select bool_or(departure_is_open('scheduled', :date, :time, null, null, :zone, later))
          from generate_series(closing, closing + interval '2 days', interval '15 minutes') as later) as later
       from departure_closes_at(:date, :time, null, null, :zone) as closing`,
        { zone, date, time } as Record<string, string>,
      );
      expect(rows[0]).toEqual({ before: true, atClosing: false, later: false });
    },
  );

  it.each([
    ['Europe/Berlin', '2026-10-25', '02:30', '2026-10-25T00:30:00.000Z'],
    ['America/Asuncion', '2024-03-23', '23:30', '2024-03-24T02:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05', '01:45', '2026-04-04T14:45:00.000Z'],
    ['Pacific/Kiritimati', '2026-05-01', '09:30', '2026-04-30T19:30:00.000Z'],
    ['Pacific/Pago_Pago', '2026-05-01', '09:30', '2026-05-01T20:30:00.000Z'],
  ])(
    'a departure in %s on %s at %s starts at %s, when clocks first show its time',
    async (zone, date, time, start) => {
      const { rows } = await database.db.raw(
        'select departure_closes_at(:date, :time, null, null, :zone) as start',
        {
          zone,
          date,
          time,
        },
      );
      expect(rows[0].start.toISOString()).toBe(start);
    },
  );
});

describe('the departures of one date', () => {
  const DATE = '2031-05-01';
  const expectRefused = (promise: Promise<unknown>) =>
    expect(promise).rejects.toMatchObject({ code: '23505' });

  it.each([
    ['the same time', '09:30', '09:30'],
    ['no time', '09:30', undefined],
    ['a time, where the other has none', undefined, '09:30'],
  ])('a second departure on a date is refused if it has %s', async (_, first, second) => {
    const tour = await givenTour(database.db);
    await givenDeparture(database.db, tour, { date: DATE, startTime: first });
    await expectRefused(givenDeparture(database.db, tour, { date: DATE, startTime: second }));
  });

  it('a start time of the tour is refused if two departures of a date would no longer have different times', async () => {
    const { db } = database;
    const tour = await givenTour(db);
    await db('tours').where({ id: tour.id }).update({ start_time: '08:00' });
    await givenDeparture(db, tour, { date: DATE });
    await givenDeparture(db, tour, { date: DATE, startTime: '09:30' });
    const setTime = (time: string | null) =>
      db('tours').where({ id: tour.id }).update({ start_time: time }).then();
    await expectRefused(setTime('09:30'));
    await expectRefused(setTime(null));
    await setTime('08:30');
  });

  it('one of two equal departures that are added at the same time is refused', async () => {
    const { db } = database;
    const tour = await givenTour(db);
    await db('tours').where({ id: tour.id }).update({ start_time: '08:00' });
    const outcomes = await Promise.allSettled([
      givenDeparture(db, tour, { date: DATE }),
      givenDeparture(db, tour, { date: DATE, startTime: '08:00' }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('a date may have only one departure while an instance of the previous release runs', async () => {
    const { db } = database;
    const tour = await givenTour(db);
    await givenDeparture(db, tour, { date: DATE, startTime: '09:30' });
    const add = () => givenDeparture(db, tour, { date: DATE, startTime: '14:30' });
    const instance = { id: '0190a0c0-0000-7000-8000-000000000000', seen_version: 1, poll: 1 };
    await db('api_instances').insert(instance);
    await expect(add()).rejects.toMatchObject({ constraint: 'departures_one_a_day_during_update' });
    const departures = [{ date: DATE, startTime: '16:00' }];
    const common = {
      returnDate: null,
      closesAt: null,
      closesBefore: null,
      seatsTotal: 5,
      prices: { adult: '500' },
    };
    const added = inTransaction(db, (trx) => addDepartures(trx, tour, { departures, ...common }));
    await expect(added).rejects.toMatchObject({ code: 'earlier_release_runs' });
    await db('api_instances')
      .where({ id: instance.id })
      .update({ polled_at: db.raw("now() - interval '2 minutes'") });
    await add();
  });
});
