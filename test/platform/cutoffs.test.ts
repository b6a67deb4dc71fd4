import { cutoffOf, minutesOf, readCutoff } from '../../services/api/catalog/cutoff';
import { useTestDatabase } from '../support/database';

const database = useTestDatabase();

/** Returns the instant at which a departure closes, as ISO 8601. */
async function closing(
  { date, time = null, zone }: { date: string; time?: string | null; zone: string },
  { cutoff = null, closesAt = null }: { cutoff?: string | null; closesAt?: string | null },
): Promise<string> {
  const { rows } = await database.db.raw(
    'select departure_closes_at(?::date, ?, ?::timestamptz, ?, ?) as at',
    [date, time, closesAt, cutoff, zone] as string[],
  );
  return rows[0].at.toISOString();
}

describe('the form of a cut-off', () => {
  it.each([
    [0, '0m'],
    [90, '90m'],
    [120, '2h'],
    [1440, '1d'],
    [1500, '25h'],
    [525_600, '365d'],
  ])('%i minutes are written as %s, which a file accepts', (minutes, text) => {
    expect(cutoffOf(minutes)).toBe(text);
    expect(minutesOf(readCutoff(text)!)).toBe(minutes);
  });

  const AMOUNTS = [
    0, 1, 9, 59, 60, 90, 364, 365, 366, 8759, 8760, 8761, 525_599, 525_600, 525_601, 999_999, 1_000_000,
  ];
  const WRITTEN = AMOUNTS.flatMap((amount) =>
    ['m', 'h', 'd', 's', 'w', ''].map((unit) => `${amount}${unit}`),
  );
  const ODD = [
    '',
    'd',
    '-1d',
    '+1d',
    '1.5h',
    '1,5h',
    '01d',
    '00m',
    ' 1d',
    '1d ',
    '1D',
    '1 d',
    '1d\n',
    '1d2h',
    '٣d',
    '1e3m',
  ];

  it('the database and the files accept the same cut-offs', async () => {
    // A file may also have 0 alone, which is stored as 0m.
    const texts = [...WRITTEN, ...ODD].filter((text) => text !== '0');
    const { rows } = await database.db.raw<{ rows: { text: string; valid: boolean }[] }>(
      'select text, is_cutoff(text) as valid from unnest(?::text[]) as given (text)',
      [texts],
    );
    expect(rows).toHaveLength(texts.length);
    expect(rows.filter(({ text, valid }) => valid !== (readCutoff(text) === text))).toEqual([]);
    expect(rows.filter(({ valid }) => valid).length).toBeGreaterThan(20);
  });

  it('a cut-off of 0 alone is 0m, and the longest ones have 365 days', () => {
    expect(readCutoff('0')).toBe('0m');
    expect(['365d', '8760h', '525600m'].map((text) => minutesOf(readCutoff(text)!))).toEqual(
      Array(3).fill(525_600),
    );
    expect(['366d', '8761h', '525601m'].map(readCutoff)).toEqual(Array(3).fill(undefined));
  });
});

describe('the instant of a cut-off', () => {
  const LISBON = 'Europe/Lisbon';
  const KIRITIMATI = 'Pacific/Kiritimati';
  const SANTIAGO = 'America/Santiago';
  it.each([
    // Clocks go forward by an hour: a calendar day before the start, clocks show the start time; 24 hours before, an hour earlier.
    [LISBON, '2027-03-28', '09:30', '1d', '2027-03-27T09:30:00.000Z'],
    [LISBON, '2027-03-28', '09:30', '24h', '2027-03-27T08:30:00.000Z'],
    [LISBON, '2027-03-28', '09:30', '90m', '2027-03-28T07:00:00.000Z'],
    // Clocks skip 01:30: the departure closes half an hour after the change.
    [LISBON, '2027-03-29', '01:30', '1d', '2027-03-28T01:30:00.000Z'],
    // Clocks go back by an hour. They show 01:30 twice, and the first time counts.
    [LISBON, '2027-10-31', '09:30', '1d', '2027-10-30T08:30:00.000Z'],
    [LISBON, '2027-10-31', '09:30', '24h', '2027-10-30T09:30:00.000Z'],
    [LISBON, '2027-11-01', '01:30', '1d', '2027-10-31T00:30:00.000Z'],
    // Without a start time, a departure starts at 00:00 of its date.
    [KIRITIMATI, '2027-05-01', null, '3d', '2027-04-27T10:00:00.000Z'],
    [KIRITIMATI, '2027-05-01', null, '36h', '2027-04-28T22:00:00.000Z'],
    [KIRITIMATI, '2027-05-01', '09:30', '2h', '2027-04-30T17:30:00.000Z'],
    // Clocks skip the hour after midnight: 2027-09-05 begins at 01:00.
    [SANTIAGO, '2027-09-05', null, '1d', '2027-09-04T04:00:00.000Z'],
    [SANTIAGO, '2027-09-05', null, '24h', '2027-09-04T04:00:00.000Z'],
    [SANTIAGO, '2027-09-06', null, '1d', '2027-09-05T04:00:00.000Z'],
    [SANTIAGO, '2027-09-06', null, '24h', '2027-09-05T03:00:00.000Z'],
  ])(
    'a departure in %s on %s at %s with the cut-off %s closes at %s',
    async (zone, date, time, cutoff, at) => {
      expect(await closing({ zone, date, time }, { cutoff })).toBe(at);
    },
  );

  it.each([
    ['09:30', '2027-05-01T09:30:00.000Z'],
    [null, '2027-05-02T00:00:00.000Z'],
  ])('a departure at %s with the cut-off 0 closes at its start or the end of its date', async (time, at) => {
    for (const cutoff of [null, '0m', '0h', '0d'])
      expect(await closing({ zone: 'UTC', date: '2027-05-01', time }, { cutoff })).toBe(at);
  });

  it('the own closing time of a departure wins over a cut-off, and never lasts beyond the start', async () => {
    const departure = { zone: 'UTC', date: '2027-05-01', time: '09:30' };
    const early = { cutoff: '3d', closesAt: '2027-05-01T09:00:00Z' };
    expect(await closing(departure, early)).toBe('2027-05-01T09:00:00.000Z');
    expect(await closing(departure, { ...early, closesAt: '2027-06-01T00:00:00Z' })).toBe(
      '2027-05-01T09:30:00.000Z',
    );
  });

  it('a departure is open before the instant at which it closes, and never after', async () => {
    const { rows } = await database.db.raw(
      `select zone, date, time, cutoff
       from unnest(array['UTC', 'Europe/Lisbon', 'Pacific/Kiritimati', 'America/Santiago', 'Australia/Lord_Howe']) zone,
         unnest(array['2027-03-28', '2027-04-04', '2027-09-05', '2027-10-03', '2027-10-31', '2027-11-01']::date[]) date,
         unnest(array[null, '00:00', '01:30', '02:30', '09:30']) as time,
         unnest(array['0m', '90m', '1h', '24h', '36h', '1d', '3d', '365d']) cutoff,
         lateral (select departure_closes_at(date, time, null, cutoff, zone) as at) closing
       where not departure_is_open('scheduled', date, time, null, cutoff, zone, at - interval '1 ms')
         or departure_is_open('scheduled', date, time, null, cutoff, zone, at)
         or departure_is_open('scheduled', date, time, null, cutoff, zone, at + interval '1 hour')
         or at > departure_past_at(date, time, zone)`,
    );
    expect(rows).toEqual([]);
  });
});
