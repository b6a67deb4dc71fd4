import { type Form, Input, type Values } from './form.js';
import { money } from './page.js';
import type { Availability, Category } from './tour-platform.js';

/** The units of each category of a sale, by its code. */
export type Party = Record<string, number>;

/** The nouns of the kinds whose categories need no name of their own. */
const NOUNS: Partial<Record<Category['kind'], [one: string, more: string]>> = {
  adult: ['adult', 'adults'],
  youth: ['youth', 'youths'],
  child: ['child', 'children'],
  infant: ['infant', 'infants'],
  senior: ['senior', 'seniors'],
  student: ['student', 'students'],
};

/** Returns the name of a category, for one unit or for several. */
export function labelOf({ code, kind, name }: Category, units = 2): string {
  const [one, more] = NOUNS[kind] ?? [code, code];
  const label = name ?? (units === 1 ? one : more).replaceAll('_', ' ');
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** Describes a party, such as `2 adults, 1 child` or `1 × Family ticket`. */
export function describeParty(party: Party, categories: Category[]): string {
  const parts = categories.flatMap((category) => {
    const units = party[category.code] ?? 0;
    const label = labelOf(category, units);
    const hasNoun = category.name === undefined && NOUNS[category.kind] !== undefined;
    if (units === 0) return [];
    return [hasNoun ? `${units} ${label.toLowerCase()}` : `${units} × ${label}`];
  });
  return parts.join(', ');
}

/** Returns the category of each traveller: a family ticket of four people counts four times, and a supplement never. */
export function travellersOf(party: Party, categories: Category[]): Category[] {
  return categories.flatMap((category) =>
    Array.from({ length: (party[category.code] ?? 0) * category.people }, () => category),
  );
}

/** Returns the total of a party in major units. */
export function totalOf(party: Party, prices: Record<string, number>): number {
  const total = Object.entries(party).reduce((sum, [code, units]) => sum + units * (prices[code] ?? 0), 0);
  // Without rounding, 3 × 0.1 is not 0.3.
  return Number(total.toFixed(3));
}

/** Reads the fields of a form: `party.senior=2`. */
export function partyIn(values: Values): Party {
  const fields = Object.entries(values).filter(([field, units]) => field.startsWith('party.') && units);
  return Object.fromEntries(fields.map(([field, units]) => [field.slice('party.'.length), Number(units)]));
}

/** The names of the form for the fields by which the platform may name a category. */
const FORM_NAMES: Values = {
  adults: 'party.adult',
  children: 'party.child',
  single_supplements: 'party.single_supplement',
};

/** Returns the form's name of a field of the platform. */
export function partyField(field: string): string {
  return FORM_NAMES[field] ?? field;
}

/** The fields of a party, which show their own issues. */
export const PARTY_FIELDS = [...Object.keys(FORM_NAMES), 'party'];

interface FieldsProps {
  categories: Category[];
  availability: Availability;
  form: Form;
}

/** One number for each category that is sold on the date. The platform judges the rules between them. */
export function PartyFields({ categories, availability, form }: FieldsProps) {
  const { tenant_prices: prices, currency, seats_available } = availability;
  const sold = categories.filter(({ code }) => prices?.[code] !== undefined);
  return (
    <>
      {sold.map((category, index) => (
        <Input
          label={labelOf(category)}
          detail={`, ${money(prices![category.code]!, currency)} each`}
          hint={rulesOf(category, categories)}
          form={form}
          type="number"
          name={`party.${category.code}`}
          min={0}
          max={mostUnits(category, seats_available)}
          value={index === 0 ? `${firstUnits(category)}` : '0'}
        />
      ))}
      {form.issues.party && <p class="issue">{`The party ${form.issues.party}.`}</p>}
    </>
  );
}

/** Returns the number of units that a visitor probably wants: two people. */
function firstUnits({ people, min = 1 }: Category): number {
  return Math.max(min, people === 1 ? 2 : 1);
}

function mostUnits({ seats, max = 99 }: Category, seatsAvailable: number): number {
  return seats === 0 ? max : Math.min(max, Math.floor(Math.min(50, seatsAvailable) / seats));
}

/** Says whom a category is for, and what it needs. */
function rulesOf({ age_from, age_to, people, min, with: companions = [] }: Category, all: Category[]) {
  const needed = all.filter(({ code }) => companions.includes(code)).map((one) => labelOf(one, 1));
  const rules = [
    agesOf(age_from, age_to),
    people > 1 && `up to ${people} people`,
    min !== undefined && min > 1 && `at least ${min}`,
    needed.length > 0 && `only with ${needed.join(' or ')}`,
  ];
  return rules.filter(Boolean).join(', ');
}

function agesOf(from: number | undefined, to: number | undefined): string | undefined {
  if (from === undefined && to === undefined) return undefined;
  if (to === undefined || to >= 99) return `from ${from ?? 0} years`;
  return from ? `${from} to ${to} years` : `up to ${to} years`;
}
