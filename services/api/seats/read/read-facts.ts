import { CLOCK, runPrepared, type Trx, toFields } from '../../../platform/database/database';
import type { Row } from '../../../platform/database/row-description';
import { findResourcesOfDepartures } from '../../resources/lock-resources';
import { keyCheckOf } from '../../credentials/verify-credential';
import { lockFreeDeparturesById, toLockedDeparture } from '../../departures/departure.repository';
import { type ExpiredSeats, markExpiredSeats } from '../../departures/mark-expired-seats';
import { toLead } from '../../bookings/booking-lead.repository';
import { toHold } from '../../holds/seat-hold.repository';
import type { StoredAnswer } from '../../idempotency/idempotency.repository';
import { categoriesOf } from '../../parties/category';
import type { PricedTour } from '../../pricing/price-categories';
import type { PriceRule } from '../../pricing/choose-price-rule';
import { ratesByCurrency } from '../../pricing/convert-price';
import type { TouchedDate } from '../../resources/touched-dates';
import { Trips } from '../../resources/trips';
import { type ChangedDate, datesOfBothKinds } from '../after-commit';
import type { BulkFacts } from '../bulk-change';
import { hasItsLocks, type ChangeLocks } from '../lock';
import type { SeatChange } from '../seat-change';
import type { ChangingDeparture } from '../touched-dates';
import * as lists from './fact-lists';
import * as tripLists from './trip-lists';
import {
  emptyLists,
  type FactList,
  type FactLists,
  type Stored,
  type TenantCount,
  type TenantView,
  toHeldSeats,
} from './fact-lists';
import {
  countedKey,
  type DepartureFacts,
  type HeldSeats,
  referenceKey,
  type SaleFacts,
  viewKey,
} from './facts';

export interface ReadFacts {
  facts: SaleFacts;
  /** The stored answer of the change's Idempotency-Key, if there is one. */
  answerOf(change: SeatChange): StoredAnswer | undefined;
  /** The dates whose seats are free because holds and bookings have expired, which this transaction has marked. */
  freed: ChangedDate[];
  /** Departures that no change locks, whose expired holds and bookings this transaction has marked. */
  beside: ChangingDeparture[];
  /** The dates that the locked departures touch. Undefined: not read, because the transaction has locked no resource. */
  touched: TouchedDate[] | undefined;
  /** Ids of departures that exist and that another transaction has locked. */
  lockedElsewhere: ReadonlySet<string>;
  transactionId: string;
}

/**
 * Reads the facts that the changes depend on. Uses one statement, which runs after the locks of the changes. Marks expired holds and bookings
 * of the departures in further statements. The first statement does not count the seats of expired holds and bookings.
 */
export async function readFacts(trx: Trx, changes: SeatChange[], locks: ChangeLocks): Promise<ReadFacts> {
  const keyed = keyedOf(changes, locks);
  const wanted = factLists(changes, locks);
  const { storedHolds, storedLeads } = wanted;
  let row = await readRow(trx, wanted);
  const { freed } = await markExpired(trx, row);
  const beside = await markExpiredBeside(trx, row);
  for (const { tour, departureDate } of beside) freed.push(...datesOfBothKinds(tour.id, departureDate));
  // Reads the stored rows again, because they may be among the expired ones.
  if (freed.length > 0 && (storedHolds.isWanted || storedLeads.isWanted)) row = await readRow(trx, wanted);
  row = { ...row, ...(await readUnlockedTrips(trx, changes, row)) };
  const answers = new Map(row.answers.map((answer) => [keyed[answer.n], answer]));
  return {
    transactionId: row.transactionId,
    answerOf: (change) => answers.get(change),
    freed,
    beside,
    touched: wanted.touchedDates.isWanted ? row.touchedDates : undefined,
    lockedElsewhere: new Set(row.lockedElsewhere.map(({ id }) => id)),
    facts: saleFacts(row),
  };
}

/**
 * Reads the trips of resources that a change of a hold does not lock, because it only frees seats: its answer shows the free seats after it. Runs a
 * statement only if the departure uses resources.
 */
