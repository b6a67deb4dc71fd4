import { findLeadOfHold } from '../../../services/api/bookings/booking-lead.repository';
import { recordTerminalChange } from '../../../services/api/catalog/tour.repository';
import { releaseHold } from '../../../services/api/holds/change-hold';
import { getHold, listHolds } from '../../../services/api/holds/find-hold';
import { holdHistory, type HoldMoment, refusalOf } from '../../../services/api/holds/hold-history';
import type { HoldStatus, SeatHold } from '../../../services/api/holds/seat-hold';
import { toMajor } from '../../../services/api/pricing/currency';
import type { Refusal, RefusalFilter } from '../../../services/api/refusals/refusal';
import { findRefusals } from '../../../services/api/refusals/refusal.repository';
import { byOperator } from '../../../services/api/tenants/actor';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import type { Db } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/credential-flags';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import {
  describeCustomer,
  recordReveal,
  type RevealOptions,
  toCustomerDocument,
  toReferenceDocument,
} from '../../engine/personal-data';
import type { Screen } from '../../terminal/screen';
import { type Column, properties, sections, shortTime, table } from '../../terminal/table';
import { describeChanges, findChangesDocument } from '../audit/actions';

/** A hold in lists and in the audit log, without the customer. */
export function toHoldDocument(hold: SeatHold, reveal = false) {
  return {
    id: hold.id,
    tenant: hold.tenant.slug,
    tour: hold.tour.slug,
    departure_date: hold.departureDate,
    quantity: hold.quantity,
    status: hold.status,
    expires_at: hold.expiresAt.toISOString(),
    unit_price: toMajor(hold.unitPriceMinor, hold.currencyDigits),
    currency: hold.currency,
    external_ref: toReferenceDocument(hold.externalRef, hold.customer, reveal),
    created_at: hold.createdAt.toISOString(),
  };
}

/** One hold as `show` prints it. */
export function toHoldDetailDocument(hold: SeatHold, reveal: boolean) {
  return {
    ...toHoldDocument(hold, reveal),
    hold_minutes: hold.holdMinutes,
    customer: toCustomerDocument(hold.customer, reveal),
    price_breakdown: hold.priceBreakdown,
  };
}

interface HoldListOptions {
  tenant?: string;
  status?: HoldStatus;
  since?: Date;
  externalRef?: string;
  limit?: number;
  after?: string;
}

const COLUMNS: Column[] = [
  'id',
  { heading: 'tenant', least: 8 },
  { heading: 'tour', least: 10 },
  'date',
  { heading: 'seats', right: true },
  {
    heading: 'status',
    tones: { active: 'waiting', converted: 'good', expired: 'quiet', released: 'quiet' },
  },
  'expires (utc)',
  { heading: 'reference', least: 8 },
];

export async function listHoldsCommand(
  { db, output }: Context,
  { tenant, limit = DEFAULT_LIMIT, ...filter }: HoldListOptions,
): Promise<void> {
  const { status, since, externalRef, after } = filter;
  const scope = tenant === undefined ? ANY_TENANT : (await findTenant(db, tenant)).id;
  const page = { status, since, externalRef, after, limit: oneMoreThan(limit) };
  const found = (await listHolds(db, scope, page)).map((hold) => toHoldDocument(hold));
  answerPage(output, found, { limit, after: ({ id }) => id }, (items, screen) => {
    const rows = items.map((hold) => [
      hold.id,
      hold.tenant,
      hold.tour,
      hold.departure_date,
      hold.quantity,
      hold.status,
      shortTime(hold.expires_at),
      hold.external_ref,
    ]);
    return table(COLUMNS, rows, 'No holds', screen);
  });
}

export async function showHoldCommand(
  context: Context,
  { reveal = false }: RevealOptions,
  id: string,
): Promise<void> {
  const { db, output } = context;
  const hold = await getHold(db, ANY_TENANT, id);
  const tenantId = hold.tenant.id;
  if (reveal) await recordReveal(context, { action: 'hold.reveal', subject: id, tenantId }, { holds: 1 });
  const history = await holdHistory(db, hold);
  const document = {
    ...toHoldDetailDocument(hold, reveal),
    booking_ref: (await findLeadOfHold(db, id))?.bookingRef ?? null,
    refuses_with: refusalOf(hold) ?? null,
    history: toHistoryDocument(history),
    refusals: await findRefusalsDocument(db, { holdId: id }),
    audit: await findChangesDocument(db, [id]),
  };
  output.answer(document, (screen) => describe(document, history, screen));
}

