import { localTimeIn } from '../../services/api/catalog/local-time';
import { useTestDatabase } from '../support/database';

const database = useTestDatabase();

describe('a local time with the offset of its zone', () => {
  it.each([
    ['Asia/Ho_Chi_Minh', '2027-03-06T12:00', '2027-03-06T12:00:00+07:00'],
    ['UTC', '2027-03-06T00:00', '2027-03-06T00:00:00+00:00'],
    ['Asia/Kathmandu', '2027-03-06T23:59', '2027-03-06T23:59:00+05:45'],
    ['Pacific/Kiritimati', '2027-03-06T00:00', '2027-03-06T00:00:00+14:00'],
    ['Pacific/Pago_Pago', '2027-03-06T23:59', '2027-03-06T23:59:00-11:00'],
  ])('in %s, the local time %s becomes %s', (zone, local, expected) => {
    const [date, time] = local.split('T') as [string, string];
    expect(localTimeIn(zone)(date, `${time}:00`)).toBe(expected);
  });

  it.each([
    [
      'America/New_York',
      '2027-11-07',
      ['00:59', '-04:00'],
      ['01:00', '-04:00'],
      ['01:59', '-04:00'],
      ['02:00', '-05:00'],
    ],
    [
      'Europe/Berlin',
      '2027-10-31',
      ['01:59', '+02:00'],
      ['02:00', '+02:00'],
      ['02:59', '+02:00'],
      ['03:00', '+01:00'],
    ],
    [
      'Australia/Lord_Howe',
      '2027-04-04',
      ['01:29', '+11:00'],
      ['01:30', '+11:00'],
      ['01:59', '+11:00'],
      ['02:00', '+10:30'],
    ],
    [
      'America/Santiago',
      '2027-04-03',
      ['22:59', '-03:00'],
      ['23:00', '-03:00'],
      ['23:59', '-03:00'],
      ['00:00', '-03:00'],
    ],
    [
      'Africa/Casablanca',
      '2024-03-10',
      ['01:59', '+01:00'],
      ['02:00', '+01:00'],
      ['02:59', '+01:00'],
      ['03:00', '+00:00'],
    ],
  ])(
    'in %s on %s, a local time that clocks show twice means its first occurrence',
    (zone, date, ...times) => {
      const toLocalTime = localTimeIn(zone);
      for (const [time, offset] of times)
        expect(toLocalTime(date, `${time}:00`)).toBe(`${date}T${time}:00${offset}`);
    },
  );

  const SKIPPED: [string, string, string][] = [
    ['America/New_York', '2027-03-14T01:59', '2027-03-14T01:59:00-05:00'],
    ['America/New_York', '2027-03-14T02:00', '2027-03-14T03:00:00-04:00'],
    ['America/New_York', '2027-03-14T02:30', '2027-03-14T03:30:00-04:00'],
    ['America/New_York', '2027-03-14T03:00', '2027-03-14T03:00:00-04:00'],
    ['Europe/Berlin', '2027-03-28T01:59', '2027-03-28T01:59:00+01:00'],
    ['Europe/Berlin', '2027-03-28T02:30', '2027-03-28T03:30:00+02:00'],
    ['Europe/Berlin', '2027-03-28T03:00', '2027-03-28T03:00:00+02:00'],
    ['Australia/Lord_Howe', '2027-10-03T02:10', '2027-10-03T02:40:00+11:00'],
    ['Australia/Lord_Howe', '2027-10-03T02:30', '2027-10-03T02:30:00+11:00'],
    ['America/Santiago', '2027-09-05T00:00', '2027-09-05T01:00:00-03:00'],
    ['America/Santiago', '2027-09-04T23:59', '2027-09-04T23:59:00-04:00'],
    ['Africa/Casablanca', '2024-04-14T02:30', '2024-04-14T03:30:00+01:00'],
    ['America/Nuuk', '2027-03-27T23:30', '2027-03-28T00:30:00-01:00'],
    ['Pacific/Apia', '2011-12-29T23:59', '2011-12-29T23:59:00-10:00'],
    ['Pacific/Apia', '2011-12-30T12:00', '2011-12-31T12:00:00+14:00'],
    ['Pacific/Apia', '2011-12-31T00:00', '2011-12-31T00:00:00+14:00'],
  ];

  it.each(SKIPPED)('in %s, where the clock goes forward, %s becomes %s', (zone, local, expected) => {
    const [date, time] = local.split('T') as [string, string];
    expect(localTimeIn(zone)(date, `${time}:00`)).toBe(expected);
  });

  it('a local time with the offset of its zone agrees with PostgreSQL on local times that the clock skips', async () => {
    const { rows } = await database.db.raw<{ rows: { at: Date }[] }>(
      `select local::timestamp at time zone zone as at
       from json_to_recordset(:times::json) as t (n integer, zone text, local text) order by n`,
      { times: JSON.stringify(SKIPPED.map(([zone, local], n) => ({ n, zone, local }))) },
    );
    expect(rows.map(({ at }) => at.getTime())).toEqual(SKIPPED.map(([, , expected]) => Date.parse(expected)));
  });
});
