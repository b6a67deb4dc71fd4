import { AppError } from '../../platform/errors';
import { refuseDuringUpdate } from '../departures/add-departures';
import type { ImportReport } from './import-report';

/** The files have issues, or the catalog refuses their changes. The report lists the issues; nothing was written. */
export class CatalogRefusedError extends AppError {
  readonly code = 'catalog_refused';

  constructor(readonly report: ImportReport) {
    const count = report.errors_total ?? report.errors.length;
    super(
      `The catalog has ${count} ${count === 1 ? 'issue' : 'issues'}; nothing was written. Correct the files and run it again`,
    );
  }
}

export class ImportRunningError extends AppError {
  readonly code = 'import_running';

  constructor() {
    super(
      'Another import is writing to the catalog; nothing was written. Run this one again when it is done',
    );
  }
}

export class CatalogBusyError extends AppError {
  readonly code = 'catalog_busy';

  constructor() {
    super(
      'A departure or tour that would change is in use for longer than two seconds; nothing was written. Run it again',
    );
  }
}

/** Another transaction changed the catalog between the comparison and the writing of the import. */
export class CatalogChangedError extends AppError {
  readonly code = 'catalog_changed';

  /** @param change the first words of the message, such as `A departure was added` */
  constructor(change: string) {
    super(`${change} while the files were compared; nothing was written. Run the import again`);
  }
}

/** The constraints that refuse two departures of a tour with the same start (0115_departure_times.sql, 0116_departure_times_index.sql). */
const DISTINCT_STARTS = ['departures_told_apart', 'departures_one_per_start'];

/**
 * Translates the refusals of the database that an import cannot foresee.
 * @throws CatalogChangedError, EarlierReleaseRunsError; else the given error
 */
export function refuseOverlap(error: unknown): never {
  const constraint = String((error as { constraint?: unknown }).constraint);
  if (DISTINCT_STARTS.includes(constraint))
    throw new CatalogChangedError('A departure with the same start was added or changed');
  return refuseDuringUpdate(error);
}
