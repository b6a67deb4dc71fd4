import { findBookingOfHold } from '../../../services/api/bookings/find-booking';
import { getHold } from '../../../services/api/holds/find-hold';
import { type HoldMoment, holdHistory, refusalOf } from '../../../services/api/holds/hold-history';
import { ANY_TENANT } from '../../../services/api/tenants/tenant-scope';
import type { Context } from '../../context';
import type { Screen } from '../../screen';
import { describeCustomer } from '../../customer-document';
import { recordReveal, type RevealOptions } from '../../reveal';
import { properties, sections } from '../../table';
import { describeChanges, findChangesDocument } from '../audit/subject-changes';
import { describeHistory, toHistoryDocument } from './history-document';
import { toHoldDetailDocument } from './hold-document';
import { describePrice } from './price-text';
import { describeRefusals, findRefusalsDocument } from './refusal-document';

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
