import { getTourShownByRules, getVisibleTour } from '../../services/api/catalog/find-tour';
import type { Tour } from '../../services/api/catalog/tour';
import { keptPhoneForm, type PhoneReading } from '../../services/api/customers/phone';
import type { PartialCustomer } from '../../services/api/customers/customer';
import type { Departure } from '../../services/api/departures/departure';
import { findDeparturesById } from '../../services/api/departures/departure.repository';
import { assertUnambiguous, type NamedDeparture } from '../../services/api/departures/find-departures';
import { type ChoiceOfDate, chooseDeparture } from '../../services/api/departures/choose-departure';
import type { RequestedParty } from '../../services/api/parties/party-rules';
import { partyOfRequest, wantedSeats } from '../../services/api/parties/requested-party';
import { addMissingSeats } from '../../services/api/seats/changes/change-departure';
import { type OperatorTransaction, performBulk } from '../../services/api/seats/perform';
import { findTenant } from '../../services/api/tenants/manage-tenants';
import { mayBeUsed, type Tenant } from '../../services/api/tenants/tenant';
import { lockForUse } from '../../services/api/tenants/use-lock';
import type { Db, Trx } from '../../services/platform/database/database';
import { AppError } from '../../services/platform/errors';
import { readInput } from '../../services/platform/forms/form';
import { REFERENCE_MAX } from '../../services/platform/forms/lengths';
import type { Screen } from '../terminal/screen';
import { paragraph } from '../terminal/table';
import { type Flag, flag } from './command';
import type { Terminal } from './context';
import { announceTenant, readDefaultTenant } from './default-tenant';
import { UsageError } from './failure';
import { checkPartyFlags, partyFlag, type PartyOptions } from './party';
import { email, line, personName, phone, slug, startTime } from './values';

/*
 * The parts of a sale at the desk that `booking add` and `hold add` share. The sale itself is createBooking or placeHold, with the terms of
 * the desk (DeskTerms).
 */

/** The flags that name the seats and the customer of a sale. */
export interface DeskOptions extends Pick<PartyOptions, 'party'> {
  tenant?: string;
  time?: string;
  name?: string;
  phone?: string;
  email?: string;
  externalRef?: string;
  addSeats?: boolean;
  /** The reason of --add-seats and of an adjustment. */
  reason?: string;
  requestId?: string;
  yes?: boolean;
}

export const DESK_FLAGS: Flag[] = [
  flag('--tenant <slug>', 'the tenant that sells, instead of that of tourctl use', { parse: slug }),
  flag('--time <time>', 'the local time at which the departure starts, where its date has several', {
    parse: startTime,
  }),
  partyFlag('how many of each price category'),
  flag('--name <text>', "the customer's name", { parse: personName }),
  flag('--phone <number>', "the customer's phone number", { parse: phone }),
  flag('--email <address>', "the customer's e-mail address; it may be missing", { parse: email }),
  flag('--external-ref <ref>', 'a reference of your own', { parse: line(REFERENCE_MAX) }),
];

/** Refuses a category or a time that is given twice. @throws UsageError */
export function checkDeskOptions(options: DeskOptions, date: NamedDeparture | undefined): void {
  checkPartyFlags(options);
  if (date?.time !== undefined && options.time !== undefined && options.time !== date.time)
    throw new UsageError('<date> and --time name two times: give one of them');
}

/**
 * Returns the slug of the tenant that sells: that of --tenant, or the default tenant, which it announces. Undefined: neither is given.
 */
export function sellingTenant(
  { config, output }: Pick<Terminal, 'config' | 'output'>,
  { tenant }: DeskOptions,
): string | undefined {
  if (tenant !== undefined) return tenant;
  const usual = readDefaultTenant(config);
  if (usual) announceTenant(usual, output);
  return usual?.slug;
}

const MISSING = {
  tenant: '--tenant is missing: name the tenant that sells, or run tourctl use',
  tour: '<tour> is missing',
  departure: '<date> is missing',
  party: '--party is missing: how many of each price category',
  name: "--name is missing: the customer's name",
  phone: "--phone is missing: the customer's phone number",
};

/** A value without which the desk does not sell. */
export type NeededValue = keyof typeof MISSING;

/** Returns the messages about the needed values that a command line lacks. */
export function missingValues(known: { [Name in NeededValue]?: unknown }, needed: NeededValue[]): string[] {
  return needed.flatMap((name) => (known[name] === undefined ? [MISSING[name]] : []));
}

/** Returns whether a person need not agree to the summary: with --yes, or with a --request-id, whose repeat has agreed before. */
export function isAgreed({ yes = false, requestId }: DeskOptions): boolean {
  return yes || requestId !== undefined;
}

/** Returns the departure that `<date>` and --time name. */
export function departureNamed(date: NamedDeparture, { time }: DeskOptions): NamedDeparture {
  return { date: date.date, time: date.time ?? time };
}

/**
 * Returns the tenant, and locks it for use until the transaction ends: a command that suspends it waits for the sale.
 * @throws TenantNotFoundError, InactiveTenantError
 */
