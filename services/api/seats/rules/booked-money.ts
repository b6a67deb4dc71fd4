import type { StoredColumns } from '../../../platform/database/row-description';
import { adjustedTotal, toAdjustment } from '../../bookings/adjustment';
import type { BookingLead } from '../../bookings/booking-lead';
import type { DeskTerms } from '../../bookings/desk-terms';
import { depositOfImport, type ImportTerms, pricesOfImport } from '../../bookings/import-terms';
import type { Party } from '../../parties/party-rules';
import { depositOf } from '../../pricing/apply-price-rule';
import { type LockedPrice, totalOf } from '../../pricing/price-categories';
import type { BookingPaymentMethod } from '../../tenants/payment-method';
import type { Tenant } from '../../tenants/tenant';

/** The locked amounts of a booking. */
export type BookedMoney = Pick<BookingLead, 'prices' | 'adjustment' | 'totalMinor' | 'depositMinor'>;

/** The parts of a wanted booking that decide its amounts. */
interface SoldTerms {
  tenant: Tenant;
  party: Party;
  paymentMethod: BookingPaymentMethod;
  desk?: DeskTerms;
  imported?: ImportTerms;
}

/** Returns the amounts of a sale at these prices. @throws TotalBelowZeroError; InvalidInputError for a row of an import */
export function moneyOf(
  { tenant, party, paymentMethod, desk, imported }: SoldTerms,
  price: LockedPrice,
): BookedMoney {
  const { prices, adjustment } = imported
    ? pricesOfImport(price, party, imported)
    : { prices: price.prices, adjustment: toAdjustment(desk?.adjustment ?? null, price) };
  const totalMinor = adjustedTotal(totalOf(party, prices), adjustment, price);
  const named = imported ? depositOfImport(imported, totalMinor, price) : null;
  const depositMinor = named ?? depositOf(totalMinor, tenant.depositPercent, paymentMethod);
  return { prices, adjustment, totalMinor, depositMinor };
}

/** Returns the columns that only a booking of an import has. All bookings of one import have the same updated_at, so its undo sees later changes. */
export function columnsOfImport(imported: ImportTerms | undefined): StoredColumns {
  if (!imported) return {};
  const { importedAt, digest } = imported;
  return { created_at: imported.createdAt ?? importedAt, updated_at: importedAt, import_digest: digest };
}
