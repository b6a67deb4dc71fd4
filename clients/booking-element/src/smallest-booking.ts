import { ruleIssue, type SeatBounds, SEATS_MAX, seatsOf, soldCategories, unitsOf } from './party-rules.ts';
import type { Category, Departure, Party, Prices, Tour } from './wire.ts';

/**
 * Returns the seats of the smallest booking, as the platform counts them (services/api/pricing/party.ts `fewestSeats`): one unit of a category
 * with a price, or the fewest that the category allows, with the units that it needs beside it. Infinity: nothing can be booked.
 */
export function fewestSeats(categories: readonly Category[], prices: Prices): number {
  const sold = soldCategories(categories, prices);
  const fewestOf = (parties: readonly Party[], known: number): number =>
    parties.reduce((fewest, party) => Math.min(fewest, fewestWith(party, fewest)), known);
  // A party that takes as many seats as a known booking is not looked at: the ways to a booking are many.
  const fewestWith = (party: Party, known: number): number => {
    const seats = seatsOf(party, sold);
    if (seats >= known) return known;
    const additions = additionsFor(party, sold);
    return additions ? fewestOf(additions, known) : seats;
  };
  const travelling = sold.filter(({ kind, seats }) => kind !== 'supplement' && seats > 0);
  return fewestOf(
    travelling.map(({ code }) => ({ [code]: 1 })),
    Infinity,
  );
}

/** Returns the party with what the first broken rule of its categories needs, once for each way. Undefined: no rule is broken. */
function additionsFor(party: Party, sold: readonly Category[]): Party[] | undefined {
  for (const category of sold) {
    const { code } = category;
    const units = unitsOf(party, code);
    const issue = units > 0 ? ruleIssue(category, party) : undefined;
    if (!issue) continue;
    const { kind, number, others = [code] } = issue;
    if (kind === 'max') return [];
    const needed = { min: number, with: 1, at_most: units }[kind as 'min' | 'with' | 'at_most'];
    return others
      .filter((other) => sold.some((one) => one.code === other))
      .map((other) => ({ ...party, [other]: needed! }));
  }
  return undefined;
}

/** Returns how many of the smallest bookings the free seats of an available departure are enough for. */
export function bookingsLeft({ seats_available, tenant_prices }: Departure, tour: Tour): number {
  const fewest = fewestSeats(tour.categories, tenant_prices);
  return fewest > mostSeatsOf(tour) ? 0 : Math.floor(seats_available / fewest);
}

/** Returns the seats that bound a party. A group that is too small for any booking is no bound. */
export function boundsOf({ seats_available, tenant_prices }: Departure, tour: Tour): SeatBounds {
  const group = Math.max(tour.group_size_max ?? SEATS_MAX, fewestSeats(tour.categories, tenant_prices));
  return { free: seats_available, most: Math.min(group, mostSeatsOf(tour)) };
}

function mostSeatsOf({ seatsMax = SEATS_MAX }: Tour): number {
  return Math.min(seatsMax, SEATS_MAX);
}
