import { givenDeparture, givenTour, todayIn } from '../support/given';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();
const PRICE = '--seats 12 --adult 25';

const departure = (line: string) => terminal.tourctl(`departure ${line} --json`);
const lastAudit = async () => (await terminal.json('audit list --limit 1')).items[0];

interface ListedStart {
  departure_date: string;
  start_time: string | null;
}

async function startsOf(slug: string): Promise<string[]> {
  const { items } = await terminal.json(`departure list ${slug} --from 2020-01-01 --limit 1000`);
  return items.map(({ departure_date: date, start_time: time }: ListedStart) => `${date} ${time ?? '-'}`);
}

describe('tourctl departure add', () => {
  it('tourctl departure add adds several dates at several times at once, with one audit row', async () => {
    const { slug } = await givenTour(terminal.db);
    const line = `add ${slug} 2031-05-02 2031-05-01 --start-time 14:30,09:30 ${PRICE}`;
    const { code, json } = await departure(`${line} --yes`);
    expect([code, json.created, json.existing]).toEqual([0, 4, 0]);
    expect(await startsOf(slug)).toEqual([
      '2031-05-01 09:30',
      '2031-05-01 14:30',
      '2031-05-02 09:30',
      '2031-05-02 14:30',
    ]);
    expect(await lastAudit()).toMatchObject({
      action: 'departure.add',
      subject: `${slug} 2031-05-01 to 2031-05-02`,
      after: { created: 4, seats_total: 12, prices: { adult: 25 } },
    });
  });

  it('tourctl departure add accepts a date with a time, and leaves an existing departure unchanged', async () => {
    const { slug } = await givenTour(terminal.db);
    await departure(`add ${slug} 2031-05-01T09:30 ${PRICE}`);
    const { json } = await departure(`add ${slug} 2031-05-01T09:30 2031-05-01T14:30 --seats 3 --adult 30`);
    expect([json.created, json.existing]).toEqual([1, 1]);
    expect(json.departures).toMatchObject([
      { start_time: '09:30', seats_total: 12, prices: { adult: 25 } },
      { start_time: '14:30', seats_total: 3, prices: { adult: 30 } },
    ]);
    const again = await terminal.tourctl(`departure add ${slug} 2031-05-01T09:30 ${PRICE}`);
    expect(again.stdout).toBe(
      `${slug} on 2031-05-01 09:30 exists already, and stays as it is: departure set-seats, set-price and reopen change it\n`,
    );
  });

  it.each(['--dry-run', '--yes'])(
    'tourctl departure add refuses a schedule with more decimals in its price than the currency has, with %s',
    async (flag) => {
      const { slug } = await givenTour(terminal.db);
      const dates = '--every daily --from 2031-05-01 --to 2031-05-02';
      const { code, error } = await departure(`schedule ${slug} ${dates} --seats 12 --adult 25.123 ${flag}`);
      expect([code, error.code]).toEqual([1, 'invalid_amount']);
      expect(await startsOf(slug)).toEqual([]);
    },
  );

  it('tourctl departure add adds no departure if one of several is refused', async () => {
    const tour = await givenTour(terminal.db);
    await givenDeparture(terminal.db, tour, { date: '2031-05-02' });
    const refused = await departure(`add ${tour.slug} 2031-05-01T09:30 2031-05-02T09:30 ${PRICE} --yes`);
    expect([refused.code, refused.error]).toEqual([
      1,
      {
        code: 'departure_has_no_time',
        message:
          `the departure of ${tour.slug} on 2031-05-02 has no start time: ` +
          'departure set-time gives it one, then others can be added',
      },
    ]);
    expect(await startsOf(tour.slug)).toEqual(['2031-05-02 -']);
  });

  it('tourctl departure add refuses a departure without a time on a date whose departure has a time', async () => {
    const tour = await givenTour(terminal.db);
    await givenDeparture(terminal.db, tour, { date: '2031-05-01', startTime: '09:30' });
    const { code, error } = await departure(`add ${tour.slug} 2031-05-01 ${PRICE}`);
    expect([code, error.code]).toEqual([1, 'departure_has_no_time']);
  });

  it("tourctl departure add finds a departure without its own time by the tour's start time", async () => {
    const tour = await givenTour(terminal.db);
    await terminal.db('tours').where({ id: tour.id }).update({ start_time: '09:30' });
    await givenDeparture(terminal.db, tour, { date: '2031-05-01' });
    const same = await departure(`add ${tour.slug} 2031-05-01T09:30 ${PRICE}`);
    expect([same.json.created, same.json.existing]).toEqual([0, 1]);
    const later = await departure(`add ${tour.slug} 2031-05-01T14:30 ${PRICE}`);
    expect([later.json.created, later.json.existing]).toEqual([1, 0]);
  });

  it('tourctl departure add asks before it adds several departures, but adds one without a question', async () => {
    const { slug } = await givenTour(terminal.db);
    const several = await departure(`add ${slug} 2031-05-01 2031-05-02 ${PRICE}`);
    expect([several.code, several.error.message]).toEqual([
      2,
      `No terminal to ask on: add --yes if you agree: Add 2 departures to ${slug}, each with 12 seats, adult 25.00 EUR?`,
    ]);
    expect(await startsOf(slug)).toEqual([]);
    expect((await departure(`add ${slug} 2031-05-01 ${PRICE}`)).code).toBe(0);
  });

  it.each([
    ['2031-05-01T09:30 --start-time 14:30', '--start-time is for dates without a time'],
    ['2031-05-01 2031-05-02 --return-date 2031-05-03', '--return-date is for one <date>'],
    ['2031-05-01 --start-time 9:30', '--start-time must be a time of the day such as 09:30'],
    [
      '2031-05-01T9:30',
      '<date> must be a date such as 2027-05-01, or a date and time such as 2027-05-01T09:30',
    ],
  ])('tourctl departure add refuses "%s" as a wrong command line', async (words, message) => {
    const { code, error } = await departure(`add alps ${words} ${PRICE}`);
    expect([code, error.message]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('tourctl departure schedule', () => {
  const MAY = '--from 2031-05-01 --to 2031-05-31';

  it('tourctl departure schedule adds every date of a rule at every start time, and leaves one audit row with the rule', async () => {
    const { slug } = await givenTour(terminal.db);
    const rule = `--every sat,sun ${MAY} --start-time 09:30,14:30 --except 2031-05-25`;
    const { code, json } = await departure(`schedule ${slug} ${rule} ${PRICE} --yes`);
    expect([code, json.created, json.existing, json.departures.length]).toEqual([0, 16, 0, 16]);
    const starts = await startsOf(slug);
    expect(starts.slice(0, 3)).toEqual(['2031-05-03 09:30', '2031-05-03 14:30', '2031-05-04 09:30']);
    expect(starts.at(-1)).toBe('2031-05-31 14:30');
    expect(starts).not.toContain('2031-05-25 09:30');
    const rows = (await terminal.json('audit list --limit 100')).items;
    const own = rows.filter(({ subject }: { subject: string }) => subject.startsWith(slug));
    expect(own).toMatchObject([
      {
        action: 'departure.schedule',
        subject: `${slug} 2031-05-03 to 2031-05-31`,
        before: null,
        after: {
          every: 'sat,sun',
          from: '2031-05-01',
          to: '2031-05-31',
          except: ['2031-05-25'],
          start_times: ['09:30', '14:30'],
          created: 16,
          seats_total: 12,
          prices: { adult: 25 },
        },
      },
    ]);
  });

  it('tourctl departure schedule with a later end adds the new dates, and leaves existing departures unchanged', async () => {
    const { slug } = await givenTour(terminal.db);
    const line = `schedule ${slug} --every sat --from 2031-05-01 ${PRICE} --yes`;
    await departure(`${line} --to 2031-05-17`);
    await departure(`cancel ${slug} 2031-05-03 --yes`);
    await departure(`set-seats ${slug} 2031-05-10 40`);
    const { json } = await departure(`${line} --to 2031-05-31`);
    expect([json.created, json.existing]).toEqual([2, 3]);
    expect(await lastAudit()).toMatchObject({ subject: `${slug} 2031-05-24 to 2031-05-31` });
    expect(json.departures).toMatchObject([
      { departure_date: '2031-05-03', status: 'cancelled' },
      { departure_date: '2031-05-10', seats_total: 40 },
      { departure_date: '2031-05-17' },
      { departure_date: '2031-05-24' },
      { departure_date: '2031-05-31' },
    ]);
  });

  it('tourctl departure schedule writes neither a departure nor an audit row if all departures exist', async () => {
    const { slug, id } = await givenTour(terminal.db);
    const line = `departure schedule ${slug} --every sat ${MAY} ${PRICE} --yes`;
    await terminal.tourctl(line);
    const revision = () => terminal.db('tours').where({ id }).first('revision');
    const [before, audit] = [await revision(), await lastAudit()];
    const again = await terminal.tourctl(line);
    expect([again.code, again.stdout]).toEqual([
      0,
      'All 5 exist already, and stay as they are: departure set-seats, set-price and reopen change them\n',
    ]);
    expect([await revision(), await lastAudit()]).toEqual([before, audit]);
  });

  it('tourctl departure schedule shows the dates by month and writes nothing with --dry-run', async () => {
    const tour = await givenTour(terminal.db);
    await givenDeparture(terminal.db, tour, { date: '2031-05-10', startTime: '09:30' });
    const line = `schedule ${tour.slug} --every sat ${MAY} --start-time 09:30,14:30 ${PRICE} --dry-run`;
    const shown = await terminal.tourctl(`departure ${line}`);
    expect(shown.code).toBe(0);
    expect(shown.stdout.replaceAll('\u00a0', ' ')).toBe(
      [
        'To add: 9 departures',
        '  at 09:30, 14:30:',
        '  2031-05  Sat 3, Sat 17, Sat 24, Sat 31',
        '  at 14:30:',
        '  2031-05  Sat 10',
        'Exists already, and stays as it is: 1 departure',
        '  at 09:30:',
        '  2031-05  Sat 10',
        '',
      ].join('\n'),
    );
    expect(shown.stderr).toBe('Nothing was written: this was a dry run\n');
    const { json } = await departure(line);
    expect(json).toMatchObject({ dry_run: true, created: 9, existing: 1 });
    expect(json.departures.slice(2, 4)).toEqual([
      { tour: tour.slug, departure_date: '2031-05-10', start_time: '09:30', exists: true },
      { tour: tour.slug, departure_date: '2031-05-10', start_time: '14:30', exists: false },
    ]);
    expect(await startsOf(tour.slug)).toEqual(['2031-05-10 09:30']);
  });

  it('tourctl departure schedule expands a recurrence rule', async () => {
    const { slug } = await givenTour(terminal.db);
    const rule = 'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SA';
    await departure(`schedule ${slug} --every ${rule} ${MAY} ${PRICE} --yes`);
    expect(await startsOf(slug)).toEqual(['2031-05-03 -', '2031-05-17 -', '2031-05-31 -']);
  });

  it('tourctl departure schedule refuses a start time that the clocks of the tour skip, with the reason, and adds no departure', async () => {
    const { slug } = await givenTour(terminal.db, { timeZone: 'Europe/Rome' });
    const dates = '--every daily --from 2031-03-29 --to 2031-03-31 --start-time 02:30';
    const { code, error } = await departure(`schedule ${slug} ${dates} ${PRICE} --yes`);
    expect([code, error]).toEqual([
      1,
      {
        code: 'start_time_skipped',
        message: 'clocks in Europe/Rome do not show 02:30 on 2031-03-30: they are put forward over it',
      },
    ]);
    expect(await startsOf(slug)).toEqual([]);
    const without = await departure(`schedule ${slug} ${dates} --except 2031-03-30 ${PRICE} --yes`);
    expect(without.json.created).toBe(2);
  });

  it('tourctl departure schedule accepts a start time that clocks show twice', async () => {
    const { slug } = await givenTour(terminal.db, { timeZone: 'Europe/Rome' });
    expect((await departure(`add ${slug} 2031-10-26T02:30 ${PRICE}`)).code).toBe(0);
  });

  it('tourctl departure schedule warns of dates in the past, which nobody can book', async () => {
    const { slug } = await givenTour(terminal.db);
    const line = `departure schedule ${slug} --every sat --from 2020-05-01 --to 2020-05-31 ${PRICE} --yes`;
    const { code, stderr } = await terminal.tourctl(line);
    expect([code, stderr.split('\n').slice(-3)]).toEqual([
      0,
      [
        '5 of those to add are in the past and cannot be booked',
        'warning: 5 new departures are in the past and cannot be booked: from 2020-05-02 on',
        '',
      ],
    ]);
  });

  it('tourctl departure schedule adds each departure once when two commands run at the same time', async () => {
    const { slug } = await givenTour(terminal.db);
    const line = `schedule ${slug} --every daily ${MAY} ${PRICE} --yes`;
    const both = await Promise.all([departure(line), departure(line)]);
    expect(both.map(({ json }) => json.created).sort()).toEqual([0, 31]);
    expect((await startsOf(slug)).length).toBe(31);
  });

  it.each([
    [`--every fortnightly ${MAY}`, '--every must be daily, days such as mon,sat, or a rule'],
    [`--every FREQ=DAILY;COUNT=3 ${MAY}`, '--every must not have COUNT'],
    ['--every daily --from 2031-05-02 --to 2031-05-01', '--to must not be before the first date'],
    [
      '--every daily --from 2031-05-01 --to 2036-05-06',
      '--to must be at most 1830 days after the first date',
    ],
    [`--every sat ${MAY} --except 2031-05-04`, '--except names 2031-05-04, which is no date of the schedule'],
    [`--every daily ${MAY} --start-time 09:30,09:30`, '--start-time must not name 09:30 twice'],
  ])('tourctl departure schedule refuses "%s" as a wrong command line', async (words, message) => {
    const { code, error } = await departure(`schedule alps ${words} ${PRICE} --yes`);
    expect([code, error.message]).toEqual([2, expect.stringContaining(message)]);
  });

  it('tourctl departure schedule refuses to add departures if it has neither a terminal to ask on nor --yes', async () => {
    const { code, error } = await departure(`schedule alps --every daily ${MAY} ${PRICE}`);
    expect([code, error.message]).toEqual([2, 'No terminal to ask on: add --yes']);
  });
});

describe('tourctl departure set-time', () => {
  it('tourctl departure set-time gives a departure a start time, so that another departure can be added on its date', async () => {
    const tour = await givenTour(terminal.db);
    await givenDeparture(terminal.db, tour, { date: '2031-05-01' });
    const set = await terminal.tourctl(`departure set-time ${tour.slug} 2031-05-01 09:30`);
    expect([set.code, set.stdout]).toEqual([0, `${tour.slug} on 2031-05-01 leaves at 09:30\n`]);
    expect(await lastAudit()).toMatchObject({
      action: 'departure.set-time',
      subject: `${tour.slug} 2031-05-01`,
      before: { start_time: null },
      after: { start_time: '09:30' },
    });
    expect((await departure(`add ${tour.slug} 2031-05-01T14:30 ${PRICE}`)).json.created).toBe(1);
  });

  it('tourctl departure set-time warns of a time in the past, and answers the resulting status', async () => {
    const timeZone = 'Pacific/Kiritimati';
    const tour = await givenTour(terminal.db, { timeZone });
    await givenDeparture(terminal.db, tour, { date: todayIn(timeZone) });
    const { code, json, stderr } = await departure(`set-time ${tour.slug} ${todayIn(timeZone)} 00:00`);
    expect([code, json.start_time, json.status, json.seats_available]).toEqual([0, '00:00', 'gone', 0]);
    expect(stderr).toContain(`${todayIn(timeZone)} 00:00 is in the past: the departure cannot be booked`);
  });

  it.each([
    ['set-time rome 2031-05-01T09:30 10:00', 1, 'departure_has_time'],
    ['set-time rome 2031-03-30 02:30', 1, 'start_time_skipped'],
    ['set-time rome 2031-05-02 09:30', 1, 'departure_not_found'],
    ['set-time rome 2031-05-01 9:30', 2, 'usage_error'],
  ])('tourctl departure set-time answers "%s" with exit %d and %s', async (line, exit, reason) => {
    const [existing] = await terminal.db('tours').where({ slug: 'rome' });
    if (!existing) {
      const rome = await givenTour(terminal.db, { slug: 'rome', timeZone: 'Europe/Rome' });
      await givenDeparture(terminal.db, rome, { date: '2031-05-01', startTime: '09:30' });
      await givenDeparture(terminal.db, rome, { date: '2031-03-30' });
    }
    const { code, error } = await departure(line);
    expect([code, error.code]).toEqual([exit, reason]);
  });
});

describe('a date with several departures', () => {
  beforeAll(async () => {
    const walk = await givenTour(terminal.db, { slug: 'old-town-walk' });
    for (const startTime of ['09:30', '14:30'])
      await givenDeparture(terminal.db, walk, { date: '2031-05-01', startTime });
  });

  it.each([
    'departure set-seats old-town-walk 2031-05-01 5',
    'departure set-price old-town-walk 2031-05-01 --adult 5',
    'departure cancel old-town-walk 2031-05-01 --yes',
    'departure reopen old-town-walk 2031-05-01',
    'departure set-time old-town-walk 2031-05-01 10:00',
  ])('"%s" is refused without a time, and the error lists the times', async (line) => {
    const { code, error } = await terminal.tourctl(`${line} --json`);
    expect([code, error.message]).toEqual([
      2,
      'old-town-walk has several departures on 2031-05-01: name one of 2031-05-01T09:30, 2031-05-01T14:30',
    ]);
  });

  it('tourctl departure set-seats changes only the departure at the named time', async () => {
    const set = await terminal.tourctl('departure set-seats old-town-walk 2031-05-01T14:30 7');
    expect(set.stdout).toBe('old-town-walk on 2031-05-01 14:30 has 7 seats, 7 of them free\n');
    expect(await lastAudit()).toMatchObject({ subject: 'old-town-walk 2031-05-01 14:30' });
    const { items } = await terminal.json('departure list old-town-walk');
    expect(items).toMatchObject([
      { start_time: '09:30', seats_total: 10 },
      { start_time: '14:30', seats_total: 7 },
    ]);
  });
});
