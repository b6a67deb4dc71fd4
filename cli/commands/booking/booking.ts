import { BOOKING_STATUSES } from '../../../services/api/bookings/booking-lead';
import type { Noun } from '../../command';
import { LIMIT_FLAG } from '../../credential-flags';
import { bookingRef, line, moment, slug } from '../../values';

const REF = { ref: bookingRef };

export const booking: Noun = {
  name: 'booking',
  about: 'Booking leads of all tenants',
  verbs: [
    {
      usage: 'list',
      about: 'List bookings, newest first',
      flags: [
        { flags: '--tenant <slug>', about: 'of this tenant only', parse: slug },
        { flags: '--status <status>', about: 'in this status only', choices: BOOKING_STATUSES },
        { flags: '--external-ref <ref>', about: "with this reference of the tenant's own", parse: line(128) },
        { flags: '--since <time>', about: 'created at or after', parse: moment },
        LIMIT_FLAG,
      ],
      examples: ['booking list --tenant acme --status pending_payment --since 24h'],
      run: () => (require('./list') as typeof import('./list')).listBookingsCommand,
    },
    {
      usage: 'show <ref>',
      about: 'Show a booking',
      args: REF,
      examples: ['booking show ACME-1042'],
      run: () => (require('./show') as typeof import('./show')).showBookingCommand,
    },
    {
      usage: 'confirm <ref>',
      about: 'Mark a booking as paid; an expired one takes its seats again if they are free',
      args: REF,
      run: () => (require('./change') as typeof import('./change')).confirmBookingCommand,
    },
    {
      usage: 'cancel <ref>',
      about: 'Cancel a booking; its seats come back',
      args: REF,
      run: () => (require('./change') as typeof import('./change')).cancelBookingCommand,
    },
  ],
};
