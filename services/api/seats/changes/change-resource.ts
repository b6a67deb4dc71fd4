import type { Trx } from '../../../platform/database/database';
import { withGiven } from '../../audit/changed-fields';
import { lockResource } from '../../departures/lock-departures';
import { assertTripsFit, type BusyTrip } from '../../resources/busy-trips';
import { assertTimeZoneKnown, findResource, readTimeSpan } from '../../resources/find-resource';
import {
  type Closing,
  type GivenTime,
  type Resource,
  type ResourceValues,
  type TimeSpan,
  toClosingDocument,
} from '../../resources/resource';
import { ResourceUsedError, TooManyUnitsError } from '../../resources/resource.errors';
import { selectSoldTrips } from '../../resources/sold-trips.repository';
import {
  cutClosings,
  deleteResource,
  insertClosing,
  selectClosings,
  selectDatesOfResource,
  selectUsersOf,
  updateResource,
} from '../../resources/stored-resource.repository';
import { type ChangedDate, datesOfBothKinds } from '../after-commit';
import type { OperatorTransaction } from '../perform';

/** A resource before and after a change. */
interface ChangedResource {
  before: Resource;
  after: Resource;
}

/** A closing of a resource that begins, with the sold trips of its time, which stay. */
interface NewClosing {
  closing: Closing;
  trips: BusyTrip[];
}

/** A document of the closings in a time, before and after a change. */
interface ChangedClosings {
  before: ReturnType<typeof toClosingDocument>[];
  after: ReturnType<typeof toClosingDocument>[];
}

/**
 * Changes a resource. Drops the cached seats of its departures if other seats may be free.
 * @param given the values to change
 * @throws ResourceNotFoundError, UnknownTimeZoneError; ResourceBusyError if what is sold needs more places, units or a shorter turnaround;
 *   DepartureBusyError after two seconds (409)
 * @rule which changes of a resource are refused: test/cli/resource.long.test.ts
 */
export async function changeResource(
  transaction: OperatorTransaction,
  code: string,
  given: Partial<ResourceValues>,
): Promise<ChangedResource> {
  const { trx } = transaction;
  const before = await findLockedResource(trx, code);
  const { id, code: _, createdAt, ...values } = before;
  const changed = withGiven<ResourceValues>(values, given);
  if (changed.timeZone !== before.timeZone) await assertTimeZoneKnown(trx, changed.timeZone);
  await updateResource(trx, id, changed);
  const isSame =
    changed.places === before.places &&
    changed.units === before.units &&
    changed.turnaround === before.turnaround;
  if (!isSame) await followChange(transaction, id);
  return { before, after: { ...changed, id, code, createdAt } };
}

/** Checks that the sold trips of a changed resource still fit, and records the dates of its departures. @throws ResourceBusyError */
async function followChange(transaction: OperatorTransaction, resourceId: string): Promise<void> {
  const dates = await selectDatesOfResource(transaction.trx, resourceId);
  const departureIds = dates.map(({ departureId }) => departureId);
  await assertTripsFit(transaction.trx, departureIds);
  await transaction.record(transaction.trx, toChangedDates(dates));
}

/**
 * Closes units of a resource in a time: new sales there are refused. What is sold stays, so it never refuses because of a sale.
 * @throws ResourceNotFoundError, TimeEndsBeforeStartError, TooManyUnitsError; DepartureBusyError after two seconds (409)
 * @rule a closing is never refused because of a sale: test/cli/resource.long.test.ts
 */
export async function closeResource(
  transaction: OperatorTransaction,
  code: string,
  { units, reason, operator, ...given }: GivenTime & { units?: number; reason: string; operator: string },
): Promise<NewClosing> {
  const { trx } = transaction;
  const resource = await findLockedResource(trx, code);
  if (units !== undefined && units > resource.units) throw new TooManyUnitsError(code, resource.units);
  const time = await readTimeSpan(trx, resource, given);
  const closing = { ...time, units: units ?? null, reason };
  await insertClosing(trx, resource.id, closing, operator);
  await recordDates(transaction, resource.id, time);
  return { closing, trips: await selectSoldTrips(trx, resource.id, time) };
}

/**
 * Ends the closings of a resource in a time; what they close before and after it stays.
 * @throws ResourceNotFoundError, TimeEndsBeforeStartError; DepartureBusyError after two seconds (409)
 */
export async function reopenResource(
  transaction: OperatorTransaction,
  code: string,
  given: GivenTime,
): Promise<ChangedClosings> {
  const { trx } = transaction;
  const resource = await findLockedResource(trx, code);
  const time = await readTimeSpan(trx, resource, given);
  const closings = await selectClosings(trx, resource.id, time);
  if (closings.length === 0) return { before: [], after: [] };
  await cutClosings(trx, resource.id, time);
  await recordDates(transaction, resource.id, time);
  const rest = await selectClosings(trx, resource.id, spanOf(closings));
  return { before: closings.map(toClosingDocument), after: rest.map(toClosingDocument) };
}

/** Returns the time from the first beginning to the last end. */
function spanOf(closings: Closing[]): TimeSpan {
  const times = (pick: (closing: Closing) => Date) => closings.map((closing) => pick(closing).getTime());
  return {
    from: new Date(Math.min(...times(({ from }) => from))),
    to: new Date(Math.max(...times(({ to }) => to))),
  };
}

/**
 * Removes a resource that no tour and no departure to come uses, with its closings.
 * @throws ResourceNotFoundError, ResourceUsedError; DepartureBusyError after two seconds (409)
 * @rule which resources can be removed: test/cli/resource.long.test.ts
 */
export async function removeResource({ trx }: OperatorTransaction, code: string): Promise<Resource> {
  const resource = await findLockedResource(trx, code);
  const users = await selectUsersOf(trx, code);
  if (users.length > 0) throw new ResourceUsedError(code, users);
  await deleteResource(trx, resource.id);
  return resource;
}

/** Finds the resource, locks it, and reads it again: another command may have changed it before the lock. */
async function findLockedResource(trx: Trx, code: string): Promise<Resource> {
  const { id } = await findResource(trx, code);
  await lockResource(trx, id);
  return findResource(trx, code);
}

async function recordDates(
  { trx, record }: OperatorTransaction,
  resourceId: string,
  time: TimeSpan,
): Promise<void> {
  await record(trx, toChangedDates(await selectDatesOfResource(trx, resourceId, time)));
}

/** Returns each date of a tour once for its real seats, and once for those of the sandbox. */
function toChangedDates(dates: { tourId: string; date: string }[]): ChangedDate[] {
  const unique = new Map(dates.map((one) => [`${one.tourId} ${one.date}`, one]));
  return [...unique.values()].flatMap(({ tourId, date }) => datesOfBothKinds(tourId, date));
}
