import { countVisibleTours } from '../../../services/api/catalog/visibility-rule.repository';
import { createTenant } from '../../../services/api/tenants/create-tenant';
import { findTenant, findTenantForChange } from '../../../services/api/tenants/find-tenant';
import type { PaymentMethod, Tenant, TenantStatus } from '../../../services/api/tenants/tenant';
import { listTenants } from '../../../services/api/tenants/tenant.repository';
import {
  changeTenantStatus,
  type TenantSettings,
  updateTenant,
} from '../../../services/api/tenants/update-tenant';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/flags';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { formatDuration } from '../../engine/values';
import type { Tone } from '../../terminal/screen';
import { type Column, properties, tableOf } from '../../terminal/table';

/** Converts a tenant for answers (CONTRACT section 6) and the audit log. */
export function toTenantDocument(tenant: Tenant) {
  const { paymentWindowMinutes } = tenant;
  return {
    id: tenant.id,
    slug: tenant.slug,
    name: tenant.name,
    status: tenant.status,
    sandbox: tenant.sandbox,
    booking_prefix: tenant.bookingPrefix,
    currency: tenant.currency,
    country: tenant.country,
    visibility: tenant.defaultVisible ? 'all' : 'none',
    deposit_percent: Number(tenant.depositPercent),
    created_at: tenant.createdAt.toISOString(),
    payment_method: tenant.paymentMethod,
    payment_window: paymentWindowMinutes === null ? 'none' : formatDuration(paymentWindowMinutes * 60, 'h'),
    hold_default: tenant.holdDefaultMinutes,
    hold_max: tenant.holdMaxMinutes,
    max_holds: tenant.maxHolds,
    max_unpaid: tenant.maxUnpaid,
    max_hold_share: tenant.maxHoldShare,
    link_template: tenant.linkTemplate,
    brand_color: tenant.brandColor,
    brand_logo: tenant.brandLogo,
    brand_radius: tenant.brandRadius,
    brand_font: tenant.brandFont,
    origins: tenant.origins,
  };
}

const TONES: Record<TenantStatus, Tone> = {
  trial: 'waiting',
  active: 'good',
  suspended: 'bad',
  closed: 'quiet',
};

const COLUMNS: Column[] = [
  'slug',
  { heading: 'name', least: 10 },
  { heading: 'status', tones: TONES },
  { heading: 'kind', aside: true },
  'prefix',
  { heading: 'currency', aside: true },
  { heading: 'sees', aside: true },
  { heading: 'origins', right: true, aside: true },
  { heading: 'created', aside: true },
];

export async function listTenantsCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, ...filter }: { status?: TenantStatus; limit?: number; after?: string },
): Promise<void> {
  const found = await listTenants(db, { ...filter, limit: oneMoreThan(limit) });
  const tours = await countVisibleTours(
    db,
    found.map(({ id }) => id),
  );
  const listed = found.map((tenant) => {
    const { byRule, visible, published } = tours.get(tenant.id)!;
    const sees = byRule ? 'by rule' : tenant.defaultVisible ? 'all' : 'none';
    return { ...toTenantDocument(tenant), sees, visible_tours: visible, published_tours: published };
  });
  answerPage(output, listed, { limit, after: ({ slug }) => slug }, describeTenants);
}

interface ListedTenant extends ReturnType<typeof toTenantDocument> {
  sees: string;
  visible_tours: number;
  published_tours: number;
}

const describeTenants = tableOf<ListedTenant>(
  COLUMNS,
  (t) => [
    t.slug,
    t.name,
    t.status,
    t.sandbox ? 'sandbox' : 'real',
    t.booking_prefix,
    t.currency,
    t.sees === 'by rule' ? `by rule: ${t.visible_tours}/${t.published_tours}` : t.sees,
    t.origins.length,
    t.created_at.slice(0, 10),
  ],
  'No tenants',
);

export async function showTenantCommand({ db, output }: Context, _: object, slug: string): Promise<void> {
  const document = toTenantDocument(await findTenant(db, slug));
  output.answer(document, () => properties(document));
}

/** Holds the parsed flags of `tenant create` and `tenant set`. */
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
  maxUnpaid?: number;
  maxHoldShare?: number;
  linkTemplate?: string | null;
  brandColor?: string | null;
  brandLogo?: string | null;
  brandRadius?: number | null;
  brandFont?: string | null;
}

/** Converts the given flags to tenant settings; other settings are absent. */
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
    maxUnpaid: options.maxUnpaid,
    maxHoldShare: options.maxHoldShare,
    linkTemplate: options.linkTemplate,
    brandColor: options.brandColor,
    brandLogo: options.brandLogo,
    brandRadius: options.brandRadius,
    brandFont: options.brandFont,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

export async function createTenantCommand(
  { audited, output }: Context,
  options: TenantOptions & { slug: string; name: string; sandbox?: boolean },
): Promise<void> {
  const { slug, name, sandbox } = options;
  const document = await audited({ action: 'tenant.create', subject: slug }, async (trx, note) => {
    const tenant = await createTenant(trx, { ...toSettings(options), slug, name, sandbox });
    const created = toTenantDocument(tenant);
    note(null, created, { tenantId: tenant.id });
    return created;
  });
  output.answer(document, () => properties(document));
  output.note(`Created. Next: tourctl key issue ${slug} --scope catalog:read`);
}

export async function setTenantCommand(
  { audited, output }: Context,
  options: TenantOptions,
  slug: string,
): Promise<void> {
  const document = await audited({ action: 'tenant.set', subject: slug }, async (trx, note) => {
    const tenant = await findTenantForChange(trx, slug);
    const changed = toTenantDocument(await updateTenant(trx, tenant, toSettings(options)));
    note(toTenantDocument(tenant), changed, { tenantId: tenant.id });
    return changed;
  });
  output.answer(document, () => properties(document));
}

export async function activateTenantCommand(context: Context, _: object, slug: string): Promise<void> {
  await change(context, 'activate', slug, 'active');
}

export async function suspendTenantCommand(context: Context, _: object, slug: string): Promise<void> {
  await findTenant(context.db, slug);
  await context.confirm(`Refuse every key and widget token of ${slug} from now on?`);
  await change(context, 'suspend', slug, 'suspended');
}

export async function closeTenantCommand(context: Context, _: object, slug: string): Promise<void> {
  await findTenant(context.db, slug);
  await context.confirm(`Close ${slug}, and refuse all its keys and widget tokens from now on?`);
  await change(context, 'close', slug, 'closed');
}

async function change(
  { audited, output }: Context,
  verb: string,
  slug: string,
  status: TenantStatus,
): Promise<void> {
  const document = await audited({ action: `tenant.${verb}`, subject: slug }, async (trx, note) => {
    const tenant = await findTenantForChange(trx, slug);
    const changed = toTenantDocument(await changeTenantStatus(trx, tenant, status));
    note({ status: tenant.status }, { status: changed.status }, { tenantId: tenant.id });
    return changed;
  });
  output.answer(document, () => `${slug} is ${status}`);
}
