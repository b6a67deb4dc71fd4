import { digitsOf } from './formats.ts';
import { DAY_MS, instantOf, type LocalClock, localClock, MINUTE_MS } from './local-time.ts';
import type { Tour } from './wire.ts';

/** A departure with what a party pays for it: a hold, or a choice. */
export interface Sale {
  departure_date: string;
  departure_time: string | null;
  total_price: number;
  currency: string;
}

/** A tier of the tour's policy for one sale. */
export interface SaleTier {
  /** The instant at which the tier ends, in milliseconds. */
  endsAt: number;
  /** In major units. */
  refund: number;
}

/**
 * Returns the tiers that have not ended yet. Gives the dates and amounts of the quote of the platform (`dated_tiers` in
 * migrations/0141_closing_and_cancellation.sql, `refundOf` in services/api/bookings/refund.ts).
 * @returns undefined: the policy is not stated, or this browser does not know the time zone of the tour
 * @rule the terms of a departure before it is booked: test/element/cancellation-tiers.test.ts
 */
export function tiersAhead(
  { cancellation, time_zone }: Tour,
  sale: Sale,
  now: number,
): SaleTier[] | undefined {
  const clock = localClock(time_zone);
  return (
    clock &&
    cancellation?.tiers
      .map(({ until, refund_percent }) => ({
        endsAt: instantBefore(sale, until, clock),
        refund: shareOf(sale, refund_percent),
      }))
      .filter(({ endsAt }) => endsAt > now)
  );
}

/** Rounds once to minor units, half up. */
function shareOf({ total_price, currency }: Sale, percent: number): number {
  const unit = 10 ** digitsOf(currency);
  return Math.round((Math.round(total_price * unit) * percent) / 100) / unit;
}

const HOUR_MS = 60 * MINUTE_MS;

/** Returns the instant so long before the start: days are those of the calendar of the tour, hours and minutes are elapsed time. */
function instantBefore({ departure_date, departure_time }: Sale, until: string, clock: LocalClock): number {
  const start = Date.parse(`${departure_date}T${departure_time ?? '00:00'}Z`);
  const number = parseInt(until, 10);
  if (until.endsWith('d')) return instantOf(start - number * DAY_MS, clock);
  return instantOf(start, clock) - number * (until.endsWith('h') ? HOUR_MS : MINUTE_MS);
}
