import { createBooking } from '../bookings/create-booking';
import { checkCatalog } from '../catalog/files/check-catalog';
import { importCatalog } from '../catalog/files/import-catalog';
import { CredentialError } from '../credentials/credential.errors';
import { databaseCredentials } from '../credentials/credential-source';
import { issueApiKey } from '../credentials/issue-api-key';
import { issueWidgetToken } from '../credentials/issue-widget-token';
import { SCOPES } from '../credentials/scope';
import { verifyApiKey } from '../credentials/verify-api-key';
import { verifyWidgetToken } from '../credentials/verify-widget-token';
import { isDepartureNotAvailable } from '../departures/departure.errors';
import { createTenant } from '../tenants/create-tenant';
import { findTenant } from '../tenants/find-tenant';
import { setOrigins } from '../tenants/set-origins';
import type { Tenant } from '../tenants/tenant';
import { TenantNotFoundError } from '../tenants/tenant.errors';
import type { Trx } from '../../platform/database';
import { demoCatalog, demoSoldOut } from '../../../seeds/demo-catalog';
import { findPlantedDates } from './demo.repository';

const DEMO_TENANT = 'demo';
/** Where a page of one's own can try the widget. */
const DEMO_ORIGIN = 'http://localhost:8080';

/** What demo.json keeps: secrets exist nowhere else, so without it new ones are issued. */
export interface DemoCredentials {
  tenant: string;
  api_key: string;
  widget_token: string;
}

/**
 * Plants the demo, or moves it forward: new departures come in, and those that are there stay as they are.
 * @param today YYYY-MM-DD
 * @param kept of an earlier planting
 */
export async function plantDemo(
  trx: Trx,
  today: string,
  pepper: string | undefined,
  kept: DemoCredentials | undefined,
): Promise<DemoCredentials> {
  await plantCatalog(trx, today);
  const tenant = await demoTenant(trx);
  await sellOut(trx, tenant, today);
  const credentials = databaseCredentials(trx);
  return {
    tenant: DEMO_TENANT,
    api_key: (await stillGood(kept, (demo) =>
      verifyApiKey(credentials, pepper, demo.api_key, 'booking:create'),
    ))
      ? kept!.api_key
      : (await issueApiKey(trx, pepper, tenant, { scopes: [...SCOPES], name: 'Demo' })).token,
    widget_token: (await stillGood(kept, (demo) => verifyWidgetToken(credentials, pepper, demo.widget_token)))
      ? kept!.widget_token
      : (await issueWidgetToken(trx, pepper, tenant, {})).token,
  };
}

async function plantCatalog(trx: Trx, today: string): Promise<void> {
  const tours = demoCatalog(today);
  const planted = await findPlantedDates(
    trx,
    tours.map((tour) => tour.slug),
  );
  const records = tours.map((tour, index) => ({
    place: { file: 'demo catalog', index, field: '' },
    value: {
      ...tour,
      departures: tour.departures?.filter((one) => !planted.has(`${tour.slug} ${one.departure_date}`)),
    },
  }));
  await importCatalog(trx, checkCatalog(records), { prune: false });
}

async function demoTenant(trx: Trx): Promise<Tenant> {
  try {
    return await findTenant(trx, DEMO_TENANT);
  } catch (error) {
    if (!(error instanceof TenantNotFoundError)) throw error;
    const tenant = await createTenant(trx, { slug: DEMO_TENANT, name: 'Demo Travel' });
    return setOrigins(trx, tenant, [DEMO_ORIGIN], true);
  }
}

/** A departure that everybody wanted: booked to the last seat, as its list says. */
async function sellOut(trx: Trx, tenant: Tenant, today: string): Promise<void> {
  const { tour_slug, departure_date, seats_total } = demoSoldOut(today);
  const group = {
    tour: tour_slug,
    departureDate: departure_date,
    adults: seats_total,
    customer: { name: 'Demo Group', phone: '+4930901820', email: 'group@example.com' },
    paymentMethod: null,
    holdId: null,
    expectedTotal: null,
    externalRef: 'demo-sold-out',
    notes: null,
    by: null,
  };
  try {
    await createBooking(trx, { ...tenant, paymentWindowMinutes: null }, group);
  } catch (error) {
    if (!isDepartureNotAvailable(error)) throw error;
  }
}

async function stillGood(
  kept: DemoCredentials | undefined,
  verify: (kept: DemoCredentials) => Promise<unknown>,
): Promise<boolean> {
  if (!kept) return false;
  try {
    await verify(kept);
    return true;
  } catch (error) {
    if (error instanceof CredentialError) return false;
    throw error;
  }
}