export async function tenantToSellFor(trx: Trx, slug: string): Promise<Tenant> {
  const { id } = await findTenant(trx, slug);
  await lockForUse(trx, [id]);
  const tenant = await findTenant(trx, slug);
  if (!mayBeUsed(tenant)) throw new InactiveTenantError(tenant);
  return tenant;
}

/** The desk sells nothing for a tenant that is suspended or closed. */
export class InactiveTenantError extends AppError {
  readonly code = 'tenant_inactive';

  constructor({ slug, status }: Pick<Tenant, 'slug' | 'status'>) {
    super(`The tenant ${slug} is ${status}, so nothing is sold for it`);
  }
}

/**
 * Finds the tour of a sale, which the tenant sees.
 * @param isHeld true: a hold of the tour is booked at its locked price, so the rate of the tour may be missing
 * @throws TourNotFoundError
 */
export async function tourToSell(db: Db, tenant: Tenant, idOrSlug: string, isHeld = false): Promise<Tour> {
  return isHeld ? getTourShownByRules(db, tenant, idOrSlug) : getVisibleTour(db, tenant, idOrSlug);
}

/**
 * Chooses the departure of a sale, also a closed one.
 * @throws SeveralDeparturesError, which lists the times
 */
export async function departureToSell(
  db: Db,
  tour: Pick<Tour, 'id' | 'slug'>,
  named: NamedDeparture,
): Promise<ChoiceOfDate> {
  return chooseDeparture(await assertUnambiguous(db, tour, named), named.time);
}

/** Returns the customer of a sale. What is not given is null. @throws InvalidInputError for a phone number of fewer than 6 digits */
export function customerOfSale(
  { name, phone, email }: Pick<DeskOptions, 'name' | 'phone' | 'email'>,
  tenant: PhoneReading,
): PartialCustomer {
  const read = phone === undefined ? {} : readInput('body', '--phone', phone, keptPhoneForm(tenant));
  return { name: name ?? null, phone: null, email: email ?? null, ...read };
}

/** Returns the instant at which the departure closes, or is past if that is earlier. Null: there is no departure. */
export async function closingOf(
  db: Db,
  departureId: string | null,
  { sandbox }: Tenant,
): Promise<Date | null> {
  if (departureId === null) return null;
  const [departure] = await findDeparturesById(db, [departureId], { sandbox });
  return departure?.salesEndAt ?? null;
}

export const ADD_SEATS_FLAG = flag(
  '--add-seats',
  'give the departure the seats that it lacks, and sell them; the departure keeps them',
);

/** The number of seats of a departure that a sale has raised. */
export interface RaisedSeats {
  before: number;
  after: number;
}

/**
 * Raises the number of seats of a departure by what a sale lacks, in the transaction of the sale. Null: it lacks none.
 * @param held seats of the hold that the sale consumes
 * @throws errors of addMissingSeats
 */
export async function raiseSeats(
  transaction: OperatorTransaction,
  tenant: Tenant,
  tour: Pick<Tour, 'id' | 'slug'>,
  named: NamedDeparture,
  { party, held = 0 }: { party: RequestedParty; held?: number },
): Promise<RaisedSeats | null> {
  const seatsOf = ({ tour: { categories } }: Departure) =>
    wantedSeats(partyOfRequest(party, categories), categories) - held;
  const raise = await addMissingSeats(transaction.trx, tenant, tour, named, seatsOf);
  const { before, after } = await performBulk(transaction, raise);
  const raised = { before: before.seatsTotal, after: after.seatsTotal };
  return raised.before === raised.after ? null : raised;
}

/** The values that a sale at the desk reads and writes beside the hold or booking. */
export interface BesideSale {
  /** The closing of the departure. Null: no departure. */
  closesAt: Date | null;
  raised: RaisedSeats | null;
}

/** The fields of an answer about the departure of a sale at the desk. */
export interface DeskAnswer {
  /** True: the departure was closed already. */
  late: boolean;
  /** The seats of the departure that the sale has raised. Null: none. */
  seats_total: RaisedSeats | null;
}

/** @param createdAt the instant of the hold or booking */
export function toDeskAnswer({ closesAt, raised }: BesideSale, createdAt: Date): DeskAnswer {
  return { late: closesAt !== null && closesAt <= createdAt, seats_total: raised };
}

/** Returns the fields of the audit row: those of the answer that say something, and the reason of raised seats. */
export function auditedDeskFields({ late, seats_total }: DeskAnswer, { reason }: DeskOptions) {
  return { ...(late && { late }), ...(seats_total && { seats_total, reason }) };
}

/** Describes the departure of a sale for a person, a paragraph for each fact. Empty: there is none to tell. */
export function describeDeskAnswer({ late, seats_total: raised }: DeskAnswer, screen: Screen): string {
  const facts = [
    ...(late ? ['The departure was closed for websites already.'] : []),
    ...(raised ? [describeRaised(raised)] : []),
  ];
  return facts.map((fact) => paragraph(fact, screen)).join('\n\n');
}

function describeRaised({ before, after }: RaisedSeats): string {
  return `The departure has ${after} seats now, ${before} before: a catalog file with ${before} is refused until it has ${after}.`;
}
