import { bookingsOfHolds } from '../../../services/api/bookings/find-booking';
import { nameDeparture } from '../../../services/api/catalog/start-time';
import { releaseHold } from '../../../services/api/seats/changes/release-hold';
import { sellerWithoutKey } from '../../../services/api/seats/seat-change';
import { performInTransaction } from '../../../services/api/seats/perform';
import { findTenant } from '../../../services/api/tenants/manage-tenants';
import { getHold, holdHistory, type HoldMoment, listHolds } from '../../../services/api/holds/find-hold';
import { HOLD_STATUSES, holdRefusal, type HoldStatus } from '../../../services/api/holds/hold-status';
import type { Category } from '../../../services/api/parties/category';
import { firstCategory } from '../../../services/api/parties/party-rules';
import { byOperator } from '../../../services/api/tenants/actor';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import type { Db } from '../../../services/platform/database/database';
import { changeSeats } from '../../engine/change-seats';
import { flag, type Verb } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import {
  afterFlag,
  EXTERNAL_REF_FLAG,
  findTenantId,
  LIST_FLAGS,
  listOf,
  SEARCH_FLAG,
  sinceFlag,
  TENANT_FLAG,
} from '../../engine/list';
import {
  CUSTOMER_COLUMN,
  describeContacts,
  describeCustomer,
  explainHidden,
  recordReveal,
  REVEAL_FLAG,
  type RevealOptions,
  toCustomerDocument,
} from '../../engine/personal-data';
import { uuid, uuidStart } from '../../engine/values';
import type { Screen } from '../../terminal/screen';
import { paragraph, properties, sections, shortTime } from '../../terminal/table';
import { countOf } from '../../terminal/text';
import { type AuditDocument, describeAudit, findAuditDocuments } from '../audit';
import { departureOf, describeHistory, describePrice, toHistoryDocument } from '../booking/document';
import { FORCE_FLAG } from '../booking/erasure';
import { describeRefusals, findRefusalDocuments, type RefusalDocument } from '../booking/refusals';
import { addHoldVerb } from './add';
import { anonymizeHoldCommand } from './anonymize';
import { toHoldDetailDocument, toHoldDocument, toHoldFacts } from './document';

export const holdVerbs: Verb[] = [
  {
    usage: 'list',
    about: 'List holds, newest first',
    flags: [
      TENANT_FLAG,
      flag('--status <status>', 'only in this status', { choices: Object.keys(HOLD_STATUSES) }),
      sinceFlag('placed'),
      EXTERNAL_REF_FLAG,
      SEARCH_FLAG,
      ...LIST_FLAGS,
      afterFlag('id', uuid),
    ],
    examples: ['hold list --tenant acme --status active', 'hold list --search "ana lima"'],
    run: listOf({
      find: async (db: Db, { tenant, ...filter }: HoldListOptions & { limit: number }) => {
        const { status, since, externalRef, search, after, limit } = filter;
        const scope = (await findTenantId(db, tenant)) ?? ANY_TENANT;
        const holds = await listHolds(db, scope, { status, since, externalRef, search, after, limit });
        return holds.map((hold) => ({
          ...toHoldDocument(hold),
          customer: toCustomerDocument(hold.customer),
        }));
      },
      columns: [
        'id',
        { heading: 'tenant', least: 6, aside: true },
        { heading: 'tour', least: 10 },
        { heading: 'seats', right: true, aside: true, cell: ({ quantity }) => quantity },
        {
          heading: 'status',
          tones: { active: 'waiting', converted: 'good', expired: 'quiet', released: 'quiet' },
        },
        { heading: 'date', aside: true, cell: departureOf },
        { heading: 'expires (utc)', aside: true, cell: (hold) => shortTime(hold.expires_at) },
        { heading: 'reference', least: 8, aside: true, cell: (hold) => hold.external_ref },
        { ...CUSTOMER_COLUMN, aside: true },
      ],
      empty: 'No holds',
      after: ({ id }) => id,
    }),
  },
  {
    usage: 'show <id>',
    about: 'Show a hold, its history, and the result that a booking with it would have',
    args: { id: uuidStart },
    flags: [REVEAL_FLAG],
    audits: true,
    run: showHoldCommand,
  },
  addHoldVerb,
  {
    usage: 'release <id>',
    about: 'Release a hold, so that its seats are free again',
    args: { id: uuidStart },
    asks: () => true,
    audits: true,
    run: releaseHoldCommand,
  },
  {
    usage: 'anonymize <id>',
    about:
      'Erase the customer of a hold without a booking everywhere and permanently; seats, dates and amounts stay',
    args: { id: uuidStart },
    flags: [FORCE_FLAG],
    asks: () => true,
    audits: true,
    run: anonymizeHoldCommand,
  },
];

