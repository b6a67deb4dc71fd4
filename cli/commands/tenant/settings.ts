import { PAYMENT_METHODS, type PaymentMethod } from '../../../services/api/tenants/payment-method';
import { type Tenant, type TenantStatus, USABLE_STATUSES } from '../../../services/api/tenants/tenant';
import type { VariableName } from '../../../services/platform/config/variables';
import type { TenantSettings } from '../../../services/api/tenants/manage-tenants';
import { NAME_MAX } from '../../../services/platform/forms/lengths';
import { flag, type Flag } from '../../engine/command';
import {
  bookingPrefix,
  color,
  country,
  currency,
  decimal,
  fontFamilies,
  formatDuration,
  httpsUrl,
  line,
  linkTemplate,
  minutes,
  orNone,
  paragraphs,
  percent,
  slug,
  wholeMinutes,
  wholeNumber,
} from '../../engine/values';

export const SLUG_FLAG: Flag = flag('--slug <slug>', 'its name in commands and answers', {
  parse: slug,
  must: true,
});
export const NAME_FLAG: Flag = flag('--name <name>', 'its name for people', {
  parse: line(NAME_MAX),
  must: true,
});

export const HOLD_SHARE_FLAG: Flag = flag(
  '--max-hold-share <percent>',
  "percent of a departure's seats that its holds and unpaid bookings may take",
  { parse: percent(wholeNumber(1, 100)), otherwise: '100' },
);

/** Not a flag of `tenant set`, because the kind never changes. */
export const SANDBOX_FLAG: Flag = flag(
  '--sandbox',
  'whether it is a sandbox: it sees the real catalog, and its bookings take no real seat; it never changes',
);

/** Flags that `tenant create`, `set` and `onboard` share. */
export const BASICS: Flag[] = [
  flag('--status <status>', 'whether it is on trial or active; both are served', {
    choices: USABLE_STATUSES,
    otherwise: 'trial',
  }),
  flag('--currency <code>', 'ISO 4217 currency of its price rules', { parse: currency, otherwise: 'EUR' }),
  flag('--country <code>', 'ISO 3166 country that phone numbers are read by', {
    parse: country,
    otherwise: 'DE',
  }),
  flag('--booking-prefix <prefix>', 'prefix of its booking references', { parse: bookingPrefix }),
  flag('--visibility <which>', 'tours that it sees without a rule', {
    choices: ['all', 'none'],
    otherwise: 'all',
  }),
  flag('--deposit-percent <percent>', 'percent of a booking to pay as deposit', {
    parse: percent(decimal(0, 100, 2)),
    otherwise: '20',
  }),
];

export const LINK_TEMPLATE_FLAG = flag(
  '--link-template <address>',
  "address of a tour on its site, with {slug} in it, that the widget's cards lead to, or none",
  { parse: orNone(linkTemplate) },
);

function quotaFlag(name: string, what: string, variable: VariableName): Flag {
  return flag(`${name} <number>`, `${what} of each of its keys in a minute, or none for ${variable}`, {
    parse: orNone(wholeNumber(1, 1_000_000)),
    otherwise: 'none',
  });
}

/** The most characters of a payment note. 0160_payment_note.sql repeats the number. */
const PAYMENT_NOTE_MAX = 1000;

/** Parses the text for customers. Returns null for the empty text too. */
function paymentNote(text: string, name: string): string | null {
  return text.trim() === '' ? null : orNone(paragraphs(PAYMENT_NOTE_MAX))(text, name);
}

export const SETTINGS: Flag[] = [
  flag(
    '--sell-in <code>',
    "ISO 4217 currency in which it sells every tour, or none for each tour's own; its price rules in money are then in this currency",
    { parse: orNone(currency), otherwise: 'none' },
  ),
  flag('--payment-method <method>', 'payment method of a booking that names none', {
    choices: PAYMENT_METHODS,
    otherwise: 'bank',
  }),
  flag(
    '--payment-window <duration>',
    'how long an unpaid booking keeps its seats, such as 72h, at most 365d, or none',
    { parse: orNone(wholeMinutes('365d')), otherwise: '72h' },
  ),
  flag(
    '--payment-reminder <duration>',
    'how long before an unpaid booking expires booking.payment_due is sent, such as 24h, at most 365d, or none',
    { parse: orNone(wholeMinutes('365d')), otherwise: '24h' },
  ),
  flag(
    '--payment-note <text>',
    `how to pay, for the customer: plain text of at most ${PAYMENT_NOTE_MAX} characters, also of several lines, or none; bookings show it`,
    { parse: paymentNote },
  ),
  flag('--hold-default <minutes>', 'default minutes of a hold', {
    parse: minutes(1, 60),
    otherwise: '15',
  }),
  flag('--hold-max <minutes>', 'maximum minutes of a hold', { parse: minutes(1, 60), otherwise: '60' }),
  flag('--max-holds <number>', 'maximum number of active holds', {
    parse: wholeNumber(1, 1_000_000),
    otherwise: '1000',
  }),
  flag('--max-unpaid <number>', 'maximum number of unpaid bookings', {
    parse: wholeNumber(1, 1_000_000),
    otherwise: '1000',
  }),
  flag(
    '--max-hold-trips <number>',
    'maximum number of trips of boats and guides without a booking that its holds begin',
    {
      parse: wholeNumber(1, 1_000_000),
      otherwise: '20',
    },
  ),
  HOLD_SHARE_FLAG,
  flag('--desk-discount <percent>', 'largest discount that a person with the role desk gives, in percent', {
    parse: percent(wholeNumber(0, 100)),
    otherwise: '100',
  }),
  quotaFlag('--availability-rpm', 'availability requests', 'GATEWAY_AVAILABILITY_RPM'),
  quotaFlag('--hold-rpm', 'hold requests', 'GATEWAY_HOLD_RPM'),
  quotaFlag('--booking-rpm', 'booking requests', 'GATEWAY_BOOKING_RPM'),
  quotaFlag('--catalog-rpm', 'other reads', 'CATALOG_RPM'),
  LINK_TEMPLATE_FLAG,
  flag('--brand-color <color>', 'colour of the embedded page, such as #0a7d5c, or none', {
    parse: orNone(color),
  }),
  flag('--brand-logo <address>', 'https:// address of its logo, or none', { parse: orNone(httpsUrl) }),
  flag('--brand-radius <pixels>', "radius of the cards' corners, 0 to 32, or none for the default", {
    parse: orNone(wholeNumber(0, 32)),
  }),
  flag(
    '--brand-font <families>',
    'font names; the page uses the first that a visitor has; such as "Inter, Georgia, serif", or none',
    { parse: orNone(fontFamilies) },
  ),
];

