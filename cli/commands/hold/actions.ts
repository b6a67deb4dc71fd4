import { peopleOf } from '../../../services/api/bookings/booking-lead';
import { bookingsOfHolds } from '../../../services/api/bookings/find-booking';
import { recordTerminalChange } from '../../../services/api/catalog/tour.repository';
import { releaseHold } from '../../../services/api/holds/change-hold';
import {
  getHold,
  holdHistory,
  type HoldMoment,
  listHolds,
  refusalOf,
} from '../../../services/api/holds/find-hold';
import type { HoldStatus, SeatHold } from '../../../services/api/holds/seat-hold';
import { toMajor } from '../../../services/api/pricing/currency';
import { pricesAnswer } from '../../../services/api/pricing/prices';
import { byOperator } from '../../../services/api/tenants/actor';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/flags';
import { answerPage, findTenantId, oneMoreThan } from '../../engine/list-page';
import { withMoney } from '../../engine/money';
import {
  describeContacts,
  describeCustomer,
  explainHidden,
  recordReveal,
  type RevealOptions,
  toCustomerDocument,
  toOctoDocument,
  toReferenceDocument,
} from '../../engine/personal-data';
import type { Screen } from '../../terminal/screen';
import { type Column, paragraph, properties, sections, shortTime, tableOf } from '../../terminal/table';
import { countOf } from '../../terminal/text';
import { type AuditDocument, describeAudit, findAuditDocuments } from '../audit/actions';
import { describeHistory, describePrice, toHistoryDocument } from '../booking/document';
import { describeRefusals, findRefusalDocuments, type RefusalDocument } from '../booking/refusals';

/** Converts a hold for lists and the audit log, without the customer. */
function toHoldDocument(hold: SeatHold, reveal = false) {
  return {
    id: hold.id,
    tenant: hold.tenant.slug,
    tour: hold.tour.slug,
    departure_date: hold.departureDate,
    quantity: hold.quantity,
    adults: hold.quantity - hold.children,
    children: hold.children,
    status: hold.status,
    expires_at: hold.expiresAt.toISOString(),
    unit_price: toMajor(hold.prices.adult, hold.currencyDigits),
    currency: hold.currency,
    external_ref: toReferenceDocument(hold.externalRef, peopleOf(hold), reveal),
    created_at: hold.createdAt.toISOString(),
  };
}

/** Converts a hold for `show`. */
function toHoldDetailDocument(hold: SeatHold, reveal: boolean) {
  return {
    ...toHoldDocument(hold, reveal),
    hold_minutes: hold.holdMinutes,
    prices: pricesAnswer(hold.prices, hold.currencyDigits),
    customer: toCustomerDocument(hold.customer, reveal),
    octo: toOctoDocument(hold.octo, reveal),
    price_breakdown: hold.priceBreakdown,
  };
}

/** Converts a hold for a person: its price names the currency. */
function toHoldFacts<T extends ReturnType<typeof toHoldDocument>>(document: T) {
  return withMoney(document, ['unit_price']);
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
  { heading: 'tenant', least: 6, aside: true },
  { heading: 'tour', least: 10 },
  { heading: 'seats', right: true, aside: true },
  {
    heading: 'status',
    tones: { active: 'waiting', converted: 'good', expired: 'quiet', released: 'quiet' },
  },
  { heading: 'date', aside: true },
  { heading: 'expires (utc)', aside: true },
  { heading: 'reference', least: 8, aside: true },
];

export async function listHoldsCommand(
  { db, output }: Context,
  { tenant, limit = DEFAULT_LIMIT, ...filter }: HoldListOptions,
): Promise<void> {
  const { status, since, externalRef, after } = filter;
  const scope = (await findTenantId(db, tenant)) ?? ANY_TENANT;
  const page = { status, since, externalRef, after, limit: oneMoreThan(limit) };
  const found = (await listHolds(db, scope, page)).map((hold) => toHoldDocument(hold));
  answerPage(output, found, { limit, after: ({ id }) => id }, describeHolds);
}

const describeHolds = tableOf<ReturnType<typeof toHoldDocument>>(
  COLUMNS,
  (hold) => [
    hold.id,
    hold.tenant,
    hold.tour,
    hold.quantity,
    hold.status,
    hold.departure_date,
    shortTime(hold.expires_at),
    hold.external_ref,
  ],
  'No holds',
);

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
    booking_ref: (await bookingsOfHolds(db, [id]))[0]?.bookingRef ?? null,
    refuses_with: refusalOf(hold) ?? null,
    history: toHistoryDocument(history),
    refusals: await findRefusalDocuments(db, { holdId: id }),
    audit: await findAuditDocuments(db, [id]),
  };
  output.answer(document, (screen) => describe(document, history, screen));
}

type HoldShown = ReturnType<typeof toHoldDetailDocument> & {
  history: unknown[];
  booking_ref: string | null;
  refuses_with: { code: string; message: string } | null;
  refusals: RefusalDocument[];
  audit: AuditDocument[];
};

function describe(document: HoldShown, moments: HoldMoment[], screen: Screen): string {
  const { customer, octo, price_breakdown, prices, history: _, ...others } = document;
  const { refusals, audit, refuses_with: refusal, ...facts } = others;
  const shown = explainHidden(toHoldFacts(facts));
  return sections([
    ['', properties({ ...shown, customer: describeCustomer(customer) }, screen)],
    ['Contacts by OCTO', describeContacts(octo).join('\n') || undefined],
    ['Price of one', paragraph(describePrice(price_breakdown, prices, document.currency), screen)],
    ['History', describeHistory(moments, screen)],
    [
      'A booking with it',
      refusal ? paragraph(`is refused: ${refusal.code}. ${refusal.message}`, screen) : undefined,
    ],
    ['Refused with it', refusals.length > 0 ? describeRefusals(refusals, screen) : undefined],
    ['At a terminal', audit.length > 0 ? describeAudit(audit, screen) : undefined],
  ]);
}

export async function releaseHoldCommand(
  { audited, confirm, db, operator, output }: Context,
  _: object,
  id: string,
): Promise<void> {
  const { quantity, tour, departureDate } = await getHold(db, ANY_TENANT, id);
  await confirm(`Release ${countOf(quantity, 'seat')} of ${tour.slug} on ${departureDate}?`);
  const document = await audited({ action: 'hold.release', subject: id }, async (trx, note) => {
    const { before, after } = await releaseHold(trx, ANY_TENANT, { holdId: id, by: byOperator(operator) });
    if (before !== after) await recordTerminalChange(trx, after.tour.id);
    note(toHoldDocument(before), toHoldDocument(after), { tenantId: after.tenant.id });
    return toHoldDocument(after);
  });
  output.answer(document, (screen) => properties(toHoldFacts(document), screen));
}
