import { demoCatalog, demoSlugs } from '../../services/api/demo/demo-catalog';
import { addDays } from '../../services/platform/forms/days';
import { openOnes } from './open-departures';

describe('the departures of the demo catalog', () => {
  it('on every day of two years, the flagship tour has an open departure 14 days ahead with 12 seats', () => {
    for (let day = 0; day < 731; day++) {
      const today = addDays('2025-06-01', day);
      const [flagship] = demoCatalog(today);
      expect(flagship!.slug).toBe(demoSlugs.flagship);
      expect(openOnes(flagship!, today).length).toBeGreaterThan(0);
    }
  });
});
