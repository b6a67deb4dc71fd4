import leven from 'leven';
import {
  type ImportMap,
  isRowField,
  type MapWord,
  ROW_FIELDS,
  ROW_STATUSES,
} from '../../../services/api/booking-import/import-map';
import type { RowIssues, UnknownKind } from '../../../services/api/booking-import/row-issues';
import { findVisibleNames } from '../../../services/api/catalog/tour.repository';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { Db } from '../../../services/platform/database/database';
import { foldName } from '../../../services/platform/forms/fold-name';
import type { Io } from '../../terminal/io';
import { askFromList, type Choice } from '../../terminal/prompts';

/** The most words of one kind that are asked. With more, a column has values of another kind. */
const WORDS_MAX = 50;

const LEAVE_OUT: Choice = { value: '', name: 'leave out' };

const QUESTIONS: Record<UnknownKind, (word: string) => string> = {
  column: (word) => `Which field is the column "${word}"?`,
  status: (word) => `Which status is "${word}"?`,
  tour: (word) => `Which tour is "${word}"?`,
};

/** Words of other systems that are not spelt like our fields and statuses. */
const USUAL_WORDS: Record<string, string[]> = {
  external_ref: ['booking', 'booking number', 'order number', 'reference', 'confirmation code'],
  tour: ['item', 'product', 'activity', 'experience'],
  departure_date: ['date', 'start date', 'travel date'],
  departure_time: ['time', 'start time'],
  party: ['participants', 'travellers', 'price category', 'pax'],
  name: ['customer', 'guest', 'traveller name'],
  phone: ['mobile', 'telephone'],
  total: ['amount', 'price', 'grand total'],
  created_at: ['booking date', 'order date', 'created'],
  notes: ['comments', 'remarks'],
  confirmed: ['paid', 'completed'],
  pending_payment: ['pending', 'unpaid', 'part paid', 'on hold'],
  cancelled: ['canceled', 'refunded', 'expired', 'void'],
};

/**
 * Asks what the words of the other system mean that the map lacks, each once. Returns none if there are no words, or too many.
 * @rule what an import asks on a terminal: test/cli/booking-import-questions.long.test.ts
 */
export async function askWords(
  { db, io }: { db: Db; io: Io },
  { tenant, map }: { tenant: Tenant; map: ImportMap },
  issues: RowIssues,
): Promise<MapWord[]> {
  const words: MapWord[] = [];
  for (const { kind, word } of wordsToAsk(issues)) {
    const taken = [...Object.values(map.columns), ...words.map(({ meaning }) => meaning)];
    const choices = kind === 'column' ? freeFields(taken) : await choicesOf(kind, db, tenant);
    const find = (typed: string) => Promise.resolve(offer(kind, word, typed, choices));
    const meaning = await askFromList(io, QUESTIONS[kind](word), find);
    words.push({ kind, word, meaning: meaning === '' ? null : meaning });
  }
  return words;
}

/** Returns the columns, or if all are known the other words: a column decides which words these are. */
function wordsToAsk({ unknown }: RowIssues): RowIssues['unknown'] {
  const columns = unknown.filter(({ kind }) => kind === 'column');
  const asked = columns.length > 0 ? columns : unknown;
  const isShort = (kind: UnknownKind) => asked.filter((one) => one.kind === kind).length <= WORDS_MAX;
  return (['column', 'status', 'tour'] as const).every(isShort) ? asked : [];
}

/** Returns the fields that no other column has. A name may have two. */
function freeFields(taken: readonly (string | null)[]): Choice[] {
  const free = ROW_FIELDS.filter((field) => field === 'name' || !taken.includes(field));
  return free.map((value) => ({ value }));
}

async function choicesOf(kind: 'status' | 'tour', db: Db, tenant: Tenant): Promise<Choice[]> {
  if (kind === 'status') return ROW_STATUSES.map((value) => ({ value }));
  const tours = await findVisibleNames(db, tenant);
  return tours.map(({ slug, name }) => ({ value: slug, name: `${slug}  ${name}` }));
}

/** Returns the choices for a typed text, the nearest to the word first, and after it the answer to leave the word out. */
function offer(kind: UnknownKind, word: string, typed: string, choices: Choice[]): Choice[] {
  const text = typed.trim();
  const isCategory = kind === 'column' && text.startsWith('party.') && isRowField(text);
  const found = [...choices.toSorted(byDistance(word)), ...(isCategory ? [{ value: text }] : [])].filter(
    (one) => foldName(nameOf(one)).includes(foldName(text)),
  );
  const leavesOut = nameOf(LEAVE_OUT).includes(text.toLowerCase()) ? [LEAVE_OUT] : [];
  return [...found.slice(0, 1), ...leavesOut, ...found.slice(1)];
}

const nameOf = ({ value, name = value }: Choice) => name;

function byDistance(word: string): (a: Choice, b: Choice) => number {
  const distances = new Map<string, number>();
  const distanceOf = ({ value, name }: Choice) => {
    const known = distances.get(value);
    if (known !== undefined) return known;
    const names =
      name === undefined ? [value, ...(USUAL_WORDS[value] ?? [])] : [value, name.slice(value.length)];
    const least = Math.min(...names.map((one) => distance(word, one)));
    distances.set(value, least);
    return least;
  };
  return (a, b) => distanceOf(a) - distanceOf(b);
}

/** Returns the number of changed letters in proportion to the longer text. A text that contains the other counts half. */
function distance(one: string, other: string): number {
  const [a, b] = [plain(one), plain(other)];
  const changed = leven(a, b) / Math.max(a.length, b.length, 1);
  return a !== '' && b !== '' && (a.includes(b) || b.includes(a)) ? changed / 2 : changed;
}

/** Returns the letters and digits of a text, with a space between the words. */
function plain(text: string): string {
  return foldName(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