interface HoldListOptions {
  tenant?: string;
  status?: HoldStatus;
  since?: Date;
  externalRef?: string;
  search?: string;
  after?: string;
}

async function showHoldCommand(
  context: AuditedContext,
  { reveal = false }: RevealOptions,
  id: string,
): Promise<void> {
  const { db, output } = context;
  const hold = await getHold(db, ANY_TENANT, id);
  const tenantId = hold.tenant.id;
  if (reveal) await recordReveal(context, { action: 'hold.reveal', subject: id, tenantId }, { holds: 1 });
  const history = await holdHistory(db, hold);
  const refusal = holdRefusal(hold, 'book');
  const document = {
    ...toHoldDetailDocument(hold, reveal),
    booking_ref: (await bookingsOfHolds(db, [id]))[0]?.bookingRef ?? null,
    refuses_with: refusal ? { code: refusal.code, message: refusal.message } : null,
    history: toHistoryDocument(history),
    refusals: await findRefusalDocuments(db, { holdId: id }),
    audit: await findAuditDocuments(db, [id]),
  };
  await output.answer(document, (screen) => describe(document, hold.categories, history, screen));
}

type HoldShown = ReturnType<typeof toHoldDetailDocument> & {
  history: unknown[];
  booking_ref: string | null;
  refuses_with: { code: string; message: string } | null;
  refusals: RefusalDocument[];
  audit: AuditDocument[];
};

function describe(
  document: HoldShown,
  categories: readonly Category[],
  moments: HoldMoment[],
  screen: Screen,
): string {
  const { customer, octo, price_breakdown: _breakdown, prices: _prices, history: _, ...others } = document;
  const { refusals, audit, refuses_with: refusal, ...facts } = others;
  const shown = explainHidden(toHoldFacts(facts));
  return sections([
    ['', properties({ ...shown, customer: describeCustomer(customer) }, screen)],
    ['Contacts by OCTO', describeContacts(octo).join('\n')],
    [
      `Price of one ${firstCategory(categories).code}`,
      paragraph(describePrice(document, categories), screen),
    ],
    ['History', describeHistory(moments, screen)],
    [
      'A booking with it',
      refusal ? paragraph(`is refused: ${refusal.code}. ${refusal.message}`, screen) : undefined,
    ],
    ['Refused with it', describeRefusals(refusals, screen)],
    ['At a terminal', describeAudit(audit, screen)],
  ]);
}

async function releaseHoldCommand(context: AuditedContext, _: object, id: string): Promise<void> {
  const { confirm, db, operator, output } = context;
  const { seats, tour, departureDate, departureTime, tenant } = await getHold(db, ANY_TENANT, id);
  const departure = nameDeparture(departureDate, departureTime);
  await confirm(`Release ${countOf(seats, 'seat')} of ${tour.slug} on ${departure}?`);
  const entry = { action: 'hold.release', subject: id };
  const document = await changeSeats(context, entry, async (transaction, note) => {
    const { trx } = transaction;
    const seller = sellerWithoutKey(await findTenant(trx, tenant.slug));
    const release = await releaseHold(trx, seller, { holdId: id, by: byOperator(operator) });
    const result = await performInTransaction(transaction, release);
    const released = toHoldDocument(result.after);
    note(toHoldDocument(result.before), released, { tenantId: tenant.id });
    return released;
  });
  await output.answer(document, (screen) => properties(toHoldFacts(document), screen));
}
