import fc from 'fast-check';
import {
  addDays,
  lastDayOf,
  monthOf,
  placeInWeek,
  sameDayIn,
  weeksOf,
} from '../../clients/booking-element/src/days';

const month = fc
  .tuple(fc.integer({ min: 1970, max: 2100 }), fc.integer({ min: 1, max: 12 }))
  .map(([year, number]) => `${year}-${String(number).padStart(2, '0')}`);
const firstWeekday = fc.integer({ min: 1, max: 7 });

describe('the weeks of a month', () => {
  it('the weeks of a month contain each of its days once and in order, in the column of its weekday', () => {
    fc.assert(
      fc.property(month, firstWeekday, (shown, first) => {
        const weeks = weeksOf(shown, first);
        const days = weeks.flat().filter((day) => day !== undefined);
        expect(days[0]).toBe(`${shown}-01`);
        expect(days.at(-1)).toBe(lastDayOf(shown));
        for (const [index, day] of days.entries()) expect(day).toBe(addDays(days[0]!, index));
        expect(weeks.every((week) => week.length === 7)).toBe(true);
        const misplaced = weeks.flatMap((week) =>
          week.filter((day, place) => day !== undefined && placeInWeek(day, first) !== place),
        );
        expect(misplaced).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('the weeks of a month begin on Monday or on Sunday', () => {
    expect(weeksOf('2027-02', 1)[0]).toEqual([
      '2027-02-01',
      ...[2, 3, 4, 5, 6, 7].map((day) => `2027-02-0${day}`),
    ]);
    expect(weeksOf('2027-02', 7)[0]!.slice(0, 2)).toEqual([undefined, '2027-02-01']);
  });
});

describe('the days of the calendar', () => {
  it('the 31st becomes the last day of a shorter month', () => {
    expect(sameDayIn('2028-02', '2028-01-31')).toBe('2028-02-29');
    expect(sameDayIn('2027-03', '2027-01-31')).toBe('2027-03-31');
  });

  it('the last day of a year is followed by the first one of the next year', () => {
    expect(addDays('2027-12-31', 1)).toBe('2028-01-01');
    expect(monthOf(addDays('2028-01-01', -1))).toBe('2027-12');
  });
});
