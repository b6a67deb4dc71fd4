import { toColumns } from '../../platform/database';
import { type Tenant, USABLE_STATUSES } from './tenant';

const FIELDS: Record<keyof Tenant, true> = {
  id: true,
  slug: true,
  name: true,
  status: true,
  sandbox: true,
  bookingPrefix: true,
  currency: true,
  currencyDigits: true,
  country: true,
  defaultVisible: true,
  depositPercent: true,
  paymentMethod: true,
  paymentWindowMinutes: true,
  holdDefaultMinutes: true,
  holdMaxMinutes: true,
  maxHolds: true,
  maxUnpaid: true,
  maxHoldShare: true,
  linkTemplate: true,
  brandColor: true,
  brandLogo: true,
  brandRadius: true,
  brandFont: true,
  origins: true,
  createdAt: true,
};

/** The columns of a tenant, one for each field. */
export const TENANT_COLUMNS = Object.keys(toColumns(FIELDS));

/** The condition of mayBeUsed() in SQL, for a query with `tenants` as `t`. */
export const TENANT_MAY_BE_USED = `t.status in (${USABLE_STATUSES.map((status) => `'${status}'`).join(', ')})`;
