import type { Tenant } from '../../../services/api/tenants/tenant';
import { formatDuration } from '../../duration';

/** A tenant as the terminal answers it (CONTRACT section 6), and as the audit log keeps it. */
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
    max_hold_share: tenant.maxHoldShare,
    link_template: tenant.linkTemplate,
    brand_color: tenant.brandColor,
    brand_logo: tenant.brandLogo,
    brand_radius: tenant.brandRadius,
    brand_font: tenant.brandFont,
    origins: tenant.origins,
  };
}