type HoldShown = ReturnType<typeof toHoldDetailDocument> & {
  history: unknown[];
  booking_ref: string | null;
  refuses_with: { code: string; message: string } | null;
  refusals: Awaited<ReturnType<typeof findRefusalsDocument>>;
  audit: Awaited<ReturnType<typeof findChangesDocument>>;
};

function describe(document: HoldShown, moments: HoldMoment[], screen: Screen): string {
  const {
    customer,
    price_breakdown,
    refuses_with: refusal,
    history: _,
    refusals,
    audit,
    ...facts
  } = document;
  return sections([
    ['', properties({ ...facts, customer: describeCustomer(customer) }, screen)],
    ['Price of one', describePrice(price_breakdown, document.unit_price, document.currency)],
    ['History', describeHistory(moments, screen)],
    ['A booking with it', refusal ? `is refused: ${refusal.code}. ${refusal.message}` : undefined],
    ['Refused with it', refusals.length > 0 ? describeRefusals(refusals, screen) : undefined],
    ['At a terminal', audit.length > 0 ? describeChanges(audit, screen) : undefined],
  ]);
}

interface Moment {
  at: Date;
  event: string;
  by: string | null;
  detail: string | null;
}

export function toHistoryDocument(moments: Moment[]) {
  return moments.map(({ at, event, by, detail }) => ({ at: at.toISOString(), event, by, detail }));
}

export function describeHistory(moments: Moment[], screen: Screen): string {
  const rows = moments.map(({ at, event, by, detail }) => [shortTime(at), event, by, detail]);
  const columns = ['at (utc)', 'what', 'by', { heading: 'detail', least: 12 }];
  return table(columns, rows, 'No history yet', screen);
}

/** As holds and leads keep it (explain-price.ts). */
interface PriceBreakdown {
  platform_unit_price?: number;
  rule?: { id: number; applies_to: string; kind: string; value: number } | null;
}

/** How the price of one came about, as it was when it was locked: 450, made 500 by rule 7 (tour, percent 10). */
export function describePrice(breakdown: PriceBreakdown, unitPrice: number, currency: string): string {
  const { platform_unit_price: platform, rule } = breakdown;
  const price = `${unitPrice} ${currency}`;
  if (!rule) return `${price}, the platform's own price`;
  return `${price}, made of the platform's ${platform} by rule ${rule.id} (${rule.applies_to}, ${rule.kind} ${rule.value})`;
}

const MOST = 100;

export function toRefusalDocument(refusal: Refusal) {
  return {
    id: refusal.id,
    at: refusal.at.toISOString(),
    tenant: refusal.tenant,
    operation: refusal.operation,
    code: refusal.code,
    tour: refusal.tour,
    departure_date: refusal.departureDate,
    quantity: refusal.quantity,
    seats_available: refusal.seatsAvailable,
    external_ref: refusal.externalRef,
    hold_id: refusal.holdId,
    booking_ref: refusal.bookingRef,
    request_id: refusal.requestId,
  };
}

export async function findRefusalsDocument(db: Db, filter: Omit<RefusalFilter, 'limit'>) {
  return (await findRefusals(db, { ...filter, limit: MOST })).map(toRefusalDocument);
}

export function describeRefusals(refusals: ReturnType<typeof toRefusalDocument>[], screen: Screen): string {
  const rows = refusals.map((r) => [
    ...[shortTime(r.at), r.tenant, r.operation, r.code, r.tour, r.departure_date, r.quantity],
    ...[r.seats_available, r.external_ref, r.request_id],
  ]);
  const tour = { heading: 'tour', least: 8 };
  const reference = { heading: 'reference', least: 8 };
  const request = { heading: 'request', least: 8 };
  const columns = ['at (utc)', 'tenant', 'what', 'why', tour, 'date', 'seats', 'free', reference, request];
  return table(columns, rows, 'No refusals', screen);
}

export async function releaseHoldCommand(
  { audited, confirm, db, operator, output }: Context,
  _options: object,
  id: string,
): Promise<void> {
  const { quantity, tour, departureDate } = await getHold(db, ANY_TENANT, id);
  await confirm(`Release ${quantity} seats of ${tour.slug} on ${departureDate}?`);
  const document = await audited({ action: 'hold.release', subject: id }, async (trx, note) => {
    const { before, after } = await releaseHold(trx, ANY_TENANT, { holdId: id, by: byOperator(operator) });
    if (before !== after) await recordTerminalChange(trx, after.tour.id);
    note(toHoldDocument(before), toHoldDocument(after), { tenantId: after.tenant.id });
    return toHoldDocument(after);
  });
  output.answer(document, (screen) => properties(document, screen));
}
