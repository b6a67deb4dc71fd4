import type { HoldMoment } from '../holds/hold-history';
import { describeParty, seatsOf } from '../pricing/party';
import { describeChange, type SaleChange, valueBefore } from '../sales/changed-fields';
import type { BookingLead } from './booking-lead';

/** One event in the life of a booking or its hold. */
export interface Moment {
  at: Date;
  event: HoldMoment['event'] | 'booked' | 'changed' | 'confirmed' | 'cancelled' | 'expired' | 'anonymized';
  /** Null: the clock, or unknown. */
  by: string | null;
  detail: string | null;
}

/** Returns the events of the hold and the booking, the oldest first. */
export function bookingHistory(
  lead: BookingLead,
  changes: SaleChange[],
  holdMoments: HoldMoment[] = [],
): Moment[] {
  const moments: (Omit<Moment, 'at'> & { at: Date | null })[] = [
    ...holdMoments,
    { at: lead.createdAt, event: 'booked', by: lead.createdBy, detail: seats(asBooked(lead, changes)) },
    ...changes.map(({ at, by, fields }) => ({
      ...{ at, event: 'changed' as const, by, detail: describeChange(fields) },
    })),
    { at: expiry(lead), event: 'expired', by: null, detail: 'not paid in time; its seats went back' },
    { at: lead.confirmedAt, event: 'confirmed', by: lead.confirmedBy, detail: null },
    { at: lead.cancelledAt, event: 'cancelled', by: lead.cancelledBy, detail: 'its seats went back' },
    { at: lead.anonymizedAt, event: 'anonymized', by: null, detail: null },
  ];
  return moments
    .filter((moment): moment is Moment => moment.at !== null)
    .sort((a, b) => a.at.getTime() - b.at.getTime());
}

/** Returns the end of the payment window when the lead expired, also when a later payment confirmed it. */
function expiry({ status, paymentDueAt, confirmedAt, expiredAt }: BookingLead): Date | null {
  if (expiredAt || status === 'expired') return paymentDueAt ?? expiredAt;
  return paymentDueAt && confirmedAt && confirmedAt > paymentDueAt ? paymentDueAt : null;
}

/** Returns the date and the party before the first change. */
function asBooked({ party, departureDate }: BookingLead, changes: SaleChange[]) {
  return {
    departureDate: valueBefore(changes, 'departure_date', departureDate),
    party: {
      adult: valueBefore(changes, 'adults', party.adult),
      child: valueBefore(changes, 'children', party.child),
      single_supplement: valueBefore(changes, 'single_supplements', party.single_supplement),
    },
  };
}

function seats({ party, departureDate }: Pick<BookingLead, 'party' | 'departureDate'>): string {
  if (!departureDate) return `${describeParty(party)}, no date: nothing reserved`;
  const count = seatsOf(party);
  return `${count} ${count === 1 ? 'seat' : 'seats'} on ${departureDate}`;
}
