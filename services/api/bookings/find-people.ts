import type { Db } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import { foldName } from '../../platform/forms/fold-name';
import { internationalForm, nationalDigits } from '../customers/phone';
import { ANY_TENANT } from '../tenants/tenant';
import { eachOnce, findRowsByText, findRowsOfContact, type PersonRow } from './rows-of-person';
import { type Contact, contactsOf } from '../customers/customer';

/** How an operator names a person: by an e-mail, by a phone, or by a text to search for. */
export type PersonQuery = Contact | { search: string };

/** The rows of one person. */
export type PersonRows = PersonRow[];

/**
 * Finds the rows of all tenants that belong to the person whom an operator names, and distinguishes people. An e-mail is one person, and so is
 * a phone, in any spelling. The rows of a searched text are one person if they share e-mails or phones; their other rows with the same name
 * belong to the person too.
 * @returns the rows of each person: none if nothing is found
 * @throws SearchTooWideError
 * @rule which rows belong to one person: test/cli/customer-erase.long.test.ts
 */
export async function findPeople(db: Db, query: PersonQuery): Promise<PersonRows[]> {
  if ('search' in query) return searchPeople(db, query.search);
  const rows = await findRowsOfContact(db, ANY_TENANT, query);
  if ('email' in query || internationalForm(query.phone) !== undefined) return rows.length > 0 ? [rows] : [];
  return groupByCountry(rows, query.phone);
}

/**
 * Groups the rows of a phone that was named without its country code: in each country, these digits have another owner. If the rows name only
 * one country, a row without a code belongs to it.
 */
function groupByCountry(rows: PersonRow[], phone: string): PersonRows[] {
  const digits = nationalDigits(phone);
  const countries = new Map<string | undefined, PersonRow[]>();
  for (const row of rows) {
    const phones = row.people.flatMap(contactsOf).flatMap((one) => ('phone' in one ? [one.phone] : []));
    const spelt = phones.filter((one) => nationalDigits(one) === digits);
    const number = spelt.map(internationalForm).find((one) => one !== undefined);
    countries.set(number, [...(countries.get(number) ?? []), row]);
  }
  const known = [...countries.keys()].filter((number) => number !== undefined);
  if (known.length > 1) return [...countries.values()];
  return rows.length > 0 ? [rows] : [];
}

const ROWS_MAX = 1000;

class SearchTooWideError extends AppError {
  readonly code = 'several_people';

  constructor() {
    super(
      `The search finds more than ${ROWS_MAX} rows: search for more of the name, or name --email or --phone`,
    );
  }
}

async function searchPeople(db: Db, search: string): Promise<PersonRows[]> {
  const found = await findRowsByText(db, ANY_TENANT, search, ROWS_MAX);
  if (found.length > ROWS_MAX) throw new SearchTooWideError();
  const people = groupBy(found, contactKeysOf);
  return people.length === 1 ? addRelated(db, people[0]!) : people;
}

/**
 * Adds the rows that share an e-mail or a phone with the person. Rows under another name are other people: a family shares a phone, and an
 * agency uses its own e-mail for its guests.
 */
async function addRelated(db: Db, person: PersonRows): Promise<PersonRows[]> {
  const searched = new Set<string>();
  let rows = person;
  for (;;) {
    const names = new Set(rows.map(nameOf));
    const contacts = rows.flatMap(({ sale }) => contactsOf(sale.customer));
    const contact = contacts.find((one) => !searched.has(keyOf(one)));
    if (!contact) return [rows];
    searched.add(keyOf(contact));
    const related = await findRowsOfContact(db, ANY_TENANT, contact);
    const known = new Set(rows.map(({ name }) => name));
    const added = related.filter(({ name }) => !known.has(name));
    const others = added.filter((row) => nameOf(row) !== '' && !names.has(nameOf(row)));
    if (others.length > 0) return [rows, ...groupBy(others, (row) => [nameOf(row)])];
    rows = eachOnce([...rows, ...added]);
  }
}

/** Returns the words of the customer's name in alphabetical order. Empty: the row has no name. */
function nameOf({ sale }: PersonRow): string {
  const words = foldName(sale.customer.name ?? '').split(/[^\p{L}\p{M}\p{N}]+/u);
  return words.filter(Boolean).sort().join(' ');
}

function contactKeysOf({ name, sale }: PersonRow): string[] {
  const keys = contactsOf(sale.customer).map(keyOf);
  // A row without e-mail and phone may be anybody's.
  return keys.length > 0 ? keys : [name];
}

/** Returns the same key for all spellings of an e-mail or a phone. */
function keyOf(contact: Contact): string {
  return 'email' in contact ? contact.email.toLowerCase() : (nationalDigits(contact.phone) ?? contact.phone);
}

/** Groups rows: two rows with a common key are in one group. */
function groupBy(rows: PersonRow[], keysOf: (row: PersonRow) => string[]): PersonRows[] {
  let groups: { rows: PersonRow[]; keys: Set<string> }[] = [];
  for (const row of rows) {
    const keys = keysOf(row);
    const joined = groups.filter((group) => keys.some((key) => group.keys.has(key)));
    const merged = {
      rows: [...joined.flatMap((group) => group.rows), row],
      keys: new Set([...joined.flatMap((group) => [...group.keys]), ...keys]),
    };
    groups = [...groups.filter((group) => !joined.includes(group)), merged];
  }
  return groups.map((group) => group.rows);
}
