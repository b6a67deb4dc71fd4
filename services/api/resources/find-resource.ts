import type { Db, Trx } from '../../platform/database/database';
import type { GivenTime, Resource, ResourceValues, TimeSpan } from './resource';
import {
  ResourceExistsError,
  ResourceNotFoundError,
  TimeEndsBeforeStartError,
  UnknownTimeZoneError,
} from './resource.errors';
import {
  insertResource,
  isKnownTimeZone,
  selectResource,
  selectResourceIds,
  selectResources,
  selectTimeSpan,
} from './stored-resource.repository';

/** Returns those of the codes that no resource has. */
export async function findUnusedCodes(db: Db, codes: string[]): Promise<string[]> {
  const stored = await selectResourceIds(db, codes);
  return codes.filter((code) => !stored.has(code));
}

/** Finds a resource by its code. @throws ResourceNotFoundError */
export async function findResource(db: Db, code: string): Promise<Resource> {
  const resource = await selectResource(db, code);
  if (!resource) throw new ResourceNotFoundError(code);
  return resource;
}

/** Lists the resources by code. @param filter `after`: the code of the last one of the previous page */
export async function listResources(
  db: Db,
  filter: { after?: string; kind?: string; limit: number },
): Promise<Resource[]> {
  return selectResources(db, filter);
}

/** Adds a resource. @throws ResourceExistsError, UnknownTimeZoneError */
export async function addResource(trx: Trx, code: string, values: ResourceValues): Promise<Resource> {
  await assertTimeZoneKnown(trx, values.timeZone);
  const added = await insertResource(trx, code, values);
  if (!added) throw new ResourceExistsError(code);
  return added;
}

/** @throws UnknownTimeZoneError */
export async function assertTimeZoneKnown(db: Db, name: string): Promise<void> {
  if (!(await isKnownTimeZone(db, name))) throw new UnknownTimeZoneError();
}

/**
 * Returns the instants of a time that an operator gives: dates mean whole days in the zone of the resource, both included.
 * @throws TimeEndsBeforeStartError
 */
export async function readTimeSpan(db: Db, { timeZone }: Resource, given: GivenTime): Promise<TimeSpan> {
  const time = await selectTimeSpan(db, given, timeZone);
  if (time.to <= time.from) throw new TimeEndsBeforeStartError();
  return time;
}
