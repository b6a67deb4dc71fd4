import { isInBirthYears, PHONE_DIGITS_MIN, readEmail } from './contact-forms.ts';
import { unitsOf } from './party-rules.ts';
import type { BookingBody, Category, Hold, Party, Traveller } from './wire.ts';

/** The texts that the visitor types before booking. */
export interface Contact {
  name: string;
  phone: string;
  email: string;
  notes: string;
  /** In the order of `travellersOf`. */
  travellers: readonly TravellerNames[];
}

export interface TravellerNames {
  first_name: string;
  last_name: string;
  /** YYYY-MM-DD, or empty. */
  birth_date: string;
}

export const NO_CONTACT: Contact = { name: '', phone: '', email: '', notes: '', travellers: [] };
export const NO_NAMES: TravellerNames = { first_name: '', last_name: '', birth_date: '' };

/** Fields of the form, by the names of the platform: `name`, `travellers.0.last_name`. */
export type FieldNames = readonly string[];

/** The platform reads the first number in the text, of at least six digits: Latin, Arabic, Persian or full-width ones. */
const NOT_A_DIGIT = /[^\d٠-٩۰-۹０-９]/g;
/** Characters that the platform drops from an e-mail address, such as the marks of direction that address books add. */
const INVISIBLE = /\p{DI}/gu;

/** Returns the categories of the travellers of a party, one entry for each traveller: four for a family ticket of four. */
export function travellersOf(party: Party, categories: readonly Category[]): Category[] {
  return categories.flatMap((category) =>
    // Old libraries replace Array.from by a function that maps nothing.
    Array<Category>(unitsOf(party, category.code) * category.people).fill(category),
  );
}

/** Returns the fields that are missing or wrong. The platform checks the rest. */
export function invalidFields(contact: Contact): FieldNames {
  const fields: string[] = [];
  const { name, phone, email, travellers } = contact;
  if (!name.trim()) fields.push('name');
  if (phone.replace(NOT_A_DIGIT, '').length < PHONE_DIGITS_MIN) fields.push('phone');
  if (!readEmail(email.replace(INVISIBLE, ''))) fields.push('email');
  travellers.forEach((traveller, index) => {
    const { first_name, last_name, birth_date } = traveller;
    if (!first_name.trim() && !last_name.trim() && !birth_date) return;
    for (const key of ['first_name', 'last_name'] as const)
      if (!traveller[key].trim()) fields.push(`travellers.${index}.${key}`);
    if (birth_date && !isInBirthYears(birth_date)) fields.push(`travellers.${index}.birth_date`);
  });
  return fields;
}

/** Returns the body that books a hold on the date and at the total that the visitor sees. */
export function bookingBody(
  { hold_id, tour, departure_date, departure_time, party, total_price }: Hold,
  contact: Contact,
  categories: readonly Category[],
): BookingBody {
  const travellers = namedTravellers(contact, travellersOf(party, categories));
  return {
    tour_id: tour.slug,
    hold_id,
    departure_date,
    departure_time: departure_time ?? undefined,
    party,
    expected_total: total_price,
    name: contact.name.trim(),
    phone: contact.phone.trim(),
    email: contact.email.trim(),
    notes: contact.notes.trim() || undefined,
    travellers: travellers.length > 0 ? travellers : undefined,
  };
}

function namedTravellers({ travellers }: Contact, categories: Category[]): Traveller[] {
  return categories.flatMap(({ code }, index) => {
    const traveller = travellers[index] ?? NO_NAMES;
    if (!isNamed(traveller)) return [];
    const { first_name, last_name, birth_date } = traveller;
    return {
      category: code,
      first_name: first_name.trim(),
      last_name: last_name.trim(),
      birth_date: birth_date || null,
    };
  });
}

function isNamed({ first_name, last_name }: TravellerNames): boolean {
  return first_name.trim() !== '' && last_name.trim() !== '';
}

/** Returns whether a field of the platform's answer is one of the form. */
export function isInForm(field: string): boolean {
  return field in NO_CONTACT || field.startsWith('travellers.');
}

/**
 * Returns which field of the form a traveller's field in the platform's answer means. The body has the named travellers alone, so its second
 * one may be the third of the form.
 */
export function formField(field: string, { travellers }: Contact): string {
  const [, index, name] = /^travellers\.(\d+)\.(\w+)$/.exec(field) ?? [];
  if (index === undefined) return field;
  const named = travellers.flatMap((traveller, place) => (isNamed(traveller) ? [place] : []));
  return `travellers.${named[Number(index)] ?? index}.${name}`;
}
