import type { BookingLead } from '../../../services/api/bookings/booking-lead';
import { BOOKING_STATUSES, isCancelled } from '../../../services/api/bookings/booking-status';
import { findLapsedLeads } from '../../../services/api/bookings/booking-lead.repository';
import { cancelBooking } from '../../../services/api/seats/changes/cancel-booking';
import { confirmBooking } from '../../../services/api/seats/changes/confirm-booking';
import { getBooking } from '../../../services/api/bookings/find-booking';
import { decideRefund } from '../../../services/api/bookings/refund';
import { refundAnswer } from '../../../services/api/bookings/refund-answer';
import { COUNTS_KEPT_DAYS } from '../../../services/api/refusals/refusal';
import { expire } from '../../../services/api/seats/changes/expire';
import { performBulk } from '../../../services/api/seats/perform';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import { DAY_MS } from '../../../services/platform/forms/days';
import { NOTES_MAX, REASON_MAX } from '../../../services/platform/forms/lengths';
import { changeSeats } from '../../engine/change-seats';
import { type Flag, flag, type Verb } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import {
  afterFlag,
  EXTERNAL_REF_FLAG,
  LIST_FLAGS,
  SEARCH_FLAG,
  sinceFlag,
  TENANT_FLAG,
  TOUR_FLAG,
} from '../../engine/list';
import { ADJUST_FLAG, ADJUST_REASON_FLAG } from '../../engine/reasoned';
import { checkPartyFlags, partyFlag } from '../../engine/party';
import { ANSWER_FLAG } from '../../engine/answers';
import { checkPickupFlags, localMoment, PICKUP_FLAGS } from '../../engine/pickup';
import { REVEAL_FLAG } from '../../engine/personal-data';
import {
  bookingRef,
  email,
  outputFile,
  departureOnDate,
  orNone,
  line,
  moment,
  paragraphs,
  personName,
  phone,
  slug,
  travelDate,
  wholeNumber,
} from '../../engine/values';
import { shortTime, tableOf } from '../../terminal/table';
import { addBookingVerb, DESPITE_MISSING_FLAG } from './add';
import { importBookingsVerb } from './import';
import { anonymizeBookingCommand } from './anonymize';
import { FORCE_FLAG } from './erasure';
import { describeRefundNow } from './cancellation';
import { changeAndAnswer, changeBookingCommand, type ChangeOptions, checkAdjustOfChange } from './change';
import { departureOf, toBookingDocument } from './document';
import { type BookingFilterOptions, exportBookingsCommand, listBookingsCommand } from './list';
import { listRefusalsCommand } from './refusals';
import { showBookingCommand } from './show';
import { showStatsCommand } from './stats';
import { TRAVELLERS_FLAG } from './travellers';
import { SEATS_MAX } from '../../../services/api/parties/party-rules';
import { describeParty } from '../../../services/api/parties/party';

const REF = { ref: bookingRef };
const CHANGEABLE = [
  'date',
  'adults',
  'children',
  'party',
  'name',
  'phone',
  'email',
  'notes',
  'travellers',
  'answer',
  'pickup',
  'place',
  'pickupTime',
  'adjust',
];

const SANDBOX_FLAG = flag('--sandbox', 'only of sandbox tenants, which are left out unless named');

const FILTERS: Flag[] = [
  TENANT_FLAG,
  TOUR_FLAG,
  flag('--departure-from <date>', 'only departing on this day or later, by date of departure', {
    parse: travelDate,
  }),
  flag('--departure-to <date>', 'only departing up to this day, by date of departure', {
    parse: travelDate,
  }),
  flag('--status <status>', 'only in this status', { choices: Object.keys(BOOKING_STATUSES) }),
  SEARCH_FLAG,
  flag('--missing-answers', 'only standing bookings that lack required answers'),
  EXTERNAL_REF_FLAG,
  sinceFlag('created'),
  flag('--until <time>', 'only created before', { parse: moment }),
];

function checkFilter({ since, until, departureFrom, departureTo }: BookingFilterOptions): void {
  if (since !== undefined && until !== undefined && until <= since)
    throw new UsageError('--until must be after --since');
  if (departureFrom !== undefined && departureTo !== undefined && departureTo < departureFrom)
    throw new UsageError('--departure-to must not be before --departure-from');
}

