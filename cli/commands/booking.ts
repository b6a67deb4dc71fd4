import { BOOKING_STATUSES } from '../../services/api/bookings/booking-lead';
import { COUNTS_KEPT_DAYS } from '../../services/api/refusals/refusal';
import type { Flag, Noun } from '../engine/command';
import { LIMIT_FLAG } from '../engine/credential-flags';
import { UsageError } from '../engine/failure';
import { afterFlag } from '../engine/list-page';
import { REVEAL_FLAG } from '../engine/personal-data';
import { bookingRef, line, moment, slug, wholeNumber } from '../engine/values';

const REF = { ref: bookingRef };
const DAY_MS = 86_400_000;

const TENANT: Flag = { flags: '--tenant <slug>', about: 'of this tenant only', parse: slug };
const EXTERNAL_REF: Flag = {
  flags: '--external-ref <ref>',
  about: "with this reference of the tenant's own",
  parse: line(128),
};
const FILTERS: Flag[] = [
  TENANT,
  { flags: '--status <status>', about: 'in this status only', choices: BOOKING_STATUSES },
  EXTERNAL_REF,
  { flags: '--since <time>', about: 'created at or after', parse: moment },
  { flags: '--until <time>', about: 'created before', parse: moment },
];

export const booking: Noun = {
  name: 'booking',
  about: 'Booking leads of all tenants',
  verbs: [
    {
      usage: 'list',
      about: 'List bookings, newest first',
      flags: [
        ...FILTERS,
        { flags: '--before <ref>', about: 'go on after this one, the last of a list', parse: bookingRef },
        REVEAL_FLAG,
        LIMIT_FLAG,
      ],
      examples: ['booking list --tenant acme --status pending_payment --since 24h'],
      run: () => (require('./booking/actions') as typeof import('./booking/actions')).listBookingsCommand,
    },
    {
      usage: 'show <ref>',
      about: 'Show a booking: its price, all that happened to it and its hold, its webhooks',
      args: REF,
      flags: [REVEAL_FLAG],
      examples: ['booking show ACME-1042'],
      run: () => (require('./booking/show') as typeof import('./booking/show')).showBookingCommand,
    },
    {
      usage: 'confirm <ref>',
      about: 'Mark a booking as paid; an expired one takes its seats again if they are free',
      args: REF,
      run: () => (require('./booking/actions') as typeof import('./booking/actions')).confirmBookingCommand,
    },
    {
      usage: 'cancel <ref>',
      about: 'Cancel a booking; its seats come back',
      args: REF,
      asks: () => true,
      run: () => (require('./booking/actions') as typeof import('./booking/actions')).cancelBookingCommand,
    },
    {
      usage: 'expire',
      about:
        'Write down and announce unpaid bookings whose payment window is over, as the API does by itself',
      flags: [{ flags: '--dry-run', about: 'only list them' }],
      examples: ['booking expire --dry-run'],
      run: () => (require('./booking/actions') as typeof import('./booking/actions')).expireBookingsCommand,
    },
    {
      usage: 'stats [tenant]',
      about: 'Draw holds, bookings, conversion and sold-out refusals by day',
      args: { tenant: slug },
      flags: [
        { flags: '--since <time>', about: 'from that day on (UTC)', parse: moment, otherwise: '14 days' },
      ],
      check: ({ since }: { since?: Date }) => {
        const age = Date.now() - (since?.getTime() ?? Date.now());
        if (age < 0 || age > COUNTS_KEPT_DAYS * DAY_MS) {
          throw new UsageError(`--since must be within the last ${COUNTS_KEPT_DAYS} days`);
        }
      },
      examples: ['booking stats', 'booking stats acme --since 30d'],
      run: () => (require('./booking/stats') as typeof import('./booking/stats')).showStatsCommand,
    },
    {
      usage: 'refusals',
      about: 'List refused holds and bookings of the last 30 days, and why; the newest some seconds late',
      flags: [
        TENANT,
        { flags: '--since <time>', about: 'refused at or after', parse: moment },
        {
          flags: '--code <code>',
          about: 'for this reason only, such as insufficient_seats',
          parse: line(64),
        },
        EXTERNAL_REF,
        LIMIT_FLAG,
        afterFlag('id', wholeNumber(1, 9_999_999_999)),
      ],
      examples: ['booking refusals --tenant acme --external-ref cart-81'],
      run: () => (require('./booking/refusals') as typeof import('./booking/refusals')).listRefusalsCommand,
    },
    {
      usage: 'export',
      about: 'Write bookings as CSV, newest first; customers are masked without --reveal',
      flags: [
        ...FILTERS,
        { flags: '--out <file>', about: 'a new file, readable for you alone; by default stdout' },
        REVEAL_FLAG,
      ],
      check: ({ json, out }: { json?: boolean; out?: string }) => {
        if (json && out === undefined) throw new UsageError('--json needs --out: on stdout there is the CSV');
      },
      examples: ['booking export --tenant acme --since 30d --out bookings.csv'],
      run: () => (require('./booking/export') as typeof import('./booking/export')).exportBookingsCommand,
    },
    {
      usage: 'anonymize <ref>',
      about: 'Erase who the customer was, everywhere and for good; seats, dates and amounts stay',
      args: REF,
      flags: [
        {
          flags: '--force',
          about: 'also while a webhook with the customer has not arrived; it is then sent without',
        },
      ],
      asks: () => true,
      run: () =>
        (require('./booking/anonymize') as typeof import('./booking/anonymize')).anonymizeBookingCommand,
    },
  ],
};
