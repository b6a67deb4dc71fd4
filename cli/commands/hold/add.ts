import type { NamedDeparture } from '../../../services/api/departures/find-departures';
import { canonicalTourId } from '../../../services/api/catalog/find-tour';
import { getHold } from '../../../services/api/holds/find-hold';
import { assertHoldMinutes } from '../../../services/api/holds/hold-length';
import type { SeatHold } from '../../../services/api/holds/seat-hold';
import { comparedParty, newPartyInput } from '../../../services/api/parties/requested-party';
import { placeHold } from '../../../services/api/seats/changes/place-hold';
import { type OperatorTransaction, performInTransaction } from '../../../services/api/seats/perform';
import type { Seller } from '../../../services/api/seats/seat-change';
import { type Actor, byOperator } from '../../../services/api/tenants/actor';
import type { RequestReading } from '../../../services/api/idempotency/fingerprint';
import type { Note } from '../../engine/audited-change';
import { changeSeats } from '../../engine/change-seats';
import { flag, type Verb } from '../../engine/command';
import { mayAsk } from '../../engine/confirm';
import type { AuditedContext, OpeningTerminal } from '../../engine/context';
import {
  ADD_SEATS_FLAG,
  auditedDeskFields,
  type BesideSale,
  checkDeskOptions,
  closingOf,
  customerOfSale,
  departureNamed,
  departureToSell,
  DESK_FLAGS,
  type DeskAnswer,
  type DeskOptions,
  describeDeskAnswer,
  isAgreed,
  missingValues,
  raiseSeats,
  sellingTenant,
  tenantToSellFor,
  toDeskAnswer,
  tourToSell,
} from '../../engine/desk-sale';
import { type Answered, performOnce, REQUEST_ID_FLAG } from '../../engine/desk-request';
import { refuseMistakes } from '../../engine/failure';
import { partyBody } from '../../engine/party';
import { checkReason, SEATS_REASON_FLAG } from '../../engine/reasoned';
import { departureOnDate, minutes } from '../../engine/values';
import { properties, sections } from '../../terminal/table';
import { sellOnTerminal } from '../booking/sell-on-terminal';
import { toHoldDocument, toHoldFacts } from './document';

/** The flags of `hold add`. */
export interface HoldOptions extends DeskOptions {
  minutes?: number;
}

/** A hold that lacks nothing. */
export interface WantedDeskHold extends HoldOptions {
  tenant: string;
  /** Slug or id. */
  tour: string;
  departure: NamedDeparture;
}

export const addHoldVerb: Verb = {
  usage: 'add [tour] [date]',
  about:
    'Hold seats for a caller: as REST holds them, but until the departure is past, and beyond the limits of websites',
  args: { date: departureOnDate },
  flags: [
    ...DESK_FLAGS,
    flag('--minutes <minutes>', 'how long the seats are held', {
      parse: minutes(1, 60),
      otherwise: "the tenant's",
    }),
    ADD_SEATS_FLAG,
    SEATS_REASON_FLAG,
    REQUEST_ID_FLAG,
  ],
  check: (options: HoldOptions, _tour?: string, date?: NamedDeparture) => {
    checkDeskOptions(options, date);
    checkReason(options);
  },
  examples: [
    'hold add dolomites-hut-to-hut 2027-06-05 --tenant acme --party adult=2',
    'hold add old-town-walk 2027-06-05T09:30 --party adult=2,child=1 --name "Ana Lima" --minutes 30',
  ],
  needs: 'database-on-demand',
  audits: true,
  run: addHoldCommand,
};

/** The answer of `hold add`: the hold, and its departure. */
type HoldAnswer = ReturnType<typeof toHoldDocument> &
  DeskAnswer & {
    /** The id, as answers of REST name it. An erasure finds the stored answer by it. */
    hold_id: string;
  };

async function addHoldCommand(
  terminal: OpeningTerminal<AuditedContext>,
  options: HoldOptions,
  tour: string | undefined,
  date: NamedDeparture | undefined,
): Promise<void> {
  const tenant = sellingTenant(terminal, options);
  const known = { ...options, tenant, tour, departure: date && departureNamed(date, options) };
  const missing = missingValues(known, ['tenant', 'tour', 'departure', 'party']);
  if (mayAsk(terminal) && (missing.length > 0 || !isAgreed(options))) return askAndHold(terminal, known);
  refuseMistakes(missing);
  const wanted = { ...known, tenant: tenant!, tour: tour!, departure: known.departure! };
  await terminal.withDatabase({}, (context) => holdAndAnswer(context, wanted), [wanted.tour, wanted.tenant]);
}

/** A hold whose command line may lack something. */
type KnownHold = HoldOptions & Partial<Pick<WantedDeskHold, 'tenant' | 'tour' | 'departure'>>;