export const bookingVerbs: Verb[] = [
  {
    usage: 'list',
    about: 'List bookings, newest first, or by date of departure if one is given',
    flags: [
      ...FILTERS,
      flag('--before <ref>', 'continue after this one, the last of a list', { parse: bookingRef }),
      REVEAL_FLAG,
      ...LIST_FLAGS,
    ],
    check: checkFilter,
    examples: [
      'booking list --tenant acme --status pending_payment --since 24h',
      'booking list --search "ana lima"',
      'booking list --search 030901820 --reveal',
      'booking list --tour lisbon-tram --departure-from 2027-06-05 --departure-to 2027-06-06',
    ],
    audits: true,
    run: listBookingsCommand,
  },
  {
    usage: 'show <ref>',
    about: 'Show a booking with its price, its history, its hold and its webhooks',
    args: REF,
    flags: [REVEAL_FLAG],
    examples: ['booking show ACME-1042'],
    audits: true,
    run: showBookingCommand,
  },
  addBookingVerb,
  importBookingsVerb,
  {
    usage: 'change <ref>',
    about:
      'Change the date, the party or the customer of a booking; its seats move, and booking.updated is sent',
    args: REF,
    flags: [
      flag('--date <date>', 'another departure of the tour, at its price of today', {
        parse: departureOnDate,
      }),
      flag('--adults <number>', 'how many adults', { parse: wholeNumber(0, SEATS_MAX) }),
      flag('--children <number>', 'how many children', { parse: wholeNumber(0, SEATS_MAX) }),
      partyFlag('how many of each price category; 0 removes it, and a category that is not named stays'),
      flag('--name <text>', "the customer's name", { parse: personName }),
      flag('--phone <number>', "the customer's phone number", { parse: phone }),
      flag('--email <address>', "the customer's e-mail address", { parse: email }),
      flag('--notes <text>', 'notes, instead of those that it has', { parse: paragraphs(NOTES_MAX) }),
      TRAVELLERS_FLAG,
      ANSWER_FLAG,
      ...PICKUP_FLAGS,
      flag('--pickup-time <time>', 'when the guests are fetched: 08:30, 2027-03-05T23:30, or none', {
        parse: orNone(localMoment),
      }),
      ADJUST_FLAG,
      ADJUST_REASON_FLAG,
      flag(
        '--refund-percent <number>',
        'the share of what a smaller total of a confirmed booking frees, instead of that of its terms',
        { parse: wholeNumber(0, 100) },
      ),
    ],
    check: (options: ChangeOptions) => {
      checkPartyFlags(options);
      checkPickupFlags(options);
      checkAdjustOfChange(options);
      if (CHANGEABLE.every((name) => !(name in options)))
        throw new UsageError(
          `name at least one of ${CHANGEABLE.map((name) => `--${name.replace('pickupTime', 'pickup-time')}`).join(', ')}`,
        );
    },
    examples: [
      'booking change ACME-1042 --date 2027-03-13 --adults 3',
      'booking change ACME-1042 --party adult=2,senior=1,child=0',
      'booking change ACME-1042 --party family=0,adult=2 --travellers none',
      'booking change ACME-1042 --phone "+49 30 901821"',
      'booking change ACME-1042 --answer allergies=nuts,0.weight=80',
      'booking change ACME-1042 --pickup central_station --pickup-time 08:15',
      'booking change ACME-1042 --adults 2 --refund-percent 80',
      'booking change ACME-1042 --adjust -20 --reason "The boat left late"',
    ],
    audits: true,
    run: changeBookingCommand,
  },
  {
    usage: 'confirm <ref>',
    about: 'Mark a booking as paid; an expired one takes its seats again if they are free',
    args: REF,
    flags: [DESPITE_MISSING_FLAG],
    examples: ['booking confirm ACME-1042', 'booking confirm ACME-1042 --despite-missing'],
    audits: true,
    run: confirmBookingCommand,
  },
  {
    usage: 'cancel <ref>',
    about:
      'Cancel a booking, so that its seats are free again; records the refund that the locked policy promises, and moves no money',
    args: REF,
    flags: [
      flag('--reason <text>', 'why, for the tenant and its website', { parse: line(REASON_MAX) }),
      flag(
        '--refund-percent <number>',
        "the share of the total that is refunded, instead of that of the tour's policy",
        {
          parse: wholeNumber(0, 100),
        },
      ),
    ],
    examples: [
      'booking cancel ACME-1042 --reason "The customer is ill"',
      'booking cancel ACME-1042 --refund-percent 80',
    ],
    asks: () => true,
    audits: true,
    run: cancelBookingCommand,
  },
  {
    usage: 'expire',
    about:
      'Expire unpaid bookings whose payment window is over, and send their events, as the API does by itself',
    flags: [flag('--dry-run', 'only list them')],
    examples: ['booking expire --dry-run'],
    audits: true,
    run: expireBookingsCommand,
  },
  {
    usage: 'stats [tenant]',
    about: 'Draw holds, bookings, conversion and sold-out refusals by day',
    args: { tenant: slug },
    flags: [
      flag('--since <time>', 'from that day on (UTC)', { parse: moment, otherwise: '14 days' }),
      SANDBOX_FLAG,
    ],
    check: ({ since }: { since?: Date }) => {
      if (!since) return;
      const age = Date.now() - since.getTime();
      if (age < 0 || age > COUNTS_KEPT_DAYS * DAY_MS) {
        throw new UsageError(`--since must be within the last ${COUNTS_KEPT_DAYS} days`);
      }
    },
    examples: ['booking stats', 'booking stats acme --since 30d'],
    run: showStatsCommand,
  },
  {
    usage: 'refusals',
    about:
      'List refused holds and bookings of the last 30 days with their reasons; the newest appear after seconds',
    flags: [
      TENANT_FLAG,
      sinceFlag('refused'),
      flag('--code <code>', 'only for this reason, such as insufficient_seats', { parse: line(64) }),
      EXTERNAL_REF_FLAG,
      SANDBOX_FLAG,
      ...LIST_FLAGS,
      afterFlag('id', wholeNumber(1, 9_999_999_999)),
    ],
    examples: ['booking refusals --tenant acme --external-ref cart-81'],
    run: listRefusalsCommand,
  },
  {
    usage: 'export',
    about: 'Write bookings as CSV in the order of booking list; customers are masked without --reveal',
    flags: [
      ...FILTERS,
      flag('--out <file>', 'write a new file (0600); standard output if it is -, or left out', {
        parse: outputFile,
      }),
      REVEAL_FLAG,
    ],
    check: ({ json, out, ...filter }: { json?: boolean; out?: string } & BookingFilterOptions) => {
      checkFilter(filter);
      if (json && out === undefined)
        throw new UsageError('--json needs --out: without it stdout has the CSV');
    },
    examples: [
      'booking export --tenant acme --since 30d --out bookings.csv',
      'booking export --departure-from 2027-06-05 --departure-to 2027-06-05 --status confirmed',
    ],
    audits: true,
    run: exportBookingsCommand,
  },
  {
    usage: 'anonymize <ref>',
    about: 'Erase the customer of a booking everywhere and permanently; seats, dates and amounts stay',
    args: REF,
    flags: [FORCE_FLAG],
    asks: () => true,
    audits: true,
    run: anonymizeBookingCommand,
  },
];

