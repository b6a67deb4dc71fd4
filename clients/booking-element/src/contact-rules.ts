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
  first: string;
  last: string;
  /** YYYY-MM-DD, or empty. */
  birth: string;
}

export const NO_CONTACT: Contact = { name: '', phone: '', email: '', notes: '', travellers: [] };
export const NO_NAMES: TravellerNames = { first: '', last: '', birth: '' };

/** The wrong fields of the form, by the names of the platform: `name`, `travellers.0.last_name`. */
export type FieldFaults = readonly string[];

/** The platform reads the first number in the text, of at least six digits. */
const DIGITS_MIN = 6;

/** Returns the categories of the travellers of a party, one entry for each traveller: four for a family ticket of four. */
export function travellersOf(party: Party, categories: readonly Category[]): Category[] {
  return categories.flatMap((category) =>
    Array.from({ length: (party[category.code] ?? 0) * category.people }, () => category),
  );
}

/** Returns the fields that are missing or wrong. The platform judges the rest. */
export function faultsOf(contact: Contact): FieldFaults {
  const faults: string[] = [];
  const { name, phone, email, travellers } = contact;
  if (!name.trim()) faults.push('name');
  if (phone.replace(/\P{Nd}/gu, '').length < DIGITS_MIN) faults.push('phone');
  if (!/^\S+@\S+[.]\S+$/.test(email.trim())) faults.push('email');
  travellers.forEach(({ first, last, birth }, index) => {
    if (!first.trim() && !last.trim() && !birth) return;
    if (!first.trim()) faults.push(`travellers.${index}.first_name`);
    if (!last.trim()) faults.push(`travellers.${index}.last_name`);
  });
  return faults;
}

/** Returns the body that books a hold at the total that the visitor sees. */
export function bookingBody(
  { hold_id, tour, party, total_price }: Hold,
  contact: Contact,
  categories: readonly Category[],
): BookingBody {
  const notes = contact.notes.trim();
  const travellers = namedTravellers(contact, travellersOf(party, categories));
  return {
    tour_id: tour.slug,
    hold_id,
    party,
    expected_total: total_price,
    name: contact.name.trim(),
    phone: contact.phone.trim(),
    email: contact.email.trim(),
    ...(notes && { notes }),
    ...(travellers.length > 0 && { travellers }),
  };
}

function namedTravellers({ travellers }: Contact, categories: Category[]): Traveller[] {
  return categories.flatMap(({ code }, index) => {
    const { first, last, birth } = travellers[index] ?? NO_NAMES;
    if (!first.trim() || !last.trim()) return [];
    return { category: code, first_name: first.trim(), last_name: last.trim(), birth_date: birth || null };
  });
}

/**
 * Returns which field of the form a traveller's field in the platform's answer means. The body has the named travellers alone, so its second
 * one may be the third of the form.
 */
export function formField(field: string, { travellers }: Contact): string {
  const [, index, name] = /^travellers\.(\d+)\.(\w+)$/.exec(field) ?? [];
  if (index === undefined) return field;
  const named = travellers.flatMap(({ first, last }, place) => (first.trim() && last.trim() ? [place] : []));
  return `travellers.${named[Number(index)] ?? index}.${name}`;
}
