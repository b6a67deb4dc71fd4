import { findBookingOfHold } from '../../../services/api/bookings/find-booking';
import { getHold } from '../../../services/api/holds/find-hold';
import { type HoldMoment, holdHistory, refusalOf } from '../../../services/api/holds/hold-history';
import { ANY_TENANT } from '../../../services/api/tenants/tenant-scope';
import type { Context } from '../../context';
import type { Screen } from '../../screen';
import { properties } from '../../table';
import { describeCustomer, recordReveal, type RevealOptions } from './customer-document';
import {
  describeChanges,
  describeHistory,
  describeRefusals,
  findChangesDocument,
  findRefusalsDocument,
  sections,
  toHistoryDocument,
} from './history-document';
import { toHoldDetailDocument } from './hold-document';
import { describePrice } from './price-text';

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
    booking_ref: (await findBookingOfHold(db, id))?.bookingRef ?? null,
    refuses_with: refusalOf(hold) ?? null,
    history: toHistoryDocument(history),
    refusals: await findRefusalsDocument(db, { holdId: id }),
    audit: await findChangesDocument(db, [id]),
  };
  output.answer(document, (screen) => describe(document, history, screen));
}

type HoldShown = ReturnType<typeof toHoldDetailDocument> & {
  booking_ref: string | null;
  refuses_with: { code: string; message: string } | null;
  refusals: Awaited<ReturnType<typeof findRefusalsDocument>>;
  audit: Awaited<ReturnType<typeof findChangesDocument>>;
};

function describe(document: HoldShown, moments: HoldMoment[], screen: Screen): string {
  const { customer, price_breakdown, refuses_with: refusal, refusals, audit, ...facts } = document;
  const { history: _, ...plain } = facts as typeof facts & { history: unknown };
  return sections([
    ['', properties({ ...plain, customer: describeCustomer(customer) }, screen)],
    ['Price of one', describePrice(price_breakdown, document.unit_price, document.currency)],
    ['History', describeHistory(moments, screen)],
    ['A booking with it', refusal ? `is refused: ${refusal.code}. ${refusal.message}` : undefined],
    ['Refused with it', refusals.length > 0 ? describeRefusals(refusals, screen) : undefined],
    ['At a terminal', audit.length > 0 ? describeChanges(audit, screen) : undefined],
  ]);
}