async function readUnlockedTrips(
  trx: Trx,
  changes: SeatChange[],
  { departures: found }: FactsRow,
): Promise<Partial<FactLists>> {
  const freeing = changes.filter(({ locks, reads }) => locks.freesOnly && reads.holdId !== undefined);
  const kinds = kindsOf(freeing);
  const departureIds = [...new Set(freeing.flatMap(({ locks }) => locks.departureIds))];
  const resourceIds = [
    ...new Set(found.filter(({ id }) => departureIds.includes(id)).flatMap((one) => one.resourceIds)),
  ];
  if (resourceIds.length === 0) return {};
  const { resources, uses } = await readRow(trx, {
    resources: tripLists.resources(resourceIds),
    uses: tripLists.uses(resourceIds, departureIds, kinds),
  });
  return { resources, uses };
}

/**
 * Reads the facts of new bookings without a lock, for a decision that writes nothing. Marks no expired seats, which no fact counts, and takes no
 * numbers of bookings.
 */
export async function readFactsWithoutLocks(trx: Trx, changes: SeatChange[]): Promise<SaleFacts> {
  const departureIds = [...new Set(changes.flatMap(({ locks }) => locks.departureIds))];
  const resourceIds = new Set(await findResourcesOfDepartures(trx, departureIds));
  return saleFacts(await readRow(trx, factLists(changes, noLocks(departureIds, resourceIds))));
}

/** Returns the locks of a transaction that reads departures and has locked nothing. */
function noLocks(departureIds: string[], resourceIds: ReadonlySet<string>): ChangeLocks {
  const none = new Set<SeatChange>();
  return { departureIds, resourceIds, notLocked: [], ownKey: none, ownLead: none, isChanging: () => false };
}

/** True: seats of the sandbox; false: real seats. */
const BOTH_KINDS = [false, true];

/** Reads the departures of a bulk change after their locks, and marks their expired holds and bookings, as readFacts does. */
export async function readBulkFacts(
  trx: Trx,
  departureIds: string[],
  resourceIds: string[],
): Promise<{ facts: BulkFacts; freed: ChangedDate[]; beside: ChangingDeparture[] }> {
  const row = await readRow(trx, {
    departures: lists.departures(departureIds, BOTH_KINDS, resourceIds),
    resources: tripLists.resources(resourceIds),
    uses: tripLists.uses(resourceIds, departureIds, BOTH_KINDS),
  });
  const { expired, freed } = await markExpired(trx, row);
  const beside = await markExpiredBeside(trx, row);
  for (const { tour, departureDate } of beside) freed.push(...datesOfBothKinds(tour.id, departureDate));
  const trips = tripsOf(row);
  return {
    facts: { at: row.at, departures: countedDepartures(row, trips), trips, expired },
    freed,
    beside,
  };
}

/** Runs the statement of the facts with all its lists, for no change. */
export async function readNoFacts(trx: Trx): Promise<void> {
  const all = Object.entries(factLists([], noLocks([], new Set())));
  await readRow(trx, Object.fromEntries(all.map(([name, list]) => [name, { ...list, isWanted: true }])));
}

function kindsOf(changes: SeatChange[]): boolean[] {
  return [...new Set(changes.map(({ tenant }) => tenant.sandbox))];
}

/** Returns the changes whose Idempotency-Key this transaction has locked. */
function keyedOf(changes: SeatChange[], { ownKey }: ChangeLocks): SeatChange[] {
  return changes.filter((change) => change.claim !== null && ownKey.has(change));
}

