/**
 * Starts an API with tenants for OCTO's validator, until Ctrl-C: `npm run lab -- conformance`, or `npm run lab -- conformance 3100`
 * for another port than 3000. The catalog begins with tours for the validator, and continues with the tours of the demo. The
 * database is new at each start, and deleted at the end.
 */
import { findTenant } from '../../services/api/tenants/manage-tenants';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { seedDemoFor, serviceSettings, withDatabase } from '../bench/stack';
import { startInstance } from '../stack/service';
import { freePorts } from '../support/free-ports';
import { givenKey, givenTenant, type GivenTour, givenVisibilityRule } from '../support/given';
import { CONFORMANCE_TOURS, givenConformanceTours } from './conformance-tours';

const PORT = Number(process.argv[2] ?? 3000);

async function main(): Promise<void> {
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  await withDatabase(async ({ db, url, directory }) => {
    const demo = await seedDemoFor(db);
    const keys = await givenConformanceTenants(db);
    await hideFrom(db, demo.tenant, CONFORMANCE_SLUGS);
    const [metrics] = await freePorts();
    const settings = { ...serviceSettings(url, metrics), PUBLIC_BASE_URL: `http://127.0.0.1:${PORT}` };
    const api = await startInstance('api', directory, PORT, settings);
    try {
      say(describe(`${api.baseUrl}/octo`, keys, demo.api_key));
      await interrupted;
    } finally {
      await api.stop();
    }
  });
}

interface Keys {
  plain: string;
  severalTimes: string;
  mixed: string;
}

/**
 * Creates one tenant for each kind of tour. The tenant sees this kind first, because the validator checks only the first product
 * with start times.
 */
async function givenConformanceTenants(db: Db): Promise<Keys> {
  const limits = { maxHolds: 1_000_000, maxUnpaid: 1_000_000 };
  const tenant = await givenTenant(db, { name: 'Conformance', ...limits });
  await inTransaction(db, (trx) => givenConformanceTours(trx, tenant));
  const several = await givenTenant(db, { name: 'Conformance of several departures a day', ...limits });
  await hideFrom(db, several.slug, ['a-morning-in-the-old-town', 'a-night-at-the-observatory']);
  const mixed = await givenTenant(db, {
    name: 'Conformance of departures with and without a time',
    ...limits,
  });
  const others = CONFORMANCE_SLUGS.filter((slug) => !/vineyard|gardens/.test(slug));
  await hideFrom(db, mixed.slug, others);
  return {
    plain: await givenKey(db, tenant),
    severalTimes: await givenKey(db, several),
    mixed: await givenKey(db, mixed),
  };
}

/**
 * Hides these tours from a tenant. All are hidden from the demo's tenant, so that the validator gives the same result for it as for
 * any demo.
 */
async function hideFrom(db: Db, tenantSlug: string, slugs: string[]): Promise<void> {
  const tenant = await findTenant(db, tenantSlug);
  for (const tour of await db('tours').whereIn('slug', slugs).select<GivenTour[]>('id', 'slug'))
    await givenVisibilityRule(db, { tenant }, tour, false);
}

const CONFORMANCE_SLUGS = CONFORMANCE_TOURS.map(({ slug }) => slug);

function describe(endpoint: string, keys: Keys, demoKey: string): string {
  const { plain, severalTimes, mixed } = keys;
  const request = { backend: { endpoint, headers: { Authorization: `Bearer ${plain}` } } };
  return `
Endpoint          ${endpoint}
Key               ${plain}
Key of the demo   ${demoKey}

Key that sees a tour with three departures a day first                  ${severalTimes}
Key that sees a tour of departures with and without a start time first  ${mixed}

For the OCTO validator (github.com/octotravel/validator), with its server on port 3001:

curl -sS -H 'Content-Type: application/json' -d '${JSON.stringify(request)}' http://127.0.0.1:3001/v1/validate

Or with a program that reads the environment:

ENDPOINT=${endpoint} KEY=${plain}

Ctrl-C stops the API, and deletes its database.`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`conformance: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
