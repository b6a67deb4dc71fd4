import { existsSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { selectAuditEntries } from '../../services/api/audit/audit.repository';
import { listCatalog } from '../../services/api/catalog/list-catalog';
import type { ListedTour } from '../../services/api/catalog/tour';
import { demoSlugs } from '../../services/api/demo/demo-catalog';
import {
  DEMO_TENANT,
  type DemoCredentials,
  extendDemo,
  findUsableDemo,
  lockPlanting,
  seedDemo,
  reissueDemoCredentials,
  type UsableDemo,
} from '../../services/api/demo/seed-demo';
import { departureStatus, seatsAvailable } from '../../services/api/departures/departure';
import { listDepartures, type NamedDeparture } from '../../services/api/departures/find-departures';
import type { Tenant } from '../../services/api/tenants/tenant';
import type { Db } from '../../services/platform/database/database';
import { makeDirectory } from '../../services/platform/directories';
import { DAY_MS, dateOf } from '../../services/platform/forms/days';
import { uncachedReads } from '../../services/platform/read-cache/read-cache';
import type { VerbBody } from '../engine/command';
import type { AuditedContext } from '../engine/context';
import { describeError, isDatabaseLost } from '../engine/failure';
import { CancelledError } from '../terminal/io';
import { properties } from '../terminal/table';

export const seedVerb: VerbBody = {
  creates: true,
  audits: true,
  run: seedCommand,
};

function demoFile(dataDir: string): string {
  return path.join(dataDir, 'demo.json');
}

/** Reads the demo's stored credentials; undefined if the file is missing or unreadable. */
function readDemoFile(dataDir: string): DemoCredentials | undefined {
  const file = demoFile(dataDir);
  if (!existsSync(file)) return undefined;
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Partial<DemoCredentials>;
    const complete = [kept.tenant, kept.api_key, kept.widget_token].every(
      (value) => typeof value === 'string',
    );
    return complete ? (kept as DemoCredentials) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the file atomically with mode 0600. */
async function writeDemoFile(dataDir: string, demo: DemoCredentials): Promise<void> {
  makeDirectory(dataDir);
  const draft = `${demoFile(dataDir)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, demoFile(dataDir));
}

const ACTION = 'demo.plant';

/**
 * Creates the demo in a database that never had one, and stores the demo's credentials in DATA_DIR. Later runs add departures. If the file
 * of the credentials is lost, they issue new credentials. `seed` and `up` call this function.
 */
async function seedDemoFor({ audited, config, secrets }: AuditedContext): Promise<void> {
  const today = dateOf(Date.now());
  const { keyPepper } = await secrets('keyPepper');
  await audited({ action: ACTION }, async (trx, note) => {
    await lockPlanting(trx);
    const [earlier] = await selectAuditEntries(trx, { action: ACTION, limit: 1 });
    if (earlier) {
      const added = await extendDemo(trx, today);
      const issued = readDemoFile(config.dataDir) ? undefined : await reissueDemoCredentials(trx, keyPepper);
      note(
        null,
        added > 0 || issued ? { today, departures_added: added, credentials_issued: !!issued } : null,
      );
      if (issued) await writeDemoFile(config.dataDir, issued);
      return;
    }
    const planted = await seedDemo(trx, today, keyPepper);
    note(null, { tenant: planted.tenant, today });
    // Writes before COMMIT: a secret that cannot be stored is not issued.
    await writeDemoFile(config.dataDir, planted);
  });
}

async function seedCommand(context: AuditedContext): Promise<void> {
  await seedDemoFor(context);
  const document = { tenant: DEMO_TENANT, credentials: path.join(context.config.dataDir, 'demo.json') };
  await context.output.answer(document, () => properties(document));
}

/** The parts of the demo that still work. The welcome text shows them. */
export interface Demo extends UsableDemo {
  departure: DemoDeparture | undefined;
}

/** Creates or extends the demo, and returns the parts of the demo that can be used. If the extension fails, the start continues. */
export async function prepareDemo(context: AuditedContext): Promise<Demo | undefined> {
  const { config, db, output, secrets } = context;
  try {
    await seedDemoFor(context);
  } catch (error) {
    if (error instanceof CancelledError || isDatabaseLost(error)) throw error;
    output.warn(`The demo stays as it is: ${describeError(error).message}`);
  }
  const kept = readDemoFile(config.dataDir);
  if (!kept) return undefined;
  const { keyPepper } = await secrets('keyPepper');
  const usable = await findUsableDemo(db, keyPepper, kept);
  const departure = usable.tenant && (await findDemoDeparture(db, usable.tenant));
  return { ...usable, departure };
}

export interface DemoDeparture {
  tour: string;
  date: string;
  /** HH:MM, where the date has several departures. */
  time?: string;
}

const SEATS_FOR_THE_EXAMPLES = 4;
/** The examples use a departure at least this many days ahead, so that they still work tomorrow. */
const DAYS_AHEAD = 14;

/** Finds a bookable departure for the examples: of the flagship tour if the tenant sees it, else of any tour. */
export async function findDemoDeparture(db: Db, tenant: Tenant): Promise<DemoDeparture | undefined> {
  const { items } = await listCatalog(db, tenant, { limit: 100 });
  const tours = items.map((item) => item.tour);
  const isFlagship = ({ slug }: ListedTour) => slug === demoSlugs.flagship;
  for (const tour of [...tours.filter(isFlagship), ...tours]) {
    const departure = await bookableDeparture(db, tenant, tour);
    if (departure) return { tour: tour.slug, ...departure };
  }
  return undefined;
}

async function bookableDeparture(
  db: Db,
  tenant: Tenant,
  tour: ListedTour,
): Promise<NamedDeparture | undefined> {
  const { items } = await listDepartures(uncachedReads(db), tenant, tour, { from: firstDay(), limit: 100 });
  const found = items.find(
    ({ departure }) =>
      departureStatus(departure) === 'available' && seatsAvailable(departure) >= SEATS_FOR_THE_EXAMPLES,
  );
  if (found === undefined) return undefined;
  const { departureDate: date, startTime } = found.departure;
  const several = items.filter(({ departure }) => departure.departureDate === date).length > 1;
  return several && startTime !== null ? { date, time: startTime } : { date };
}

function firstDay(): string {
  return dateOf(Date.now() + DAYS_AHEAD * DAY_MS);
}
