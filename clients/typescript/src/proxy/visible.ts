/**
 * The fields of each answer that a visitor does not see: the size of a departure, the platform's prices, how the tenant's prices come from
 * them, and the operator's adjustment. A path goes through lists.
 * @rule which fields a visitor does not see: test/client/proxy-kept-answers.test.ts
 */
const HIDDEN = {
  tours: [],
  tour: [],
  departures: ['items.seats_total', 'items.prices', 'items.platform_currency'],
  availability: ['prices', 'platform_currency'],
  hold: [],
  booking: [
    'adjustment',
    'price_breakdown.platform_unit_price',
    'price_breakdown.converted_from',
    'price_breakdown.rate',
    'price_breakdown.rate_date',
    'price_breakdown.rule',
    'price_breakdown.categories.rule',
  ],
} as const satisfies Record<string, readonly string[]>;

export type AnswerKind = keyof typeof HIDDEN;

/** An answer of the platform as a visitor gets it. */
export type Visible<Answer, Kind extends AnswerKind> = Without<Answer, (typeof HIDDEN)[Kind][number]>;

type Without<Value, Paths extends string> = [Paths] extends [never]
  ? Value
  : Value extends readonly (infer Item)[]
    ? Without<Item, Paths>[]
    : Value extends object
      ? { [Name in keyof Value as Exclude<Name, Paths>]: Without<Value[Name], Below<Paths, Name>> }
      : Value;

/** The rest of the paths that begin with the name of a field. */
type Below<Paths extends string, Name> = Paths extends `${Name & string}.${infer Rest}` ? Rest : never;

/** Removes the hidden fields from an answer of the platform. @returns the same object */
export function visible<Answer, Kind extends AnswerKind>(answer: Answer, kind: Kind): Visible<Answer, Kind> {
  for (const path of HIDDEN[kind]) remove(answer, path.split('.'));
  return answer as Visible<Answer, Kind>;
}

function remove(value: unknown, [name, ...rest]: string[]): void {
  if (Array.isArray(value)) return value.forEach((item) => remove(item, [name!, ...rest]));
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  if (rest.length === 0) delete fields[name!];
  else remove(fields[name!], rest);
}
