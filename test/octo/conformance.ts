/**
 * Starts an API with a tenant for OCTO's validator, until Ctrl-C: `npm run lab -- conformance`, or `npm run lab -- conformance 3100` for
 * another port than 3000. The catalog is the demo's, with tours before it that have what the validator needs. The database is
 * new at each start, and deleted at the end.
 */
import { findTenant } from '../../services/api/tenants/manage-tenants';
import { type Db, inTransaction } from '../../services/platform/database';
import { plantDemoFor, serviceSettings, withDatabase } from '../bench/stack';
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
    const demo = await plantDemoFor(db);
    const key = await givenConformanceTenant(db);
    await hideFrom(db, demo.tenant);
    const [metrics] = await freePorts();
    const settings = { ...serviceSettings(url, metrics), PUBLIC_BASE_URL: `http://127.0.0.1:${PORT}` };
    const api = await startInstance('api', directory, PORT, settings);
    try {
      say(describe(`${api.baseUrl}/octo`, key, demo.api_key));
      await interrupted;
    } finally {
      await api.stop();
    }
  });
}

async function givenConformanceTenant(db: Db): Promise<string> {
  const tenant = await givenTenant(db, { name: 'Conformance', maxHolds: 1_000_000, maxUnpaid: 1_000_000 });
  await inTransaction(db, (trx) => givenConformanceTours(trx, tenant));
  return givenKey(db, tenant);
}

/** Hides the added tours from the demo's tenant, so that the validator's result for it is that of every demo. */
async function hideFrom(db: Db, slug: string): Promise<void> {
  const tenant = await findTenant(db, slug);
  for (const tour of await db('tours').whereIn('slug', CONFORMANCE_SLUGS).select<GivenTour[]>('id', 'slug'))
    await givenVisibilityRule(db, { tenant }, tour, false);
}

const CONFORMANCE_SLUGS = CONFORMANCE_TOURS.map(({ slug }) => slug);

function describe(endpoint: string, key: string, demoKey: string): string {
  const request = { backend: { endpoint, headers: { Authorization: `Bearer ${key}` } } };
  return `
Endpoint          ${endpoint}
Key               ${key}
Key of the demo   ${demoKey}

For the OCTO validator (github.com/octotravel/validator), with its server on port 3001:

curl -sS -H 'Content-Type: application/json' -d '${JSON.stringify(request)}' http://127.0.0.1:3001/v1/validate

Or with a program that reads the environment:

ENDPOINT=${endpoint} KEY=${key}

Ctrl-C stops the API, and deletes its database.`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`conformance: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
