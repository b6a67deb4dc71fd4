import type { CutoffText } from '../../../services/api/catalog/cutoff';
import type { CatalogTour } from '../../../services/api/catalog/tour';
import { nameDeparture } from '../../../services/api/catalog/start-time';
import {
  type AddedDeparture,
  addDepartures,
  FirstPriceMissingError,
  type PlannedDeparture,
  planDepartures,
  type ScheduledDeparture,
} from '../../../services/api/departures/add-departures';
import type { NewPrices } from '../../../services/api/departures/add-departures';
import { pricesAnswer } from '../../../services/api/pricing/price-categories';
import { flag } from '../../engine/command';
import { askFor } from '../../engine/complete-values';
import { mayAsk } from '../../engine/confirm';
import type { AuditedContext, Context } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { cutoff, formatMoney, startTime } from '../../engine/values';
import type { Screen } from '../../terminal/screen';
import { beside } from '../../terminal/table';
import { countIs, countOf } from '../../terminal/text';
import {
  ADULT_FLAG,
  CHILD_FLAG,
  describeCode,
  describeFirstPrice,
  price,
  PRICE_FLAG,
  type PriceOptions,
  seats,
  SINGLE_FLAG,
  toDepartureDocument,
  toListedDocument,
  toNewPrices,
} from './document';
import { firstCategory } from '../../../services/api/parties/party-rules';

/** The flags that `add` and `schedule` share. */
export const NEW_DEPARTURE_FLAGS = [
  flag('--start-time <times>', 'the local times at which each date has a departure, such as 09:30,14:30', {
    parse: startTime,
    repeats: true,
    otherwise: 'the start time of the tour, if it has one',
  }),
  flag('--seats <number>', 'how many seats each has', { parse: seats, must: true }),
  { ...ADULT_FLAG, must: true, unless: PRICE_FLAG, askedLater: true },
  CHILD_FLAG,
  SINGLE_FLAG,
  PRICE_FLAG,
  flag('--closes-before <time>', 'no holds and bookings from so long before the start, such as 36h or 3d', {
    parse: cutoff,
    otherwise: 'the cut-off of the tour, if it has one',
  }),
];

/** The values of NEW_DEPARTURE_FLAGS. */
export interface NewDepartureOptions extends PriceOptions {
  /** HH:MM */
  startTime?: string[];
  seats: number;
  closesBefore?: CutoffText;
}

/** The departures that a command adds, with the values that they share. */
export interface Addition {
  /** The action of the audit row. */
  action: string;
  departures: ScheduledDeparture[];
  /** YYYY-MM-DD */
  returnDate: string | null;
  closesAt: Date | null;
  /** The values that the audit row has besides prices and seats. */
  facts: Record<string, unknown>;
  /** Shows what would be added, and writes nothing. */
  dryRun?: boolean;
}

/**
 * Adds the departures that do not exist yet: all of them or none, with one audit row. Before it adds several departures, shows them and
 * asks for confirmation. Writes nothing if all departures exist.
 */
export async function addMany(
  context: AuditedContext,
  tour: CatalogTour,
  options: NewDepartureOptions,
  addition: Addition,
): Promise<void> {
  const { confirm, db, output } = context;
  const { departures } = addition;
  const prices = await completePrices(context, tour, toNewPrices(options));
  const planned = await planDepartures(db, tour, { departures, prices }).catch(refuseMissingPrice);
  const missing = planned.filter(({ exists }) => !exists);
  if (addition.dryRun) return answerDryRun(context, tour, planned);
  if (missing.length > 1) {
    output.note(describePlan(planned, output.screen));
    const { code } = firstCategory(tour.categories);
    const firstPrice = `${describeCode(code)} ${formatMoney(Number(prices[code]), tour.currency)}`;
    const each = `${countOf(options.seats, 'seat')}, ${firstPrice}`;
    await confirm(`Add ${countOf(missing.length, 'departure')} to ${tour.slug}, each with ${each}?`);
  }
  await write(context, tour, { ...options, prices }, addition);
}

/** Asks for the price of the tour's first category if it is missing and somebody can be asked. */
async function completePrices(
  { io, output }: Context,
  tour: CatalogTour,
  given: NewPrices,
): Promise<NewPrices> {
  const { code } = firstCategory(tour.categories);
  if (given[code] !== undefined || !mayAsk({ io, output })) return given;
  const answer = await askFor(`Price of one ${describeCode(code)} in ${tour.currency}:`, price, io);
  return { ...given, [code]: price(answer, describeCode(code)) };
}

/** A missing price is a mistake of the command line, although only the tour says which category needs one. */
function refuseMissingPrice(error: unknown): never {
  throw error instanceof FirstPriceMissingError ? new UsageError(error.message) : error;
}

async function answerDryRun(
  { output }: Context,
  tour: CatalogTour,
  planned: PlannedDeparture[],
): Promise<void> {
  const existing = planned.filter(({ exists }) => exists).length;
  const document = {
    dry_run: true,
    created: planned.length - existing,
    existing,
    departures: planned.map(({ date, startTime: time, exists }) => ({
      tour: tour.slug,
      departure_date: date,
      start_time: time,
      exists,
    })),
  };
  await output.answer(document, (screen) => describePlan(planned, screen));
  output.note('Nothing was written: this was a dry run');
}