/** Asks a person for the missing values, and holds the seats. */
function askAndHold(terminal: OpeningTerminal<AuditedContext>, known: KnownHold): Promise<void> {
  const { tenant, yes = false, party, ...given } = known;
  const asked = {
    kind: 'hold' as const,
    tenant,
    given: { ...given, party: party && Object.fromEntries(party), addsSeats: given.addSeats },
    isAgreed: yes,
  };
  return sellOnTerminal(terminal, asked, (context, { tour, departure, party: units, ...contact }, slug) => {
    const { name, phone, email } = contact;
    const answered = { tour, departure, party: Object.entries(units), name, phone, email };
    return holdAndAnswer(context, { ...known, ...answered, tenant: slug });
  });
}

async function holdAndAnswer(context: AuditedContext, wanted: WantedDeskHold): Promise<void> {
  const { output } = context;
  const { answer, isRepeat, hold } = await changeSeats(context, { action: 'hold.add' }, (transaction, note) =>
    placeOnce(transaction, context, wanted, note),
  );
  const { hold_id: _id, late: _late, seats_total: _raised, ...document } = answer;
  await output.answer(answer, (screen) =>
    sections([
      ['', properties(toHoldFacts(document), screen)],
      ['', describeDeskAnswer(answer, screen)],
      ['', `To book it: tourctl booking add --hold ${hold.id}`],
    ]),
  );
  if (isRepeat)
    output.note('An earlier command with this --request-id placed this hold: nothing was changed');
}

/** A hold in its transaction: the answer, and the hold as it is now. */
interface Placed extends Answered<HoldAnswer> {
  hold: SeatHold;
}

/** Places the hold in the transaction of the operator, or returns the one that an earlier command with the --request-id placed. */
async function placeOnce(
  transaction: OperatorTransaction,
  context: AuditedContext,
  wanted: WantedDeskHold,
  note: Note,
): Promise<Placed> {
  const { trx } = transaction;
  const tenant = await tenantToSellFor(trx, wanted.tenant);
  const beside: BesideSale = { closesAt: null, raised: null };
  let hold: SeatHold | undefined;
  const placed = await performOnce<SeatHold, HoldAnswer>(
    transaction,
    context,
    {
      tenant,
      operation: 'desk.hold',
      id: wanted.requestId,
      subject: { tour: await canonicalTourId(trx, wanted.tour) },
      validated: (reading) => comparedHold(wanted, reading),
    },
    async (seller) =>
      (hold = await place(transaction, byOperator(context.operator), { seller, wanted, beside })),
    (result) => toHoldAnswer(result, beside),
  );
  const { answer, isRepeat } = placed;
  if (!hold || isRepeat) {
    note(null, null);
    return { ...placed, hold: await getHold(trx, tenant.id, answer.id) };
  }
  const also = auditedDeskFields(answer, wanted);
  note(undefined, { ...toHoldDocument(hold), ...also }, { subject: hold.id, tenantId: tenant.id });
  return { ...placed, hold };
}

function toHoldAnswer(hold: SeatHold, beside: BesideSale): HoldAnswer {
  return { ...toHoldDocument(hold), hold_id: hold.id, ...toDeskAnswer(beside, hold.createdAt) };
}

/** Returns what the hold asks for, for the comparison with an earlier request of the same id. */
function comparedHold(wanted: WantedDeskHold, reading: RequestReading) {
  const { departure, externalRef, minutes: holdMinutes, addSeats, reason } = wanted;
  const party = comparedParty(newPartyInput(partyBody(wanted)));
  return {
    departure,
    party,
    customer: customerOfSale(wanted, reading),
    externalRef,
    holdMinutes,
    addSeats,
    reason,
  };
}

/** Places the hold in the transaction, and notes in `beside` what it finds and does beside it. */
async function place(
  transaction: OperatorTransaction,
  by: Actor,
  { seller, wanted, beside }: { seller: Seller<SeatHold>; wanted: WantedDeskHold; beside: BesideSale },
): Promise<SeatHold> {
  const { trx } = transaction;
  const { tenant } = seller;
  const { departure, minutes: holdMinutes } = wanted;
  assertHoldMinutes(tenant, holdMinutes);
  const tour = await tourToSell(trx, tenant, wanted.tour);
  const party = newPartyInput(partyBody(wanted));
  const choice = await departureToSell(trx, tour, departure);
  if (wanted.addSeats) beside.raised = await raiseSeats(transaction, tenant, tour, departure, { party });
  beside.closesAt = await closingOf(trx, choice.departureId, tenant);
  const request = {
    departureDate: departure.date,
    departureTime: departure.time,
    party,
    holdMinutes,
    externalRef: wanted.externalRef ?? null,
    customer: customerOfSale(wanted, tenant),
    byDesk: true,
    by,
  };
  return performInTransaction(transaction, placeHold(seller, tour, choice, request));
}