/** Returns all lists. Each one is wanted if one of the changes needs it. */
function factLists(changes: SeatChange[], locks: ChangeLocks): Record<keyof FactLists, FactList> {
  const { departureIds, notLocked } = locks;
  const resourceIds = [...locks.resourceIds];
  const locked = new Set(departureIds);
  const seen = changes.flatMap(({ tenant, locks: wanted }) =>
    wanted.departureIds.flatMap((departureId) => (locked.has(departureId) ? [{ tenant, departureId }] : [])),
  );
  // A change whose locks this transaction lacks needs none of the lists of `own`: it is tried again, or refused.
  const own = changes.filter((change) => hasItsLocks(change, locks));
  return {
    answers: lists.storedAnswers(keyedOf(changes, locks)),
    apiKeys: lists.apiKeys(changes),
    departures: lists.departures(departureIds, kindsOf(changes), resourceIds),
    lockedElsewhere: lists.lockedElsewhere(notLocked),
    resources: tripLists.resources(resourceIds),
    uses: tripLists.uses(resourceIds, departureIds, kindsOf(changes)),
    touchedDates: tripLists.touchedDates(resourceIds, departureIds),
    views: lists.views(seen),
    rules: lists.priceRules(changes),
    rates: lists.exchangeRates(changes),
    undatedTours: lists.undatedTours(changes),
    holdCounts: lists.holdCounts(changes),
    holdTrips: tripLists.holdTrips(changes, resourceIds),
    unpaidCounts: lists.unpaidCounts(changes),
    namedHolds: lists.namedHolds(own),
    holdsByReference: lists.holdsByReference(own),
    takenUuids: lists.takenUuids(own),
    references: lists.references(own),
    leadIds: lists.leadIds(own.filter(({ reads }) => reads.bookingNumber).length),
    storedHolds: lists.storedHolds(changes),
    storedLeads: lists.storedLeads(changes),
  };
}

function saleFacts(row: FactsRow): SaleFacts {
  return {
    ...departureFacts(row),
    liveHolds: countsOf(row.holdCounts),
    holdTrips: countsOf(row.holdTrips),
    unpaidLeads: countsOf(row.unpaidCounts),
    holds: distinctHolds([...row.namedHolds, ...row.holdsByReference]),
    takenUuids: new Set(row.takenUuids.map(({ tenantId, uuid }) => viewKey(tenantId, uuid))),
    references: new Map(
      row.references.map((one) => [
        referenceKey(one.tenantId, one.tourId, one.externalRef, one.departureTime ?? undefined),
        one,
      ]),
    ),
    newLeadIds: row.leadIds.map(({ id }) => id),
    storedHolds: byId(
      row.storedHolds.map((hold) => ({ ...toHold(hold), lifeSecondsLeft: hold.lifeSecondsLeft })),
    ),
    storedLeads: byId(
      row.storedLeads.map((lead) => ({ ...toLead(lead), nextUpdatedAt: lead.nextUpdatedAt })),
    ),
    undatedTours: new Map(
      row.undatedTours.map((tour) => [viewKey(tour.tenantId, tour.id), withCategories(tour)]),
    ),
    assertKeyServes: keyCheckOf(row.apiKeys),
  };
}

/** The row that the statement returns. A list is empty if the statement did not select it. */
interface FactsRow extends FactLists {
  at: string;
  transactionId: string;
}

async function readRow(trx: Trx, all: Partial<Record<keyof FactLists, FactList>>): Promise<FactsRow> {
  const wanted = (Object.entries(all) as [keyof FactLists, FactList][]).filter(
    ([, { isWanted }]) => isWanted,
  );
  const columns = wanted.map(
    ([name, { sql }]) => `, (select json_agg(row_of) from (${sql}) row_of) as "${name}"`,
  );
  const { rows } = await runPrepared<FactsRow>(
    trx,
    `${CLOCK}
     select to_json(clock.at at time zone 'UTC') #>> '{}' || 'Z' as at, pg_current_xact_id()::text as transaction_id
       ${columns.join('')}
     from clock`,
    Object.fromEntries(wanted.flatMap(([, { values }]) => Object.entries(values))),
  );
  const { at, transactionId } = rows[0]!;
  const row: FactsRow = { ...emptyLists(), at, transactionId };
  // The columns are JSON arrays of rows; null: no row.
  for (const [name] of wanted) if (rows[0]![name]) row[name] = toFields(rows[0]![name]) as never;
  return row;
}

