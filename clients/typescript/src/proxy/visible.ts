/**
 * The fields of each answer that a visitor does not see: the size of a departure, the platform's prices, and how the tenant's prices come
 * from them. A path goes through lists.
 */
export const HIDDEN = {
  tours: [],
  tour: [],
  departures: ['items.seats_total', 'items.prices', 'items.platform_currency'],
  availability: ['prices', 'platform_currency'],
  hold: [],
  booking: [
    'price_breakdown.platform_unit_price',
    'price_breakdown.converted_from',
    'price_breakdown.rate',
    'price_breakdown.rate_date',
    'price_breakdown.rule',
    'price_breakdown.categories.rule',
  ],
} as const satisfies Record<string, readonly string[]>;

export type VisibleAnswer = keyof typeof HIDDEN;

/** Removes the hidden fields from an answer of the platform. @returns the same object */
export function visible<T>(answer: T, kind: VisibleAnswer): T {
  for (const path of HIDDEN[kind]) remove(answer, path.split('.'));
  return answer;
}

function remove(value: unknown, [name, ...rest]: string[]): void {
  if (Array.isArray(value)) return value.forEach((item) => remove(item, [name!, ...rest]));
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  if (rest.length === 0) delete fields[name!];
  else remove(fields[name!], rest);
}
