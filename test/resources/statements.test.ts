import { useTestApi } from '../support/api';
import { givenResource, type GivenTrip, givenTrip } from '../support/given-resources';
import { useWebsite } from '../support/website';

const api = useTestApi();
const site = useWebsite(api, { maxHoldShare: 100 });

/** Returns the statements that the API sends for a hold, after the same hold was placed once. */
async function statementsOf({ tour, date }: GivenTrip): Promise<string[]> {
  const place = () => site.hold(tour, { departure_date: date, quantity: 1 });
  await place();
  const statements: string[] = [];
  const listen = ({ sql }: { sql: string }) => statements.push(sql);
  api.context.db.on('query', listen);
  const { status } = await place();
  api.context.db.removeListener('query', listen);
  expect(status).toBe(201);
  return statements;
}

describe('the statements of a sale', () => {
  it('a departure without resources locks and reads none, and one with resources needs no statement more', async () => {
    const boat = await givenResource(api.db, { places: 12 });
    const without = await statementsOf(await givenTrip(api.db, []));
    const withBoat = await statementsOf(await givenTrip(api.db, [{ resource: boat }]));
    expect(without.some((sql) => sql.includes('from resources'))).toBe(false);
    expect(withBoat.some((sql) => sql.includes('from resources'))).toBe(true);
    expect(withBoat).toHaveLength(without.length);
  });
});