/** Marks the expired holds and bookings of the departures. Returns them, and the dates of their departures. */
async function markExpired(
  trx: Trx,
  { departures: found, at }: FactsRow,
): Promise<{ expired: ExpiredSeats; freed: ChangedDate[] }> {
  const places = new Map(found.flatMap((row) => (row.somethingExpired ? [[row.id, row] as const] : [])));
  const ids = [...places.keys()];
  const expired = ids.length > 0 ? await markExpiredSeats(trx, ids, at) : { holds: [], bookingRefs: [] };
  const freed = [...places.values()].flatMap(({ tourId, departureDate }) =>
    datesOfBothKinds(tourId, departureDate),
  );
  return { expired, freed };
}

/**
 * Marks the expired holds and bookings of other departures whose time on a resource a sale may take, so that they cannot become live again if
 * the clock goes back. Leaves out a departure that another transaction has locked: that one marks them.
 */
async function markExpiredBeside(
  trx: Trx,
  { departures: own, uses, at }: FactsRow,
): Promise<ChangingDeparture[]> {
  const locked = new Set(own.map(({ id }) => id));
  const beside = new Map(
    uses
      .filter(({ departureId, somethingExpired }) => somethingExpired && !locked.has(departureId))
      .map((use) => [use.departureId, use]),
  );
  if (beside.size === 0) return [];
  const ids = await lockFreeDeparturesById(trx, [...beside.keys()]);
  if (ids.length > 0) await markExpiredSeats(trx, ids, at);
  return ids.map((id) => {
    const { tourId, departureDate, resourceId } = beside.get(id)!;
    return { id, tour: { id: tourId }, departureDate, resourceIds: [resourceId] };
  });
}

function departureFacts(row: FactsRow): DepartureFacts {
  const { views: seen, rules, rates, at } = row;
  const rulesOf = new Map<string, PriceRule[]>();
  for (const { tenantId, ...rule } of rules) rulesOf.set(tenantId, [...(rulesOf.get(tenantId) ?? []), rule]);
  const trips = tripsOf(row);
  return {
    at,
    departures: countedDepartures(row, trips),
    trips,
    visible: new Set(seen.filter(({ visible }) => visible).map(keyOfView)),
    unpaidSeats: new Map(seen.map((view) => [keyOfView(view), view.unpaidSeats])),
    priceRules: rulesOf,
    rates: ratesByCurrency(rates),
  };
}

function tripsOf({ resources, uses }: FactsRow): Trips {
  return new Trips(
    resources.map((resource) => ({ ...resource, closings: resource.closings ?? [] })),
    uses,
  );
}

function countedDepartures({ departures: found }: FactsRow, trips: Trips): DepartureFacts['departures'] {
  const counted = found.map(toLockedDeparture);
  for (const one of counted) {
    if (!trips.haveAll(one.resourceIds)) continue;
    const { seatsOfResources, scarceResource } = trips.leftFor(one.id, one.sandbox);
    one.seatsOfResources = seatsOfResources;
    one.scarceResource = scarceResource;
  }
  return new Map(counted.map((one) => [countedKey(one.id, one.sandbox), one]));
}

function keyOfView({ tenantId, departureId }: TenantView): string {
  return viewKey(tenantId, departureId);
}

function countsOf(counts: TenantCount[]): Map<string, number> {
  return new Map(counts.map(({ tenantId, count }) => [tenantId, count]));
}

/**
 * Returns one object for each hold, because the decision about a booking changes the object of its hold. The list may contain a hold twice:
 * one booking names the hold by id, another booking names it by reference.
 */
function distinctHolds(found: Row[]): HeldSeats[] {
  return [...byId(found.map(toHeldSeats)).values()];
}

function byId<Found extends { id: string | number }>(found: Found[]): Map<Found['id'], Found> {
  return new Map(found.map((one) => [one.id, one]));
}

function withCategories<Row extends Pick<Stored<PricedTour>, 'categories'>>(row: Row) {
  return { ...row, categories: categoriesOf(row.categories) };
}
