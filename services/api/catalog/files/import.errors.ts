import { AppError } from '../../../platform/errors';
import type { ImportReport } from './import-report';

/** The files' contents or the state refused it; nothing was written. The report says why. */
export class CatalogRefusedError extends AppError {
  override readonly name = 'CatalogRefusedError';
  readonly code = 'catalog_refused' as const;

  constructor(readonly report: ImportReport) {
    const count = report.errors.length;
    super(`The catalog has ${count} ${count === 1 ? 'fault' : 'faults'}; nothing was written`);
  }
}

export class ImportRunningError extends AppError {
  override readonly name = 'ImportRunningError';
  readonly code = 'import_running' as const;

  constructor() {
    super(
      'Another import is writing to the catalog; nothing was written. Run this one again when it is done',
    );
  }
}

export class CatalogBusyError extends AppError {
  override readonly name = 'CatalogBusyError';
  readonly code = 'catalog_busy' as const;

  constructor() {
    super(
      'A departure or tour that would change is in use for longer than two seconds; nothing was written. Run it again',
    );
  }
}
