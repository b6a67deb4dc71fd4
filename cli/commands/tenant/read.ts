import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Tenant, TenantStatus } from '../../../services/api/tenants/tenant';
import { listTenants } from '../../../services/api/tenants/tenant.repository';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/credential-flags';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { formatDuration } from '../../engine/values';
import type { Tone } from '../../terminal/screen';
import { type Column, properties, table } from '../../terminal/table';

/** Converts a tenant for answers (CONTRACT section 6) and the audit log. */
export function toTenantDocument(tenant: Tenant) {
  const { paymentWindowMinutes } = tenant;
  return {
    id: tenant.id,
    slug: tenant.slug,
    name: tenant.name,
    status: tenant.status,
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
  'prefix',
  { heading: 'currency', aside: true },
  { heading: 'visibility', aside: true },
  { heading: 'origins', right: true, aside: true },
  { heading: 'created', aside: true },
];

export async function listTenantsCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, ...filter }: { status?: TenantStatus; limit?: number; after?: string },
): Promise<void> {
  const found = await listTenants(db, { ...filter, limit: oneMoreThan(limit) });
  const documents = found.map(toTenantDocument);
  answerPage(output, documents, { limit, after: ({ slug }) => slug }, (items, screen) => {
    const rows = items.map((t) => {
      const sells = [t.booking_prefix, t.currency, t.visibility, t.origins.length];
      return [t.slug, t.name, t.status, ...sells, t.created_at.slice(0, 10)];
    });
    return table(COLUMNS, rows, 'No tenants', screen);
  });
}

export async function showTenantCommand({ db, output }: Context, _: object, slug: string): Promise<void> {
  const document = toTenantDocument(await findTenant(db, slug));
  output.answer(document, () => properties(document));
}
