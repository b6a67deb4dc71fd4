import type { Db } from '../../platform/database';
import {
  type CountedSales,
  countBookings,
  countHolds,
  countRefusals,
  type DayOfBookings,
  listDays,
} from './sales.repository';

/** The sales and refusals of one day (UTC). */
export interface DayOfSales extends DayOfBookings {
  holds: number;
  /** Holds placed on this day that became a booking. */
  converted: number;
  /** Holds and bookings refused because too few seats were free. */
  soldOut: number;
  /** Holds and bookings refused for another reason, by code. */
  refused: Record<string, number>;
}

const NO_BOOKINGS = { bookings: 0, adults: 0, children: 0, confirmed: 0, cancelled: 0, expired: 0 };

/** Returns every day from that of `since` to today, the oldest first. Refusals are written with some seconds of delay. */
export async function summarizeSales(
  db: Db,
  tenants: Omit<CountedSales, 'from'>,
  since: Date,
): Promise<DayOfSales[]> {
  const days = await listDays(db, since);
  const [from] = days;
  if (from === undefined) return [];
  const counted = { ...tenants, from };
  const [holds, bookings, refusals] = [
    byDay(await countHolds(db, counted)),
    byDay(await countBookings(db, counted)),
    await countRefusals(db, counted),
  ];
  return days.map((day) => {
    const ofDay = refusals.filter((refusal) => refusal.day === day);
    const { insufficient_seats: soldOut = 0, ...refused } = Object.fromEntries(
      ofDay.map(({ code, count }) => [code, count]),
    );
    const { holds: placed, converted } = holds.get(day) ?? { holds: 0, converted: 0 };
    return { day, ...NO_BOOKINGS, ...bookings.get(day), holds: placed, converted, soldOut, refused };
  });
}

function byDay<T extends { day: string }>(rows: T[]): Map<string, T> {
  return new Map(rows.map((row) => [row.day, row]));
}
