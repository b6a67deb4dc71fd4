import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';
import { SECRET, type ServerKind, SERVERS } from './proxy-fixture';

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
const SITES = {
  ...ALONE,
  'a site with Secure cookies': (options) => ALONE['node:http']({ ...options, secure: true }),
} satisfies typeof ALONE & Record<string, ServerKind>;

describe('the cases of the wire', () => {
  it.each(Object.entries(SITES))('the proxy passes all cases on %s', async (_name, start) => {
    const onError = () => undefined;
    const shop = await start({ baseUrl: api.baseUrl, apiKey, secret: SECRET, onError });
    try {
      const { stdout } = await run(process.execPath, [RUN, shop.api]).catch(
        (error: { stdout: string; stderr: string }) => ({ stdout: error.stdout + error.stderr }),
      );
      expect(stdout).not.toMatch(/FAILED/);
      expect(stdout).toMatch(/^All \d+ cases pass\.$/m);
    } finally {
      await shop.stop();
    }
  });

  it('the line for Next in the guide exports each method of the wire, and OPTIONS, which Next would answer itself', () => {
    const read = (file: string) => readFileSync(path.resolve(__dirname, '../..', file), 'utf8');
    const { cases } = JSON.parse(read('clients/proxy-cases/cases.json')) as { cases: WireCase[] };
    const { expect: answer } = cases.find(
      ({ request }) => request.method === 'OPTIONS' && request.path === '/hold',
    )!;
    // Next makes HEAD from GET.
    const methods = ['OPTIONS', ...answer.headers.allow.replace(' HEAD,', '').split(', ')];
    const exported = [...read('docs/guide/proxy.md').matchAll(/proxy as ([A-Z]+)/g)].map(([, name]) => name);
    expect(exported.sort()).toEqual(methods.sort());
  });
});

interface WireCase {
  request: { method?: string; path: string };
  expect: { headers: { allow: string } };
}
