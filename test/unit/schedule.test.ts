import { expandSchedule, InvalidScheduleError, type Schedule } from '../../services/api/departures/schedule';

const MAY = { from: '2027-05-01', to: '2027-05-31' };
const datesOf = (schedule: Partial<Schedule>) =>
  expandSchedule({ every: 'daily', ...MAY, ...schedule }).map(({ date }) => date);

function refusalOf(schedule: Partial<Schedule>): string {
  try {
    datesOf(schedule);
  } catch (error) {
    if (error instanceof InvalidScheduleError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('expandSchedule', () => {
  it('expandSchedule returns every day of a daily schedule, both ends included', () => {
    const dates = datesOf({ every: 'daily' });
    expect([dates.length, dates[0], dates.at(-1)]).toEqual([31, '2027-05-01', '2027-05-31']);
  });

  it('expandSchedule returns the dates of the named days of the week, which may be named in any letter case and order', () => {
    expect(datesOf({ every: 'Sat, mon', to: '2027-05-10' })).toEqual([
      '2027-05-01',
      '2027-05-03',
      '2027-05-08',
      '2027-05-10',
    ]);
  });

  it.each([
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=SA', ['2027-05-01', '2027-05-15', '2027-05-29']],
    ['RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SA', ['2027-05-01', '2027-05-15', '2027-05-29']],
    ['rrule:freq=monthly;byday=1sa,-1su', ['2027-05-01', '2027-05-30']],
    ['FREQ=DAILY;INTERVAL=10', ['2027-05-01', '2027-05-11', '2027-05-21', '2027-05-31']],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', ['2027-05-31']],
    ['FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=9', ['2027-05-09']],
    ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', ['2027-05-31']],
    ['FREQ=WEEKLY', ['2027-05-01', '2027-05-08', '2027-05-15', '2027-05-22', '2027-05-29']],
  ])('expandSchedule returns the dates of the rule %s', (every, dates) => {
    expect(datesOf({ every })).toEqual(dates);
  });

  it('expandSchedule returns 29 February only in leap years', () => {
    const every = 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29';
    expect(datesOf({ every, from: '2027-01-01', to: '2031-12-31' })).toEqual(['2028-02-29']);
  });

  it('expandSchedule returns the same days of the week as the calendar, even over five years and in the year 9999', () => {
    for (const [from, to] of [
      ['2027-01-01', '2032-01-05'],
      ['9998-01-01', '9999-12-31'],
      ['1999-12-25', '2000-03-01'],
    ] as const) {
      const expected: string[] = [];
      for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000) {
        const date = new Date(at);
        if (date.getUTCDay() === 3) expected.push(date.toISOString().slice(0, 10));
      }
      expect(datesOf({ every: 'wed', from, to })).toEqual(expected);
    }
  });

  it('expandSchedule returns each date at each start time, in the order of the times', () => {
    const startTimes = ['14:30', '09:30'];
    expect(expandSchedule({ every: 'sat', from: '2027-05-01', to: '2027-05-08', startTimes })).toEqual([
      { date: '2027-05-01', startTime: '09:30' },
      { date: '2027-05-01', startTime: '14:30' },
      { date: '2027-05-08', startTime: '09:30' },
      { date: '2027-05-08', startTime: '14:30' },
    ]);
  });

  it('expandSchedule returns a departure without a time where no start time is given', () => {
    expect(expandSchedule({ every: 'daily', from: '2027-05-01', to: '2027-05-01' })).toEqual([
      { date: '2027-05-01', startTime: null },
    ]);
  });

  it('expandSchedule leaves exceptions out, and refuses an exception that is not a date of the schedule', () => {
    const except = ['2027-05-08'];
    expect(datesOf({ every: 'sat', to: '2027-05-15', except })).toEqual(['2027-05-01', '2027-05-15']);
    expect(refusalOf({ every: 'sat', except: ['2027-05-09'] })).toBe(
      'except names 2027-05-09, which is no date of the schedule',
    );
    expect(refusalOf({ except: ['2027-02-30'] })).toMatch('except must be a calendar date');
  });

  it.each<[Partial<Schedule>, string]>([
    [
      { every: 'monday' },
      'every must be daily, days such as mon,sat, or a rule such as FREQ=WEEKLY;INTERVAL=2;BYDAY=SA',
    ],
    [{ every: '' }, 'every must be daily'],
    [{ every: 'FREQ=HOURLY' }, 'every must have FREQ=DAILY, WEEKLY, MONTHLY or YEARLY'],
    [{ every: 'BYDAY=MO' }, 'every must have FREQ=DAILY, WEEKLY, MONTHLY or YEARLY'],
    [
      { every: 'FREQ=DAILY;COUNT=3' },
      'every must not have COUNT: the first and the last date are given separately',
    ],
    [{ every: 'FREQ=DAILY;UNTIL=20270504' }, 'every must not have UNTIL'],
    [{ every: 'DTSTART:20270501T000000Z\nRRULE:FREQ=DAILY' }, 'every must not have DTSTART'],
    [{ every: 'FREQ=DAILY;BYHOUR=9' }, 'every may only have FREQ, INTERVAL, BYDAY'],
    [{ every: 'FREQ=YEARLY;BYEASTER=0' }, 'every may only have'],
    [{ every: 'FREQ=WEEKLY;BYDAY=XX' }, 'every must have a valid BYDAY (RFC 5545)'],
    [{ every: 'FREQ=WEEKLY;BYDAY=MO=TU' }, 'every must have a valid BYDAY (RFC 5545)'],
    [{ every: 'FREQ=DAILY;INTERVAL=0' }, 'every must have a valid INTERVAL (RFC 5545)'],
    [{ every: 'FREQ=WEEKLY;BYDAY=MO;BYDAY=TU' }, 'every must have each part only once'],
    [{ every: 'FREQ=WEEKLY;BYDAY=1SA' }, 'every must not have numbered days in BYDAY with FREQ=WEEKLY'],
    [{ every: 'FREQ=MONTHLY;BYWEEKNO=2' }, 'every must not have BYWEEKNO with FREQ=MONTHLY'],
    [{ every: 'sun', to: '2027-05-01' }, 'every describes no date from 2027-05-01 to 2027-05-01'],
    [{ from: '2027-02-30' }, 'from must be a calendar date, YYYY-MM-DD'],
    [{ to: '1 May' }, 'to must be a calendar date, YYYY-MM-DD'],
    [{ to: '2027-04-30' }, 'to must not be before the first date'],
    [{ to: '2032-05-05' }, 'to must be at most 1830 days after the first date, and is 1831 days after it'],
    [{ startTimes: ['9:30'] }, 'start_times must be times of the day such as 09:30'],
    [{ startTimes: ['09:30', '09:30'] }, 'start_times must not name 09:30 twice'],
    [
      { to: '2031-05-01', startTimes: ['09:00', '15:00'] },
      'every describes 2924 departures, and the most at once are 2000',
    ],
  ])('expandSchedule refuses %j with the reason', (schedule, message) => {
    expect(refusalOf(schedule)).toMatch(message);
  });

  it('expandSchedule refuses a rule that describes no date in any year, and does not search for ever', () => {
    expect(refusalOf({ every: 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30' })).toMatch('describes no date');
  });
});
