import {
  type Answers,
  type Asks,
  isDue,
  isWrongAnswer,
  questionsFor,
  textOfAnswer,
  valuesOf,
} from './answers.ts';
import { isInBirthYears, PHONE_DIGITS_MIN, readEmail } from './contact-forms.ts';
import { unitsOf } from './party-rules.ts';
import { pickupBody, type PickupChoice, wrongPickup } from './pickup-choice.ts';
import type { BookingBody, Category, Hold, Party, Question, Tour, Traveller } from './wire.ts';

/** The texts that the visitor types before booking, and the choices. */
export interface Contact extends PickupChoice {
  name: string;
  phone: string;
  email: string;
  notes: string;
  /** Those that are asked once for the booking. */
  answers: Answers;
  /** In the order of `travellersOf` when they were typed. */
  travellers: readonly TravellerTexts[];
}

/** The texts that the visitor types about one traveller. */
export interface TravellerTexts {
  /** The code of the category. */
  category: string;
  first_name: string;
  last_name: string;
  /** YYYY-MM-DD, or empty. */
  birth_date: string;
  answers: Answers;
}

export const NO_CONTACT: Contact = {
  name: '',
  phone: '',
  email: '',
  notes: '',
  answers: {},
  pickup: '',
  place: '',
  travellers: [],
};
const NO_NAMES = { first_name: '', last_name: '', birth_date: '', answers: {} };

/** Fields of the form, by the names of the platform: `name`, `travellers.0.last_name`, `answers.diet`. */
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

/**
 * Returns what is typed of the travellers of a party: the first one of a category keeps what the first one of it had, whoever joins or leaves.
 * @rule which traveller an answer belongs to after the party has changed: test/unit/contact-rules.test.ts
 */
export function fitTravellers(
  typed: readonly TravellerTexts[],
  categories: readonly Category[],
): TravellerTexts[] {
  const left = [...typed];
  return categories.map(({ code }) => {
    const place = left.findIndex(({ category }) => category === code);
    return place < 0 ? { ...NO_NAMES, category: code } : left.splice(place, 1)[0]!;
  });
}

/** Returns the fields that are missing or wrong. The platform checks the rest. */
export function invalidFields(contact: Contact, { questions, pickup }: Asks): FieldNames {
  const fields: string[] = [];
  const { name, phone, email, travellers } = contact;
  if (!name.trim()) fields.push('name');
  if (phone.replace(NOT_A_DIGIT, '').length < PHONE_DIGITS_MIN) fields.push('phone');
  if (!readEmail(email.replace(INVISIBLE, ''))) fields.push('email');
  fields.push(...wrongAnswers(questionsFor(questions), contact.answers, 'answers'));
  travellers.forEach((traveller, index) =>
    fields.push(...wrongFields(traveller, `travellers.${index}`, questions)),
  );
  return [...fields, wrongPickup(pickup, contact) ?? []].flat();
}

function wrongAnswers(asked: readonly Question[], answers: Answers, path: string): string[] {
  return asked
    .filter((question) => isWrongAnswer(question, textOfAnswer(answers, question)))
    .map(({ code }) => `${path}.${code}`);
}

/** Returns the fields of a traveller that are missing or wrong. One without any text and any due question is left out of the booking. */
function wrongFields(traveller: TravellerTexts, path: string, questions: readonly Question[]): string[] {
  const { category, birth_date, answers } = traveller;
  const asked = questionsFor(questions, category);
  const isTyped = [traveller.first_name, traveller.last_name, birth_date, ...Object.values(answers)]
    .join('')
    .trim();
  if (!isTyped && !asked.some(isDue)) return [];
  const missing = NAMES.filter((key) => !traveller[key].trim()).map((key) => `${path}.${key}`);
  const isOld = birth_date && !isInBirthYears(birth_date);
  return [
    ...missing,
    ...(isOld ? [`${path}.birth_date`] : []),
    ...wrongAnswers(asked, answers, `${path}.answers`),
  ];
}

const NAMES = ['first_name', 'last_name'] as const;

/**
 * Returns the body that books a hold on the date and at the total that the visitor sees.
 * @param lang the language of the questions that the visitor sees
 */
export function bookingBody(
  { hold_id, tour: { slug }, departure_date, departure_time, party, total_price }: Hold,
  contact: Contact,
  { categories, questions, pickup }: Pick<Tour, 'categories'> & Asks,
  lang: string,
): BookingBody {
  const travellers = namedTravellers(contact, travellersOf(party, categories), questions);
  return {
    tour_id: slug,
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
    answers: valuesOf(questionsFor(questions), contact.answers),
    pickup: pickupBody(pickup, contact),
    lang: questions.length > 0 || pickup ? lang : undefined,
  };
}

function namedTravellers(
  { travellers }: Contact,
  categories: Category[],
  questions: readonly Question[],
): Traveller[] {
  return fitTravellers(travellers, categories)
    .filter(isNamed)
    .map(({ category, first_name, last_name, birth_date, answers }) => ({
      category,
      first_name: first_name.trim(),
      last_name: last_name.trim(),
      birth_date: birth_date || null,
      answers: valuesOf(questionsFor(questions, category), answers),
    }));
}

function isNamed(traveller: TravellerTexts): boolean {
  return NAMES.every((key) => traveller[key].trim());
}

/** Returns whether a field of the platform's answer is one of the form. */
export function isInForm(field: string, { questions, pickup }: Asks): boolean {
  const [name] = field.split('.');
  if (name === 'pickup') return pickup !== null;
  const code = codeOf(field);
  return code === undefined ? name! in NO_CONTACT : questions.some((question) => question.code === code);
}

/** Returns the code of the question that a field answers: `diet` for `answers.diet`. Undefined: it answers none. */
function codeOf(field: string): string | undefined {
  return field.split('answers.')[1];
}

/** Returns whether a field of the platform's answer is about what the tour asks: its questions may have changed. */
export function isAsked(field: string): boolean {
  return codeOf(field) !== undefined || field.startsWith('pickup');
}

/**
 * Returns which field of the form a field of the platform's answer means. The body has the named travellers alone, so its second one may be the
 * third of the form; those after its last one are people without a name.
 */
export function formField(field: string, { travellers }: Contact): string {
  if (field === 'pickup.place') return 'place';
  if (field.startsWith('pickup')) return 'pickup';
  const [, index, name] = /^travellers\.(\d+)\.(.+)$/.exec(field) ?? [];
  if (index === undefined) return field;
  const namedAt = (place: number) => Number(isNamed(travellers[place]!));
  const listed = [...travellers.keys()].sort((one, other) => namedAt(other) - namedAt(one));
  return `travellers.${listed[Number(index)] ?? index}.${name}`;
}
