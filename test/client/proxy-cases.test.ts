import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';
import { SECRET, SERVERS } from './proxy-fixture';

const RUN = path.resolve(__dirname, '../../clients/proxy-cases/run.mjs');
const run = promisify(execFile);

const api = useTestApi();
let apiKey: string;

beforeAll(async () => {
  const tour = await givenTour(api.db);
  await givenDeparture(api.db, tour, { seats: 100 });
  apiKey = await givenKey(api.db, await givenTenant(api.db));
});

/** A parser before the proxy answers compressed and malformed bodies in its own words. */
const { 'Express behind express.json': _, ...ALONE } = SERVERS;

describe('the cases of the wire', () => {
  it.each(Object.entries(ALONE))('the proxy passes all cases on %s', async (_name, start) => {
    const shop = await start({ baseUrl: api.baseUrl, apiKey, secret: SECRET });
    try {
      const { stdout } = await run(process.execPath, [RUN, shop.api]).catch(
        (error: { stdout: string; stderr: string }) => ({ stdout: error.stdout + error.stderr }),
      );
      expect(stdout).not.toMatch(/FAILED/);
      expect(stdout).toMatch(/^All \d\d cases pass\.$/m);
    } finally {
      await shop.stop();
    }
  });
});
