import { BOOKING_STATUSES } from '../../services/api/bookings/booking-lead';
import { COUNTS_KEPT_DAYS } from '../../services/api/refusals/refusal';
import { type Flag, flag, type Noun } from '../engine/command';
import { UsageError } from '../engine/failure';
import {
  afterFlag,
  EXTERNAL_REF_FLAG,
  fileName,
  LIST_FLAGS,
  REVEAL_FLAG,
  sinceFlag,
  TENANT_FLAG,
  travelDate,
} from '../engine/flags';
import { bookingRef, email, line, moment, slug, wholeNumber } from '../engine/values';

const REF = { ref: bookingRef };
const DAY_MS = 86_400_000;
const CHANGEABLE = ['date', 'adults', 'children', 'name', 'phone', 'email', 'notes'];

const SANDBOX_FLAG = flag('--sandbox', 'only of sandbox tenants, which are left out unless named');

const FILTERS: Flag[] = [
  TENANT_FLAG,
  flag('--status <status>', 'only in this status', { choices: BOOKING_STATUSES }),
  EXTERNAL_REF_FLAG,
  sinceFlag('created'),
  flag('--until <time>', 'only created before', { parse: moment }),
];

const list = () => require('./booking/list') as typeof import('./booking/list');
const change = () => require('./booking/change') as typeof import('./booking/change');
const expire = () => require('./booking/expire') as typeof import('./booking/expire');
const refusals = () => require('./booking/refusals') as typeof import('./booking/refusals');

export const booking: Noun = {
  name: 'booking',
  about: 'Show, change, count and export the bookings of all tenants',
  verbs: [
    {
      usage: 'list',
      about: 'List bookings, newest first',
      flags: [
        ...FILTERS,
        flag('--before <ref>', 'continue after this one, the last of a list', { parse: bookingRef }),
        REVEAL_FLAG,
        ...LIST_FLAGS,
      ],
      examples: ['booking list --tenant acme --status pending_payment --since 24h'],
      run: () => list().listBookingsCommand,
    },
    {
      usage: 'show <ref>',
      about: 'Show a booking with its price, its history, its hold and its webhooks',
      args: REF,
      flags: [REVEAL_FLAG],
      examples: ['booking show ACME-1042'],
      run: () => (require('./booking/show') as typeof import('./booking/show')).showBookingCommand,
    },
    {
      usage: 'change <ref>',
      about:
        'Change the date, the party or the customer of a booking; its seats move, and booking.updated is sent',
      args: REF,
      flags: [
        flag('--date <date>', 'another date of the tour, at its price of today', { parse: travelDate }),
        flag('--adults <number>', 'how many adults', { parse: wholeNumber(0, 50) }),
        flag('--children <number>', 'how many children', { parse: wholeNumber(0, 50) }),
        flag('--name <text>', "the customer's name", { parse: line(200) }),
        flag('--phone <number>', "the customer's phone number", { parse: line(40) }),
        flag('--email <address>', "the customer's e-mail address", { parse: email }),
        flag('--notes <text>', 'notes, instead of those that it has', { parse: line(2000) }),
      ],
      check: (options: object) => {
        if (CHANGEABLE.every((name) => !(name in options)))
          throw new UsageError(`name at least one of ${CHANGEABLE.map((name) => `--${name}`).join(', ')}`);
      },
      examples: [
        'booking change ACME-1042 --date 2027-03-13 --adults 3',
        'booking change ACME-1042 --phone "+49 30 901821"',
      ],
      run: () => change().changeBookingCommand,
    },
    {
      usage: 'confirm <ref>',
      about: 'Mark a booking as paid; an expired one takes its seats again if they are free',
      args: REF,
      run: () => change().confirmBookingCommand,
    },
    {
      usage: 'cancel <ref>',
      about: 'Cancel a booking, so that its seats are free again',
      args: REF,
      flags: [flag('--reason <text>', 'why, for the tenant and its website', { parse: line(500) })],
      examples: ['booking cancel ACME-1042 --reason "The customer is ill"'],
      asks: () => true,
      run: () => change().cancelBookingCommand,
    },
    {
      usage: 'expire',
      about:
        'Expire unpaid bookings whose payment window is over, and send their events, as the API does by itself',
      flags: [flag('--dry-run', 'only list them')],
      examples: ['booking expire --dry-run'],
      run: () => expire().expireBookingsCommand,
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
      run: () => refusals().listRefusalsCommand,
    },
    {
      usage: 'export',
      about: 'Write bookings as CSV, newest first; customers are masked without --reveal',
      flags: [
        ...FILTERS,
        flag('--out <file>', 'write a new file (0600), not to stdout', { parse: fileName }),
        REVEAL_FLAG,
      ],
      check: ({ json, out }: { json?: boolean; out?: string }) => {
        if (json && out === undefined)
          throw new UsageError('--json needs --out: without it stdout has the CSV');
      },
      examples: ['booking export --tenant acme --since 30d --out bookings.csv'],
      run: () => (require('./booking/export') as typeof import('./booking/export')).exportBookingsCommand,
    },
    {
      usage: 'anonymize <ref>',
      about: 'Erase the customer of a booking everywhere and permanently; seats, dates and amounts stay',
      args: REF,
      flags: [
        flag(
          '--force',
          'also while a webhook with the customer is undelivered; it is then sent without the customer',
        ),
      ],
      asks: () => true,
      run: () =>
        (require('./booking/anonymize') as typeof import('./booking/anonymize')).anonymizeBookingCommand,
    },
  ],
};
