import type { Db } from '../../platform/database';
import { countRefusalsByDay } from '../departures/list-refusals';
import { countHoldsByDay } from '../holds/count-holds-by-day';
import type { TenantScope } from '../tenants/tenant-scope';
import { countBookings, type DayOfBookings, listDays } from './booking-stats.repository';

/** What was sold, and not sold, on one day (UTC). */
export interface DayOfSales extends DayOfBookings {
  holds: number;
  /** Holds of that day that became a booking. */
  converted: number;
  /** Holds and bookings that were refused because too few seats were free. */
  soldOut: number;
  /** For any other reason, by code. */
  refused: Record<string, number>;
}

const NO_BOOKINGS = { bookings: 0, adults: 0, confirmed: 0, cancelled: 0, expired: 0 };

/** Every day from that of `since` to today, the oldest first. Refusals are written down some seconds late. */
export async function summarizeSales(db: Db, scope: TenantScope, since: Date): Promise<DayOfSales[]> {
  const days = await listDays(db, since);
  const [from] = days;
  if (from === undefined) return [];
  const [holds, bookings, refusals] = [
    byDay(await countHoldsByDay(db, scope, from)),
    byDay(await countBookings(db, scope, from)),
    await countRefusalsByDay(db, scope, from),
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
