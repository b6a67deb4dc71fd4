import { findPeople, type PersonQuery, type PersonRows } from '../../services/api/bookings/find-people';
import type { PersonRow } from '../../services/api/bookings/rows-of-person';
import { nameDeparture } from '../../services/api/catalog/start-time';
import { refreshStatistics } from '../../services/api/customers/refresh-statistics';
import { nationalDigits } from '../../services/api/customers/phone';
import { AppError } from '../../services/platform/errors';
import { findUndelivered } from '../../services/webhook-queue/deliveries/erase-customer';
import type { Series } from '../engine/audited-series';
import { flag, type Verb } from '../engine/command';
import type { AuditedContext } from '../engine/context';
import { UsageError } from '../engine/failure';
import { CUSTOMER_COLUMN, describeCustomer, toCustomerDocument } from '../engine/personal-data';
import { email, phone, searchText } from '../engine/values';
import { type ItemColumn, tableOf } from '../terminal/table';
import { countOf } from '../terminal/text';
import { type ErasureRules, eraseSale, FORCE_FLAG } from './booking/erasure';

interface EraseOptions {
  search?: string;
  email?: string;
  phone?: string;
  force?: boolean;
}

export const customerVerbs: Verb[] = [
  {
    usage: 'erase',
    about:
      'Erase a person from all bookings and holds of all tenants, permanently; seats, dates and amounts stay, and standing bookings stay valid',
    flags: [
      flag('--search <text>', 'the person with this name, phone number, e-mail address or reference', {
        parse: searchText,
      }),
      flag('--email <address>', 'the person with this e-mail address', { parse: email }),
      flag('--phone <number>', 'the person with this phone number, in any spelling', {
        parse: phoneOfPerson,
      }),
      FORCE_FLAG,
    ],
    check: ({ search, email: address, phone: number }: EraseOptions) => {
      const given = [search, address, number].filter((one) => one !== undefined);
      if (given.length !== 1) throw new UsageError('give one of --search, --email and --phone');
    },
    asks: () => true,
    examples: ['customer erase --email ana@example.com', 'customer erase --search "ana lima"'],
    audits: true,
    run: eraseCustomerCommand,
  },
];

/** Parses a phone number in any spelling. */
function phoneOfPerson(text: string, name: string): string {
  const number = phone(text, name);
  if (nationalDigits(number) === undefined)
    throw new UsageError(`${name} must be a phone number such as +49 30 901820`);
  return number;
}

/**
 * Erases each booking and hold of one person in a transaction of its own, after one question. Refuses before the question if a webhook with
 * the person is undelivered.
 */
async function eraseCustomerCommand(
  context: AuditedContext,
  { force = false, ...named }: EraseOptions,
): Promise<void> {
  const { auditedSeries, confirm, db, output, secrets } = context;
  const people = await findPeople(db, queryOf(named));
  if (people.length > 1) throw new SeveralPeopleError(people);
  const rows = people[0] ?? [];
  const refs = rows.flatMap(({ kind, name }) => (kind === 'booking' ? [name] : []));
  const waiting = await findUndelivered(db, refs);
  if (waiting.length > 0 && !force) throw new UndeliveredError(waiting);
  if (rows.length > 0) {
    output.note(tableOf(COLUMNS, '')(rows.map(toDocument), output.screen));
    await confirm(`Erase the customer of ${countRows(rows)} permanently? Seats, dates and amounts stay.`);
  }
  const { cursorKey } = await secrets('cursorKey');
  const series = await auditedSeries(rows, async (row, audited) =>
    eraseRow(audited, row, { force, cursorKey }),
  );
  // Refreshes the statistics even if nothing was left to erase, because an earlier run may have ended before this step.
  await refreshStatistics(db);
  if (series.left.length > 0) throw new NotErasedError(series);
  const erased = series.done.filter((one) => one !== undefined);
  const document = {
    bookings: erased.filter(({ kind }) => kind === 'booking').length,
    holds: erased.filter(({ kind }) => kind === 'hold').length,
    undelivered: erased.reduce((sum, one) => sum + one.undelivered, 0),
  };
  await output.answer(document, () => describeErased(document, erased));
}

/** The command line has one of the three. */
function queryOf({ search, email: address, phone: number }: EraseOptions): PersonQuery {
  if (search !== undefined) return { search };
  return address === undefined ? { phone: number! } : { email: address };
}

