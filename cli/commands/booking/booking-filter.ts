import type { BookingStatus } from '../../../services/api/bookings/booking-lead';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { ANY_TENANT, type TenantScope } from '../../../services/api/tenants/tenant-scope';
import type { Db } from '../../../services/platform/database';

/** What list and export narrow by. */
export interface BookingFilterOptions {
  tenant?: string;
  status?: BookingStatus;
  externalRef?: string;
  since?: Date;
  until?: Date;
}

interface BookingFilter {
  tenantId: string | undefined;
  scope: TenantScope;
  filter: Omit<BookingFilterOptions, 'tenant'>;
}

export async function toBookingFilter(db: Db, options: BookingFilterOptions): Promise<BookingFilter> {
  const { tenant, status, externalRef, since, until } = options;
  const tenantId = tenant === undefined ? undefined : (await findTenant(db, tenant)).id;
  return { tenantId, scope: tenantId ?? ANY_TENANT, filter: { status, externalRef, since, until } };
}

/** For the audit row of a reveal: the tenant's own reference stays out of it, some are made of a customer's name. */
export function describeFilter({ status, since, until }: BookingFilterOptions): Record<string, unknown> {
  return {
    ...(status && { status }),
    ...(since && { since: since.toISOString() }),
    ...(until && { until: until.toISOString() }),
  };
}
