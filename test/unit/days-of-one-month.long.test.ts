import { DAY_MS } from '../../services/platform/forms/days';
import { daysOfOneMonth } from '../support/given';

const START = Date.UTC(2027, 0, 1, 23, 59);

it('the days of one month follow one another, from the 30th day on, on each day of two years', () => {
  for (let day = 0; day < 731; day += 1) {
    const now = START + day * DAY_MS;
    for (const count of [1, 2, 4, 28]) {
      const days = daysOfOneMonth(count, now);
      const times = days.map((date) => Date.parse(date));
      expect(days).toHaveLength(count);
      expect(new Set(days.map((date) => date.slice(0, 7))).size).toBe(1);
      expect(times.at(-1)! - times[0]!).toBe((count - 1) * DAY_MS);
      const ahead = Math.floor(times[0]! / DAY_MS) - Math.floor(now / DAY_MS);
      expect(ahead).toBeGreaterThanOrEqual(30);
      expect(ahead).toBeLessThan(30 + count + 3);
    }
  }
});