/** Returns undefined if another operator has erased the row meanwhile. */
async function eraseRow(context: Pick<AuditedContext, 'audited'>, row: PersonRow, rules: ErasureRules) {
  const { kind, name, sale } = row;
  const erased = await eraseSale(context, { kind, name, tenantId: sale.tenant.id }, rules);
  return erased && { kind, name, undelivered: erased.undelivered.length, reference: erased.reference };
}

interface ErasedRow {
  kind: PersonRow['kind'];
  name: string;
  /** Number of deliveries that will be sent without the customer. */
  undelivered: number;
  /** The website's reference, which does not name the person. */
  reference: string | null;
}

function describeErased(
  { bookings, holds, undelivered }: { bookings: number; holds: number; undelivered: number },
  erased: ErasedRow[],
): string {
  const lines = [
    erased.length === 0
      ? 'No booking or hold has this person'
      : `The person is erased from ${countOf(bookings, 'booking')} and ${countOf(holds, 'hold')}`,
  ];
  if (undelivered > 0) lines.push(`${countOf(undelivered, 'webhook')} will be sent without the customer`);
  for (const { name, reference } of erased)
    if (reference !== null)
      lines.push(`The reference ${reference} of ${name} stays: check whether it names the customer`);
  return lines.join('\n');
}

function countRows(rows: PersonRows): string {
  const bookings = rows.filter(({ kind }) => kind === 'booking').length;
  const counts = [
    [bookings, 'booking'],
    [rows.length - bookings, 'hold'],
  ] as const;
  return counts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => countOf(count, noun))
    .join(' and ');
}

type RowDocument = ReturnType<typeof toDocument>;

const COLUMNS: ItemColumn<RowDocument>[] = [
  { heading: 'booking or hold', cell: ({ name }) => name },
  { ...CUSTOMER_COLUMN, least: 12 },
  { heading: 'date', aside: true, cell: ({ date }) => date },
  'status',
  { heading: 'tenant', least: 6, aside: true },
  { heading: 'tour', least: 10, aside: true },
];

function toDocument({ name, sale }: PersonRow) {
  const { departureDate, departureTime } = sale;
  return {
    name,
    customer: toCustomerDocument(sale.customer),
    date: departureDate === null ? null : nameDeparture(departureDate, departureTime),
    status: sale.status,
    tenant: sale.tenant.slug,
    tour: sale.tour.slug,
  };
}

/** The most people that an error lists. */
const LISTED_MAX = 10;

/** The search finds several people. Lists them with their masked data: the reference of a booking leads to the rest. */
class SeveralPeopleError extends AppError {
  readonly code = 'several_people';

  constructor(people: PersonRows[]) {
    const lines = people.slice(0, LISTED_MAX).map((rows) => {
      const [{ kind, name, sale }] = rows as [PersonRow, ...PersonRow[]];
      const customer = describeCustomer(toCustomerDocument(sale.customer)) ?? 'no name';
      return `${countOf(rows.length, 'row')}: ${customer} (${kind} ${name})`;
    });
    if (people.length > LISTED_MAX) lines.push(`and ${people.length - LISTED_MAX} more`);
    super(
      `These are ${people.length} people: name one by --email, or by --phone with its country code\n${lines.join('\n')}`,
    );
  }
}

/** The code of a refusal because of webhooks with the person that are not delivered yet. */
const UNDELIVERED = 'undelivered';

class UndeliveredError extends AppError {
  readonly code = UNDELIVERED;

  constructor(deliveries: string[]) {
    super(
      `${countOf(deliveries.length, 'webhook')} with this person ${deliveries.length === 1 ? 'is' : 'are'} not delivered yet: wait, or ` +
        'add --force, which sends without the person. Nothing was erased',
    );
  }
}

/** Some rows could not be erased. The code is that of the first refusal. An event may have been enqueued after the question. */
class NotErasedError extends AppError {
  readonly code: string;

  constructor({ done, left }: Series<PersonRow, unknown>) {
    const reasons = left.map(({ item, message }) => `${item.name}: ${message}`);
    super(
      `${done.length} of ${countOf(done.length + left.length, 'row')} erased. The same command tries the others again\n${reasons.join('\n')}`,
    );
    const { code } = left[0]!;
    this.code = code === 'booking_undelivered' ? UNDELIVERED : code;
    if (this.code === UNDELIVERED) this.message += '\n--force sends these webhooks without the person';
  }
}
