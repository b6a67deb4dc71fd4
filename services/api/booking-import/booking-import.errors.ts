import { AppError } from '../../platform/errors';

/** The map has a key, a field or a form that an import does not know. */
export class BookingMapError extends AppError {
  readonly code = 'map_invalid';

  /** @param issue names the key; never a value of a booking */
  constructor(issue: string) {
    super(`The map is invalid: ${issue}`);
  }
}

/** The files have rows that cannot be imported. The report lists them; nothing was written. */
export class BookingsRefusedError extends AppError {
  readonly code = 'import_refused';

  /** @param canSkip false: a file has an issue of another kind, which --skip-faulty cannot leave out */
  constructor(faulty: number, canSkip: boolean) {
    const cure = canSkip
      ? 'Correct them, or leave them out with --skip-faulty --rejects FILE'
      : 'Correct the columns or the form of the file first, or the map';
    super(`${faulty} ${faulty === 1 ? 'row' : 'rows'} cannot be imported; nothing was written. ${cure}`);
  }
}

export class BookingImportRunningError extends AppError {
  readonly code = 'import_running';

  constructor() {
    super('Another import of bookings is writing; nothing was written. Run this one again when it is done');
  }
}

/** Sales or changes between the check of the rows and the writing refuse a row. */
export class ImportOvertakenError extends AppError {
  readonly code = 'import_overtaken';

  constructor(reason: string) {
    super(
      `Since the rows were checked, the seats or prices have changed: ${reason} Nothing was written. Run the import again`,
    );
  }
}

export class ImportNotFoundError extends AppError {
  readonly code = 'import_not_found';

  constructor() {
    super('There is no import with this id');
  }
}

/** Digests find the rows of earlier imports, also of erased customers, whom an import must not bring back. */
export class ImportKeyChangedError extends AppError {
  readonly code = 'import_key_changed';

  constructor(importId: string) {
    super(
      `CURSOR_KEY is another one than for the import ${importId}, so its rows would not be known again. Set the earlier key, or undo that import`,
    );
  }
}