async function confirmBookingCommand(
  context: AuditedContext,
  { despiteMissing = false }: { despiteMissing?: boolean },
  ref: string,
): Promise<void> {
  await changeAndAnswer(context, 'booking.confirm', ref, (trx, seller, named) =>
    confirmBooking(trx, seller, { ...named, byOperator: true, despiteMissingAnswers: despiteMissing }),
  );
}

interface CancelOptions {
  reason?: string | null;
  refundPercent?: number;
}

async function cancelBookingCommand(
  context: AuditedContext,
  { reason = null, refundPercent }: CancelOptions,
  ref: string,
): Promise<void> {
  const lead = await getBooking(context.db, ANY_TENANT, ref);
  const stays = isCancelled(lead);
  const refund = decideRefund(lead, lead.asOf, { refundPercent });
  if (!stays) {
    const departure = departureOf(toBookingDocument(lead)) ?? 'no date';
    const cancelled = `${describeParty(lead.party)}, ${lead.tour.slug}, ${departure}`;
    await context.confirm(`Cancel ${ref}: ${cancelled}; ${describeRefundNow(refund, lead)}?`);
  }
  // Refuses the cancellation if the refund has changed since the question.
  const expectedRefund = stays ? undefined : (refundAnswer(refund, lead)?.amount ?? 0);
  await changeAndAnswer(context, 'booking.cancel', ref, (trx, seller, named) =>
    cancelBooking(trx, seller, { ...named, reason, refundPercent, expectedRefund }),
  );
}

const PAGE = 1000;
/**
 * Expires unpaid bookings whose payment window is over, and enqueues their events. Needs no running API; a running API does the same
 * within 15 seconds.
 */
async function expireBookingsCommand(
  context: AuditedContext,
  { dryRun = false }: { dryRun?: boolean },
): Promise<void> {
  const { db, output } = context;
  const expired: BookingLead[] = [];
  for (let more = true; more;) {
    const lapsed = await findLapsedLeads(db, PAGE);
    expired.push(...lapsed);
    if (!dryRun) await expireLapsed(context, lapsed);
    more = !dryRun && lapsed.length === PAGE;
  }
  const items = expired.map((lead) => toBookingDocument(lead));
  await output.answer({ items, dry_run: dryRun }, (screen) => describeExpired(items, screen));
}

const describeExpired = tableOf<ReturnType<typeof toBookingDocument>>(
  [
    { heading: 'booking', cell: (booking) => booking.booking_ref },
    'tenant',
    { heading: 'tour', least: 10 },
    { heading: 'date', cell: departureOf },
    { heading: 'party', cell: ({ people }) => people },
    { heading: 'was due (utc)', cell: (booking) => shortTime(booking.payment_due_at) },
  ],
  'No unpaid booking whose payment window is over',
);

/** Expires the bookings of each departure in a transaction of its own. The order of the departures is the global lock order. */
async function expireLapsed(context: AuditedContext, lapsed: BookingLead[]): Promise<void> {
  const departures = [...new Set(lapsed.map(({ departureId }) => departureId))].sort();
  for (const departureId of departures) {
    const first = lapsed.find((lead) => lead.departureId === departureId)!;
    const departure = departureOf(toBookingDocument(first));
    const subject = departureId ? `${first.tour.slug} ${departure}` : 'without a date';
    await changeSeats(context, { action: 'booking.expire', subject }, async (transaction, note) => {
      const { bookingRefs, holds } = await performBulk(transaction, expire(departureId));
      const nothing = bookingRefs.length + holds.length === 0;
      note(null, nothing ? null : { bookings: bookingRefs, holds });
    });
  }
}
