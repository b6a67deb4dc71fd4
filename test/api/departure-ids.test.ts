import { departureEntry, importFiles, tourEntry } from '../catalog/catalog-files';
import { useTestApi } from '../support/api';
import { expectProblem } from '../support/responses';
import { useWebsite } from '../support/website';

const [FIRST, SECOND] = ['2031-06-01', '2031-06-08'];

const api = useTestApi();
const website = useWebsite(api);

const importDates = async (slug: string, dates: string[]) => {
  const departures = dates.map((date) => departureEntry({ departure_date: date }));
  const files = { 'tours.json': [tourEntry({ slug, departures })] };
  const report = await importFiles(api.db, files, { prune: true });
  expect(report.errors).toEqual([]);
};
const hold = (slug: string, date: string) => website.hold(slug, { departure_date: date, quantity: 1 });

describe('a hold after an import has changed the departures of its tour', () => {
  beforeEach(async () => {
    await importDates('ids', [FIRST, SECOND]);
    expect((await hold('ids', SECOND)).status).toBe(201);
  });

  it('a hold succeeds on a departure that one import removed and another one added again', async () => {
    await importDates('ids', [SECOND]);
    expectProblem(await hold('ids', FIRST), 409, 'departure_gone');
    await importDates('ids', [FIRST, SECOND]);
    expect((await hold('ids', FIRST)).status).toBe(201);
  });

  it('a hold succeeds on a departure that an import has just added', async () => {
    const added = '2031-06-15';
    expectProblem(await hold('ids', added), 409, 'departure_gone');
    await importDates('ids', [FIRST, SECOND, added]);
    expect((await hold('ids', added)).status).toBe(201);
  });
});