async function write(
  { audited, output }: AuditedContext,
  tour: CatalogTour,
  options: NewDepartureOptions & { prices: NewPrices },
  { action, departures, returnDate, closesAt, facts }: Addition,
): Promise<void> {
  const { closesBefore = null, prices } = options;
  const added = await audited({ action }, async (trx, note) => {
    const result = await addDepartures(trx, tour, {
      departures,
      returnDate,
      closesAt,
      closesBefore,
      seatsTotal: options.seats,
      prices,
    });
    const created = result.departures.filter(({ isNew }) => isNew);
    const first = created[0]?.departure;
    if (first === undefined) {
      note(null, null);
      return result;
    }
    const after = {
      ...facts,
      created: result.created,
      return_date: returnDate,
      closes_at: closesAt?.toISOString() ?? null,
      closes_before: closesBefore,
      seats_total: options.seats,
      prices: pricesAnswer(first.prices, first.tour.categories, first.tour.currencyDigits),
    };
    note(null, after, { subject: `${tour.slug} ${describeRange(created)}` });
    return result;
  });
  const document = {
    created: added.created,
    existing: added.existing,
    departures: added.departures.map(({ departure }) => toListedDocument(tour.slug, departure)),
  };
  await output.answer(document, () => describeAdded(tour, added.departures));
  warnOfUnsaleable(output, added.departures);
}

/** Returns the name of the only departure, or the first and the last date. */
function describeRange(departures: AddedDeparture[]): string {
  const names = departures.map(nameOfAdded);
  if (names.length === 1) return names[0]!;
  return `${departures[0]!.departure.departureDate} to ${departures.at(-1)!.departure.departureDate}`;
}

function nameOfAdded({ departure }: AddedDeparture): string {
  return nameDeparture(departure.departureDate, departure.startTime);
}

const STAYS = 'departure set-seats, set-price and reopen change';

function describeAdded(tour: CatalogTour, departures: AddedDeparture[]): string {
  const created = departures.filter(({ isNew }) => isNew);
  const existing = departures.length - created.length;
  const [first] = created;
  if (first === undefined) {
    return departures.length === 1
      ? `${tour.slug} on ${nameOfAdded(departures[0]!)} exists already, and stays as it is: ${STAYS} it`
      : `All ${existing} exist already, and stay as they are: ${STAYS} them`;
  }
  const price = describeFirstPrice(toDepartureDocument(tour.slug, first.departure));
  const seatsOfEach = countOf(first.departure.seatsTotal, 'seat');
  if (departures.length === 1)
    return `${tour.slug} on ${nameOfAdded(first)} is added: ${seatsOfEach}, ${price}`;
  const others = existing === 0 ? '' : `; ${describeOthers(existing)}`;
  return `${countIs(created.length, 'departure')} added to ${tour.slug}: ${seatsOfEach} each, ${price}${others}`;
}

function describeOthers(existing: number): string {
  return existing === 1
    ? '1 other existed, and stays as it is'
    : `${existing} others existed, and stay as they are`;
}

function warnOfUnsaleable({ warn }: Context['output'], departures: AddedDeparture[]): void {
  const created = departures.filter(({ isNew }) => isNew);
  const past = created.filter(({ departure }) => departure.past);
  const closed = created.filter(({ departure }) => departure.closed);
  const [first] = past;
  if (first !== undefined && created.length === 1)
    warn(`${nameOfAdded(first)} is in the past: the departure cannot be booked`);
  else if (first !== undefined)
    warn(
      `${countIs(past.length, 'new departure')} in the past and cannot be booked: from ${nameOfAdded(first)} on`,
    );
  else if (closed.length > 0)
    warn(
      created.length === 1
        ? 'The departure is closed already: it cannot be booked'
        : `${countIs(closed.length, 'new departure')} closed already: they cannot be booked`,
    );
}

/** Lists the new departures by month, and below them the existing ones. */
function describePlan(planned: PlannedDeparture[], screen: Screen): string {
  const missing = planned.filter(({ exists }) => !exists);
  const existing = planned.filter(({ exists }) => exists);
  const past = missing.filter((departure) => departure.past).length;
  const [exist, stay] = existing.length === 1 ? ['Exists', 'stays as it is'] : ['Exist', 'stay as they are'];
  const lines = [
    missing.length === 0 ? 'Nothing to add' : `To add: ${countOf(missing.length, 'departure')}`,
    ...describeDates(missing, screen),
    existing.length > 0 && `${exist} already, and ${stay}: ${countOf(existing.length, 'departure')}`,
    ...describeDates(existing, screen),
    past > 0 && `${past} of those to add are in the past and cannot be booked`,
  ];
  return lines.filter((line) => line !== false).join('\n');
}

/** Groups the dates by their start times. Draws a line of dates for each month below the times. */
function describeDates(departures: PlannedDeparture[], screen: Screen): string[] {
  const timesOfDates = new Map<string, string[]>();
  for (const { date, startTime: time } of departures) {
    const times = timesOfDates.get(date) ?? [];
    timesOfDates.set(date, time === null ? times : [...times, time]);
  }
  const datesOfTimes = new Map<string, string[]>();
  for (const [date, times] of timesOfDates) {
    const key = times.join(', ');
    datesOfTimes.set(key, [...(datesOfTimes.get(key) ?? []), date]);
  }
  return [...datesOfTimes].flatMap(([times, dates]) => {
    const heading = times === '' ? [] : [`  at ${times}:`];
    return [...heading, ...months(dates, screen)];
  });
}

const DAY = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' });

function months(dates: string[], screen: Screen): string[] {
  const days = new Map<string, string[]>();
  for (const date of dates) {
    const month = date.slice(0, 'YYYY-MM'.length);
    const day = `${DAY.format(new Date(`${date}T00:00:00Z`))}\u00a0${Number(date.slice(-2))}`;
    days.set(month, [...(days.get(month) ?? []), day]);
  }
  const width = '  YYYY-MM'.length;
  return [...days].map(([month, list]) => beside(`  ${month}`, list.join(', '), { width, screen }));
}