/** Holds the parsed flags of `tenant create` and `tenant set`. */
export interface TenantOptions {
  name?: string;
  status?: TenantStatus;
  currency?: { code: string; digits: number };
  /** Null: each tour's own currency. */
  sellIn?: { code: string; digits: number } | null;
  country?: string;
  bookingPrefix?: string;
  visibility?: 'all' | 'none';
  depositPercent?: string;
  paymentMethod?: PaymentMethod;
  /** Minutes. Null: unpaid bookings keep their seats without a limit. */
  paymentWindow?: number | null;
  /** Minutes. Null: no reminder. */
  paymentReminder?: number | null;
  paymentNote?: string | null;
  holdDefault?: number;
  holdMax?: number;
  maxHolds?: number;
  maxUnpaid?: number;
  maxHoldTrips?: number;
  maxHoldShare?: number;
  /** Percent. */
  deskDiscount?: number;
  /** Requests of each key in a minute. Null: the variable of the service. */
  availabilityRpm?: number | null;
  holdRpm?: number | null;
  bookingRpm?: number | null;
  catalogRpm?: number | null;
  linkTemplate?: string | null;
  brandColor?: string | null;
  brandLogo?: string | null;
  brandRadius?: number | null;
  brandFont?: string | null;
}

/** Converts the given flags to tenant settings; other settings are absent. */
export function toSettings(options: TenantOptions): TenantSettings {
  const { visibility, holdDefault, holdMax } = options;
  const settings: TenantSettings = {
    name: options.name,
    status: options.status,
    currency: options.currency,
    sellIn: options.sellIn,
    country: options.country,
    bookingPrefix: options.bookingPrefix,
    defaultVisible: visibility && visibility === 'all',
    depositPercent: options.depositPercent,
    paymentMethod: options.paymentMethod,
    paymentWindowMinutes: options.paymentWindow,
    paymentReminderMinutes: options.paymentReminder,
    paymentNote: options.paymentNote,
    holdDefaultMinutes: holdDefault,
    holdMaxMinutes: holdMax,
    maxHolds: options.maxHolds,
    maxUnpaid: options.maxUnpaid,
    maxHoldTrips: options.maxHoldTrips,
    maxHoldShare: options.maxHoldShare,
    deskDiscount: options.deskDiscount,
    availabilityRpm: options.availabilityRpm,
    holdRpm: options.holdRpm,
    bookingRpm: options.bookingRpm,
    catalogRpm: options.catalogRpm,
    linkTemplate: options.linkTemplate,
    brandColor: options.brandColor,
    brandLogo: options.brandLogo,
    brandRadius: options.brandRadius,
    brandFont: options.brandFont,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Converts a tenant for answers and the audit log. */
export function toTenantDocument(tenant: Tenant) {
  return {
    id: tenant.id,
    slug: tenant.slug,
    name: tenant.name,
    status: tenant.status,
    sandbox: tenant.sandbox,
    booking_prefix: tenant.bookingPrefix,
    currency: tenant.currency,
    sell_in: tenant.sellIn ?? 'none',
    country: tenant.country,
    visibility: visibilityOf(tenant),
    deposit_percent: Number(tenant.depositPercent),
    created_at: tenant.createdAt.toISOString(),
    payment_method: tenant.paymentMethod,
    payment_window: minutesOrNone(tenant.paymentWindowMinutes),
    payment_reminder: minutesOrNone(tenant.paymentReminderMinutes),
    payment_note: tenant.paymentNote,
    hold_default: tenant.holdDefaultMinutes,
    hold_max: tenant.holdMaxMinutes,
    max_holds: tenant.maxHolds,
    max_unpaid: tenant.maxUnpaid,
    max_hold_trips: tenant.maxHoldTrips,
    max_hold_share: tenant.maxHoldShare,
    desk_discount: tenant.deskDiscount,
    availability_rpm: tenant.availabilityRpm,
    hold_rpm: tenant.holdRpm,
    booking_rpm: tenant.bookingRpm,
    catalog_rpm: tenant.catalogRpm,
    link_template: tenant.linkTemplate,
    brand_color: tenant.brandColor,
    brand_logo: tenant.brandLogo,
    brand_radius: tenant.brandRadius,
    brand_font: tenant.brandFont,
    origins: tenant.origins,
  };
}

function minutesOrNone(minutes: number | null): string {
  return minutes === null ? 'none' : formatDuration(minutes * 60, 'h');
}

export function visibilityOf({ defaultVisible }: Tenant): 'all' | 'none' {
  return defaultVisible ? 'all' : 'none';
}
