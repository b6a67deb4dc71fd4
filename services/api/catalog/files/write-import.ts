import { refuseWhenLocked, type Trx } from '../../../platform/database';
import { findDeparturesWithExpired } from './catalog-read.repository';
import {
  archiveTours,
  bumpRevisions,
  claimImport,
  deleteDepartures,
  insertDepartures,
  insertTours,
  lockForImport,
  updateDepartures,
  updateTours,
} from './catalog-write.repository';
import { CatalogBusyError, CatalogRefusedError, ImportRunningError } from './import.errors';
import type { Counts, ImportPlan } from './import-plan';
import { type ImportReport, reportImport } from './import-report';
import { planTours } from './plan-import';

/**
 * Writes down which holds and unpaid leads of a departure are over, and announces it: the room of departures', which this
 * one does not know. The transaction holds the departure's lock.
 */
type EndExpired = (trx: Trx, departureId: string) => Promise<unknown>;

/**
 * Writes a plan without faults, all of it or nothing. Locks what changes, in one order everywhere, and compares that
 * again: seats may have been taken since the plan was made. Keep the transaction short: bookings of those departures wait.
 * @throws CatalogRefusedError, ImportRunningError, CatalogBusyError
 */
export async function writeImport(
  trx: Trx,
  plan: ImportPlan,
  files: string[],
  endExpired: EndExpired,
): Promise<ImportReport> {
  if (!(await claimImport(trx))) throw new ImportRunningError();
  const departureIds = await lockChanging(trx, plan);
  // Seats that are given away stay so, even if the clock steps back.
  for (const id of await findDeparturesWithExpired(trx, departureIds)) await endExpired(trx, id);
  const concerned = plan.changes.map((change) => change.file);
  const current = await planTours(trx, concerned, plan.prune);
  current.archived = plan.archived;
  const report = reportImport(current, files);
  if (report.errors.length > 0) throw new CatalogRefusedError(report);
  await writeChanges(trx, current);
  return {
    ...report,
    tours: withUntouched(report.tours, plan.tours),
    departures: withUntouched(report.departures, plan.departures),
  };
}

/** @returns the departures */
async function lockChanging(trx: Trx, { changes, archived }: ImportPlan): Promise<string[]> {
  const departures = changes.flatMap(({ updates, deletes, cancels }) => [...updates, ...deletes, ...cancels]);
  const tourIds = [...changes.map((change) => change.tourId), ...archived.map((tour) => tour.id)];
  const departureIds = departures.map((departure) => departure.id);
  const locking = lockForImport(trx, tourIds, departureIds);
  await refuseWhenLocked('import', locking, () => new CatalogBusyError());
  return departureIds;
}

async function writeChanges(trx: Trx, { changes, archived }: ImportPlan): Promise<void> {
  const own = changes.flatMap(({ tour }) => tour ?? []);
  await insertTours(
    trx,
    own.filter((tour) => tour.isNew).map((tour) => tour.row),
  );
  await updateTours(
    trx,
    own.filter((tour) => !tour.isNew).map((tour) => tour.row),
  );
  await insertDepartures(
    trx,
    changes.flatMap((change) => change.inserts),
  );
  await updateDepartures(
    trx,
    changes.flatMap((change) => [...change.updates, ...change.cancels]),
  );
  await deleteDepartures(
    trx,
    changes.flatMap((change) => change.deletes.map((departure) => departure.id)),
  );
  await bumpRevisions(
    trx,
    changes.filter(({ tour }) => !tour).map((change) => change.tourId),
  );
  await archiveTours(
    trx,
    archived.map((tour) => tour.id),
  );
}

/** What the first comparison found as it should be was not looked at again. */
function withUntouched(written: Counts, planned: Counts): Counts {
  const all = (counts: Counts) => counts.created + counts.updated + counts.unchanged;
  return { ...written, unchanged: written.unchanged + all(planned) - all(written) };
}
