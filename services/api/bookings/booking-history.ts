import type { HoldMoment } from '../holds/hold-history';
import type { BookingLead } from './booking-lead';

/** Something that happened to a booking or its hold. */
export interface Moment {
  at: Date;
  event: HoldMoment['event'] | 'booked' | 'confirmed' | 'cancelled' | 'expired' | 'anonymized';
  /** Null: the clock, or nobody who is on record. */
  by: string | null;
  detail: string | null;
}

/** From its hold's placing on, the oldest first. */
export function bookingHistory(lead: BookingLead, ofHold: HoldMoment[] = []): Moment[] {
  const moments: (Omit<Moment, 'at'> & { at: Date | null })[] = [
    ...ofHold,
    { at: lead.createdAt, event: 'booked', by: lead.createdBy, detail: seats(lead) },
    { at: expiry(lead), event: 'expired', by: null, detail: 'not paid in time; its seats went back' },
    { at: lead.confirmedAt, event: 'confirmed', by: lead.confirmedBy, detail: null },
    { at: lead.cancelledAt, event: 'cancelled', by: lead.cancelledBy, detail: 'its seats went back' },
    { at: lead.anonymizedAt, event: 'anonymized', by: null, detail: null },
  ];
  return moments
    .filter((moment): moment is Moment => moment.at !== null)
    .sort((a, b) => a.at.getTime() - b.at.getTime());
}

/** When its payment window closed on it, written down or not. */
function expiry({ status, paymentDueAt, confirmedAt, expiredAt }: BookingLead): Date | null {
  if (expiredAt || status === 'expired') return paymentDueAt ?? expiredAt;
  return paymentDueAt && confirmedAt && confirmedAt > paymentDueAt ? paymentDueAt : null;
}

function seats({ adults, departureDate }: BookingLead): string {
  return departureDate
    ? `${adults} seats on ${departureDate}`
    : `${adults} adults, no date: nothing reserved`;
}
