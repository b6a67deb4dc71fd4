export const TENANT_STATUSES = ['trial', 'active', 'suspended', 'closed'] as const;
export type TenantStatus = (typeof TENANT_STATUSES)[number];
/** A tenant in one of these is served; a suspended or closed one is not (CONTRACT section 2). */
export const USABLE_STATUSES: readonly TenantStatus[] = ['trial', 'active'];

export const PAYMENT_METHODS = ['bank', 'reserve', 'card'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** A travel website that sells from the central catalog under its own name and prices. */
export interface Tenant {
  id: string;
  slug: string;
  name: string;
  status: TenantStatus;
  /** What its booking references begin with: ACME of ACME-1042. */
  bookingPrefix: string;
  currency: string;
  currencyDigits: number;
  country: string;
  /** May it see a tour that no rule speaks of? */
  defaultVisible: boolean;
  /** A numeric as text, such as "20.00": money is never computed from a float. */
  depositPercent: string;
  paymentMethod: PaymentMethod;
  /** Null: an unpaid booking never expires. */
  paymentWindowMinutes: number | null;
  holdDefaultMinutes: number;
  holdMaxMinutes: number;
  maxHolds: number;
  /** Percent of a departure's seats that its live holds may keep. */
  maxHoldShare: number;
  linkTemplate: string | null;
  brandColor: string | null;
  brandLogo: string | null;
  /** Pixels, 0 to 32. */
  brandRadius: number | null;
  /** Names of font families without quotes: `Inter, Georgia, serif`. */
  brandFont: string | null;
  origins: string[];
  createdAt: Date;
}

export function mayBeUsed(tenant: Pick<Tenant, 'status'>): boolean {
  return USABLE_STATUSES.includes(tenant.status);
}
