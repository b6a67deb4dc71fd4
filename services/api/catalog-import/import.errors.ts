import { AppError } from '../../platform/errors';
import type { ImportReport } from './import-report';

/** The files have issues, or the catalog refuses their changes. The report lists the issues; nothing was written. */
export class CatalogRefusedError extends AppError {
  readonly code = 'catalog_refused';

  constructor(readonly report: ImportReport) {
    const count = report.errors_total ?? report.errors.length;
    super(
      `The catalog has ${count} ${count === 1 ? 'issue' : 'issues'}; nothing was written. Correct the files and import them again`,
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

export class CatalogChangedError extends AppError {
  readonly code = 'catalog_changed';

  constructor(slug: string) {
    super(
      `The tour ${slug} was added to the catalog while the files were compared; nothing was written. Run the import again`,
    );
  }
}
