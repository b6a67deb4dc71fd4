import type { TenantSettings } from '../../../services/api/tenants/update-tenant';
import type { PaymentMethod, TenantStatus } from '../../../services/api/tenants/tenant';

/** The flags of `tenant create` and `tenant set`, as their parsers leave them. */
export interface TenantOptions {
  name?: string;
  status?: TenantStatus;
  currency?: { code: string; digits: number };
  country?: string;
  bookingPrefix?: string;
  visibility?: 'all' | 'none';
  depositPercent?: string;
  paymentMethod?: PaymentMethod;
  /** Seconds. */
  paymentWindow?: number | null;
  holdDefault?: number;
  holdMax?: number;
  maxHolds?: number;
  maxHoldShare?: number;
  linkTemplate?: string | null;
  brandColor?: string | null;
  brandLogo?: string | null;
  brandRadius?: number | null;
  brandFont?: string | null;
}

/** What is given, in the domain's words; what is not given is absent. */
export function toSettings(options: TenantOptions): TenantSettings {
  const { visibility, paymentWindow, holdDefault, holdMax } = options;
  const settings: TenantSettings = {
    name: options.name,
    status: options.status,
    currency: options.currency,
    country: options.country,
    bookingPrefix: options.bookingPrefix,
    defaultVisible: visibility && visibility === 'all',
    depositPercent: options.depositPercent,
    paymentMethod: options.paymentMethod,
    paymentWindowMinutes: paymentWindow && Math.ceil(paymentWindow / 60),
    holdDefaultMinutes: holdDefault,
    holdMaxMinutes: holdMax,
    maxHolds: options.maxHolds,
    maxHoldShare: options.maxHoldShare,
    linkTemplate: options.linkTemplate,
    brandColor: options.brandColor,
    brandLogo: options.brandLogo,
    brandRadius: options.brandRadius,
    brandFont: options.brandFont,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
