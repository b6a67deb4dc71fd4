import type { Trx } from '../../../platform/database';
import { sqlState } from '../../../platform/errors';
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

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Writes a plan without faults, all of it or nothing. Locks what changes, in one order everywhere, and compares that
 * again: seats may have been taken since the plan was made. Keep the transaction short: bookings of those departures wait.
 * @throws CatalogRefusedError, ImportRunningError, CatalogBusyError
 */
export async function writeImport(trx: Trx, plan: ImportPlan, files: string[]): Promise<ImportReport> {
  if (!(await claimImport(trx))) throw new ImportRunningError();
  await lockChanging(trx, plan);
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

async function lockChanging(trx: Trx, { changes, archived }: ImportPlan): Promise<void> {
  const departures = changes.flatMap(({ updates, deletes, cancels }) => [...updates, ...deletes, ...cancels]);
  const tourIds = [...changes.map((change) => change.tourId), ...archived.map((tour) => tour.id)];
  try {
    await lockForImport(
      trx,
      tourIds,
      departures.map((departure) => departure.id),
    );
  } catch (error) {
    if (sqlState(error) === LOCK_NOT_AVAILABLE) throw new CatalogBusyError();
    throw error;
  }
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
